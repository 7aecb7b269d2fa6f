package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// mail delivers some of the branches' messages, in any order. With again they come once more later.
func (s *shopkeeper) mail(w *world, n int, again bool) {
	for _, b := range s.branches {
		var now []map[string]any
		b.with(func() {
			for range min(n, len(b.sent)) {
				i := s.IntN(len(b.sent))
				if now = append(now, b.sent[i]); !again {
					b.sent = slices.Delete(b.sent, i, i+1)
				}
			}
		})
		for _, m := range now {
			_, err := w.ReceiveWebhook(context.Background(), mail(b.at.ID, hookSecret, m))
			s.did(fmt.Sprintf("message %s %s %+v", m["object"], m["reference"], m["outcome"]), err)
		}
	}
}

// decide lets the branches end some of what they have accepted: captures, refunds, payers at their pages, and disputes.
func (s *shopkeeper) decide(often int) {
	for _, b := range s.branches {
		b.with(func() {
			for _, h := range b.transactions() {
				for _, p := range slices.Concat(h.Captures, h.Refunds) {
					if p.State == "pending" {
						b.ends(h, p, s.IntN(4) > 0)
						s.note("%s ends %s: %s", b.name, p.ID, p.State)
					}
				}
				if h.Waits && s.IntN(often) == 0 {
					b.acted(h, s.IntN(2) == 0)
					s.note("%s: %s", b.name, h)
				}
			}
			for _, c := range b.claimed() {
				s.decidesClaim(b, c)
			}
		})
	}
}

// claimed are the disputes of a branch in their order.
func (b *branch) claimed() (out []*branchClaim) {
	for n := range len(b.claims) {
		out = append(out, b.claims[fmt.Sprint("dp_", b.name, n)])
	}
	return out
}

// decidesClaim lets an issuer's question become a dispute, or ends one.
func (s *shopkeeper) decidesClaim(b *branch, c *branchClaim) {
	if c.Status != sdk.DisputeOpened && c.Status != sdk.DisputeChallenged || s.IntN(3) > 0 {
		return
	}
	switch {
	case c.Stage == sdk.StagePreDispute && c.of.Captured()-c.of.Refunded() >= c.Amount.Minor:
		c.Stage = sdk.StageDispute
	case c.Stage == sdk.StagePreDispute:
		c.Status = sdk.DisputeCancelled
	default:
		c.Status = sdk.DisputeStatus(s.one("won", "lost"))
	}
	b.claim(c)
}

// claim posts how a dispute stands.
func (b *branch) claim(c *branchClaim) {
	b.sent = append(b.sent, map[string]any{"object": "dispute", "id": c.of.ID, "reference": c.of.Reference, "dispute": c.Dispute, "time": time.Now().UnixMilli()})
}

// answers opens a dispute, or answers one.
func (s *shopkeeper) answers(w *world) {
	ctx := context.Background()
	list, err := w.ListDisputes(ctx, w.auth, request.DisputeListInput{Limit: 100})
	require.NoError(s.t, err)
	if len(list) > 0 && s.IntN(3) > 0 {
		d := list[s.IntN(len(list))]
		accept := func(w *world) error {
			_, err := w.AcceptDispute(ctx, w.auth, &request.AcceptInput{DisputeID: d.ID})
			return err
		}
		refund := func(w *world) error {
			_, err := w.CreateRefund(ctx, w.auth, &request.RefundInput{PaymentID: d.PaymentID, Amount: &d.Amount, Type: "instant"})
			return err
		}
		contest := func(w *world) error {
			_, err := w.SubmitEvidence(ctx, w.auth, &request.EvidenceInput{DisputeID: d.ID, Texts: map[string]string{"uncategorized_text": "it was sent"}})
			return err
		}
		switch s.IntN(4) {
		case 0, 1:
			s.wants(d.PaymentID, "refund", d.Amount)
			s.atOnce(fmt.Sprintf("accept %s of %d (%s, %s), and refund", d.ProcessorID, d.Amount, d.Stage, d.Status), accept, refund)
		case 2:
			s.atOnce("accept "+d.ProcessorID, accept)
		default:
			s.atOnce("contest "+d.ProcessorID, contest)
		}
		return
	}
	b := s.branches[s.IntN(2)]
	b.with(func() {
		for _, h := range b.transactions() {
			if h.Captured() == 0 || s.IntN(2) == 0 {
				continue
			}
			c := &branchClaim{of: h, Dispute: sdk.Dispute{ID: fmt.Sprint("dp_", b.name, len(b.claims)), Status: sdk.DisputeOpened, Stage: sdk.DisputeStage(s.one("pre_dispute", "pre_dispute", "dispute")),
				Amount: sdk.Money{Minor: 1 + s.Int64N(h.Captured()), Currency: h.Currency}}}
			b.claims[c.ID] = c
			b.claim(c)
			s.note("%s: dispute %s of %d (%s) of %s", b.name, c.ID, c.Amount.Minor, c.Stage, h.ID)
			return
		}
	})
}

