package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/engine/webhook"
)

// onePayment is what the page of a payment needs of the engine.
type onePayment interface {
	RetrievePayment(ctx context.Context, auth account.Auth, id string, in request.RetrieveInput) (*change.View, error)
	Timeline(ctx context.Context, auth account.Auth, id string) (*timeline.Timeline, error)
	Allowed(ctx context.Context, auth account.Auth, id string) (*timeline.Actions, error)
}

// Presenter writes a payment as the API's answers show it.
type Presenter interface {
	Payment(v *change.View) ([]byte, error)
}

// paymentPage is the page of one payment.
type paymentPage struct {
	ID, Back string
	Amount   Money
	Status   Chip
	Sentence string
	Done     string // what the person has just done
	Problem  string // what the person has just tried in vain
	Doubt    []Fact // what is known of an operation without an end
	Decide   *Link  // to the decision about it, for a person who may decide
	Bar      []barPart
	Sums     []sum
	Actions  []Link
	Not      []Fact // actions that are not allowed now, and why
	Facts    []Fact
	Customer Link
	ThreeDS  []Fact
	Refunds  []refundRow
	Disputes []disputeRow
	Timeline []*Moment
	Zone     string
	Left     int // operations that are not shown
	Raw      string
	Logs     string // the requests about the payment; "" for none
	Poll     string // asks for the page's new state; "" if nothing is in doubt
}

func (*paymentPage) file() string    { return "payment" }
func (p *paymentPage) Title() string { return p.Amount.String() + " · " + p.Status.Word }

// barPart is a part of the money bar, in thousandths of its width.
type barPart struct {
	Kind    string
	X, Wide int64
}

// sum is one figure under the money bar.
type sum struct {
	Name, Kind string
	Money      Money
}

// payment shows one payment.
func (s *Server) payment(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	id := c.PathValue("id")
	v, err := s.Engine.RetrievePayment(ctx, c.auth(), id, request.RetrieveInput{Attempts: true, Captures: true, Routing: true})
	if err != nil {
		return nil, err
	}
	st, err := s.Engine.Timeline(ctx, c.auth(), id)
	if err != nil {
		return nil, err
	}
	c.hideExchanges(st, v.Payment)
	allowed, err := s.Engine.Allowed(ctx, c.auth(), id)
	if err != nil {
		return nil, err
	}
	deliveries, err := s.deliveries(ctx, c, v)
	if err != nil {
		return nil, err
	}
	seen := seenState(v, st, deliveries)
	if _, partial := c.partial(); partial && c.URL.Query().Get("seen") == seen {
		return nothing{}, nil // the page keeps what the person has unfolded
	}
	p := c.paymentPage(v, st, allowed, deliveries)
	if p.Poll != "" {
		p.Poll += "?seen=" + seen
	}
	if s.Logs != nil && c.may(staff.SeeLogs) {
		p.Logs = c.at() + "/logs?q=" + id
	}
	p.Done = did[c.URL.Query().Get("did")]
	if c.URL.Query().Get("did") == "refund" {
		p.refunded(v.Refunds)
	}
	if c.may(staff.SeeExchanges) {
		if p.Raw, err = s.raw(c, v); err != nil {
			return nil, err
		}
	}
	return show(p), nil
}

// refunded says what became of the latest refund, which the person has just asked for.
func (p *paymentPage) refunded(list []*payment.Refund) {
	if len(list) == 0 {
		return
	}
	last := slices.MaxFunc(list, func(a, b *payment.Refund) int { return a.CreatedAt.Compare(b.CreatedAt) })
	switch amount := (Money{last.Amount, last.Currency}).String(); last.Status {
	case payment.RefundFailed:
		p.Done, p.Problem = "", "The refund of "+amount+" failed: no money was given back."
		if e := last.Details.Error; e != nil {
			p.Problem += " The reason: " + spoken(e.Message)
		}
	case payment.RefundSucceeded:
		p.Done = "The refund of " + amount + " succeeded."
	default:
		p.Done = "The refund of " + amount + " was sent, and has not ended yet. Do not repeat it: its state stands below."
	}
}

