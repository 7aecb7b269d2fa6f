package evidence

import (
	"fmt"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The model test explores every interleaving of merchant, payer, processor, messages, time-outs, crashes and the clock over the decision
// functions of this package: Judge, Book, Move, LateMoney, MaySettle, Timing, NextCancel, NextResolve and their like. model_switch_test.go is a
// small store with the runs of its nodes, model_processor_test.go a small processor. A scenario bounds what happens; within the bounds the search
// is exhaustive, breadth first, so the history that it prints for a broken invariant is a shortest one.

// scenario is a world to explore: an adapter, a way to capture, what may happen, and the decisions.
type scenario struct {
	name      string
	manifest  *sdk.Manifest
	method    payment.CaptureMethod
	unkeyed   bool // the processor ignores idempotency keys
	redirects bool // the payer confirms at the processor's page
	hides     bool // queries do not find a new payment for a while
	late      bool // the processor may act late
	declines  bool
	retries   bool // the merchant may confirm a failed payment again, once
	messages  int  // how often each message comes; 0: the processor sends none
	left      budgets

	// Calls that the merchant makes, other than the confirm.
	captures, refunds []int64
	raises            []int64 // new totals
	captureLater      string  // how the processor speaks of captures that it accepts and makes later; "": it makes them at once
	over              bool    // a capture may take more than what is held
	approves          int64   // the issuer approves this; 0: all
	allowsLess        bool    // the merchant allows that
	extends           bool    // the merchant asks for longer holds
	extendsLater      bool    // the processor accepts them and decides later
	cancels, syncs    bool
	jumps             []time.Duration

	// Decisions that tests replace by old ones.
	maySettle  func(fresh *payment.Operation, by Settler, now time.Time) error
	underWay   func(op *payment.Operation, now time.Time) bool
	nextCancel func(p *payment.Payment, a *payment.Attempt, ops []*payment.Operation, invoked bool) CancelStep
	payer      time.Duration // until when an authorization is sent again
	marks      bool          // a row says before each repeated send that something may leave
	watches    bool          // a payment that was cancelled at once is watched
	remedies   bool          // money of an ended payment is voided or shown
}

func (w *scenario) waits() Timing { return Timing{Lease: modelLease, Payer: w.payer} }

var (
	minutes = []time.Duration{70 * time.Second, 5 * time.Minute} // longer than a lease; longer than a customer waits
	hours   = []time.Duration{70 * time.Second, 6 * time.Hour}
)

func modelManifest(preAuthVoid bool, by ...sdk.ResolveBy) *sdk.Manifest {
	return &sdk.Manifest{Name: "model", Operations: []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpVoid, sdk.OpRefund, sdk.OpSync, sdk.OpRefundSync, sdk.OpIncrementalAuthorize, sdk.OpExtendAuthorization},
		Environments: map[string]sdk.Environment{"test": {Hosts: []string{"processor.test"}}},
		Features:     sdk.Features{PartialCapture: true, MultipleCapture: true, PartialRefund: true, PreAuthVoid: preAuthVoid},
		Resolve:      sdk.ResolveRule{By: by, IdempotencyWindowSeconds: int64(keyWindow / time.Second), NotFoundFinalAfterSeconds: int64(notFoundFinal / time.Second)}}
}

var (
	keyedManifest   = modelManifest(false, sdk.ResolveByIdempotentResend, sdk.ResolveByReference)
	unkeyedManifest = modelManifest(false, sdk.ResolveByReference)
	voidingManifest = modelManifest(true, sdk.ResolveByProcessorID, sdk.ResolveByReference, sdk.ResolveByIdempotentResend)
)

// today gives a scenario the decisions of today.
func today(w scenario) *scenario {
	w.maySettle, w.underWay, w.nextCancel = Timing{}.MaySettle, (*payment.Operation).UnderWay, NextCancel
	w.payer, w.marks, w.watches, w.remedies = modelWait, true, true, true
	if w.jumps == nil {
		w.jumps = minutes
	}
	return &w
}