// states lets people say the truth about an operation without an end, as far as the branches' books have it. Where two people are needed, the other one confirms
// it, withdraws it, or waits.
func (s *shopkeeper) states(w *world, all bool) {
	ctx := context.Background()
	for _, b := range s.branches {
		b.arrives() // a person who says that something was not done has made sure
	}
	list, err := w.Operations(ctx, request.OperationFilter{Limit: 100})
	require.NoError(s.t, err)
	for _, v := range list {
		if !all && s.IntN(2) == 0 {
			continue
		}
		in, ok := s.truth(v.Operation)
		if !ok {
			continue
		}
		in.By, in.Why = "Ada", "the books"
		said, err := w.ResolveOperation(ctx, v.ID, in)
		s.did(fmt.Sprintf("%s of %s was %s, Ada says (%d, %s)", v.Kind, v.AttemptID, in.Outcome, in.Amount, in.Reference), err)
		if err != nil || said.Proposal == nil {
			continue
		}
		switch s.IntN(4) {
		case 0:
			s.passes(time.Minute)
		case 1:
			_, err := w.WithdrawResolution(ctx, v.ID, person("", "Bob", said.Proposal))
			s.did("  Bob withdraws it", err)
			continue
		}
		if again, ok := s.truth(v.Operation); ok && again.Outcome == in.Outcome {
			_, err = s.world().ConfirmResolution(ctx, v.ID, person("", "Bob", said.Proposal))
			s.did("  Bob confirms it", err)
		}
	}
}

// truth is what the branches' books say of an operation; false while they say nothing certain.
func (s *shopkeeper) truth(op *payment.Operation) (in request.ResolutionInput, ok bool) {
	v := s.get(op.PaymentID)
	i := slices.IndexFunc(v.Attempts, func(a *payment.Attempt) bool { return a.ID == op.AttemptID })
	if i < 0 {
		return in, false
	}
	a, in := v.Attempts[i], request.ResolutionInput{Outcome: payment.FoundNotDone}
	for _, b := range s.branches {
		if b.name == op.Connector {
			b.with(func() { in, ok = b.truth(op, a, v) })
		}
	}
	return in, ok
}

func (b *branch) truth(op *payment.Operation, a *payment.Attempt, v *change.View) (in request.ResolutionInput, ok bool) {
	h := b.byRef[a.Details.Reference]
	done := func(is bool) (request.ResolutionInput, bool) {
		if is {
			return request.ResolutionInput{Outcome: payment.FoundSucceeded}, true
		}
		return request.ResolutionInput{Outcome: payment.FoundNotDone}, true
	}
	part := func(parts []*acquiredPart, reference string) (request.ResolutionInput, bool) {
		for _, p := range parts {
			switch {
			case p.Reference != reference:
			case p.State == "pending":
				return in, false
			case p.State == "refused":
				return request.ResolutionInput{Outcome: payment.FoundDeclined}, true
			default:
				return request.ResolutionInput{Outcome: payment.FoundSucceeded, Amount: &p.Amount, Reference: p.ID}, true
			}
		}
		return done(false)
	}
	switch {
	case op.Kind == sdk.OpAcceptDispute || op.Kind == sdk.OpSubmitEvidence:
		return in, false
	case h == nil:
		return done(false)
	case op.Kind == sdk.OpCapture:
		return part(h.Captures, a.CaptureReference(op.ID))
	case op.Kind == sdk.OpRefund:
		i := slices.IndexFunc(v.Refunds, func(r *payment.Refund) bool { return r.OperationID == op.ID })
		if i < 0 {
			return in, false
		}
		return part(h.Refunds, v.Refunds[i].Reference)
	case op.Kind == sdk.OpVoid:
		return done(h.TakenBack || h.Voided && !a.VoidsCaptured(op))
	case op.Kind == sdk.OpIncrementalAuthorize:
		return done(h.Authorized == op.Amount)
	case op.Kind == sdk.OpExtendAuthorization:
		return done(h.Extended)
	case h.Waits || h.Voided:
		return in, false
	case h.Refused:
		return request.ResolutionInput{Outcome: payment.FoundDeclined}, true
	}
	return request.ResolutionInput{Outcome: payment.FoundSucceeded, Amount: &h.Authorized, Reference: h.ID}, true
}

