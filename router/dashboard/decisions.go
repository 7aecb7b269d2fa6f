package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/router"
	"payswitch/sdk"
)

// deciding is what the pages of decisions need of the engine.
type deciding interface {
	Operations(ctx context.Context, f request.OperationFilter) ([]operator.View, error)
	Operation(ctx context.Context, id string) (operator.View, error)
	Decisions(ctx context.Context, id string) ([]request.Decision, error)
	ResolveOperation(ctx context.Context, id string, in request.ResolutionInput) (operator.View, error)
	ConfirmResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error)
	WithdrawResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error)
}

func (s *Server) decisionRoutes() []route {
	return []route{
		{method: "GET", pattern: "/decisions", needs: staff.Decide, anywhere: true, handle: s.decisions},
		{method: "GET", pattern: "/decisions/{id}", needs: staff.Decide, anywhere: true, handle: s.decision},
		{method: "POST", pattern: "/decisions/{id}", needs: staff.Decide, anywhere: true, handle: s.formOnce(s.decide)},
		{method: "POST", pattern: "/decisions/{id}/confirm", needs: staff.Decide, anywhere: true, handle: s.confirmDecision},
		{method: "POST", pattern: "/decisions/{id}/withdraw", needs: staff.Decide, anywhere: true, handle: s.withdrawDecision},
	}
}

// mostCases bounds the list of operations in doubt.
const mostCases = 500

// decisions lists the operations whose outcome is unknown, oldest first.
func (s *Server) decisions(c *call) (response, error) {
	if !c.Session.MayAnywhere(staff.Decide) {
		return nil, &denied{staff.Decide}
	}
	ctx, end := c.reading()
	defer end()
	merchants, all := c.Session.MerchantsFor(staff.Decide)
	if all {
		merchants = nil
	}
	open, err := s.Engine.Operations(ctx, request.OperationFilter{Merchants: merchants, Statuses: []payment.OperationStatus{payment.OperationUnknown}, Limit: mostCases})
	if err != nil && open == nil {
		return nil, err
	}
	altered := err
	ended, err := s.Engine.Operations(ctx, request.OperationFilter{Merchants: merchants, Resolved: true, Limit: 50})
	if err != nil && ended == nil {
		return nil, err
	}
	return show(c.decisionList(open, ended, errors.Join(altered, err))), nil
}

// own leaves out the operations of merchants for which the person may not decide.
func (c *call) own(list []operator.View) []operator.View {
	return slices.DeleteFunc(slices.Clone(list), func(v operator.View) bool { return !c.Session.May(staff.Decide, v.MerchantID) })
}

