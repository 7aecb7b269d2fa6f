package dispute

import (
	"context"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// wrongState refuses an answer that the dispute does not take.
func wrongState(reason string) error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Dispute status validation failed", Param: "dispute_id", Reason: reason, Hint: "Do what reason says."}
}

// AcceptDispute gives a dispute up: the customer keeps the money. If the processor's answer stays unknown, the dispute shows it, and background work
// finds it out. Errors: request.ErrAboveMost, HE_04 for an unknown dispute, HE_03 if it takes no answer, IR_20 if its processor's adapter offers none, CE_08 if the processor
// refused.
func (s *Disputes) AcceptDispute(ctx context.Context, auth account.Auth, in *request.AcceptInput) (*disputed.Record, error) {
	return s.answer(ctx, auth, in.DisputeID, sdk.OpAcceptDispute, func(w *change.Loaded) error {
		d, p, amount := w.Dispute, w.Payment, w.Dispute.Amount
		if d.Currency == p.Currency {
			amount += p.Refunded + p.GivenUp(d.AttemptID, d.ProcessorID)
		}
		if in.Most != nil && amount > *in.Most {
			return request.ErrAboveMost
		}
		w.Payment = p.Accepting(d.AttemptID, d.ProcessorID, true) // a refund at the same time would give the amount back twice
		return nil
	})
}

// SubmitEvidence answers a dispute with evidence. Its errors are those of AcceptDispute.
func (s *Disputes) SubmitEvidence(ctx context.Context, auth account.Auth, in *request.EvidenceInput) (*disputed.Record, error) {
	return s.answer(ctx, auth, in.DisputeID, sdk.OpSubmitEvidence, func(w *change.Loaded) (err error) {
		w.Request.Dispute.Evidence = in.Texts
		w.Request.Dispute.Files, err = attached(w.Dispute, in)
		return err
	})
}

// answer sends an answer to a dispute. fill puts what the kind of answer needs into the run that has begun, or refuses it.
func (s *Disputes) answer(ctx context.Context, auth account.Auth, id string, kind sdk.Operation, fill func(w *change.Loaded) error) (*disputed.Record, error) {
	d, err := s.own(ctx, auth, id)
	if err != nil {
		return nil, err
	}
	_, err = s.Changes.Decide(ctx, auth, d.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		if w.Dispute, err = s.own(ctx, auth, id); err != nil {
			return nil, err
		}
		if err := s.mayAnswer(ctx, w, kind); err != nil {
			return nil, err
		}
		now := s.Changes.Now().UTC().Truncate(time.Millisecond)
		s.Changes.Driver.Begin(&w.Run, kind, w.Dispute.Amount, now)
		before := w.Payment
		if err := fill(w); err != nil {
			return nil, err
		}
		w.Dispute.BeginAnswer(w.Operation, now)
		c := &change.Change{Dispute: w.Dispute, Relays: w.Relays}
		if w.Payment != before {
			c.Payment = w.Payment
		}
		return s.Changes.StartRun(c, w)
	})
	if err != nil {
		return nil, err
	}
	if d, err = s.own(ctx, auth, id); err != nil { // also for a repeated request: what became of its answer
		return nil, err
	}
	if a := d.Details.Answer; a != nil && a.Status == disputed.AnswerFailed {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "CE_08", Message: "Dispute operation failed while processing with connector", Connector: d.Connector,
			Reason: strings.TrimPrefix(a.ErrorCode+": "+a.ErrorText, ": ")}
	}
	return d, nil
}

