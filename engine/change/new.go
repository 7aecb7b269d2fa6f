package change

import (
	"crypto/sha256"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// NewPayment returns a payment as a create begins it, with its first attempt. Neither is stored. Private has the client secret; the payment
// keeps the hash.
func NewPayment(m *account.Merchant, profile *account.Profile, in *request.Input, now time.Time) (*payment.Payment, *payment.Attempt) {
	id := in.PaymentID
	if id == "" {
		id = ids.At("pay_", now)
	}
	secret := id + "_secret_" + ids.Random(20)
	hash := sha256.Sum256([]byte(secret))
	p := &payment.Payment{MerchantID: m.ID, ID: id, ProfileID: profile.ID, AttemptCount: 1, AttemptID: id + "_1", ClientSecretHash: hash[:],
		ExpiresAt: now.Add(request.SessionOf(in, profile.Settings.SessionExpirySeconds)), CreatedAt: now, ModifiedAt: now,
		Details: payment.Details{CaptureMethod: payment.CaptureAutomatic}, Private: &payment.Private{ClientSecret: secret}}
	return p, payment.NewAttempt(p, 1, now)
}

// CreateError returns the answer to a create that could not be committed. paymentID is the id that the request chose, "" for none.
func CreateError(paymentID string, err error) error {
	var refused *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, fault.ErrConflict):
		e := fault.Duplicate("The payment with the specified payment_id already exists in our records").WithParam("payment_id").WithHint("Choose another payment_id, or leave it out.")
		if paymentID != "" {
			e.Reason = paymentID + " already exists"
		}
		return e
	}
	return fault.Internal(err, "store payment")
}
