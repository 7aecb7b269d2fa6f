package card

import (
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Input is a card that a caller typed in. The router has checked that the number has 8–19 digits and passes the Luhn check.
type Input struct {
	Number   secret.Value
	CVC      secret.Value
	ExpMonth string // as the caller sent it
	ExpYear  string // as the caller sent it
	Holder   secret.Value
	Network  sdk.CardNetwork // the caller's claim, "" if not given
	Issuer   string
	Country  string
	Type     string
	Nickname string
}
