package dashboard

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/scheme"
	"payswitch/engine/timeline"
	"payswitch/engine/webhook"
	"payswitch/sdk"
)

// Moment is one line of a payment's timeline.
type Moment struct {
	ID        string // names the line in addresses
	At        Time
	Gap       string // how long after the line before, if that is more than a second
	Text      string
	Took      string
	Chip      *Chip
	Facts     []Fact
	Exchanges []shownExchange
	Resend    string // where the event is sent again
	Replay    string // where the operation's recording runs again
	Open      bool
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// shownExchange is a request and its answer as people read them.
type shownExchange struct {
	timeline.Exchange
	Time Time
	Ms   string
	Line string
}

// timeline puts together what happened, oldest first. exchanges says whether the person may see what was sent.
func (c *call) timeline(v *change.View, st *timeline.Timeline, deliveries []*webhook.Delivery, exchanges bool) (out []*Moment) {
	p := v.Payment
	add := func(at time.Time, m *Moment) {
		m.At = c.time(at)
		out = append(out, m)
	}
	add(p.CreatedAt, &Moment{ID: "created", Text: "payment created: " + Money{p.Amount, p.Currency}.String()})
	routed := map[string]change.Routed{}
	for _, r := range v.Routed {
		routed[r.AttemptID] = r
	}
	for _, a := range st.Attempts {
		if a.Connector == "" {
			continue
		}
		m := &Moment{ID: a.ID, Text: "attempt " + strconv.Itoa(a.Number) + " goes to " + a.Connector, Chip: new(chip(string(a.Status)))}
		if r, ok := routed[a.ID]; ok && r.Trace != nil {
			m.Facts = append(m.Facts, Fact{"Chosen by", words(string(r.By))})
			if r.Rule != "" {
				m.Facts = append(m.Facts, Fact{"Rule", r.Rule})
			}
			for _, left := range r.Left {
				m.Facts = append(m.Facts, Fact{"Left out", left.Account + ": " + words(string(left.Why))})
			}
			if s := r.Scheme; s != nil && (s.Near || s.Refused != "") {
				m.Facts = append(m.Facts, Fact{"Retries of the card", c.schemeRetries(s)})
			}
		}
		if e := a.Details.Error; e != nil && e.Code != "" {
			m.Facts = append(m.Facts, Fact{"Processor's code", e.Code})
		}
		add(a.CreatedAt, m)
	}
	captures := map[string]*payment.CaptureRecord{}
	for _, a := range st.Attempts {
		for i := range a.Details.Captures {
			captures[a.Details.Captures[i].OperationID] = &a.Details.Captures[i]
		}
	}
	for _, op := range st.Operations {
		c.operation(op, captures[op.ID], p.Currency, exchanges, add)
	}
	for _, ev := range st.Events {
		add(ev.CreatedAt, c.event(ev, deliveries))
	}
	slices.SortStableFunc(out, func(a, b *Moment) int { return a.At.at.Compare(b.At.at) })
	for i := 1; i < len(out); i++ {
		if gap := out[i].At.at.Sub(out[i-1].At.at); gap > time.Second {
			out[i].Gap = "+ " + shortly(gap)
		}
	}
	return out
}

// schemeRetries says how a card stands at the retry limits of its scheme.
func (c *call) schemeRetries(s *scheme.Standing) string {
	switch {
	case s.Refused == scheme.RefusedNever:
		return "the issuer will never approve this card: ask for another one"
	case s.Refused == scheme.RefusedWait:
		return "the issuer asks to wait until " + c.time(s.Again).Full()
	}
	text := strconv.Itoa(s.Declined) + " of " + strconv.Itoa(s.Most) + " declines that the scheme allows are used"
	if s.Refused != "" {
		text += "; the next retry may go at " + c.time(s.Again).Full()
	}
	return text
}

// operation adds the lines of one operation: its run, each later question, and what arrived after its end. capture is the capture that the operation
// makes, nil for other operations.
func (c *call) operation(op *timeline.Operation, capture *payment.CaptureRecord, currency sdk.Currency, exchanges bool, add func(time.Time, *Moment)) {
	amount := ""
	if op.Amount > 0 {
		amount = " " + Money{op.Amount, currency}.String()
	}
	m := &Moment{ID: op.ID, Text: words(string(op.Kind)) + amount + " at " + op.Connector, Chip: new(chip(string(op.Status))),
		Open: op.Status == payment.OperationUnknown || op.Status == payment.OperationStarted}
	if !op.ClosedAt.IsZero() {
		m.Took = shortly(op.ClosedAt.Sub(op.StartedAt))
	}
	if op.ErrorText != "" {
		m.Facts = append(m.Facts, Fact{"What is known", op.ErrorText})
	}
	if !op.ResolveAt.IsZero() && m.Open {
		m.Facts = append(m.Facts, Fact{"Asked next", c.time(op.ResolveAt).Full()})
	}
	if r := op.Resolution; r != nil {
		m.Facts = append(m.Facts, Fact{"Decided by a person", r.By + " said " + words(string(r.Outcome))})
	}
	if d := op.Result; d != nil && d.Decline != nil {
		m.Facts = append(m.Facts, Fact{"Refused", strings.TrimSpace(d.Decline.Code + " " + spoken(d.Decline.Message))})
	}
	if r := capture; r != nil {
		m.Facts = append(m.Facts, facts("Capture", r.ID, "The capture is", words(string(r.Status)), "Processor's id of the capture", r.ProcessorID,
			"The capture was refused with", strings.TrimSpace(r.ErrorCode+" "+r.ErrorText))...)
	}
	m.Facts = append(m.Facts, Fact{"Operation", op.ID})
	if exchanges && len(op.Drives) > 0 && c.server.Replayer != nil {
		m.Replay = c.at() + "/operations/" + op.ID + "/replay"
	}
	for i, d := range op.Drives {
		to := m
		if i > 0 {
			to = &Moment{ID: op.ID + "-" + strconv.Itoa(i+1), Text: "asked " + op.Connector + " about " + words(string(op.Kind))}
			add(d.At, to)
		}
		to.Facts = append(to.Facts, Fact{"Adapter", d.Adapter + ", build " + first(d.Hash, 12)})
		if d.Failed != "" {
			to.Facts = append(to.Facts, Fact{"The run failed", d.Failed})
		}
		if !exchanges {
			continue
		}
		for _, x := range d.Exchanges {
			to.Exchanges = append(to.Exchanges, shownExchange{Exchange: x, Time: c.time(x.At), Ms: shortly(x.Took), Line: lineOf(x)})
		}
	}
	add(op.StartedAt, m)
	for i, e := range op.Evidence {
		said := &Moment{ID: op.ID + "-said-" + strconv.Itoa(i+1), Text: "later word about " + words(string(op.Kind)) + " by " + e.Source}
		if e.Outcome != nil {
			said.Text += ": " + words(string(e.Outcome.Status))
		}
		if e.Note != "" {
			said.Facts = []Fact{{"Note", e.Note}}
		}
		add(e.At, said)
	}
}

// lineOf says what a request was, and what came back.
func lineOf(x timeline.Exchange) string {
	answer := "no answer"
	switch {
	case x.Verdict != "":
		return "check of a message: " + x.Verdict
	case x.Failure != "" && x.Sent:
		answer = x.Failure + ", and the request may have arrived"
	case x.Failure != "":
		answer = x.Failure + ", and nothing left"
	case x.Status != 0:
		answer = strconv.Itoa(x.Status)
	}
	if !x.Known {
		return "a request whose text is not kept · " + answer
	}
	return x.Method + " " + x.URL + " · " + answer
}

// event returns the line of an event and of its deliveries.
func (c *call) event(ev *payment.Event, deliveries []*webhook.Delivery) *Moment {
	m := &Moment{ID: ev.ID, Text: "event " + ev.Type, Facts: []Fact{{"Event", ev.ID}}}
	for _, d := range deliveries {
		if d.EventID != ev.ID {
			continue
		}
		state := string(d.State)
		switch d.State {
		case webhook.Open:
			if state = "pending"; d.Tries > 0 {
				state = "retrying"
			}
		case webhook.GivenUp:
			state = "failed"
		}
		m.Chip = new(chip(state))
		text := words(state) + " after " + strconv.Itoa(d.Tries) + " tries"
		if d.Tries == 1 {
			text = words(state) + " at the first try"
		}
		if !d.DueAt.IsZero() && d.State == webhook.Open {
			text += ", next at " + c.time(d.DueAt).Clock()
		}
		m.Facts = append(m.Facts, Fact{"To " + d.EndpointID, text})
		m.Resend = c.at() + "/events/" + ev.ID + "/resend"
	}
	return m
}

// shortly writes a duration as people say it: 412 ms, 3.2 s, 5 min, 2 h, 3 days.
func shortly(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return strconv.FormatInt(int64(d/time.Minute), 10) + " min"
	case d < 48*time.Hour:
		return strconv.FormatInt(int64(d/time.Hour), 10) + " h"
	}
	return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + " days"
}

func first(s string, n int) string { return s[:min(n, len(s))] }
