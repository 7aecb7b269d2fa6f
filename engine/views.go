package engine

import (
	"payswitch/sdk"
)

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
