package dashboard

import (
	"context"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// need is something that waits for a person.
type need struct {
	Chip Chip
	Text string
	Link Link
}

// needs lists what waits for a person, the most urgent first. It leaves out what the person may not see or do.
func (s *Server) needs(ctx context.Context, c *call) (out []need, err error) {
	for _, part := range []struct {
		may  bool
		list func(ctx context.Context, c *call) ([]need, error)
	}{{c.may(staff.Decide), s.undecided}, {true, s.endingHolds}, {true, s.waitingPayments}, {true, s.openDisputes}, {c.may(staff.SeeEvents) && s.Events != nil, s.backlog},
		{c.may(staff.SeeSettings) && s.Adapters != nil, s.unapproved}, {c.may(staff.SeeSettings), s.endingCertificates}, {c.may(staff.ManageKeys), s.endingKeys}} {
		if !part.may {
			continue
		}
		more, err := part.list(ctx, c)
		if err != nil {
			return out, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// atLeast writes a number with its noun, and a plus if there are more.
func atLeast(n int, more bool, one, many string) string {
	if more {
		return strconv.Itoa(n) + "+ " + many
	}
	return plural(n, one, many)
}

// undecided returns the operations of the merchant whose outcome is unknown.
func (s *Server) undecided(ctx context.Context, c *call) ([]need, error) {
	list, err := s.Engine.Operations(ctx, request.OperationFilter{Merchants: []string{c.Merchant.ID}, Statuses: []payment.OperationStatus{payment.OperationUnknown}, Limit: mostCases})
	if err != nil && list == nil {
		return nil, err // an altered row alone hides no other row: the page of decisions says it
	}
	if len(list) == 0 {
		return nil, nil
	}
	second := 0
	for _, v := range list {
		if v.Proposal != nil {
			second++
		}
	}
	text := atLeast(len(list), len(list) == mostCases, "operation has", "operations have") + " an unknown outcome"
	if second > 0 {
		text += ", and " + plural(second, "decision waits", "decisions wait") + " for a second person"
	}
	return []need{{chip(string(payment.OperationUnknown)), text, Link{"/decisions", "Decide"}}}, nil
}

// waitingPayments returns the payments that a person has to look at, and those whose money is held.
func (s *Server) waitingPayments(ctx context.Context, c *call) (out []need, err error) {
	for _, n := range []struct{ word, one, many string }{{"doubt", "payment that a person has to look at", "payments that a person has to look at"},
		{"held", "payment whose money is held and not captured", "payments whose money is held and not captured"}} {
		var statuses []string
		for _, status := range search.StatusWords[n.word] {
			statuses = append(statuses, string(status))
		}
		found, err := s.Engine.Browse(ctx, c.auth(), search.Query{Filter: request.PaymentFilter{Statuses: statuses}, Limit: homeCounted})
		if err != nil {
			return out, err
		}
		if len(found.Views) > 0 {
			out = append(out, need{chip(statuses[0]), atLeast(len(found.Views), found.Next != nil, n.one, n.many), Link{c.at() + "/payments?status=" + n.word, "Show them"}})
		}
	}
	return out, nil
}

// holdEndsSoon is how long before its end a hold counts as one that ends soon.
const holdEndsSoon = 3 * 24 * time.Hour

// endingHolds returns the payments whose held money lapses soon, or has lapsed: a person captures it or releases it.
func (s *Server) endingHolds(ctx context.Context, c *call) (out []need, err error) {
	e, err := s.Engine.EndingHolds(ctx, c.auth(), s.Now(), holdEndsSoon)
	if err != nil {
		return nil, err
	}
	list := c.at() + "/payments?status=held"
	if !e.Newest.IsZero() {
		list += "&to=" + e.Newest.In(c.zone()).Format(time.DateOnly)
	}
	if e.Soon > 0 {
		text := atLeast(e.Soon, e.More, "payment's held money lapses", "payments' held money lapses") + " within three days: capture or release it. The first ends " + c.time(e.At).String()
		if e.Guessed {
			text += ", as the card networks usually end holds: its processor states no end"
		}
		to := Link{list, "Show them"}
		if e.Soon == 1 {
			to = Link{c.at() + "/payments/" + e.First, "Show it"}
		}
		out = append(out, need{Chip{"ends soon", "wait", marks["wait"]}, text, to})
	}
	if e.Over > 0 {
		text := atLeast(e.Over, e.More, "payment holds money whose hold should have ended", "payments hold money whose hold should have ended") + ": a capture may be refused. Capture or release it"
		out = append(out, need{Chip{"ended", "bad", marks["bad"]}, text, Link{list, "Show them"}})
	}
	return out, nil
}

// openDisputes returns the disputes that wait for the merchant's answer.
func (s *Server) openDisputes(ctx context.Context, c *call) ([]need, error) {
	list, err := s.Engine.ListDisputes(ctx, c.auth(), request.DisputeListInput{Limit: homeCounted, Statuses: []string{string(sdk.DisputeOpened)}})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	text := atLeast(len(list), len(list) == homeCounted, "dispute waits", "disputes wait") + " for your answer"
	var soonest time.Time
	late := 0
	for _, d := range list {
		if until := d.Details.RespondBy; c.late(d) {
			late++
		} else if !until.IsZero() && (soonest.IsZero() || until.Before(soonest)) {
			soonest = until
		}
	}
	if !soonest.IsZero() {
		text += ", the first until " + c.time(soonest).String()
	}
	if late > 0 {
		text += ". The time of " + strconv.Itoa(late) + either(len(list) == homeCounted, "+", "") + " has passed"
	}
	return []need{{chip(string(sdk.DisputeOpened)), text, Link{c.at() + "/disputes?status=" + string(sdk.DisputeOpened), "Show them"}}}, nil
}

// slowEndpoint is how long an event may wait for its endpoint before a person is asked to look.
const slowEndpoint = 5 * time.Minute

// backlog returns the endpoints that do not take their events.
func (s *Server) backlog(ctx context.Context, c *call) ([]need, error) {
	profiles, err := s.Engine.Profiles(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	n, now := 0, s.Now()
	for _, p := range profiles {
		list, err := s.Events.Endpoints(ctx, c.auth(), p.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if late := !e.OldestUndelivered.IsZero() && now.Sub(e.OldestUndelivered) > slowEndpoint; !e.Disabled && (late || !e.FailingSince.IsZero()) {
				n++
			}
		}
	}
	if n == 0 {
		return nil, nil
	}
	to := Link{c.at() + "/events?state=failed", "Show the events"}
	if c.may(staff.ManageURLs) {
		to = Link{c.at() + "/webhooks", "Show them"}
	}
	return []need{{Chip{"failing", "bad", marks["bad"]}, plural(n, "endpoint does not take its events", "endpoints do not take their events"), to}}, nil
}

// unapproved returns the accounts whose adapter asks for more than an operator approved.
func (s *Server) unapproved(ctx context.Context, c *call) ([]need, error) {
	list, err := s.Engine.Accounts(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	var first *account.Account
	n := 0
	for _, a := range list {
		info, ok := s.Adapters.Adapter(a.Connector)
		if !ok || info.Manifest == nil || account.AwaitingApproval(a, info).IsEmpty() {
			continue
		}
		if n++; first == nil {
			first = a
		}
	}
	if n == 0 {
		return nil, nil
	}
	to := Link{c.at() + "/connectors/" + first.ID, "Show it"}
	if c.Session.May(staff.ManageAdapters, "") {
		to = Link{"/adapters/" + first.Connector, "Approve"}
	}
	return []need{{chip("waits_for_approval"), plural(n, "account takes no payment until an operator approves its adapter", "accounts take no payment until an operator approves their adapters"), to}}, nil
}

// keyEndsSoon is how long before its end a key counts as one that ends soon.
const keyEndsSoon = 14 * 24 * time.Hour

// endingKeys returns the API keys that end soon. Keys that have ended need no action.
func (s *Server) endingKeys(ctx context.Context, c *call) ([]need, error) {
	list, err := s.Engine.APIKeys(ctx, c.auth(), 0, 0)
	if err != nil {
		return nil, err
	}
	n, now := 0, s.Now()
	for _, k := range list {
		if left := k.ExpiresAt.Sub(now); !k.ExpiresAt.IsZero() && left > 0 && left < keyEndsSoon {
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	return []need{{Chip{"ends soon", "wait", marks["wait"]}, plural(n, "API key ends", "API keys end") + " within two weeks", Link{c.at() + "/keys", "Show them"}}}, nil
}

// certificateEndsSoon is how long before its end a certificate counts as one that ends soon: issuers take weeks.
const certificateEndsSoon = 30 * 24 * time.Hour

// endingCertificates returns the accounts whose credentials hold a certificate that ends soon or has ended. Signatures of adapters have no end.
func (s *Server) endingCertificates(ctx context.Context, c *call) (out []need, err error) {
	list, err := s.Engine.Accounts(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		_, end := a.EarliestExpiry()
		left := end.Sub(s.Now())
		if a.Disabled || end.IsZero() || left > certificateEndsSoon {
			continue
		}
		n := need{Chip{"ends soon", "wait", marks["wait"]}, "The certificate of " + a.Label + " ends " + c.time(end).String() + ": ask its issuer for a new one", Link{c.at() + "/connectors/" + a.ID, "Replace it"}}
		if left <= 0 {
			n.Chip, n.Text = Chip{"ended", "bad", marks["bad"]}, "The certificate of "+a.Label+" ended "+c.time(end).String()+": its processor refuses connections"
		}
		out = append(out, n)
	}
	return out, nil
}