func (w *scenario) start() *state {
	p := &payment.Payment{ID: "pay", AttemptID: "pay_1", Currency: "EUR", Amount: modelAmount, NetAmount: modelAmount, AttemptCount: 1, Details: payment.Details{CaptureMethod: w.method},
		CreatedAt: modelStart}
	a := &payment.Attempt{ID: "pay_1", PaymentID: "pay", Number: 1, Status: payment.ConfirmationAwaited, Amount: modelAmount, Private: &payment.AttemptPrivate{}}
	p.Details.Partial = &w.allowsLess
	if w.over {
		p.Details.Overcapture = &w.over
	}
	payment.DeriveTotals(p, a)
	return &state{now: modelStart, p: p, a: a, left: w.left}
}

// move is one step of somebody.
type move struct {
	text string
	next *state
}

// moves returns what may happen next.
func (w *scenario) moves(s *state) []move {
	out := w.movesAt(s, -1)
	for i := range s.past {
		out = append(out, w.movesAt(s, i)...)
	}
	return out
}

// movesAt returns what may happen next with past attempt i, below 0 with the latest attempt and to everything else.
func (w *scenario) movesAt(s *state, i int) (out []move) {
	if i >= 0 {
		s = s.clone()
		s.focus(i)
	}
	try := func(client bool, text string, f func(n *state) bool) {
		n := s.clone()
		if f(n) {
			w.checkMove(s, n, client)
			if n.focus(i); i >= 0 {
				text += " (first attempt)"
			}
			if n.unsent {
				text += "; but its lease has ended, so nothing leaves"
			}
			out = append(out, move{text, n})
		}
	}
	if i < 0 && s.left.calls > 0 && !s.busy() {
		call := func(text string, f func(n *state) bool) {
			try(true, "the merchant "+text, func(n *state) bool { n.left.calls--; return f(n) })
		}
		call("confirms the payment", w.confirm)
		for _, amount := range w.captures {
			call(fmt.Sprint("captures ", amount), func(n *state) bool { return w.capture(n, amount) })
		}
		for _, amount := range w.raises {
			call(fmt.Sprint("raises the held amount to ", amount), func(n *state) bool { return w.raise(n, amount) })
		}
		if w.extends {
			call("asks for a longer hold", w.extend)
		}
		for _, amount := range w.refunds {
			call(fmt.Sprint("refunds ", amount), func(n *state) bool { return w.refund(n, amount) })
		}
		if w.cancels {
			call("cancels", w.cancel)
		}
	}
	if i < 0 && w.syncs && s.left.calls > 0 && len(s.runs) < 3 {
		try(true, "the merchant asks with force_sync; the processor answers", func(n *state) bool { n.left.calls--; return w.forceSync(n) })
	}
	for _, r := range s.runs {
		if r.a.ID == s.a.ID {
			w.movesOfRun(s, r, try)
		}
	}
	for j, op := range s.at.queue {
		try(false, "the processor now does the "+string(op.Kind), func(n *state) bool {
			n.at.queue = slices.Delete(n.at.queue, j, j+1)
			n.at.act(w, op)
			return true
		})
	}
	for j, op := range s.at.accepted {
		try(false, fmt.Sprint("the processor makes the capture of ", op.Amount), func(n *state) bool { n.at.decide(w, j, true); return true })
		if w.declines {
			try(false, fmt.Sprint("the processor refuses the capture of ", op.Amount), func(n *state) bool { n.at.decide(w, j, false); return true })
		}
	}
	if s.at.extending != "" {
		try(false, "the processor holds the funds for longer", func(n *state) bool { n.at.decideHold(w, true); return true })
		if w.declines {
			try(false, "the processor refuses to hold the funds for longer", func(n *state) bool { n.at.decideHold(w, false); return true })
		}
	}
	if s.at.txn == txnAction {
		try(false, "the payer finishes at the processor's page", func(n *state) bool { n.at.approve(w); n.at.post(w, "", n.at.report()); return true })
	}
	if s.at.hidden {
		try(false, "the processor shows the payment to queries", func(n *state) bool { n.at.hidden = false; return true })
	}
	for j, m := range s.at.mail {
		try(false, "the processor's message says "+string(m.out.Status), func(n *state) bool {
			if n.at.mail[j].times--; n.at.mail[j].times == 0 {
				n.at.mail = slices.Delete(n.at.mail, j, j+1)
			}
			w.deliver(n, m)
			return true
		})
	}
	if len(s.runs) < 3 {
		for _, op := range s.ops {
			if op.AttemptID != s.a.ID {
				continue
			}
			try(false, fmt.Sprintf("background work takes %s (%s, %s)", op.ID, op.Kind, op.Status), func(n *state) bool { return w.claim(n, op.ID) })
		}
	}
	if i < 0 && s.left.jumps > 0 {
		for _, d := range w.jumps {
			try(false, d.String()+" pass", func(n *state) bool { n.left.jumps--; n.now = n.now.Add(d); return true })
		}
	}
	return out
}

