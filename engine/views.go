package engine

import (
	"payswitch/sdk"
)

// PaymentView is a payment with what an answer shows of it. All parts are opened (decrypted) and must not be changed.
type PaymentView struct {
	Payment  *Payment
	Attempt  *Attempt   // the latest
	Attempts []*Attempt // all, only when asked for
	// Method is the saved method that the attempt charges or was kept as, as it is now; nil without one. Private is not set.
	Method   *PaymentMethod
	Merchant *Merchant
	Profile  *Profile
	// ShowCaptures and ShowAttempts say what was asked for.
	ShowCaptures bool
	ShowAttempts bool
	// Public says that the payer's own client reads: what proves an authentication is left out.
	Public bool
	// ManualRetryAllowed says that a failed payment may be confirmed again.
	ManualRetryAllowed bool
	// BaseURL is the switch's public URL without trailing slash, for next_action URLs.
	BaseURL string
	// RedirectURL is our page that sends the payer on to the processor, "" while there is nowhere to go.
	RedirectURL string
	// ConnectorStatus is the HTTP status the processor answered in this call, 0 when none was called over HTTP.
	ConnectorStatus int
}

// ReturnView is where the customer goes after our return URL.
type ReturnView struct {
	View *PaymentView
	// URL is the merchant's return URL with status, ids and signature; "" when the customer has another step to make (NextURL).
	URL string
	// Fields are set when the profile returns by HTTP POST: the form's fields in order, URL without them.
	Fields []sdk.Header
	// NextURL is our redirect page when the processor asks for one more action.
	NextURL string
}
