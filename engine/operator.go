package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// OperationView is an operation as operators see it.
type OperationView struct {
	*payment.Operation
	Currency sdk.Currency
}

// Operations lists operations of all merchants for an operator: the open ones oldest first, the resolved ones newest first. With an error of type
// vault.AlteredError the list lacks the altered rows.
func (e *Engine) Operations(ctx context.Context, f request.OperationFilter) (list []OperationView, err error) {
	var altered error
	err = e.read(ctx, "list operations", func(r Reader) (err error) { list, altered, err = ListOperations(r, f); return err })
	return list, errors.Join(err, altered)
}

// ListOperations is Engine.Operations for a program without an engine. altered names the rows that the list lacks.
func ListOperations(r Reader, f request.OperationFilter) (list []OperationView, altered, err error) {
	statuses := f.Statuses
	if len(statuses) == 0 {
		statuses = []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending}
	}
	var ops []*payment.Operation
	if f.Resolved {
		ops, err = r.ResolvedOperations(f.Limit)
	} else {
		ops, err = r.OperationsWithStatus(statuses, f.Limit)
	}
	left, err := account.LeftOut(nil, err)
	if err != nil {
		return nil, nil, err
	}
	if left != nil {
		altered = left
	}
	for _, op := range ops {
		p, err := r.Payment(op.MerchantID, op.PaymentID)
		if err != nil {
			return nil, altered, fmt.Errorf("read payment %s: %w", op.PaymentID, err)
		}
		list = append(list, OperationView{op, p.Currency})
	}
	return list, altered, nil
}

// Operation reads one operation for an operator.
func (e *Engine) Operation(ctx context.Context, id string) (v OperationView, err error) {
	err = e.store.View(ctx, func(r Reader) error {
		if v.Operation, err = r.Operation(id); err != nil {
			return err
		}
		p, err := r.Payment(v.MerchantID, v.PaymentID)
		if err == nil {
			v.Currency = p.Currency
		}
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return v, fault.NotFound("Operation")
	}
	return v, fault.FromStore(err, "read operation")
}

// runWait is how long an operator's word waits for a run of the operation: most runs are queries that end soon.
const runWait = 5 * time.Second

// ResolveOperation books an operator's word on an operation that has not ended, as evidence of the processor is booked: payment, attempt, refund,
// operation and the merchant's event move together, and funds that nobody waits for any more are voided. The operation keeps the word for ever.
// It is refused for an operation that has ended or that another run drives. What the processor says later is held against it.
func (e *Engine) ResolveOperation(ctx context.Context, id string, in request.OperatorWord) (v OperationView, err error) {
	if err := in.Check(); err != nil {
		return v, err
	}
	if v, err = e.Operation(ctx, id); err != nil {
		return v, err
	}
	if flow.AsksAuthenticator(v.Kind) {
		return v, fault.Refused("An operation at an authenticator ends by itself: it moves no money")
	}
	was := v.Status
	op, end, err := e.takeOpen(ctx, id)
	if err != nil {
		return v, err
	}
	defer end()
	ctx = context.WithoutCancel(ctx)
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	w, err := e.loadOperation(ctx, op)
	if err == nil {
		err = e.bookWord(ctx, w, in, was)
	}
	if err != nil {
		return v, errors.Join(err, e.driver.GiveBack(ctx, op))
	}
	e.reviewKept(ctx, w)
	return e.Operation(ctx, id)
}

// takeOpen takes the lease of an operation that has not ended, and holds the operation until end. It waits a little for a run that has the lease, and
// for a run of this process whose lease has ended: that run may still bring the processor's answer.
func (e *Engine) takeOpen(ctx context.Context, id string) (op *payment.Operation, end func(), err error) {
	wait := min(e.opts.LockWait, runWait)
	for until := e.now().Add(wait); ; {
		op, end, err := e.driver.Take(ctx, id)
		switch {
		case err != nil:
			return nil, nil, fault.FromStore(err, "take the operation's lease")
		case end != nil:
			return op, end, nil
		case !op.Status.Open() && op.Status != payment.OperationPending:
			return nil, nil, hasEnded(op)
		case !e.now().Before(until):
			return nil, nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00",
				Message: "Another run drives the operation at the moment: wait until it ends and try again"}
		}
		select {
		case <-ctx.Done():
			return nil, nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Err: ctx.Err(),
				Message: "The request was given up while it waited for a run of the operation"}
		case <-time.After(wait / 50):
		}
	}
}

// DecideAttempt books an operator's word on an attempt of a payment (change.Changes.SetByHand).
func (e *Engine) DecideAttempt(ctx context.Context, auth account.Auth, id string, in request.AttemptDecision) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if _, err := e.Merchant(ctx, auth.MerchantID); err != nil {
		return nil, err
	}
	return e.changes.SetByHand(ctx, auth, id, in)
}