// mayAnswer checks an answer of a kind, and adds the dispute's attempt, account and adapter to w.
func (s *Disputes) mayAnswer(ctx context.Context, w *change.Loaded, kind sdk.Operation) error {
	d := w.Dispute
	switch {
	case !d.TakesAnswer():
		return wrongState("the dispute is in the stage " + string(d.Stage) + " with the status dispute_" + string(d.Status) +
			": answer it while it is dispute_opened or dispute_challenged")
	case kind == sdk.OpAttachEvidence && (d.Stage != sdk.StageDispute || d.Status != sdk.DisputeOpened):
		return wrongState("the dispute is in the stage " + string(d.Stage) + " with the status dispute_" + string(d.Status) +
			": attach files in the stage dispute, while it is dispute_opened")
	case d.Answering():
		return wrongState("the result of an earlier answer is not known yet: retrieve the dispute with force_sync=true")
	}
	if err := s.withAccount(ctx, w); err != nil {
		return err
	}
	if kind == sdk.OpAcceptDispute && d.Stage == sdk.StagePreDispute && d.Currency == w.Payment.Currency {
		if err := s.leaves(ctx, w); err != nil {
			return err
		}
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, kind) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: string(kind) + " flow not supported", Connector: w.Account.Connector}
	}
	return nil
}

// leaves refuses to give w's dispute up if the customer has got, or may get, its amount in another way. It adds the state of the relays to w.
func (s *Disputes) leaves(ctx context.Context, w *change.Loaded) error {
	relayed, state, err := s.Changes.GivenBack(ctx, w.Payment, w.Attempt)
	w.Relays = state
	switch {
	case err != nil:
		return err
	case w.Dispute.Amount > w.Payment.Refundable()-relayed:
		return wrongState("refunds have given back so much of the payment that the customer would get the disputed amount twice: submit the refund as evidence")
	case w.Attempt.BeingVoided():
		return wrongState("the payment may be voided: retrieve it until state_metadata.post_capture_void is not pending")
	}
	return nil
}

// withAccount adds the attempt of w's dispute, its account and its adapter to w.
func (s *Disputes) withAccount(ctx context.Context, w *change.Loaded) error {
	if err := s.Changes.AttemptOf(ctx, w, w.Dispute.AttemptID); err != nil {
		return err
	}
	return s.Changes.WithAccount(ctx, w)
}

// Of reads the dispute that an operation answers.
func (s *Disputes) Of(ctx context.Context, op *payment.Operation) (*disputed.Record, error) {
	var list []*disputed.Record
	err := s.Changes.Read(ctx, "read dispute", func(r change.Reader) (err error) { list, err = r.DisputesOf(op.MerchantID, op.PaymentID); return err })
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if a := d.Details.Answer; a != nil && a.OperationID == op.ID {
			return d, nil
		}
	}
	return nil, unknown()
}

// Settlement returns the change of a verdict on an answer: the dispute, what it claims of its payment, the operation, and the merchant's event.
func (s *Disputes) Settlement(w *change.Loaded, v evidence.Verdict, now time.Time) (_ *change.Change, err error) {
	v = evidence.JudgeAnswer(w.Operation, w.Dispute, v)
	b := evidence.BookAnswer(w.Payment, w.Dispute, w.Operation, v, now)
	b.Operation.QueryBy(now.Add(s.Changes.Driver.ResolvePause))
	c := &change.Change{Payment: b.Payment, Dispute: b.Dispute, Alarms: b.Alarms}
	c.Settle(w, b.Operation, v)
	if b.Moved {
		if c.Event, err = s.Changes.DisputeEvent(b.Payment, b.Dispute, now); err != nil {
			return nil, err
		}
	}
	c.Effects = append(c.Effects, func(context.Context) error {
		w.Dispute, w.Operation, w.Journal = b.Dispute, b.Operation, nil
		if b.Payment != nil {
			w.Payment = b.Payment
		}
		return nil
	})
	return c, nil
}

// BookLate books what a run has found out about a dispute after its operation was closed by another.
func (s *Disputes) BookLate(ctx context.Context, w *change.Loaded, v evidence.Verdict) error {
	if v.Outcome == nil || v.Outcome.Dispute == nil || v.Status != payment.OperationSucceeded {
		return nil
	}
	return s.book(ctx, w, v.Outcome.Dispute, w.Operation.StartedAt.Truncate(time.Second))
}