// sets lets a person set the status of a payment by hand, rather of one whose operation has no end. The payer may pay it again. Whatever the person says, no
// payer pays twice.
func (s *shopkeeper) sets(w *world) {
	id := s.one(s.payments...)
	for _, other := range s.payments {
		if p := s.get(other).Payment; p.OpenOperation != "" || p.Status == payment.Processing {
			id = other
		}
	}
	status := payment.AttemptStatus(s.one("failure", "failure", "failure", "voided", "charged", "authorized", "unresolved"))
	_, err := w.DecideAttempt(context.Background(), w.auth, id, request.AttemptDecision{Status: status})
	s.did(short(id)+" is set to "+string(status), err)
	if s.stated[id] = true; s.IntN(3) > 0 {
		s.pays(s.get(id))
	}
}

// people resolve what is left after days, and ask once more.
func (s *shopkeeper) people() {
	for range 6 {
		for _, b := range s.branches {
			for len(b.sent) > 0 {
				s.mail(s.world(), 9, false)
			}
		}
		s.states(s.world(), true)
		time.Sleep(time.Hour)
	}
	for _, id := range s.payments {
		_, err := s.world().RetrievePayment(context.Background(), s.nodes[0].auth, id, request.RetrieveInput{ForceSync: true})
		s.did(short(id)+" sync", err)
	}
	time.Sleep(time.Hour)
}

// check holds the payments against the branches' books, and against the merchant's events.
func (s *shopkeeper) check() {
	for w := range s.frails {
		for kind, n := range w.alarms.all() {
			s.alarms[kind] += n
		}
	}
	s.note("alarms %v", s.alarms)
	mandates := map[string][]*payment.Payment{}
	for _, b := range s.branches {
		require.Empty(s.t, b.wrong)
		for _, h := range b.transactions() { // also of a request whose node has died before its answer
			if id := h.Reference[:strings.LastIndexByte(h.Reference, '_')]; !s.restored || !s.lost(id) {
				s.bought(id)
			}
		}
	}
	for _, id := range s.payments {
		v := s.get(id)
		if m := v.Payment.Details.MandateID; m != "" && v.Attempt.Details.Mandate == m {
			mandates[m] = append(mandates[m], v.Payment)
		}
		s.checkPayment(v)
	}
	if !s.restored { // else charges of a mandate may be lost
		s.checkMandates(mandates)
	}
}