func (c *call) decisionList(open, ended []operator.View, altered error) *document {
	d := &document{Heading: "Decisions", Lead: "Operations whose outcome payswitch does not know. It keeps asking the processor by itself; a person decides when the processor cannot say."}
	if altered != nil {
		d.add(Block{Tone: "bad", Heading: "Some rows are left out", Text: []string{"The signature of a stored row is wrong, so that the list lacks it. The log names the row."}})
	}
	more := len(open) == mostCases
	open, ended = c.own(open), c.own(ended)
	slices.SortStableFunc(open, func(a, b operator.View) int {
		return cmp.Or(a.StartedAt.Truncate(time.Hour).Compare(b.StartedAt.Truncate(time.Hour)), cmp.Compare(b.Amount, a.Amount), a.StartedAt.Compare(b.StartedAt))
	})
	if len(open) == 0 {
		e := Empty{Heading: "Nothing in doubt", Text: "Every operation has a known outcome."}
		if len(ended) > 0 {
			r := ended[0]
			e.Text += " The last decision was about the " + words(string(r.Kind)) + " of " + r.PaymentID + ": " + outcomeWords(r.Resolution.Outcome) + "."
		}
		d.add(Block{Bare: true, Empty: &e})
	} else {
		t := &Table{Caption: "Operations in doubt, oldest first", Columns: columns("Since", "Amount", "Operation", "At", "Merchant", "Known", "Asked next")}
		t.Columns[1].Class = "num"
		for _, v := range open {
			since, amount := c.time(v.StartedAt), Money{v.Amount, v.Currency}
			next := Cell{Text: "not asked by itself"}
			if !v.ResolveAt.IsZero() {
				at := c.time(v.ResolveAt)
				next = Cell{Time: &at}
			}
			known := Cell{Text: v.ErrorText, Note: times(v.ResolveTries)}
			if p := v.Proposal; p != nil {
				known = Cell{Text: "“" + outcomeWords(p.Details.Outcome) + "”, says " + p.Details.By, Note: "waits for a second person"}
			}
			t.Rows = append(t.Rows, Row{URL: "/decisions/" + v.ID, Cells: []Cell{{Time: &since}, {Amount: &amount}, {Text: words(string(v.Kind))}, {Text: v.Connector}, {Text: v.MerchantID},
				known, next}})
		}
		b := Block{Bare: true, Table: t}
		if more {
			b.Text = []string{"The list ends after 500 operations. Decide these first."}
		}
		d.add(b)
	}
	if len(ended) > 0 {
		t := &Table{Caption: "Decided, newest first", Columns: columns("Decided", "Amount", "Operation", "Outcome", "By", "Why")}
		t.Columns[1].Class = "num"
		for _, v := range ended {
			r := v.Resolution
			when, amount := c.time(r.At), Money{v.Amount, v.Currency}
			t.Rows = append(t.Rows, Row{URL: "/decisions/" + v.ID, Cells: []Cell{{Time: &when}, {Amount: &amount}, {Text: words(string(v.Kind)), Note: v.Connector}, {Text: outcomeWords(r.Outcome)}, {Text: r.By, Note: confirmedBy(r)}, {Text: r.Why}}})
		}
		d.add(Block{Bare: true, Heading: "Decided", Table: t})
	}
	return d
}

// confirmedBy names the second person of a decision, "" where there was none.
func confirmedBy(r *payment.Resolution) string {
	if r.Second == "" {
		return ""
	}
	return "confirmed by " + r.Second
}

func times(n int) string {
	if n == 0 {
		return "not asked yet"
	}
	return "asked " + plural(n, "time", "times")
}

// outcomeWords returns an outcome of a decision in words.
func outcomeWords(outcome payment.Finding) string {
	return map[payment.Finding]string{payment.FoundSucceeded: "the processor carried it out", payment.FoundDeclined: "the processor refused it", payment.FoundNotDone: "the processor never acted"}[outcome]
}

// subjectOf reads the operation of a decision, and sets the merchant of the page.
func (s *Server) subjectOf(ctx context.Context, c *call) (v operator.View, err error) {
	if v, err = s.Engine.Operation(ctx, c.PathValue("id")); err != nil {
		return v, err
	}
	if !c.Session.May(staff.Decide, v.MerchantID) {
		return v, fault.NotFound("Operation")
	}
	c.Merchant, err = s.Engine.Merchant(ctx, v.MerchantID)
	return v, err
}

