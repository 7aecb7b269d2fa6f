package payment

import (
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"payswitch/engine/fault"
)

// MatchSecret compares a client secret with the payment's. Errors: IR_09, and IR_08 after the end of the secret's time.
func MatchSecret(p *Payment, secret string, now time.Time) error {
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], p.ClientSecretHash) != 1 {
		return fault.WrongSecret()
	}
	if !now.Before(p.ExpiresAt) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret", Hint: "Create a new payment."}
	}
	return nil
}
