package payment

import (
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"payswitch/engine/fault"
)

func MatchSecret(p *Payment, secret string, now time.Time) error {
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], p.ClientSecretHash) != 1 {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment", Param: "client_secret",
			Hint: "Send the client_secret of the answer that created the payment."}
	}
	if !now.Before(p.ExpiresAt) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret", Hint: "Create a new payment."}
	}
	return nil
}