func hasEnded(op *payment.Operation) error {
	err := fault.Refused("The operation has ended with the status " + string(op.Status) + ": only an open operation can be resolved")
	if s := op.Resolution; s != nil {
		err.Reason = "resolved by " + s.By + " at " + s.At.Format(time.RFC3339) + " as " + s.Outcome
	}
	return err
}

// loadOperation reads what an operation is about. This node holds its lease.
func (e *Engine) loadOperation(ctx context.Context, op *payment.Operation) (w *change.Loaded, err error) {
	if op.OfRefund() {
		f, err := e.refundOf(ctx, op)
		if err != nil {
			return nil, err
		}
		w, err = e.loadRefund(ctx, f)
		if err == nil && w.Account == nil {
			err = fault.UnavailableConnector(op.Connector)
		}
		if err != nil {
			return nil, err
		}
	} else {
		if w, err = e.changes.Load(ctx, op.MerchantID, op.PaymentID); err != nil {
			return nil, err
		}
		if w.Attempt.ID != op.AttemptID {
			if w.Attempt, err = e.readAttempt(ctx, op.MerchantID, op.AttemptID); err != nil {
				return nil, err
			}
		}
		if err = e.changes.WithAccount(ctx, w); err != nil {
			return nil, err
		}
		if op.OfDispute() {
			if w.Dispute, err = e.Disputes.Of(ctx, op); err != nil {
				return nil, err
			}
		}
	}
	w.Operation, w.Lease, w.LeaseEnd = op, op.LeaseUntil, e.now().Add(e.opts.LeaseTime)
	return w, nil
}

// bookWord books the operator's word on the operation of w.
func (e *Engine) bookWord(ctx context.Context, w *change.Loaded, in request.OperatorWord, was payment.OperationStatus) error {
	e.driver.RecordLost(ctx, &w.Run)
	defer e.driver.KeepRest(ctx, &w.Run)
	e.saveCardOfLostRun(ctx, w)
	for {
		said, err := in.On(w.Payment, w.Attempt, w.Refund, w.Operation)
		if err != nil {
			return err
		}
		said.Was, said.At = was, e.now().UTC().Truncate(time.Millisecond)
		c, err := e.settlement(ctx, w, evidence.JudgeResolution(said, w.Payment, w.Attempt, w.Refund, w.Operation))
		if err != nil {
			return err
		}
		if s := c.Settled.Status; s.Open() || s == payment.OperationPending {
			return fault.Refused("The outcome does not fit the attempt, which has the status " + string(w.Attempt.Status) + ": nothing was booked")
		}
		c.Settled.Resolution = said
		if c.Attempt != nil {
			c.Attempt.Details.SaidDeclined = said.Outcome == payment.SaidDeclined && c.Settled.Charges()
		}
		op := w.Operation
		err = e.changes.Commit(ctx, c)
		if failed := (change.NotSaved{}); errors.As(err, &failed) {
			w.SaveTries.Count(err)
		} else if err == nil {
			e.log.LogAttrs(ctx, slog.LevelWarn, "an operator resolved an operation", slog.String("operation_id", op.ID),
				slog.String("payment_id", op.PaymentID), slog.String("kind", string(op.Kind)), slog.String("outcome", said.Outcome), slog.String("by", said.By))
			return nil
		} else if !errors.Is(err, fault.ErrConflict) {
			return fault.FromStore(err, "book an operator's word")
		}
		if err := e.reload(ctx, w); errors.Is(err, errClosed) {
			return hasEnded(w.Operation)
		} else if err != nil {
			return err
		}
	}
}

// reviewKept holds messages that came while this node had the lease against the operator's word.
func (e *Engine) reviewKept(ctx context.Context, w *change.Loaded) {
	var kept []drive.Evidence
	id := w.Operation.ID
	err := e.read(ctx, "read evidence", func(r Reader) (err error) { kept, err = r.Evidence(id); return err })
	for _, k := range kept {
		var o sdk.Outcome
		if err != nil || k.Source != drive.EvidenceOfWebhook || k.Note != drive.NoteUnderWay || json.Unmarshal(k.Outcome, &o) != nil ||
			o.Status == "" {
			continue
		}
		if w.Operation.OfDispute() {
			continue // a message about a dispute is booked as it arrives
		}
		if w.Operation.OfRefund() {
			err = e.bookRefundMessage(ctx, w, &o)
		} else {
			err = e.recordLateEvidence(ctx, w, drive.EvidenceOfWebhook, asRequested(w, &o))
		}
	}
	e.changes.Postponed(ctx, "a message that came before an operator's word", w.Payment.ID, err)
}

// contradicts reports whether a processor's report says that an operator's word on an operation of the attempt was wrong.
func (e *Engine) contradicts(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (bool, error) {
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	return slices.ContainsFunc(ops, func(op *payment.Operation) bool {
		return op.AttemptID == w.Attempt.ID && op.Resolution != nil && !op.Aside() && evidence.Contradicted(op.Resolution, op, w.Attempt, o)
	}), err
}
