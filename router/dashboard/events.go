package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/staff"
	"payswitch/engine/webhook"
)

func (s *Server) eventRoutes() []route {
	return []route{
		{method: "GET", pattern: "/m/{m}/events", needs: staff.SeeEvents, handle: s.events},
		{method: "POST", pattern: "/m/{m}/events/again", needs: staff.Resend, handle: s.formOnce(s.resendAll)},
		{method: "GET", pattern: "/m/{m}/events/{event}", needs: staff.SeeEvents, handle: s.event},
		{method: "POST", pattern: "/m/{m}/events/{event}/again", needs: staff.Resend, handle: s.formOnce(s.resendOne)},
	}
}

// eventRows is the number of deliveries on a page of the list.
const eventRows = 50

// states of deliveries, as people read them.
func deliveryChip(d *webhook.Delivery) Chip {
	switch {
	case d.State == webhook.Delivered:
		return chip("delivered")
	case d.State == webhook.Open && d.Tries == 0:
		return chip("pending")
	case d.State == webhook.Open:
		return chip("retrying")
	}
	return Chip{"given up", "bad", marks["bad"]}
}

// eventFilter returns the filter in the address of the list.
func (c *call) eventFilter() (f webhook.Filter, state, kind string, offset int) {
	q := c.URL.Query()
	state, kind = q.Get("state"), q.Get("type")
	if state == "delivered" || state == "failed" {
		done := state == "delivered"
		f.Delivered = &done
	} else {
		state = ""
	}
	if slices.Contains(webhook.Types, kind) {
		f.Types = []string{kind}
	} else {
		kind = ""
	}
	if n, err := strconv.Atoi(q.Get("from")); err == nil && n > 0 {
		offset = n
	}
	f.Limit, f.Offset = eventRows, offset
	return f, state, kind, offset
}

func (s *Server) events(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	f, state, kind, offset := c.eventFilter()
	list, total, err := s.Events.ListEvents(ctx, c.auth(), f)
	if err != nil {
		return nil, err
	}
	return show(c.eventList(list, total, state, kind, offset, c.sentAgain())), nil
}

func (c *call) eventList(list []*webhook.Delivery, total int, state, kind string, offset int, sent string) *document {
	here := c.at() + "/events"
	d := &document{Heading: "Events", Lead: "What payswitch posts to your endpoints: one line for each event and endpoint, the newest first."}
	if c.may(staff.ManageURLs) {
		d.Links = []Link{{c.at() + "/webhooks", "Endpoints"}}
	}
	if sent != "" {
		d.add(Block{Tone: "good", Text: []string{sent}})
	}
	kinds := []Option{{"", "All", kind == ""}}
	for _, t := range webhook.Types {
		kinds = append(kinds, Option{t, words(t), t == kind})
	}
	d.add(Block{Bare: true, Forms: []Form{{Action: here, Get: true, Inline: true, Submit: "Filter", Fields: []Field{
		{Name: "state", Label: "Delivery", Kind: "select", Options: []Option{{"", "All", state == ""}, {"failed", "Not delivered", state == "failed"}, {"delivered", "Delivered", state == "delivered"}}},
		{Name: "type", Label: "Type", Kind: "select", Options: kinds}}}}})
	if len(list) == 0 {
		e := Empty{Heading: "No event yet", Text: "An event is made when a payment, a refund or a dispute changes. Add an endpoint to receive it."}
		if state+kind != "" {
			e = Empty{Heading: "No event fits", Text: "Other filters may find some.", Links: []Link{{here, "All events"}}}
		}
		if c.may(staff.ManageURLs) {
			e.Links = append(e.Links, Link{c.at() + "/webhooks", "Endpoints"})
		}
		d.add(Block{Bare: true, Empty: &e})
		if state+kind == "" {
			d.add(Block{Heading: "While you develop", Text: []string{listenWords}, Code: c.listenCommand("YOUR_KEY")})
		}
		return d
	}
	t := &Table{Caption: "Events", Columns: columns("Time", "Event", "About", "Delivery", "Tries", "Next try")}
	t.Columns[4].Class = "num"
	for _, x := range list {
		at, state := c.time(x.CreatedAt), deliveryChip(x)
		next := Cell{}
		if x.State == webhook.Open && !x.DueAt.IsZero() {
			due := c.time(x.DueAt)
			next.Time = &due
		}
		t.Rows = append(t.Rows, Row{URL: here + "/" + x.EventID, Cells: []Cell{{Time: &at}, {Text: words(x.Type)}, {Text: x.ObjectID}, {Chip: &state}, {Text: strconv.Itoa(x.Tries)}, next}})
	}
	page := func(from int) string {
		v := url.Values{}
		for name, value := range map[string]string{"state": state, "type": kind} {
			if value != "" {
				v.Set(name, value)
			}
		}
		if from > 0 {
			v.Set("from", strconv.Itoa(from))
		}
		return here + "?" + v.Encode()
	}
	if offset > 0 {
		t.Pager.Newest = page(0)
	}
	if offset+len(list) < total {
		t.Pager.Older = page(offset + len(list))
	}
	d.add(Block{Bare: true, Table: t})
	if state == "failed" && c.may(staff.Resend) {
		d.add(Block{Heading: "Send again", Forms: []Form{{Action: here + "/again", Submit: "Send the newest " + strconv.Itoa(mostAgain) + " again", Fields: []Field{hidden("type", kind)},
			Text: "Each endpoint gets the event once more, now. An endpoint has to know an event again by its id."}}})
	}
	return d
}