// movesOfRun returns what may happen to one run.
func (w *scenario) movesOfRun(s *state, r *modelRun, try func(client bool, text string, f func(n *state) bool)) {
	name := fmt.Sprintf("%s (%s)", r.op.ID, r.op.Kind)
	if s.left.crashes > 0 {
		try(false, "the node that works on "+name+" dies", func(n *state) bool { n.left.crashes--; n.drop(r); return true })
	}
	goesWrong := func(text string, f func(n *state, r *modelRun)) {
		if s.left.faults > 0 {
			try(false, text, func(n *state) bool {
				n.left.faults--
				own := n.own(r)
				if w.send(n, own) {
					f(n, own)
				}
				return true
			})
		}
	}
	switch r.phase {
	case toSend:
		try(false, "the switch sends "+name+"; the processor does it and answers", func(n *state) bool {
			own := n.own(r)
			if w.send(n, own) {
				w.receive(n, own)
			}
			return true
		})
		if a := s.at.did(r.op.ID); a == nil || w.unkeyed {
			goesWrong("the switch sends "+name+"; the processor does it, and its answer is lost", func(n *state, own *modelRun) {
				n.at.act(w, own.op)
				own.lost()
			})
			goesWrong("the switch sends "+name+"; the processor does nothing and answers 500, which it will repeat", func(n *state, own *modelRun) {
				n.at.done = append(n.at.done, modelAct{op: own.op.ID, err: true})
				own.lost()
			})
			goesWrong("the switch sends "+name+"; the processor does nothing and answers 500", func(_ *state, own *modelRun) { own.lost() })
			goesWrong("the switch cannot connect for "+name, func(_ *state, own *modelRun) {
				own.phase, own.answer = answered, &Answer{Exchanges: []sdk.Exchange{{Failure: "connect"}}, Outcome: &sdk.Outcome{Status: sdk.StatusUnknown}}
			})
			if w.late {
				goesWrong("the switch sends "+name+"; the processor waits", func(n *state, own *modelRun) {
					n.at.queue = append(n.at.queue, own.op)
					own.lost()
				})
			}
			if w.declines && r.op.OnHold() {
				try(false, "the switch sends "+name+"; the processor declines", func(n *state) bool {
					own := n.own(r)
					if w.send(n, own) {
						n.at.done = append(n.at.done, modelAct{op: own.op.ID, out: &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "no"}}})
						w.receive(n, own)
					}
					return true
				})
			}
			if w.declines && r.op.Charges() {
				try(false, "the switch sends "+name+"; the processor declines", func(n *state) bool {
					own := n.own(r)
					if w.send(n, own) {
						n.at.txn = txnDeclined
						n.at.done = append(n.at.done, modelAct{op: own.op.ID, out: n.at.report()})
						w.receive(n, own)
					}
					return true
				})
			}
			if s.left.crashes > 0 && !r.fresh {
				try(false, "the node dies after it noted the send of "+name, func(n *state) bool {
					n.left.crashes--
					own := n.own(r)
					w.mark(n, own)
					n.drop(own)
					return true
				})
			}
		}
	case answered:
		if r.report != nil && s.left.faults > 0 && (r.kind == runFind || r.kind == runRecheck) {
			try(false, "the query about "+name+" fails", func(n *state) bool { n.left.faults--; n.own(r).report = nil; return true })
		}
		try(false, w.endOf(r, name), func(n *state) bool { return w.finish(n, n.runs[slices.Index(s.runs, r)]) })
	}
}

func (w *scenario) endOf(r *modelRun, name string) string {
	said := "nothing"
	switch {
	case r.report != nil:
		said = string(r.report.Status)
	case r.answer != nil:
		said = string(r.answer.Outcome.Status)
	case r.verdict != nil:
		said = string(r.verdict.Status)
	}
	switch r.kind {
	case runFind:
		return fmt.Sprintf("background work books what it learned of %s: %s", name, said)
	case runRecheck:
		return fmt.Sprintf("background work books what the processor says after the end: %s", said)
	case runSync:
		return fmt.Sprintf("the switch books what force_sync learned: %s", said)
	case runCancel:
		return fmt.Sprintf("the cancel goes on with the processor's answer: %s", said)
	}
	return fmt.Sprintf("the switch books the answer to %s: %s", name, said)
}

