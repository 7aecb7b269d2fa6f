package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// Operations lists operations of all merchants for an operator: the open ones oldest first, the resolved ones newest first. With an error of type
// vault.AlteredError the list lacks the altered rows.
func (e *Engine) Operations(ctx context.Context, f request.OperationFilter) (list []operator.View, err error) {
	var altered error
	err = e.read(ctx, "list operations", func(r Reader) (err error) { list, altered, err = OpenOperations(r, f); return err })
	return list, errors.Join(err, altered)
}

// OpenOperations is Engine.Operations in a transaction. altered names the rows that the list lacks, nil for none.
func OpenOperations(r Reader, f request.OperationFilter) (list []operator.View, altered, err error) {
	list, altered, err = operator.List(r, f)
	if err == nil && f.Relays {
		list, altered, err = relay.With(r, list, altered, f)
	}
	return list, altered, err
}

// Operation reads one operation for an operator, or a relay that has not ended.
func (e *Engine) Operation(ctx context.Context, id string) (v operator.View, err error) {
	if relay.IsRelay(id) {
		return e.Waiting(ctx, id)
	}
	err = e.store.View(ctx, func(r Reader) error {
		op, err := r.Operation(id)
		if err == nil {
			v, err = operator.Of(r, op)
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

// ResolveOperation books an operator's word on an operation that has not ended, as evidence of the processor is booked. Payment, attempt, refund,
// operation and the merchant's event move together, and funds that the merchant no longer waits for are voided. The operation keeps the word for ever.
// It is refused for an operation that has ended or that another run drives. What the processor says later is held against it. Where the profile asks for
// a second person, the word becomes a proposal, and ConfirmResolution books it.
func (e *Engine) ResolveOperation(ctx context.Context, id string, in request.ResolutionInput) (v operator.View, err error) {
	if err := in.Check(); err != nil {
		return v, err
	}
	if relay.IsRelay(id) {
		return e.ResolveRelay(ctx, id, in)
	}
	if v, err = e.Operation(ctx, id); err != nil {
		return v, err
	}
	if flow.AsksAuthenticator(v.Kind) {
		return v, fault.Refused("An operation at an authenticator ends by itself: it moves no money").WithParam("operation_id").WithHint("Wait until the authentication has ended.")
	}
	if v.SecondPerson || v.Proposal != nil {
		return e.propose(ctx, v, in)
	}
	return e.resolveAs(ctx, v, in, nil, "")
}

// resolveAs books a word. confirmed is the proposal that it comes from, which second has confirmed; nil for a word that needs no other person.
func (e *Engine) resolveAs(ctx context.Context, v operator.View, in request.ResolutionInput, confirmed *payment.Proposal, second string) (operator.View, error) {
	was := v.Status
	op, end, err := e.leaseOpen(ctx, v.ID)
	if err != nil {
		return v, err
	}
	defer end()
	ctx = context.WithoutCancel(ctx)
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	w, err := e.loadOperation(ctx, op)
	if err == nil {
		err = e.bookResolution(ctx, w, in, was, confirmed, second)
	}
	if err != nil {
		return v, errors.Join(err, e.driver.GiveBack(ctx, op))
	}
	e.bookKeptMessages(ctx, w)
	return e.Operation(ctx, v.ID)
}

// leaseOpen takes the lease of an operation that has not ended, and holds the operation until end. It waits a little for a run that has the lease, and
// for a run of this process whose lease has ended: that run may still bring the processor's answer.
func (e *Engine) leaseOpen(ctx context.Context, id string) (op *payment.Operation, end func(), err error) {
	wait := min(e.opts.LockWait, runWait)
	for until := e.driver.Now().Add(wait); ; {
		op, end, err := e.driver.Take(ctx, id)
		switch {
		case err != nil:
			return nil, nil, fault.FromStore(err, "take the operation's lease")
		case end != nil:
			return op, end, nil
		case operator.Ended(op):
			return nil, nil, operator.HasEnded(op)
		case !e.driver.Now().Before(until):
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
	return e.changes.SetByHand(ctx, auth, id, in, e.routes.UnifyByHand)
}

// loadOperation reads what an operation is about. This node holds its lease.
func (e *Engine) loadOperation(ctx context.Context, op *payment.Operation) (w *change.Loaded, err error) {
	if op.OfRefund() {
		f, err := e.Refunds.Of(ctx, op)
		if err != nil {
			return nil, err
		}
		w, err = e.Refunds.Load(ctx, f)
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
		if err = e.changes.AttemptOf(ctx, w, op.AttemptID); err != nil {
			return nil, err
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
	w.Operation, w.Lease, w.LeaseEnd = op, op.LeaseUntil, e.driver.LeaseEnd()
	return w, nil
}

// bookResolution books the operator's word on the operation of w, and ends the proposal that second has confirmed.
func (e *Engine) bookResolution(ctx context.Context, w *change.Loaded, in request.ResolutionInput, was payment.OperationStatus, confirmed *payment.Proposal, second string) error {
	e.driver.JournalLostRun(ctx, &w.Run)
	defer e.driver.FlushJournal(ctx, &w.Run)
	e.saveCardOfLostRun(ctx, w)
	for {
		said, err := in.On(w.Payment, w.Attempt, w.Refund, w.Operation)
		if err != nil {
			return err
		}
		said.Was, said.At, said.Second = was, e.now().UTC().Truncate(time.Millisecond), second
		c, err := e.settlement(ctx, w, evidence.JudgeResolution(said, w.Payment, w.Attempt, w.Refund, w.Operation))
		if err != nil {
			return err
		}
		if s := c.Settled.Status; s.Open() || s == payment.OperationPending {
			return fault.Refused("The outcome does not fit the attempt, which has the status " + string(w.Attempt.Status) + ": nothing was booked").WithParam("outcome").WithHint("Compare the outcome with the processor's records.")
		}
		c.Settled.Resolution, c.Confirmed = said, confirmed
		if c.Attempt != nil {
			c.Attempt.Details.FoundDeclined = said.Outcome == payment.FoundDeclined && c.Settled.Charges()
		}
		op := w.Operation
		err = e.changes.Commit(ctx, c)
		if failed := (change.NotSaved{}); errors.As(err, &failed) {
			w.SaveTries.Count(err)
		} else if err == nil {
			e.log.LogAttrs(ctx, slog.LevelWarn, "an operator resolved an operation", slog.String("operation_id", op.ID),
				slog.String("payment_id", op.PaymentID), slog.String("kind", string(op.Kind)), slog.String("outcome", string(said.Outcome)), slog.String("by", said.By), slog.String("second", second))
			return nil
		} else if errors.Is(err, change.ErrOtherID) {
			return change.OtherReference("reference")
		} else if !errors.Is(err, fault.ErrConflict) {
			return fault.FromStore(err, "book an operator's word")
		}
		if err := e.reload(ctx, w); errors.Is(err, errClosed) {
			return operator.HasEnded(w.Operation)
		} else if err != nil {
			return err
		}
	}
}

// bookKeptMessages holds messages that came while this node had the lease against the operator's word.
func (e *Engine) bookKeptMessages(ctx context.Context, w *change.Loaded) {
	var kept []drive.Evidence
	id := w.Operation.ID
	err := e.read(ctx, "read evidence", func(r Reader) (err error) { kept, err = r.Evidence(id); return err })
	for _, k := range kept {
		var o sdk.Outcome
		if err != nil || k.Source != drive.SourceWebhook || k.Note != drive.NoteUnderWay || json.Unmarshal(k.Outcome, &o) != nil ||
			o.Status == "" {
			continue
		}
		if w.Operation.OfDispute() {
			continue // a message about a dispute is booked as it arrives
		}
		if w.Operation.OfRefund() {
			err = e.Refunds.BookMessage(ctx, w, &o)
		} else {
			err = e.reports.Record(ctx, w, drive.SourceWebhook, w.NormalizeReport(&o))
		}
	}
	e.changes.LogPostponed(ctx, "a message that came before an operator's word", w.Payment.ID, err)
}

// Decisions returns what an operator may say about an operation that has not ended. ResolveOperation makes the same checks. Errors: HE_02; IR_16 for an
// operation that has ended.
func (e *Engine) Decisions(ctx context.Context, id string) ([]request.Decision, error) {
	v, err := e.Operation(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case flow.AsksAuthenticator(v.Kind):
		return nil, fault.Refused("An operation at an authenticator ends by itself: it moves no money").WithParam("operation_id").WithHint("Wait until the authentication has ended.")
	case operator.Ended(v.Operation):
		return nil, operator.HasEnded(v.Operation)
	}
	w, err := e.loadOperation(ctx, v.Operation)
	if err != nil {
		return nil, err
	}
	return request.Decisions(w.Payment, w.Attempt, w.Refund, w.Operation), nil
}