// sentAgain says how many events were sent again, and how many of them the endpoint refused, by the numbers in the address. An address has no words
// of its own: else a link could put them on the page.
func (c *call) sentAgain() string {
	sent, err := strconv.ParseUint(c.URL.Query().Get("sent"), 10, 16)
	refused, wrong := strconv.ParseUint(c.URL.Query().Get("refused"), 10, 16)
	if err != nil || wrong != nil {
		return ""
	}
	text := plural(int(sent), "event was", "events were") + " sent again"
	if refused > 0 {
		text += ", and the endpoint refused " + strconv.FormatUint(refused, 10)
	}
	return text + "."
}

// mostAgain bounds how many events one form sends again: the person waits for it.
const mostAgain = 20

// resendAll sends the newest events again that were not delivered.
func (s *Server) resendAll(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	no := false
	f := webhook.Filter{Delivered: &no, Limit: mostAgain}
	if kind := c.PostFormValue("type"); slices.Contains(webhook.Types, kind) {
		f.Types = []string{kind}
	}
	list, _, err := s.Events.ListEvents(c.Context(), c.auth(), f)
	if err != nil {
		return nil, err
	}
	sent, failed := 0, 0
	err = c.perform(Act{Needs: staff.Resend, Action: "events.resend", Details: map[string]string{"events": strconv.Itoa(len(list))}}, func(ctx context.Context) error {
		for _, d := range list {
			at, err := s.Events.Redeliver(ctx, c.auth(), d.EventID, d.EndpointID)
			if err != nil || at.Failure != "" {
				failed++ // the page of the event says why
			} else {
				sent++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/events?state=failed&sent=" + strconv.Itoa(sent) + "&refused=" + strconv.Itoa(failed)), nil
}

func (s *Server) event(c *call) (response, error) {
	d, err := s.eventPage(c, "")
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

// eventPage shows an event with all attempts to deliver it.
func (s *Server) eventPage(c *call, problem string) (*document, error) {
	ctx, end := c.reading()
	defer end()
	id := c.PathValue("event")
	attempts, err := s.Events.EventAttempts(ctx, c.auth(), id)
	if err != nil {
		return nil, err
	}
	list, _, err := s.Events.ListEvents(ctx, c.auth(), webhook.Filter{EventID: id})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.NotFound("Event")
	}
	return c.eventOf(list, attempts, problem), nil
}

func (c *call) eventOf(list []*webhook.Delivery, attempts []*webhook.AttemptView, problem string) *document {
	e, here := list[0], c.at()+"/events/"+list[0].EventID
	at := c.time(e.CreatedAt)
	d := &document{Heading: "Event " + words(e.Type), Back: &Link{c.at() + "/events", "Events"}}
	if problem != "" {
		d.add(Block{Tone: "bad", Text: []string{problem}})
	}
	about := Cell{ID: e.ObjectID}
	if e.PaymentID != "" && c.may(staff.SeePayments) {
		about = linked(e.ObjectID, c.at()+"/payments/"+e.PaymentID)
	}
	d.add(Block{Facts: []Named{fact("Id", ident(e.EventID)), fact("Made", Cell{Time: &at}), fact("About", about)}})
	for _, x := range list {
		state := deliveryChip(x)
		b := Block{Heading: "Delivery", Chip: &state, Facts: []Named{fact("Endpoint", linked(x.EndpointID, c.at()+"/webhooks/"+x.ProfileID+"/"+x.EndpointID)), fact("Tries", Cell{Text: strconv.Itoa(x.Tries)})}}
		if x.State == webhook.Open && !x.DueAt.IsZero() {
			due := c.time(x.DueAt)
			b.Facts = append(b.Facts, fact("Next try", Cell{Time: &due}))
		}
		if c.may(staff.Resend) {
			b.Forms = []Form{{Action: here + "/again", Submit: "Send again", Fields: []Field{hidden("endpoint_id", x.EndpointID)}, Text: "The endpoint gets the same event once more, with the same id."}}
		}
		d.add(b)
		for i, a := range slices.Backward(attempts) {
			if a.EndpointID == x.EndpointID {
				d.add(c.attemptBlock(i+1, a))
			}
		}
	}
	return d
}

// attemptBlock shows one request to an endpoint and its answer.
func (c *call) attemptBlock(n int, a *webhook.AttemptView) Block {
	at := c.time(a.At)
	state := Chip{"taken", "good", marks["good"]}
	if a.Failure != "" {
		state = Chip{"not taken", "bad", marks["bad"]}
	}
	b := Block{Heading: "Attempt " + strconv.Itoa(n), Chip: &state, Facts: []Named{fact("Time", Cell{Time: &at}), fact("Kind", Cell{Text: words(string(a.Kind))}), fact("Took", Cell{Text: shortly(a.Took)})}}
	if a.Status > 0 {
		b.Facts = append(b.Facts, fact("Status", Cell{Text: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)}))
	}
	if a.Failure != "" {
		b.Facts = append(b.Facts, fact("Why", Cell{Text: a.Failure}))
	}
	b.Folds = append(b.Folds, Fold{"Request", message(a.Headers, c.shownBody(string(a.Body)))})
	if a.Answer != nil {
		b.Folds = append(b.Folds, Fold{"Answer", message(a.Answer.Headers, c.shownBody(a.Answer.Body))})
	}
	return b
}

// message returns an HTTP message as people read it.
func message(headers [][2]string, text string) string {
	var b strings.Builder
	for _, h := range headers {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	if json.Valid([]byte(text)) {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			if nice, err := json.MarshalIndent(v, "", "  "); err == nil {
				text = string(nice)
			}
		}
	}
	return strings.TrimSpace(b.String() + "\n" + strings.ToValidUTF8(text, "�"))
}

func (s *Server) resendOne(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id, endpoint := c.PathValue("event"), c.PostFormValue("endpoint_id")
	var at *webhook.AttemptView
	err := c.perform(Act{Needs: staff.Resend, Action: "event.resend", Target: id, Details: map[string]string{"endpoint": endpoint}}, func(ctx context.Context) (err error) {
		at, err = s.Events.Redeliver(ctx, c.auth(), id, endpoint)
		return err
	})
	if shownInForm(err) {
		text, _ := said(err)
		d, failed := s.eventPage(c, text)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	if at.Failure != "" {
		d, failed := s.eventPage(c, "The endpoint did not take it: "+at.Failure)
		return show(d), failed
	}
	return seeOther(c.at() + "/events/" + id), nil
}

// lastEvent returns the newest event of an endpoint's profile, "" without one.
func (s *Server) lastEvent(ctx context.Context, auth account.Auth, profile, endpoint string) (string, error) {
	list, _, err := s.Events.ListEvents(ctx, auth, webhook.Filter{ProfileID: profile, Limit: 50})
	if err != nil {
		return "", err
	}
	for _, d := range list {
		if d.EndpointID == endpoint {
			return d.EventID, nil
		}
	}
	return "", nil
}

// overlaps are the times for which an old secret signs as well.
var overlaps = []Option{{Value: "86400", Text: "1 day", Chosen: true}, {Value: "3600", Text: "1 hour"}, {Value: "604800", Text: "7 days"}, {Value: "0", Text: "Not at all"}}

func overlap(text string) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		n = 86400
	}
	return time.Duration(n) * time.Second
}