// lost ends the wait for an answer that never comes.
func (r *modelRun) lost() {
	r.phase = answered
	r.answer = &Answer{Exchanges: []sdk.Exchange{{Sent: true, Failure: "timeout"}}, MayHaveLeft: true, Outcome: &sdk.Outcome{Status: sdk.StatusUnknown}}
}

// mark is the guard before a send: the lease must hold, and before each send but the first the row says that something may leave.
func (w *scenario) mark(s *state, r *modelRun) bool {
	row := *s.row(r.op.ID)
	held := s.now.Before(r.leaseEnd.Add(-leaseMargin))
	if held && !r.fresh {
		held = row.Owner == r.node && row.LeaseUntil.Equal(r.lease) && s.now.Before(row.LeaseUntil) && (row.Status.Open() || row.Status == payment.OperationPending)
		if held {
			r.lease = s.now.Add(modelLease)
			row.LeaseUntil, r.leaseEnd, r.op.LeaseUntil = r.lease, r.lease, r.lease
			if w.marks {
				row.LastSendAt = r.lease
			}
			s.put(&row)
		}
	}
	if !held {
		s.unsent = true
		r.phase, r.answer = answered, &Answer{Outcome: &sdk.Outcome{Status: sdk.StatusUnknown}}
		return false
	}
	r.op.LastSendAt = s.now
	return true
}

// send guards a send and checks the invariants of every send. It returns false if nothing is sent.
func (w *scenario) send(s *state, r *modelRun) bool {
	if !w.mark(s, r) {
		return false
	}
	row := s.row(r.op.ID)
	if w.marks || r.fresh {
		if !row.Status.Open() && row.Status != payment.OperationPending {
			s.breaks("%s is sent although its row is %s", r.op.ID, row.Status)
		}
		if row.Unsent() || w.waits().LastSend(row).Before(s.now) {
			s.breaks("%s is sent without a durable proof of it", r.op.ID)
		}
	}
	if r.op.Charges() && s.now.Sub(r.op.StartedAt) > modelWait+modelLease {
		s.breaks("the customer is charged %s after the confirm, when nobody waits any more", s.now.Sub(r.op.StartedAt))
	}
	return true
}

// receive lets the processor answer a request that it got.
func (w *scenario) receive(s *state, r *modelRun) {
	if a := s.at.did(r.op.ID); a != nil && a.err && !w.unkeyed {
		r.lost()
		return
	}
	if slices.ContainsFunc(s.at.queue, func(o *payment.Operation) bool { return o.ID == r.op.ID }) && !w.unkeyed {
		r.lost() // it answers that the first request is under way
		return
	}
	out := s.at.act(w, r.op)
	r.phase = answered
	r.answer = &Answer{Exchanges: []sdk.Exchange{{Sent: true, Status: 200}}, MayHaveLeft: true, AnsweredLast: true, Outcome: out}
}

// most returns the greatest amount that the merchant may ask for.
func (w *scenario) most() int64 {
	most := slices.Max(append([]int64{modelAmount}, w.raises...))
	if w.over {
		most = max(most, slices.Max(w.captures))
	}
	return most
}