// decision shows one operation in doubt: the evidence, and what may be said about it.
func (s *Server) decision(c *call) (response, error) {
	d, err := s.decisionPage(c, "", nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) decisionPage(c *call, outcome string, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	v, err := s.subjectOf(ctx, c)
	if err != nil {
		return nil, err
	}
	st, err := s.Engine.Timeline(ctx, account.Auth{MerchantID: v.MerchantID}, v.PaymentID)
	if err != nil {
		return nil, err
	}
	if !c.may(staff.UnmaskCustomers) {
		p, err := s.Engine.RetrievePayment(ctx, account.Auth{MerchantID: v.MerchantID}, v.PaymentID, request.RetrieveInput{})
		if err != nil {
			return nil, err
		}
		c.hideExchanges(st, p.Payment)
	}
	amount := Money{v.Amount, v.Currency}
	d := &document{Heading: strings.ToUpper(string(v.Kind[:1])) + words(string(v.Kind[1:])) + " of " + amount.String(), Back: &Link{"/decisions", "Decisions"},
		Lead: "At " + v.Connector + ", for merchant " + v.MerchantID}
	state := chip(string(v.Status))
	facts := Block{Heading: "What is known", Tone: either(v.Status == payment.OperationUnknown, "doubt", ""), Chip: &state, Facts: []Named{fact("Begun", Cell{Text: c.time(v.StartedAt).Full()})}}
	left := Cell{Text: "Nothing has left for the processor."}
	if !v.LastSendAt.IsZero() {
		left = Cell{Text: c.time(v.LastSendAt).Full(), Note: "from then on the processor may have acted"}
	}
	facts.Facts = append(facts.Facts, fact("Last sent", left))
	if v.ErrorText != "" {
		facts.Facts = append(facts.Facts, fact("Came back", Cell{Text: v.ErrorText}))
	}
	open := v.Status.Open() || v.Status == payment.OperationPending
	if open {
		facts.Facts = append(facts.Facts, fact("Questions", Cell{Text: times(v.ResolveTries)}))
	}
	if open && !v.ResolveAt.IsZero() {
		facts.Facts = append(facts.Facts, fact("Asked next", Cell{Text: c.time(v.ResolveAt).Full()}))
	}
	if window := s.window(v); window != "" {
		facts.Facts = append(facts.Facts, fact("The processor says", Cell{Text: window}))
	}
	payments := Cell{ID: v.PaymentID}
	if c.may(staff.SeePayments) {
		payments = linked(v.PaymentID, c.at()+"/payments/"+v.PaymentID)
	}
	facts.Facts = append(facts.Facts, atProcessor(v, st.Attempts)...)
	facts.Facts = append(facts.Facts, fact("Payment", payments), fact("Operation", ident(v.ID)))
	d.add(facts)
	if r := v.Resolution; r != nil {
		at := c.time(r.At)
		d.add(Block{Heading: "Decided", Tone: "good", Facts: []Named{fact("Outcome", Cell{Text: outcomeWords(r.Outcome)}), fact("By", Cell{Text: r.By, Note: confirmedBy(r)}), fact("When", Cell{Time: &at}),
			fact("Why", Cell{Text: r.Why}), fact("Processor's reference", Cell{Text: either(r.Reference != "", r.Reference, "–")})},
			Text: []string{"The decision stays. If the processor says something else later, the payment becomes conflicted and is on top of the merchant's list."}})
	}
	for _, op := range st.Operations {
		if op.ID == v.ID {
			d.add(Block{Heading: "Evidence", Bare: true, Moments: c.moments(op, v.Currency)})
		}
	}
	switch {
	case open && v.Proposal != nil:
		err = c.proposal(d, v, outcome, problem)
	case open:
		err = s.choices(ctx, c, d, v, outcome, problem)
	case v.Proposal != nil:
		d.add(Block{Heading: "Overtaken", Text: []string{v.Proposal.Details.By + " had proposed “" + outcomeWords(v.Proposal.Details.Outcome) + "”. The operation ended before a second person looked at it."}})
	case v.Resolution == nil:
		b := Block{Heading: "Nothing to decide", Text: []string{"The processor's answer ended the operation. No person has decided it."}, Links: []Link{{"/decisions", "Other decisions"}}}
		if problem != nil { // the answer came while the person was typing
			b.Tone, b.Text = "wait", append([]string{"Your decision was not booked."}, b.Text...)
		}
		d.add(b)
	}
	return d, err
}

// atProcessor returns what a person looks an operation up by at the processor.
func atProcessor(v operator.View, attempts []*payment.Attempt) (out []Named) {
	for _, a := range attempts {
		if a.ID != v.AttemptID {
			continue
		}
		if a.TransactionID != "" {
			out = append(out, fact("Processor's id", ident(a.TransactionID)))
		}
		if a.Details.Reference != "" {
			out = append(out, Named{"Reference at the processor", Cell{ID: a.Details.Reference, Note: "look it up there by this"}})
		}
	}
	return out
}

// proposal shows a decision that waits for a second person. form is the one that was sent, with its problem.
func (c *call) proposal(d *document, v operator.View, form string, problem error) error {
	p, at := v.Proposal, c.time(v.Proposal.ProposedAt)
	d.add(c.guard(staff.Decide, false)...)
	b := Block{ID: "decide", Heading: "Waits for a second person", Tone: "wait", Facts: []Named{fact("Proposed outcome", Cell{Text: outcomeWords(p.Details.Outcome)})},
		Text: []string{"Nothing has changed yet, and payswitch goes on asking the processor."}}
	if p.Details.Amount != nil {
		amount := Money{*p.Details.Amount, v.Currency}
		b.Facts = append(b.Facts, fact("Amount", Cell{Amount: &amount}))
	}
	b.Facts = append(b.Facts, fact("Processor's reference", Cell{Text: either(p.Details.Reference != "", p.Details.Reference, "–")}), fact("By", Cell{Text: p.Details.By}),
		fact("When", Cell{Time: &at}), fact("Why", Cell{Text: p.Details.Why}))
	confirm := Form{ID: "confirm-", Action: "/decisions/" + v.ID + "/confirm", Text: consequence(v.Kind, p.Details.Outcome), Tone: "danger", Fields: []Field{hidden("proposal", p.ID)},
		Submit: "Confirm: " + outcomeWords(p.Details.Outcome)}
	withdraw := Form{ID: "withdraw-", Action: "/decisions/" + v.ID + "/withdraw", Fields: []Field{hidden("proposal", p.ID)}, Submit: "Refuse the proposal"}
	bond, err := c.server.bond(c, p)
	if err != nil {
		return err
	}
	own := p.SamePerson(c.person(), c.Session.UserID)
	switch {
	case own:
		b.Text = append(b.Text, "You have proposed this yourself. Another person with the role admin or operator has to confirm it.")
		withdraw.Submit = "Withdraw the proposal"
	case bond != nil && bond.Binds:
		text, _ := said(notTwo(c, bond))
		b.Text, own = append(b.Text, text), true
	case bond != nil:
		b.Text = append(b.Text, bond.By+" made the link with which "+bond.Of+" chose a password, on "+c.time(bond.At).Day()+". The audit keeps that with your word.")
	}
	if !own {
		b.Text = append(b.Text, "Look the operation up at the processor yourself before you confirm. The decision is kept for ever, with both names.")
	}
	for _, f := range []*Form{&confirm, &withdraw} {
		if problem != nil && strings.TrimSuffix(f.ID, "-") == form {
			f.Problem, _ = said(problem)
		}
		if f == &withdraw || !own || f.Problem != "" {
			b.Forms = append(b.Forms, *f)
		}
	}
	d.add(b)
	return nil
}

// moments returns the lines of one operation.
func (c *call) moments(op *timeline.Operation, currency sdk.Currency) (out []*Moment) {
	c.operation(op, nil, currency, c.may(staff.SeeExchanges), func(at time.Time, m *Moment) {
		m.At = c.time(at)
		out = append(out, m)
	})
	slices.SortStableFunc(out, func(a, b *Moment) int { return a.At.at.Compare(b.At.at) })
	return out
}

// window says what the processor's own rules prove, by the adapter's manifest.
func (s *Server) window(v operator.View) string {
	info, ok := s.Adapters.Adapter(v.Connector)
	if !ok || info.Manifest == nil {
		return ""
	}
	var list []string
	if n := info.Manifest.Resolve.NotFoundFinalAfterSeconds; n > 0 {
		list = append(list, "it finds every operation within "+shortly(time.Duration(n)*time.Second))
	}
	if n := info.Manifest.Resolve.IdempotencyWindowSeconds; n > 0 {
		list = append(list, "it knows a repeated request again for "+shortly(time.Duration(n)*time.Second))
	}
	return strings.Join(list, "; ")
}

// choices adds a form for each decision that the engine allows, with its consequence.
func (s *Server) choices(ctx context.Context, c *call, d *document, v operator.View, outcome string, problem error) error {
	list, err := s.Engine.Decisions(ctx, v.ID)
	if shownInForm(err) {
		text, _ := said(err)
		d.add(Block{Heading: "Nothing to decide", Text: []string{text}})
		return nil
	}
	if err != nil {
		return err
	}
	d.add(c.guard(staff.Decide, false)...)
	b := Block{ID: "decide", Heading: "Decide", Text: []string{"Look the operation up at the processor first. A wrong decision can charge a customer twice or give goods away. It is kept for ever, with your name."}}
	button := "Decide: "
	if v.SecondPerson {
		b.Text, button = append(b.Text, "The profile asks for a second person: what you propose takes effect when another one confirms it."), "Propose: "
	}
	for _, x := range list {
		f := Form{ID: string(x.Outcome) + "-", Fold: strings.ToUpper(outcomeWords(x.Outcome)[:1]) + outcomeWords(x.Outcome)[1:], Action: "/decisions/" + v.ID, Text: consequence(v.Kind, x.Outcome), Tone: "danger", Submit: button + outcomeWords(x.Outcome)}
		if x.Refused != "" {
			b.Text = append(b.Text, "Not possible, “"+outcomeWords(x.Outcome)+"”: "+x.Refused+".")
			continue
		}
		f.Fields = []Field{hidden("outcome", string(x.Outcome))}
		if x.Outcome == payment.FoundSucceeded {
			if x.Most > 0 {
				m := Money{x.Most, v.Currency}
				f.Fields = append(f.Fields, Field{Name: "amount", Label: "Amount in " + string(v.Currency), Kind: "text", Value: m.plain(), Required: true, Max: 20, Autocomplete: "off",
					Hint: "What the processor shows. At most " + m.String() + "."})
			}
			f.Fields = append(f.Fields, Field{Name: "reference", Label: "Processor's reference", Kind: "text", Value: x.Reference, Required: true, Max: 255, Autocomplete: "off",
				Hint: "The id that the processor shows for it."})
		}
		f.Fields = append(f.Fields, Field{Name: "why", Label: "Reason", Kind: "textarea", Required: true, Max: 2000, Hint: "What you know it from, such as the processor's page and the person you spoke with."})
		if string(x.Outcome) == outcome && problem != nil {
			_, param := said(problem)
			if m, err := amountOf(c.PostFormValue("amount"), v.Currency); err == nil && param == "amount" && m.Minor > x.Most { // the engine counts in minor units
				problem = missing("amount", "This is more than the "+Money{x.Most, v.Currency}.String()+" that the operation was about")
			}
			c.refill(&f, problem)
		}
		b.Forms = append(b.Forms, f)
	}
	d.add(b)
	return nil
}

// consequence says what a decision does.
func consequence(kind sdk.Operation, outcome payment.Finding) string {
	type of struct{ succeeded, declined, notDone string }
	texts := map[sdk.Operation]of{
		sdk.OpCapture: {"The amount counts as captured: the merchant has the money.", "The capture counts as refused. The rest of the authorization stays as it was.",
			"The capture counts as never made, and the amount can be captured again. If the processor did act, the customer pays twice."},
		sdk.OpVoid: {"What was held or captured counts as given back, and the payment ends as cancelled.", "The payment stays as it was before the void.",
			"The payment stays as it was before the void, and can be voided again."},
		sdk.OpRefund: {"The customer counts as paid back.", "The refund counts as failed. The amount can be refunded again.",
			"The refund counts as never made, and can be made again. If the processor did act, the customer gets the money twice."},
		sdk.OpAcceptDispute:  {"The dispute counts as accepted: the customer has the money.", "The dispute counts as it was.", "The dispute counts as it was, and can be answered again."},
		sdk.OpSubmitEvidence: {"The dispute counts as answered.", "The dispute counts as it was.", "The dispute counts as it was, and can be answered again."},
	}
	t, known := texts[kind]
	if !known {
		t = of{"The payment goes on as authorized, or as paid where it captures by itself. If the customer no longer waits, payswitch releases the money.",
			"The payment fails, and the customer may pay again.", "The attempt counts as never sent, and the customer may pay again. If the processor did act, the customer pays twice."}
	}
	switch outcome {
	case payment.FoundSucceeded:
		return t.succeeded
	case payment.FoundDeclined:
		return t.declined
	}
	return t.notDone
}

// decide books a decision.
func (s *Server) decide(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	v, err := s.subjectOf(c.Context(), c)
	if err != nil {
		return nil, err
	}
	outcome, by := c.PostFormValue("outcome"), c.person()
	values := map[string]any{"outcome": outcome, "by": by, "why": strings.TrimSpace(c.PostFormValue("why"))}
	var in request.ResolutionInput
	if err = c.amountInto(values, v.Currency); err == nil {
		if ref, sent := c.PostForm["reference"]; sent {
			if values["reference"] = strings.TrimSpace(ref[0]); values["reference"] == "" {
				err = missing("reference", "Enter the processor's reference")
			}
		}
	}
	if err == nil {
		in, err = router.ParseWord(body(values))
	}
	if err == nil && in.Why == "" {
		err = missing("why", "Say what you know it from")
	}
	if err == nil {
		in.Person = c.Session.UserID
		err = c.perform(Act{Needs: staff.Decide, Action: "operation." + either(v.SecondPerson, "propose", "decide"), Target: v.ID,
			Details: map[string]string{"outcome": string(in.Outcome), "payment_id": v.PaymentID, "reference": in.Reference}}, func(ctx context.Context) error {
			_, err := s.Engine.ResolveOperation(ctx, v.ID, in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.decisionPage(c, outcome, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/decisions/" + v.ID), nil
}

func (s *Server) confirmDecision(c *call) (response, error) {
	return s.second(c, "confirm", s.Engine.ConfirmResolution)
}

func (s *Server) withdrawDecision(c *call) (response, error) {
	return s.second(c, "withdraw", s.Engine.WithdrawResolution)
}

// second confirms or withdraws a proposal, as the form says.
func (s *Server) second(c *call, form string, do func(ctx context.Context, id string, second request.ReviewInput) (operator.View, error)) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	v, err := s.subjectOf(c.Context(), c)
	if err != nil {
		return nil, err
	}
	in, details := request.ReviewInput{ProposalID: c.PostFormValue("proposal"), By: c.person(), Person: c.Session.UserID}, map[string]string{"payment_id": v.PaymentID}
	if p := v.Proposal; p != nil {
		details["outcome"], details["proposed_by"] = string(p.Details.Outcome), either(p.Details.Person != "", p.Details.Person, p.Details.By)
	}
	b, err := s.bond(c, v.Proposal)
	switch {
	case err != nil:
		return nil, err
	case b != nil && form == "confirm":
		details["bond"] = b.Of + " has a password link by " + b.By
		err = notTwo(c, b)
	}
	if err == nil {
		err = c.perform(Act{Needs: staff.Decide, Action: "operation." + form, Target: v.ID, Details: details}, func(ctx context.Context) error {
			_, err := do(ctx, v.ID, in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.decisionPage(c, form, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/decisions/" + v.ID), nil
}

// bond returns the bond between the person and the one who has proposed a decision, nil for none.
func (s *Server) bond(c *call, p *payment.Proposal) (*staff.Bond, error) {
	if s.Staff == nil || p == nil || p.Details.Person == "" || p.Details.Person == c.Session.UserID {
		return nil, nil
	}
	return s.Staff.Bond(c.Context(), c.Session.UserID, p.Details.Person)
}

// notTwo refuses two users as two people while their bond binds: one of them could have chosen the other's password.
func notTwo(c *call, b *staff.Bond) error {
	if !b.Binds {
		return nil
	}
	return fault.Refused("You and the proposer do not count as two people until " + c.time(b.Until).String() + ". " + b.By + " made the link with which " + b.Of +
		" chooses a password").WithParam("proposal_id").WithHint("Let another person confirm it, such as an operator.")
}

// amountInto reads the posted amount in major units.
func (c *call) amountInto(values map[string]any, currency sdk.Currency) error {
	if _, sent := c.PostForm["amount"]; !sent {
		return nil
	}
	m, err := amountOf(c.PostFormValue("amount"), currency)
	if err != nil || m.Minor <= 0 {
		return missing("amount", "Write an amount such as "+Money{1050, currency}.plain())
	}
	values["amount"] = m.Minor
	return nil
}

// plural returns a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return sdk.Decimal(int64(n), 0) + " " + many
}
