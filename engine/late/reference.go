package late

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// keepReference records a reference to a saved card that the processor made after its approval, on the attempt and on the saved method.
// Some processors make references in the background and send them later, any number of times: in a message or in the answer to a query.
// An outcome counts only if it reports that the payment stands.
func (s *Reports) keepReference(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
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
		now := s.Changes.Now().UTC().Truncate(time.Millisecond)
		saved, err := s.Changes.Methods.LateReference(ctx, b.Payment, b.Attempt, now)
		if saved == nil || err != nil {
			return err
		}
		b.Attempt.ModifiedAt = now
		err = s.Changes.Commit(ctx, &change.Change{Attempt: b.Attempt, Saved: saved})
		if err == nil {
			w.Attempt = b.Attempt
			return nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return fault.Internal(err, "keep a processor's reference")
		}
		var a *payment.Attempt
		err = s.Changes.Store.View(ctx, func(r change.Reader) (err error) { a, err = r.Attempt(w.Attempt.MerchantID, w.Attempt.ID); return err })
		if err != nil {
			return fault.Internal(err, "read attempt again")
		}
		if err := s.Changes.Vault.OpenAttempt(a); err != nil {
			return err
		}
		w.Attempt = a
	}
	return fault.Internal(fault.ErrConflict, "keep a processor's reference")
}
