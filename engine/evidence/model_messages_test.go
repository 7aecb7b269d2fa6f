package evidence

import (
	"slices"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// lateEvidence is late.Reports.Keep: an answer to an operation that another run has closed.
func (w *scenario) lateEvidence(s *state, o *sdk.Outcome) {
	if w.remedies && w.remedy(s, o) || AttemptShows(s.p, s.a, o) {
		return
	}
	s.alarm(alarm.LateEvidence)
}

// remedy is late.Reports.bookMoney with the real booking of late money.
func (w *scenario) remedy(s *state, o *sdk.Outcome) bool {
	op := w.newOperation(s, sdk.OpVoid, 0)
	mayVoid := o.Status == sdk.StatusAuthorized && slices.Contains(w.manifest.Operations, sdk.OpVoid)
	b, void, err := LateMoney(s.p, s.a, o, mayVoid, s.now)
	if b == nil || err != nil {
		return false
	}
	c := &modelChange{wasP: s.p, p: b.Payment, wasA: s.a, a: b.Attempt, alarms: b.Alarms}
	if void {
		b.Attempt.Details.LateVoid = op.ID
		op.Amount = b.Attempt.Authorized
		c.intents = append(c.intents, op)
	} else if o.Status == sdk.StatusAuthorized {
		c.alarms = append(c.alarms, alarm.LateVoidFailed)
	}
	if w.commit(s, c) != nil {
		return false
	}
	if void {
		w.perform(s, op, nil)
	}
	return true
}

// deliver books a message of the processor.
func (w *scenario) deliver(s *state, m modelMail) {
	if m.op != "" {
		w.refundMessage(s, s.row(m.op), m.out)
		return
	}
	heard := s.a.ReportedOperations(s.ops, m.out)
	if len(heard) == 0 {
		w.messageAfterEnd(s, m.out)
	}
	for _, op := range heard {
		w.hear(s, op, m)
	}
}

// hear is Engine.bookReport.
func (w *scenario) hear(s *state, op *payment.Operation, m modelMail) {
	if w.underWay(op, s.now) {
		w.keep(s, modelMail{op: op.ID, out: m.out})
		return
	}
	v := InterpretSync(op, s.p, s.a, m.out, false)
	if v.Status == payment.OperationUnknown || v.Status == payment.OperationPending && op.Status == payment.OperationPending && !BringsNews(s.a, v) {
		return
	}
	own := *op
	w.settle(s, &modelRun{kind: runSync, p: s.p, a: s.a, op: &own}, v)
}

// keep stores a message once.
func (w *scenario) keep(s *state, m modelMail) {
	for _, k := range s.kept {
		if k.op == m.op && sameOutcome(k.out, m.out) {
			return
		}
	}
	s.kept = append(s.kept, m)
}

// messageAfterEnd is Engine.recordLateEvidence.
func (w *scenario) messageAfterEnd(s *state, o *sdk.Outcome) {
	if AttemptShows(s.p, s.a, o) || w.remedies && w.remedy(s, o) || s.isLatest() && w.bookEvidence(s, s.p, s.a, o) {
		return
	}
	s.alarm(alarm.LateEvidence)
}

// refundMessage is Engine.bookRefundMessage.
func (w *scenario) refundMessage(s *state, op *payment.Operation, o *sdk.Outcome) {
	f := s.refundOf(op)
	switch op.Status {
	case payment.OperationStarted:
		w.keep(s, modelMail{op: op.ID, out: o})
		return
	case payment.OperationUnknown, payment.OperationPending:
		if v := InterpretRefund(op, f, o, false); BringsRefundNews(f, v) {
			own := *op
			w.settle(s, &modelRun{kind: runSync, p: s.p, a: s.a, r: f, op: &own}, v)
		}
		return
	}
	if RefundShows(f, o) {
		return
	}
	if f.Status.Final() && op.Status != payment.OperationNotActed {
		o = s.at.answerQuery(w, op) // messages come in any order: the processor says what holds
	}
	w.refundEvidence(s, f, op, o)
}

// refundEvidence is Engine.bookRefundEvidence.
func (w *scenario) refundEvidence(s *state, f *payment.Refund, op *payment.Operation, o *sdk.Outcome) {
	v := InterpretRefund(op, f, o, false)
	if RefundShows(f, o) || v.Status != payment.OperationSucceeded && v.Status != payment.OperationDeclined {
		return
	}
	b := BookRefundEvidence(s.p, f, v, s.now)
	c := &modelChange{p: b.Payment, wasR: f, r: b.Refund, alarms: b.Alarms}
	if b.Payment != nil {
		c.wasP = s.p
		if b.Payment.Refunded > b.Payment.Received {
			c.alarms = append(c.alarms, "refund_exceeds")
		}
	}
	w.commit(s, c)
}

func sameOutcome(a, b *sdk.Outcome) bool {
	same := (a.Hold == nil) == (b.Hold == nil) && (a.Hold == nil || *a.Hold.Extended == *b.Hold.Extended)
	return same && a.Status == b.Status && a.CaptureID == b.CaptureID && (a.Totals == nil) == (b.Totals == nil) && (a.Totals == nil || *a.Totals == *b.Totals)
}