// checkPayment holds one payment against the books of both branches.
func (s *shopkeeper) checkPayment(v *change.View) {
	p, a := v.Payment, v.Attempt
	var charged, held []*acquired
	for _, b := range s.branches {
		for _, h := range b.ofPayment(p.ID) {
			s.note("  %s: %s", b.name, h)
			if h.Captured() > 0 {
				charged = append(charged, h)
			}
			if h.holds() {
				held = append(held, h)
			}
			s.checkGivenBack(b, h)
			s.checkOnce(p.ID, h)
		}
	}
	s.note("%s %s (%s, set by hand %v): of %d received %d, capturable %d, refunded %d of %d, attempt %d: %d/%d", p.ID, p.Status, p.Details.CaptureMethod, s.stated[p.ID], p.NetAmount, p.Received,
		p.Capturable, p.Details.RefundedTotal, p.Refunded, p.AttemptCount, a.Authorized, a.Captured)
	require.LessOrEqual(s.t, len(charged), 1, "%s was charged twice", p.ID)
	looks := []payment.Status{payment.Conflicted, payment.Review, payment.RequiresMerchantAction}
	if s.stated[p.ID] || s.restored || slices.Contains(looks, p.Status) {
		return
	}
	received, back := int64(0), int64(0)
	for _, h := range charged {
		require.Equal(s.t, a.Details.Reference, h.Reference, "the attempt of %s that was charged", p.ID)
		received = h.Captured()
		for _, r := range h.Refunds {
			if r.State == "done" && !strings.HasPrefix(r.Reference, "relay_") {
				back += r.Amount
			}
		}
	}
	require.Equal(s.t, received, p.Received, "captured of %s", p.ID)
	review := slices.ContainsFunc(v.Refunds, func(r *payment.Refund) bool { return r.Status == payment.RefundReview })
	if !review {
		require.Equal(s.t, back, p.Details.RefundedTotal, "refunded of %s", p.ID)
	}
	require.NotContains(s.t, []payment.Status{payment.Processing, payment.PartiallyCapturedAndProcessing, payment.RequiresCustomerAction}, p.Status)
	require.Empty(s.t, p.OpenOperation, "%s", p.ID)
	for _, h := range held {
		if (!p.Status.Facts().Capture || h.Reference != a.Details.Reference) && s.alarms["release_refused"]+s.alarms["late_void_failed"] > 0 {
			continue // a person looks at what stays held
		}
		require.True(s.t, p.Status.Facts().Capture, "%s is %s, and its funds are held: %s", p.ID, p.Status, h)
		require.Equal(s.t, a.Details.Reference, h.Reference)
		require.Equal(s.t, h.Authorized-h.Captured(), p.Capturable, "capturable of %s", p.ID)
	}
	if p.Capturable > 0 && p.Status.Facts().Capture {
		require.True(s.t, slices.ContainsFunc(held, func(h *acquired) bool { return h.Reference == a.Details.Reference }), "%s shows funds that nobody holds", p.ID)
	}
	s.checkEvents(v)
}

// checkGivenBack holds what the payer got against what was taken.
func (s *shopkeeper) checkGivenBack(b *branch, h *acquired) {
	back := h.Refunded()
	for _, c := range b.claimed() {
		if c.of == h && c.Back && c.Stage == sdk.StagePreDispute {
			back += c.Amount.Minor
		}
	}
	require.True(s.t, s.restored || back <= sumOf(h.Captures, "done"), "%d is given back by refunds and accepted questions of %s", back, h)
	seen := map[string]bool{}
	for _, p := range slices.Concat(h.Captures, h.Refunds) {
		require.False(s.t, seen[p.Reference], "%s was made twice", p.Reference)
		seen[p.Reference] = true
	}
}

// checkMandates holds the charges of mandates against their terms.
func (s *shopkeeper) checkMandates(charges map[string][]*payment.Payment) {
	for id, list := range charges {
		m, err := s.nodes[0].Mandate(context.Background(), s.nodes[0].auth, id)
		require.NoError(s.t, err)
		times := 0
		for _, p := range list {
			if p.ID == m.PaymentID {
				continue
			}
			for _, b := range s.branches {
				for _, h := range b.ofPayment(p.ID) {
					taken := sumOf(h.Captures, "done")
					require.LessOrEqual(s.t, taken, m.Details.Terms.Amount, "%s is charged by %s", p.ID, id)
					if taken > 0 || h.holds() {
						times++
					}
				}
			}
		}
		s.note("%s %+v: %d charges", id, m.Details.Terms, times)
		if m.Details.Terms.SingleUse {
			require.LessOrEqual(s.t, times, 1, "charges of %s", id)
		}
	}
}

// checkEvents holds the merchant's events against the payment and its refunds. Their numbers are their order: the clock jumps.
func (s *shopkeeper) checkEvents(v *change.View) {
	last := func(of string, want string) {
		var all []*payment.Event
		require.NoError(s.t, s.nodes[0].db.View(s.t.Context(), func(r engine.Reader) (err error) { all, err = r.Events("m1", of); return err }))
		slices.SortFunc(all, func(x, y *payment.Event) int { return cmp.Compare(x.Number, y.Number) })
		var types []string
		for _, e := range all {
			types = append(types, e.Type)
		}
		if want != "" {
			require.NotEmpty(s.t, types, "events of %s", of)
			require.Equal(s.t, want, types[len(types)-1], "the last event of %s: %v", of, types)
		}
	}
	last(v.Payment.ID, v.Payment.Status.Facts().Event)
	for _, r := range v.Refunds {
		last(r.ID, r.Status.Event())
	}
}
