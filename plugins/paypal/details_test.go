package paypal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestSeveralDetails: of several issues the first known one decides; an issue that leaves the payment open does so at any place.
func TestSeveralDetails(t *testing.T) {
	refused := func(issues string) *sdk.Outcome {
		return outcome(t, sdk.OpAuthorize, purchase(), wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","message":"no","details":`+issues+`}`))
	}
	o := refused(`[{"issue":"WHO_KNOWS","description":"a"},{"issue":"CARD_EXPIRED","description":"b"},{"issue":"CARD_CLOSED"}]`)
	require.Equal(t, sdk.Decline{Code: "CARD_EXPIRED", Message: "b", Reason: sdk.DeclineExpiredCard}, *o.Decline)
	require.Equal(t, "WHO_KNOWS", refused(`[{"issue":"WHO_KNOWS"},{"issue":"NOR_THIS"}]`).Decline.Code)
	require.Equal(t, "UNPROCESSABLE_ENTITY", refused(`[]`).Decline.Code)
	require.Equal(t, "no", refused(`[{"issue":"WHO_KNOWS"}]`).Decline.Message)
	require.Equal(t, sdk.StatusUnknown, refused(`[{"issue":"CARD_EXPIRED"},{"issue":"DUPLICATE_INVOICE_ID"}]`).Status)
}

// TestOrderIsFound: PayPal finds an order by its id alone, so the adapter stores the id even if it cannot read the rest.
func TestOrderIsFound(t *testing.T) {
	o := outcome(t, sdk.OpAuthorize, purchase(), anOrder("COMPLETED", `"authorizations":[{"id":"A","status":"NEW_AT_PAYPAL"}]`))
	require.Equal(t, sdk.StatusUnknown, o.Status)
	require.Equal(t, "ORDER1", o.TransactionID)
	for _, link := range []string{`{"rel":"payer-action"}`, `{"rel":"payer-action","href":"javascript:x"}`} { // no page to send the customer to
		o = outcome(t, sdk.OpAuthorize, purchase(), anOrder("PAYER_ACTION_REQUIRED", "", `,"links":[`+link+`]`))
		require.Equal(t, sdk.StatusPending, o.Status, link)
		require.Nil(t, o.NextAction)
	}
}

// TestWhatPayPalRefuses: a security code or 3-D Secure in a merchant-initiated payment, and the ISO 3166 code of China.
func TestWhatPayPalRefuses(t *testing.T) {
	r := purchase()
	r.Billing = &sdk.Address{FirstName: "Li", LastName: "Wei", Country: "CN", City: "Shanghai"}
	source := func() sdk.JSON {
		_, sends := play(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"authorizations":[`+authorized+`]`))
		return wire.JSONBody(t, sends[0]).Get("payment_source.card")
	}
	require.Equal(t, "C2", source().Str("billing_address.country_code"))
	require.Equal(t, "Li Wei", source().Str("name"), "the card has no name on it")
	r.Request3DS = true
	for _, field := range []string{"security_code", "attributes.verification", "experience_context.return_url"} {
		require.True(t, source().Has(field), field)
	}
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session"}
	for _, field := range []string{"security_code", "attributes", "experience_context"} {
		require.False(t, source().Has(field), field)
	}
	r.StoredCredential, r.Request3DS = nil, false
	require.Equal(t, "https://switch.example/return", source().Str("experience_context.cancel_url"), "PayPal may ask for 3-D Secure by itself")
	r.Billing.Country = "US"
	require.False(t, source().Has("experience_context"), "no law asks for it there")
}