// seenState names the state that a page shows: a page in doubt is replaced only when it changes.
func seenState(v *change.View, st *timeline.Timeline, deliveries []*webhook.Delivery) string {
	h := fnv.New64a()
	fmt.Fprint(h, v.Payment.Version, v.Attempt.Version, len(st.Events), len(v.Refunds))
	for _, op := range st.Operations {
		fmt.Fprint(h, op.ID, op.Status, op.ResolveTries, len(op.Drives), len(op.Evidence))
	}
	for _, d := range deliveries {
		fmt.Fprint(h, d.EventID, d.State, d.Tries)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// deliveries returns the deliveries of the events of a payment, of its refunds and of its disputes.
func (s *Server) deliveries(ctx context.Context, c *call, v *change.View) (all []*webhook.Delivery, err error) {
	if s.Events == nil || !c.may(staff.SeeEvents) {
		return nil, nil
	}
	objects := []string{v.Payment.ID}
	for _, r := range v.Refunds {
		objects = append(objects, r.ID)
	}
	for _, d := range v.Disputes {
		objects = append(objects, d.ID)
	}
	for _, id := range objects[:min(len(objects), 20)] {
		list, _, err := s.Events.ListEvents(ctx, c.auth(), webhook.Filter{ObjectID: id})
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// raw returns the payment as GET /payments/{id} answers it, without what the person may not see. The client's secret is left out for every person.
func (s *Server) raw(c *call, v *change.View) (string, error) {
	if s.Presenter == nil {
		return "", nil
	}
	shown, p := *v, *v.Payment
	private := payment.Private{}
	if c.may(staff.UnmaskCustomers) && p.Private != nil {
		private = *p.Private
	}
	private.ClientSecret = ""
	p.Private = &private
	shown.Payment = &p
	b, err := s.Presenter.Payment(&shown)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return "", err
	}
	return out.String(), nil
}

// paymentPage puts the page together.
func (c *call) paymentPage(v *change.View, st *timeline.Timeline, allowed *timeline.Actions, deliveries []*webhook.Delivery) *paymentPage {
	pay, a := v.Payment, v.Attempt
	money := func(minor int64) Money { return Money{minor, pay.Currency} }
	here := c.at() + "/payments/" + pay.ID
	p := &paymentPage{ID: pay.ID, Back: c.at() + "/payments", Amount: money(pay.Amount), Status: chip(string(pay.Status)), Sentence: sentence(v, c.server.connectorName(v.Attempt.Connector)),
		Timeline: c.timeline(v, st, deliveries, c.may(staff.SeeExchanges)), Zone: c.time(pay.CreatedAt).Zone(), Left: st.Left}
	p.bar(pay, a)
	live := a.Details.Environment == "live"
	allowed.Refund.Why = refundWhy(pay, allowed.Refund)
	if c.Session.MayOn(staff.MoveMoney, c.Merchant.ID, live) {
		p.act(here, "capture", "Capture", allowed.Capture)
		p.act(here, "refund", "Refund", allowed.Refund)
		cancel := "Cancel"
		if allowed.Cancel.Most > 0 {
			cancel = "Release the held money"
		}
		p.act(here, "raise", "Raise the held amount", allowed.Raise)
		p.act(here, "extend", "Hold for longer", allowed.Extend)
		p.act(here, "cancel", cancel, allowed.Cancel)
		p.act(here, "void", "Void", allowed.Void)
	}
	if allowed.Ask {
		p.Actions = append(p.Actions, Link{here + "/ask", "Ask the processor now"})
		p.Poll = here
	}
	for _, op := range st.Operations {
		if op.Status != payment.OperationUnknown {
			continue
		}
		p.Poll = here
		if c.may(staff.Decide) && p.Decide == nil {
			p.Decide = &Link{"/decisions/" + op.ID, "Look at the evidence, and decide"}
		}
		p.Doubt = append(p.Doubt, Fact{"In doubt", words(string(op.Kind)) + " at " + op.Connector + ": " + op.ErrorText})
		if !op.ResolveAt.IsZero() {
			p.Doubt = append(p.Doubt, Fact{"Asked next", c.time(op.ResolveAt).Full()})
		}
	}
	p.facts(c, v)
	if t := a.Details.Authentication; t != nil {
		p.ThreeDS = facts("Authenticator", t.Connector, "Version", t.Version, "Flow", string(t.Flow), "Result", words(string(t.Outcome)), "Status", t.TransStatus,
			"Reason", t.TransStatusReason, "ECI", t.ECI, "Liability", words(t.Shift), "Exemption", words(t.Exemption), "Cancelled by the customer", t.ChallengeCancel,
			"Error", t.ErrorMessage)
	}
	for _, r := range v.Refunds {
		p.Refunds = append(p.Refunds, c.refundRow(r))
	}
	for _, d := range v.Disputes {
		p.Disputes = append(p.Disputes, c.disputeRow(d))
	}
	return p
}

// act adds the button of an action that the engine allows. For a refund that the engine refuses after a good payment, act adds the reason.
func (p *paymentPage) act(here, path, name string, a timeline.Action) {
	switch {
	case a.Allowed:
		p.Actions = append(p.Actions, Link{here + "/" + path, name})
	case a.Why != "" && path == "refund" && p.Status.Tone == "good":
		p.Not = append(p.Not, Fact{name, a.Why})
	}
}

// profileOf names the profile of a payment. A deleted profile has only its id.
func profileOf(v *change.View) string {
	if v.Profile == nil || v.Profile.Name == "" {
		return v.Payment.ProfileID
	}
	return v.Profile.Name + ", " + v.Payment.ProfileID
}

// facts fills in what is known of the payment.
func (p *paymentPage) facts(c *call, v *change.View) {
	pay, a := v.Payment, v.Attempt
	p.Facts = facts("Method", methodOf(a), "Processor", a.Connector, "Processor's id", a.TransactionID, "Reference at the processor", a.Details.Reference,
		"Authorization code", a.Details.AuthCode, "Order", pay.Details.OrderReference, "Description", pay.Details.Description, "Statement", pay.Details.DescriptorName,
		"Capture", words(string(pay.Details.CaptureMethod)), "Held until", c.heldUntil(a), "Mandate", pay.Details.MandateID, "Created", c.time(pay.CreatedAt).Full(), "Profile", profileOf(v),
		"Environment", a.Details.Environment)
	if pay.Status == payment.Failed && a.Details.Error != nil {
		e := a.Details.Error
		code, from := "Refused with", "In the processor's words"
		if e.Code == payment.CodeNotProcessed || a.Connector == "" { // payswitch says it, not the processor
			code, from = "Failed with", "Why"
		}
		p.Facts = append(facts(code, e.Code, from, spoken(e.Message), "Reason", words(string(e.Reason)), "Issuer's code", e.NetworkCode), p.Facts...)
	}
	if who := c.customer(pay); who != "" {
		p.Customer = Link{Text: who}
		if pay.CustomerID != "" {
			p.Customer.URL = c.at() + "/customers/" + pay.CustomerID
		}
	}
}

// heldUntil is the end of the hold as the processor states it, "" without a hold.
func (c *call) heldUntil(a *payment.Attempt) string {
	if h := a.Details.Hold; a.Holds() && h != nil && h.CaptureBefore > 0 {
		return c.time(time.UnixMilli(h.CaptureBefore).UTC()).Full()
	}
	return ""
}

// facts pairs names with values, and leaves out those without a value.
func facts(pairs ...string) (out []Fact) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, Fact{pairs[i], pairs[i+1]})
		}
	}
	return out
}

