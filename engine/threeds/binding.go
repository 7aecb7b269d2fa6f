package threeds

import "payswitch/sdk"

// Binding is the use that an authentication was made for.
type Binding struct {
	Amount sdk.Money
	// CardFingerprint identifies the card; "" identifies no card. AcquirerBIN and AcquirerMID identify the acquirer. All are compared as
	// texts.
	CardFingerprint string
	AcquirerBIN     string
	AcquirerMID     string
}

// Unfit says why an authentication cannot serve an authorization.
type Unfit string

const (
	Fit             Unfit = ""
	AlreadyUsed     Unfit = "already_used"
	AmountRaised    Unfit = "amount_raised"
	CurrencyChanged Unfit = "currency_changed"
	CardChanged     Unfit = "card_changed"
	AcquirerChanged Unfit = "acquirer_changed"
)

// Serves reports whether an authentication bound to b may serve an authorization of a: once, for the same card and acquirer, and for at most
// the amount. used is true if an authorization took the authentication before, whatever that authorization's result.
func (b Binding) Serves(a Binding, used bool) Unfit {
	switch {
	case used:
		return AlreadyUsed
	case a.Amount.Currency != b.Amount.Currency:
		return CurrencyChanged
	case a.Amount.Minor > b.Amount.Minor:
		return AmountRaised
	case a.CardFingerprint != b.CardFingerprint || a.CardFingerprint == "":
		return CardChanged
	case a.AcquirerBIN != b.AcquirerBIN || a.AcquirerMID != b.AcquirerMID:
		return AcquirerChanged
	}
	return Fit
}
