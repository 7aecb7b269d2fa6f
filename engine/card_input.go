package engine

import (
	"payswitch/sdk"
)

// CardInput is a card that a caller typed in. The router has checked that the number has 8–19 digits and passes the Luhn check.
type CardInput struct {
	Number   Secret
	CVC      Secret
	ExpMonth string // as the caller sent it
	ExpYear  string // as the caller sent it
	Holder   string
	Network  sdk.CardNetwork // the caller's claim, "" if not given
	Issuer   string
	Country  string
	Type     string
	Nickname string
}