// bar draws what was authorized, captured and given back.
func (p *paymentPage) bar(pay *payment.Payment, a *payment.Attempt) {
	whole := max(a.Authorized, pay.Received, pay.NetAmount, 1)
	kept, held := max(0, pay.Received-pay.Refunded), max(0, a.Authorized-a.Captured)
	if pay.Status != payment.RequiresCapture && pay.Status != payment.PartiallyCapturedAndCapturable && pay.Status != payment.PartiallyAuthorizedAndCapturing {
		held = 0
	}
	x := int64(0)
	for _, part := range []struct {
		kind string
		n    int64
	}{{"kept", kept}, {"back", pay.Refunded}, {"held", held}} {
		if wide := part.n * 1000 / whole; part.n > 0 {
			p.Bar = append(p.Bar, barPart{part.kind, x, max(wide, 4)})
			x += wide
		}
	}
	money := func(n int64) Money { return Money{n, pay.Currency} }
	p.Sums = []sum{{"Asked for", "", money(pay.NetAmount)}, {"Authorized", "", money(a.Authorized)}, {"Captured", "kept", money(pay.Received)}}
	if held > 0 {
		p.Sums = append(p.Sums, sum{"Held", "held", money(held)})
	}
	if pay.Refunded > 0 {
		p.Sums = append(p.Sums, sum{"Refunded", "back", money(-pay.Refunded)}, sum{"Left", "", money(pay.Received - pay.Refunded)})
	}
	if disputed := pay.Disputed(); disputed > 0 {
		p.Sums = append(p.Sums, sum{"Disputed", "", money(disputed)})
	}
}

// refundRow is a refund in a list.
type refundRow struct {
	ID, URL string
	Time    Time
	Amount  Money
	Status  Chip
	Reason  string
	At      string
	Error   string
}

func (c *call) refundRow(r *payment.Refund) refundRow {
	row := refundRow{ID: r.ID, URL: c.at() + "/payments/" + r.PaymentID + "#refunds", Time: c.time(r.CreatedAt), Amount: Money{-r.Amount, r.Currency},
		Status: chip(string(r.Status)), Reason: r.Details.Reason, At: r.Connector}
	if e := r.Details.Error; e != nil {
		row.Error = spoken(e.Message)
	}
	return row
}

// disputeRow is a dispute in a list.
type disputeRow struct {
	ID, URL       string
	Time          Time
	Amount        Money
	Stage, Status Chip
	Reason, At    string
	Until         Time
	Late          bool // Until has passed, and the dispute still waits for an answer
}

func (c *call) disputeRow(d *disputed.Record) disputeRow {
	return disputeRow{ID: d.ID, URL: c.at() + "/disputes/" + d.ID, Time: c.time(d.CreatedAt), Amount: Money{d.Amount, d.Currency},
		Stage: chip(string(d.Stage)), Status: chip(string(d.Status)), Reason: d.Details.Reason, At: d.Connector, Until: c.time(d.Details.RespondBy), Late: c.late(d)}
}

// did are the words for what a person has just done, by the mark in the address.
var did = map[string]string{
	"refund":  "The refund was made. Its state stands below.",
	"capture": "The capture was sent. The status says what became of it.",
	"cancel":  "The wish to cancel was taken. The status says what became of it.",
	"raise":   "The raise was sent. The timeline says what became of it.",
	"extend":  "The wish to hold for longer was sent. The timeline says what became of it.",
	"void":    "The void was sent. The status says what became of it.",
	"ask":     "The processor was asked. The page shows its answer.",
	"resend":  "The event was sent again. The timeline has the answer.",
}
