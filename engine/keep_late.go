package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/sdk"
)

// lateTries bounds how often a late reference is decided anew because another writer changed the same rows.
const lateTries = 10

// keepLate takes in a reference to a saved card that the processor made after it approved the payment: on the attempt, and on the saved method.
// Some processors make references in the background and send them in a message or with the answer to a query, any number of times. An outcome
// counts only when it says that the payment stands.
func (e *Engine) keepLate(ctx context.Context, w *loaded, o *sdk.Outcome) error {
	switch o.Status {
	case sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusVerified:
	default:
		return nil
	}
	if o.StoredCredential == nil {
		return nil
	}
	for range lateTries {
		b := booking{p: w.p, a: w.a.clone()}
		b.keepCredential(o)
		now := e.now().UTC().Truncate(time.Millisecond)
		saved, err := e.lateReference(ctx, b.p, b.a, now)
		if saved == nil || err != nil {
			return err
		}
		b.a.ModifiedAt = now
		err = e.changes.commit(ctx, &Change{Attempt: b.a, Saved: saved})
		if err == nil {
			w.a = b.a
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return Internal(err, "keep a processor's reference")
		}
		var a *Attempt
		err = e.store.View(ctx, func(r Reader) (err error) { a, err = r.Attempt(w.a.MerchantID, w.a.ID); return err })
		if err != nil {
			return Internal(err, "read attempt again")
		}
		if err := e.vault.openAttempt(a); err != nil {
			return err
		}
		w.a = a
	}
	return Internal(ErrConflict, "keep a processor's reference")
}

// keepCardOf saves the card of an operation whose node has died, while the card can still be read. Evidence of the payment may come only after
// card and CVC are destroyed.
func (e *Engine) keepCardOf(ctx context.Context, w *loaded) {
	if w.a.Details.Save == "" || w.a.Details.MethodID != "" || len(w.op.Instrument) == 0 || refused(w.a.Status) || approved(w.a.Status) {
		return
	}
	if w.op.Status == OperationUnknown && w.op.LastSendAt.IsZero() {
		return // the drive that is about to send it saves the card
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	p, a := w.p.clone(), w.a.clone()
	saved, err := e.decideSaved(ctx, saveInput(w, p, a), now)
	if err == nil && saved != nil && saved.Method != nil {
		if err = e.changes.commit(ctx, &Change{Payment: p, Attempt: a, Saved: saved}); err == nil {
			w.p, w.a, w.method = p, a, saved.Method
		}
	}
	if err != nil { // the next try, or the settlement, saves it
		e.log.LogAttrs(ctx, slog.LevelWarn, "card not kept yet", slog.String("operation_id", w.op.ID), slog.Any("error", err))
	}
}

// saveInput is what decideSaved needs of w; p and a are the rows as the decision leaves them.
func saveInput(w *loaded, p *Payment, a *Attempt) SaveInput {
	return SaveInput{Payment: p, Attempt: a, Operation: w.op, Number: w.secrets.Number, Tries: &w.saveTries}
}
