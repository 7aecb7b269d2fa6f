package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// Results of the built-in 3DS server: 65.40 EUR with a Visa and with a Mastercard. Package plugins tests the whole
// chain with that server.
const (
	visaResult       = "513d500b-04d2-8f4a-9abc-00000000198c"
	mastercardResult = "513d501b-04d2-8f49-9abc-00000000198c"
)

// judged authorizes with a result. right is the host's verdict on the authentication value; asked is the value that the
// simulator compared with.
func judged(t *testing.T, r sdk.Request, right bool) (end sdk.Result, asked string) {
	t.Helper()
	in := step(sdk.OpAuthorize, 0, r)
	result := simulator.Adapter().Step(in)
	if result.Verify == nil {
		return result, ""
	}
	require.Equal(t, sdk.Text(r.ThreeDS.CAVV), result.Verify.Expr, "the value itself and nothing else")
	in.Exchanges = []sdk.Exchange{{Now: in.Now, RequestHash: sdk.VerifyHash(result.Verify), Verified: &right}}
	return simulator.Adapter().Step(in), result.Verify.Equal
}

func TestIssuedResults(t *testing.T) {
	base := func(id, eci string) sdk.Request {
		r := request(visa, 6540, sdk.CaptureAutomatic)
		r.Amount.Currency = "EUR"
		r.ThreeDS = &sdk.ThreeDSResult{CAVV: "CAVVStandIn", ECI: eci, TransStatus: "Y", Version: "2.2.0", DSTransID: id}
		return r
	}
	for name, row := range map[string]struct {
		id, eci string
		change  func(r *sdk.Request)
		wrong   bool // the authentication value is wrong
		want    string
	}{
		"Visa":              {visaResult, "05", nil, false, ""},
		"Mastercard":        {mastercardResult, "02", nil, false, ""},
		"no status told":    {visaResult, "05", func(r *sdk.Request) { r.ThreeDS.TransStatus = "" }, false, ""},
		"attempted":         {visaResult, "06", func(r *sdk.Request) { r.ThreeDS.TransStatus = "A" }, false, ""},
		"informational":     {mastercardResult, "06", func(r *sdk.Request) { r.ThreeDS.TransStatus = "I" }, false, ""},
		"less":              {visaResult, "05", func(r *sdk.Request) { r.Amount.Minor = 1 }, false, ""},
		"upper case":        {"513D500B-04D2-8F4A-9ABC-00000000198C", "05", nil, false, ""},
		"wrong value":       {visaResult, "05", nil, true, "authentication_value_invalid"},
		"Mastercard's ECI":  {visaResult, "02", nil, false, "authentication_eci_invalid"},
		"Visa's ECI":        {mastercardResult, "05", nil, false, "authentication_eci_invalid"},
		"attempted, as Y":   {visaResult, "06", nil, false, "authentication_eci_invalid"},
		"more":              {visaResult, "05", func(r *sdk.Request) { r.Amount.Minor = 6541 }, false, "authentication_amount_exceeded"},
		"another currency":  {visaResult, "05", func(r *sdk.Request) { r.Amount.Currency = "USD" }, false, "authentication_amount_exceeded"},
		"without a payment": {"513d500b-04d2-8002-9abc-000000000000", "05", nil, false, "authentication_amount_exceeded"},
	} {
		r := base(row.id, row.eci)
		if row.change != nil {
			row.change(&r)
		}
		end, asked := judged(t, r, !row.wrong)
		require.Regexp(t, `^[A-Za-z0-9+/]{27}=$`, asked, name)
		require.NotNil(t, end.Outcome, name)
		if row.want == "" {
			require.Equal(t, sdk.StatusCaptured, end.Outcome.Status, "%s: %+v", name, end.Outcome.Decline)
			continue
		}
		require.Equal(t, row.want, end.Outcome.Decline.Code, name)
		require.Equal(t, sdk.DeclineAuthenticationFailed, end.Outcome.Decline.Reason, name)
	}
	like := base("513d5001-04d2-8f4a-9abc-00000000198c", "05")
	like.Instrument.Card = cardOf("4000 0030 0020 0002")
	end, _ := judged(t, like, true)
	require.Equal(t, sdk.StatusCaptured, end.Outcome.Status, "one of that server's own cards is not the declined one that its digits are like")
	_, one := judged(t, base(visaResult, "05"), true)
	_, two := judged(t, base(mastercardResult, "02"), true)
	require.NotEqual(t, one, two)
	for _, foreign := range []string{"c4e59ceb-a382-4d6a-bc87-385d591fa09d", "513d500b-04d2-4f4a-9abc-00000000198c"} {
		end, asked := judged(t, base(foreign, "05"), false)
		require.Empty(t, asked, "the results of others cannot be judged")
		require.Equal(t, sdk.StatusCaptured, end.Outcome.Status)
	}
}

// An amount that ends in 65 is declined softly until the request has a result of an authentication.
func TestSoftAmounts(t *testing.T) {
	ask := func(change func(r *sdk.Request)) string {
		r := request(visa, 1065, sdk.CaptureAutomatic)
		change(&r)
		return said(do(t, sdk.OpAuthorize, 0, r))
	}
	const soft = "declined:authentication_required"
	require.Equal(t, soft, ask(func(*sdk.Request) {}))
	require.Equal(t, soft, ask(func(r *sdk.Request) { r.Exemption = sdk.ExemptionLowValue }), "an exemption is no authentication")
	require.Equal(t, "captured", ask(func(r *sdk.Request) { r.ThreeDS = outside() }))
	require.Equal(t, "captured", ask(func(r *sdk.Request) { r.ThreeDS = &sdk.ThreeDSResult{TransStatus: "U", ECI: "07"} }), "it was tried")
	require.Equal(t, "captured", ask(func(r *sdk.Request) { r.Amount.Minor = 6540 }))
	require.Equal(t, "captured", ask(func(r *sdk.Request) { r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit"} }), "the payer is absent")
	require.Equal(t, "requires_customer_action", ask(func(r *sdk.Request) { r.Request3DS = true }))
	require.Equal(t, "captured", ask(func(r *sdk.Request) { r.Exemption = sdk.ExemptionLowValue; r.Amount.Minor = 6540 }))

	first := request(visa, 1065, sdk.CaptureAutomatic)
	first.ThreeDS = outside()
	o := do(t, sdk.OpAuthorize, 0, first)
	lost := later(first, nil)
	lost.ConnectorData = o.ConnectorData
	require.Equal(t, "captured", said(do(t, sdk.OpSync, 0, lost)), "what was told of the authentication is remembered")
}