// checkMove holds the invariants of every moment against a move.
func (w *scenario) checkMove(was, s *state, client bool) {
	p, a, at := s.p, s.a, &s.at
	if !s.isLatest() { // the payment shows the latest attempt
		switch {
		case at.charges > 1 || at.returned > at.taken || at.taken > modelAmount || a.Captured > at.taken:
			s.breaks("of the first attempt the processor took %d and gave back %d in %d charges", at.taken, at.returned, at.charges)
		case p != was.p && p.AttemptID == was.p.AttemptID && (p.Status != was.p.Status || p.Received != was.p.Received):
			s.breaks("the first attempt moves the payment from %s to %s", was.p.Status, p.Status)
		}
		return
	}
	switch {
	case at.charges > 1:
		s.breaks("the customer is charged twice")
	case at.returned > at.taken || at.taken > w.most():
		s.breaks("the processor took %d and gave back %d of %d", at.taken, at.returned, w.most())
	case a.Captured > a.Authorized || a.Authorized > max(a.Amount, w.most()) || p.Refunded > a.Captured && !slices.Contains(s.alarms, "refund_exceeds") || p.Details.RefundedTotal > p.Refunded:
		s.breaks("the rows say authorized %d, captured %d, refunded %d (%d done)", a.Authorized, a.Captured, p.Refunded, p.Details.RefundedTotal)
	case at.held > 0 && a.Authorized > at.most:
		s.breaks("the payment shows %d authorized, and the processor holds no more than %d", a.Authorized, at.most)
	case p.NetAmount != a.Amount || p.Amount != p.NetAmount:
		s.breaks("the payment is about %d (net %d), its attempt about %d", p.Amount, p.NetAmount, a.Amount)
	case a.Captured > at.taken:
		s.breaks("the payment shows %d captured, and the processor took %d", a.Captured, at.taken)
	case extended(a) && !at.extended:
		s.breaks("the payment shows a longer hold, and the processor has not granted one")
	case p.Details.RefundedTotal > at.returned:
		s.breaks("the payment shows %d refunded, and the processor gave back %d", p.Details.RefundedTotal, at.returned)
	case p.Status != a.Status.Payment() || p.Received != a.Captured && p.Received != a.Captured+a.CapturesPending() || p.Capturable < 0:
		s.breaks("the payment shows %s, received %d, capturable %d; its attempt is %s with %d", p.Status, p.Received, p.Capturable, a.Status, a.Captured)
	case p.Received > 0 && (p.Status == payment.Cancelled || p.Status == payment.Failed):
		s.breaks("the payment shows %s, with %d received", p.Status, p.Received)
	case a.Captured < was.a.Captured && p.AttemptID == was.p.AttemptID:
		s.breaks("captured money disappears")
	case was.p.Status.Facts().Terminal && p.Status != was.p.Status && p.AttemptCount == was.p.AttemptCount && (client || p.Status != payment.Review):
		s.breaks("a payment leaves %s for %s", was.p.Status, p.Status)
	}
}

// extended reports whether the attempt shows a longer hold.
func extended(a *payment.Attempt) bool {
	h := a.Details.Hold
	return h != nil && h.Extended != nil && *h.Extended
}

// calm reports whether nothing is under way.
func (s *state) calm() bool {
	calm := len(s.runs) == 0 && len(s.at.queue) == 0 && len(s.at.mail) == 0 && len(s.at.accepted) == 0 && s.at.extending == ""
	for _, p := range s.past {
		calm = calm && len(p.at.queue) == 0 && len(p.at.mail) == 0
	}
	return calm
}

// settleDown lets everything end well from s: all runs end, the processor does what it received and answers truthfully, messages arrive,
// the payer goes away, and background work runs for nine days. It returns the end and what happened.
func (w *scenario) settleDown(s *state) (*state, []string) {
	s = s.clone()
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	until := s.now.Add(9 * 24 * time.Hour)
	for range 200 {
		n := s.clone()
		at, goes := w.well(n, until, say)
		if !goes {
			return s, said
		}
		was := s.clone()
		was.focus(at)
		w.checkMove(was, n, false)
		n.focus(at)
		if s = n; s.broken != "" {
			return s, said
		}
	}
	if !slices.Contains(s.alarms, alarmMismatch) {
		s.breaks("background work does not end")
	}
	return s, said
}

// well lets the next thing happen that ends well, and leaves the attempt in focus that it is about: past attempt at, below 0 for the latest. It returns
// false if nothing more happens until a time.
func (w *scenario) well(s *state, until time.Time, say func(string, ...any)) (at int, goes bool) {
	for at = -1; at < len(s.past); at++ {
		if s.focus(at); w.advance(s, say) {
			return at, true
		}
		s.focus(at)
	}
	for at = -1; at < len(s.past); at++ {
		s.focus(at)
		switch {
		case len(s.at.queue) > 0:
			op := s.at.queue[0]
			say("the processor now does the %s", op.Kind)
			s.at.queue = s.at.queue[1:]
			s.at.act(w, op)
			return at, true
		case len(s.at.accepted) > 0:
			say("the processor makes the capture of %d", s.at.accepted[0].Amount)
			s.at.decide(w, 0, true)
			return at, true
		case s.at.extending != "":
			say("the processor holds the funds for longer")
			s.at.decideHold(w, true)
			return at, true
		case s.at.hidden:
			s.at.hidden = false
			return at, true
		case len(s.at.mail) > 0:
			m := s.at.mail[0]
			say("the processor's message says %s", m.out.Status)
			s.at.mail = s.at.mail[1:]
			w.deliver(s, m)
			return at, true
		case s.at.txn == txnAction:
			say("the payer goes away")
			s.at.txn = txnDeclined
			return at, true
		}
		s.focus(at)
	}
	op := s.nextDue()
	if op == nil {
		return at, false
	}
	due, _ := op.DueAt()
	if due.After(until) {
		return at, false
	}
	if due.After(s.now) {
		s.now = due
	}
	say("after %s background work takes %s (%s, %s)", s.now.Sub(modelStart), op.ID, op.Kind, op.Status)
	at = s.attempt(op.AttemptID)
	s.focus(at)
	w.claim(s, op.ID)
	return at, true
}

