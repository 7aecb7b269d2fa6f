package engine

import (
	"payswitch/sdk"
)

// CardInput is a typed card. The number has 8–19 digits and passes Luhn.
type CardInput struct {
	Number   Secret
	CVC      Secret
	ExpMonth string // as sent
	ExpYear  string // as sent
	Holder   string
	Network  sdk.CardNetwork // as the caller claims, "" when not given
	Issuer   string
	Country  string
	Type     string
	Nickname string
}
