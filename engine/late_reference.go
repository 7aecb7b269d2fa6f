package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// conflictTries limits how often a late reference is decided again after a conflict with another writer.
const conflictTries = 10

// bookLateReference records a reference to a saved card that the processor made after its approval, on the attempt and on the saved method.
// Some processors make references in the background and send them later, any number of times: in a message or in the answer to a query.
// An outcome counts only if it reports that the payment stands.
func (e *Engine) bookLateReference(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	switch o.Status {
	case sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusVerified:
	default:
		return nil
	}
	if o.StoredCredential == nil {
		return nil
	}
	for range conflictTries {
		b := evidence.Booking{Payment: w.Payment, Attempt: w.Attempt.Clone()}
		b.KeepCredential(o)
		now := e.now().UTC().Truncate(time.Millisecond)
		saved, err := e.LateReference(ctx, b.Payment, b.Attempt, now)
		if saved == nil || err != nil {
			return err
		}
		b.Attempt.ModifiedAt = now
		err = e.changes.Commit(ctx, &change.Change{Attempt: b.Attempt, Saved: saved})
		if err == nil {
			w.Attempt = b.Attempt
			return nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return fault.Internal(err, "keep a processor's reference")
		}
		var a *payment.Attempt
		err = e.store.View(ctx, func(r Reader) (err error) { a, err = r.Attempt(w.Attempt.MerchantID, w.Attempt.ID); return err })
		if err != nil {
			return fault.Internal(err, "read attempt again")
		}
		if err := e.vault.OpenAttempt(a); err != nil {
			return err
		}
		w.Attempt = a
	}
	return fault.Internal(fault.ErrConflict, "keep a processor's reference")
}

// saveCardOfLostRun saves the card of an operation whose node has died, while the card can still be read. Evidence about the payment may
// arrive only after the card and CVC are destroyed.
func (e *Engine) saveCardOfLostRun(ctx context.Context, w *change.Loaded) {
	if w.Attempt.Details.Save == "" || w.Attempt.Details.MethodID != "" || len(w.Operation.Instrument) == 0 || w.Attempt.Status.Refused() || w.Attempt.Status.Approved() {
		return
	}
	if w.Operation.Status == payment.OperationUnknown && w.Operation.LastSendAt.IsZero() {
		return // the next drive sends the operation and saves the card
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	p, a := w.Payment.Clone(), w.Attempt.Clone()
	saved, err := e.DecideSaved(ctx, saveInput(w, p, a), now)
	if err == nil && saved != nil && saved.Method != nil {
		if err = e.changes.Commit(ctx, &change.Change{Payment: p, Attempt: a, Saved: saved}); err == nil {
			w.Payment, w.Attempt, w.Method = p, a, saved.Method
		}
	}
	if err != nil { // the next try, or the settlement, saves the card
		e.log.LogAttrs(ctx, slog.LevelWarn, "card not kept yet", slog.String("operation_id", w.Operation.ID), slog.Any("error", err))
	}
}

// saveInput returns the input of DecideSaved for w. p and a are the rows after the decision.
func saveInput(w *change.Loaded, p *payment.Payment, a *payment.Attempt) method.SaveInput {
	return method.SaveInput{Payment: p, Attempt: a, Operation: w.Operation, Number: w.Secrets.Number, Tries: &w.SaveTries}
}
