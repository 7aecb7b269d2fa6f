package evidence

import (
	"errors"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// settle is Engine.settleOnce: it books a verdict, and decides again from fresh rows after a conflict.
func (w *scenario) settle(s *state, r *modelRun, v Verdict) error {
	for {
		var err error
		if r.op.OfRefund() {
			err = w.settleRefund(s, r, v)
		} else {
			err = w.settlePayment(s, r, v)
		}
		if !errors.Is(err, fault.ErrConflict) {
			return err
		}
		row := *s.row(r.op.ID)
		closed := !row.Status.Open() && row.Status != payment.OperationPending
		if r.op.LastSendAt.After(row.LastSendAt) {
			row.LastSendAt = r.op.LastSendAt
		}
		r.p, r.a, r.loaded, r.op, r.r = s.p, s.a, nil, &row, s.refundOf(&row)
		if closed {
			if v.Outcome != nil && row.OfRefund() {
				w.refundMessage(s, &row, v.Outcome)
			} else if v.Outcome != nil {
				w.lateEvidence(s, v.Outcome)
			}
			return nil
		}
	}
}

func (w *scenario) by(r *modelRun, v Verdict) Settler {
	by := Settler{Node: r.node, Lease: r.lease, Silent: v.Silent()}
	if v.Status != payment.OperationSucceeded {
		by.AskedAt = v.AskedAt
	}
	return by
}

func (w *scenario) settlePayment(s *state, r *modelRun, v Verdict) error {
	if r.p.Occupied(r.a, r.op) {
		return ErrStale
	}
	b := Book(r.p, r.a, r.op, w.manifest, v, s.now)
	c := &modelChange{wasP: r.p, p: b.Payment, wasA: r.a, a: b.Attempt, settled: b.Operation, by: w.by(r, v)}
	if r.loaded != nil {
		c.wasA = r.loaded
	}
	voids, err := b.VoidAfter(r.op, r.fresh, w.manifest, w.waits(), s.now)
	if err != nil {
		s.breaks("no transition for the void of funds: %v", err)
	}
	var next *payment.Operation
	if voids || b.Release {
		next = w.newOperation(s, sdk.OpVoid, b.Attempt.Authorized-b.Attempt.Captured)
		b.Payment.OpenOperation = next.ID
		c.intents = append(c.intents, next)
	}
	var void *payment.Operation
	if b.VoidLess {
		void = w.newOperation(s, sdk.OpVoid, b.Attempt.Authorized)
		b.Attempt.Details.LateVoid = void.ID
		c.intents = append(c.intents, void)
	}
	if b.Again {
		again := w.newOperation(s, sdk.OpVoid, b.Operation.Amount)
		b.Succeed(again, s.now)
		c.intents = append(c.intents, again)
	}
	c.alarms = b.Alarms
	if !voids && b.Operation.Kind == sdk.OpVoid && b.Attempt.Status == payment.Voided {
		if waiting := b.Attempt.PendingOperation(s.ops); waiting != nil && waiting.ID != b.Operation.ID {
			c.superseded = waiting.ID
		}
	}
	past := -1
	var before *payment.Attempt
	if !voids && r.a.ID == r.p.AttemptID { // Engine.takenBefore
		if past = slices.IndexFunc(s.past, func(p modelPast) bool { return p.a.TakenLate() }); past >= 0 {
			if before, err = b.BookEarlierCharge(s.past[past].a, s.now); err != nil {
				s.breaks("no transition for the money of an earlier attempt: %v", err)
			}
		}
	}
	if err := w.commit(s, c); err != nil {
		return err
	}
	if before != nil {
		s.past[past].a = before
	}
	r.p, r.a, r.op = b.Payment, b.Attempt, b.Operation
	for _, op := range []*payment.Operation{next, void} {
		if op != nil {
			w.perform(s, op, nil)
		}
	}
	return nil
}

func (w *scenario) settleRefund(s *state, r *modelRun, v Verdict) error {
	b := BookRefund(r.p, r.r, r.op, v, s.now)
	c := &modelChange{p: b.Payment, wasR: r.r, r: b.Refund, settled: b.Operation, by: w.by(r, v), alarms: b.Alarms}
	if b.Payment != nil {
		c.wasP = r.p
	}
	return w.commit(s, c)
}