// advance lets the first run of the attempt in focus that can go on do so.
func (w *scenario) advance(s *state, say func(string, ...any)) bool {
	for _, r := range s.runs {
		if r.a.ID != s.a.ID {
			continue
		}
		name := fmt.Sprintf("%s (%s)", r.op.ID, r.op.Kind)
		if r.phase == toSend {
			own := s.own(r)
			say("the switch sends %s; the processor answers", name)
			if w.send(s, own) {
				w.receive(s, own)
			}
			return true
		}
		n := s.clone()
		if w.finish(n, r) {
			*s = *n
			say("%s", w.endOf(r, name))
			return true
		}
	}
	return false
}

// nextDue returns the operation that background work takes next, nil for none.
func (s *state) nextDue() (next *payment.Operation) {
	var first time.Time
	for _, op := range s.ops {
		if at, ok := op.DueAt(); ok && (next == nil || at.Before(first)) {
			next, first = op, at
		}
	}
	return next
}

// alarmMismatch says that the processor's amounts do not fit the operation that is open.
const alarmMismatch = "amount_mismatch"

// books holds the end of a history against the processor: everything that it charged is shown, and nothing stays open.
func (w *scenario) books(s *state) string {
	if i := s.attempt(s.p.AttemptID); i >= 0 { // an earlier attempt is the payment's again
		s.focus(i)
		defer s.focus(i)
	}
	p, at := s.p, &s.at
	rest := at.held - at.taken
	switch {
	case slices.Contains(s.alarms, alarmMismatch): // a person decides
		return ""
	case at.taken != p.Received:
		return fmt.Sprintf("the processor took %d, and the payment shows %s with %d received", at.taken, p.Status, p.Received)
	case at.returned != p.Details.RefundedTotal:
		return fmt.Sprintf("the processor gave back %d, and the payment shows %d refunded", at.returned, p.Details.RefundedTotal)
	case rest > 0 && p.Capturable != rest && !slices.ContainsFunc([]alarm.Kind{alarm.LateVoidFailed, alarm.ReleaseRefused, restLapses}, func(kind alarm.Kind) bool {
		return slices.Contains(s.alarms, kind)
	}):
		return fmt.Sprintf("the processor holds %d, and the payment shows %s with %d capturable", rest, p.Status, p.Capturable)
	case p.Status == payment.Processing:
		return "the payment stays processing"
	}
	for _, old := range s.past {
		if old.at.taken > 0 && p.Received == 0 {
			return fmt.Sprintf("of another attempt the processor took %d, and the payment shows %s", old.at.taken, p.Status)
		}
	}
	for _, old := range s.past { // the switch gives back the money of an earlier attempt, or raises an alarm
		if left := old.at.held - old.at.taken; old.at.taken > 0 && !slices.Contains(s.alarms, alarm.LateEvidence) || left > 0 && !slices.Contains(s.alarms, alarm.LateVoidFailed) {
			return fmt.Sprintf("of the first attempt the processor holds %d and took %d, and the attempt shows %s", left, old.at.taken, old.a.Status)
		}
	}
	for _, op := range s.ops {
		if op.Status.Open() {
			return fmt.Sprintf("%s (%s) stays %s", op.ID, op.Kind, op.Status)
		}
	}
	for _, r := range s.refunds {
		if !r.Status.Final() {
			return "a refund stays " + string(r.Status)
		}
	}
	return ""
}