// book books a report of the processor on w's dispute, as it was at the time at.
func (s *Disputes) book(ctx context.Context, w *change.Loaded, said *sdk.Dispute, at time.Time) error {
	if said.ID != w.Dispute.ProcessorID {
		s.Changes.Metrics.Alarm(alarm.ImpossibleOutcome)
		return nil
	}
	if d := w.Dispute; said.Status == d.Status && (said.Stage == "" || said.Stage == d.Stage) && said.Amount.Minor == d.Amount && said.Amount.Currency == d.Currency {
		return nil // no news
	}
	_, err := s.Changes.BookDispute(ctx, w, said, at)
	return err
}

// BookMessage settles the answer to a dispute whose result is not known, after a verified message about the dispute was booked. w has the message's attempt.
func (s *Disputes) BookMessage(ctx context.Context, w *change.Loaded, processorID string) error {
	d, err := s.Changes.DisputeNamed(ctx, w, processorID)
	if d == nil || err != nil || !d.Answering() {
		return err
	}
	w.Dispute = d
	return s.settleShown(ctx, w)
}

// Ask asks the processor about a dispute that a message without proof names. It does nothing if payswitch does not know the dispute.
func (s *Disputes) Ask(ctx context.Context, w *change.Loaded, processorID string) error {
	d, err := s.Changes.DisputeNamed(ctx, w, processorID)
	if d == nil || err != nil || !d.MayMove() {
		return err
	}
	return s.sync(ctx, d)
}

// settleShown settles the open answer of w's dispute if the dispute's record shows its result.
func (s *Disputes) settleShown(ctx context.Context, w *change.Loaded) error {
	op, err := s.open(ctx, w.Dispute)
	if op == nil || err != nil {
		return err
	}
	w.Operation = op
	v := evidence.InterpretAnswer(op, w.Dispute, w.Dispute.Shown(), false)
	if v.Status != payment.OperationSucceeded && v.Status != payment.OperationNotActed {
		return nil
	}
	return change.UnlessLeased(s.Changes.Settle(ctx, w, v))
}

// open returns the operation that answers the dispute, if its result is not known and no run is sending it; else nil.
func (s *Disputes) open(ctx context.Context, d *disputed.Record) (op *payment.Operation, err error) {
	if !d.Answering() {
		return nil, nil
	}
	driven := false
	err = s.Changes.Read(ctx, "read operation", func(r change.Reader) (err error) {
		if op, err = r.Operation(d.Details.Answer.OperationID); err == nil {
			driven = op.UnderWay(r.Now())
		}
		return err
	})
	if err != nil || driven || op.Unsent() || !op.Status.Open() && op.Status != payment.OperationPending {
		return nil, err
	}
	return op, nil
}

// sync asks the processor about a dispute that may have moved, and books its answer. It sends no request that could act. Without the account, or an
// adapter that can ask, the dispute stays as it is.
func (s *Disputes) sync(ctx context.Context, d *disputed.Record) error {
	w, err := s.Changes.Load(ctx, d.MerchantID, d.PaymentID)
	if err != nil {
		return err
	}
	w.Dispute = d
	if s.withAccount(ctx, w) != nil || !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpDisputeSync) {
		return nil
	}
	defer s.Changes.Driver.FlushJournal(ctx, &w.Run)
	op, err := s.open(ctx, d)
	if err != nil {
		return err
	}
	if op != nil {
		w.Operation = op
		v, err := s.Changes.Driver.QueryProcessor(ctx, &w.Run)
		if err != nil || v.Status == payment.OperationUnknown || v.Status == payment.OperationPending {
			return err
		}
		return change.UnlessLeased(s.Changes.Settle(context.WithoutCancel(ctx), w, v))
	}
	if d.Answering() {
		return nil // the answer's own result has more facts
	}
	asked := s.Changes.Now().Truncate(time.Second)
	if told := d.Details.UpdatedThere; asked.Before(told) { // the processor's clock is ahead
		asked = told
	}
	o, _ := s.Changes.Driver.Sync(ctx, &w.Run, "")
	if o == nil || o.Dispute == nil {
		return nil
	}
	return s.book(context.WithoutCancel(ctx), w, o.Dispute, asked)
}
