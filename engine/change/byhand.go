package change

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// SetByHand writes what an operator says of an attempt: any status may follow any other. It calls no processor and announces nothing. Amounts stay,
// except the capturable one: no refund follows from a status alone. An open operation stays open, so that the processor's own word still counts. It
// returns the attempt as it is stored then. unify adds the unified texts to an error that the operator states.
func (s *Changes) SetByHand(ctx context.Context, auth account.Auth, id string, in request.AttemptDecision, unify func(context.Context, *payment.Attempt) error) (v *View, err error) {
	var set *payment.Attempt
	v, err = s.Decide(ctx, auth, id, func(w *Loaded) (*Change, error) {
		if in.OnlyReview && w.Payment.Status != payment.Review {
			return nil, fault.Unprocessable("intent_status",
				"Payment status must be 'review' to perform manual status update, current status is '"+string(w.Payment.Status)+"'").WithHint("PUT /payments/{payment_id}/manual-update changes a payment in any status.")
		}
		if in.AttemptID == "" {
			in.AttemptID = w.Attempt.ID
		}
		if err := s.AttemptOf(ctx, w, in.AttemptID); err != nil {
			return nil, err
		}
		set = w.Attempt
		if in.Capturable != nil && *in.Capturable > w.Payment.NetAmount {
			return nil, fault.Unprocessable("amount_capturable", "amount_capturable should be less than or equal to amount").WithHint("Send at most the payment's amount.")
		}
		if in.Empty() {
			return nil, nil
		}
		was, now := w.Payment.Status, s.Now().UTC().Truncate(time.Millisecond)
		payment.SetByHand(w.Payment, w.Attempt, in.Status, in.Capturable, now)
		claims := evidence.ClaimByHand(w.Attempt, in.TransactionID)
		if in.Write(w.Attempt) {
			if err := unify(ctx, w.Attempt); err != nil {
				return nil, err
			}
		}
		s.Log.LogAttrs(ctx, slog.LevelWarn, "an operator changed a payment by hand", slog.String("payment_id", id), slog.String("attempt_id", w.Attempt.ID),
			slog.String("was", string(was)), slog.String("is", string(w.Payment.Status)))
		return &Change{Payment: w.Payment, Attempt: w.Attempt, Claims: claims}, nil
	})
	if errors.Is(err, ErrOtherID) {
		return nil, OtherReference("connector_transaction_id")
	}
	if err == nil {
		v.Attempt = set
	}
	return v, err
}

// AttemptOf replaces the attempt of w by one that the caller names.
func (s *Changes) AttemptOf(ctx context.Context, w *Loaded, id string) error {
	if w.Attempt.ID == id {
		return nil
	}
	var a *payment.Attempt
	err := s.Store.View(ctx, func(r Reader) (err error) { a, err = r.Attempt(w.Payment.MerchantID, id); return err })
	switch {
	case errors.Is(err, fault.ErrNotFound) || err == nil && a.PaymentID != w.Payment.ID:
		return fault.NotFound("Payment").WithParam("attempt_id")
	case err != nil:
		return fault.FromStore(err, "read attempt")
	}
	w.Attempt = a
	return s.Vault.OpenAttempt(a)
}

// OtherReference refuses an operator's word that names another payment's or refund's id.
func OtherReference(field string) *fault.Error {
	return fault.Refused("The processor's id belongs to another payment or refund: nothing was booked").WithParam(field).
		WithHint("Look the transaction up at the processor, and send its own id")
}
