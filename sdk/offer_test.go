package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A payment that needs a feature which the manifest does not offer is rejected before the adapter sees the payment.
func TestWhatIsNotOffered(t *testing.T) {
	external := &ThreeDSResult{TransStatus: "Y"}
	byNetwork := &Instrument{Card: &Card{}, NetworkTransactionID: "n"}
	for name, row := range map[string]struct {
		operation Operation
		features  Features
		request   Request
		parameter string // "" means accepted
	}{
		"an ordinary payment":                  {OpAuthorize, Features{}, Request{Instrument: &Instrument{Card: &Card{}}}, ""},
		"nothing at all":                       {OpAuthorize, Features{}, Request{}, ""},
		"3-D Secure of the processor":          {OpAuthorize, Features{External3DS: true}, Request{Request3DS: true}, "authentication_type"},
		"the same, of a verification":          {OpVerify, Features{}, Request{Request3DS: true}, "authentication_type"},
		"the same, offered":                    {OpAuthorize, Features{Processor3DS: true}, Request{Request3DS: true}, ""},
		"a result from outside":                {OpAuthorize, Features{Processor3DS: true}, Request{ThreeDS: external}, "three_ds_data"},
		"a result beside the wish for one":     {OpAuthorize, Features{External3DS: true}, Request{ThreeDS: external, Request3DS: true}, ""},
		"an earlier payment by the network":    {OpAuthorize, Features{StoredCredential: true}, Request{Instrument: byNetwork}, "recurring_details"},
		"the same, which is offered":           {OpAuthorize, Features{NetworkMIT: true}, Request{Instrument: byNetwork}, ""},
		"beside what the processor has stored": {OpAuthorize, Features{}, Request{Instrument: &Instrument{StoredCredentialID: "s", NetworkTransactionID: "n"}}, ""},
		"a verification of an amount":          {OpVerify, Features{}, Request{Amount: Money{Minor: 1}}, "amount"},
		"a verification":                       {OpVerify, Features{}, Request{}, ""},
		"what is no payment":                   {OpCapture, Features{}, Request{Request3DS: true, ThreeDS: external, Amount: Money{Minor: 1}}, ""},
	} {
		done := func(*Call) (*Outcome, error) { return &Outcome{Status: StatusPending}, nil }
		a := &Adapter{Manifest: Manifest{DisplayName: "Acme", Features: row.features}, Authorize: done, Verify: done, Capture: done}
		in := step(row.operation)
		in.Request = row.request
		result := a.Step(&in)
		if row.parameter == "" {
			require.NotNil(t, result.Outcome, name)
			continue
		}
		require.NotNil(t, result.Reject, name)
		require.Equal(t, row.parameter, result.Reject.Parameter, name)
		if row.parameter != "amount" {
			require.Equal(t, RejectUnsupported, result.Reject.Code, name)
			require.Contains(t, result.Reject.Message, "Acme", name)
		}
	}
}

func TestWhatIsKnown(t *testing.T) {
	r := &Request{}
	require.Equal(t, &Address{}, r.ShipTo())
	require.Equal(t, &Browser{}, r.Shopper())
	r.Shipping, r.Browser = &Address{City: "Portland"}, &Browser{IP: "203.0.113.10"}
	require.Equal(t, "Portland", r.ShipTo().City)
	require.Equal(t, "203.0.113.10", r.Shopper().IPv4())
	require.Empty(t, (&Browser{IP: "2001:db8::1"}).IPv4())
	r.StoredCredential = &StoredCredentialUse{Initiator: "mit"}
	require.Equal(t, &Browser{}, r.Shopper(), "the payer is absent")
	require.Equal(t, []Exemption{ExemptionLowValue, ExemptionDelegation}, ExemptionsIn(Names{{"LOW", "low_value"}, {"DELEGATED", "sca_delegation"}}))
}

func TestIncrease(t *testing.T) {
	r := &Request{Amount: Money{Minor: 1500, Currency: "USD"}, Payment: &PaymentState{Authorized: 1000, Currency: "USD"}}
	require.Equal(t, Money{Minor: 500, Currency: "USD"}, r.Increase())
	r.Payment.Authorized = 0
	require.Equal(t, r.Amount, r.Increase(), "nothing is held yet")
	for name, p := range map[string]*PaymentState{"no more": {Authorized: 1500, Currency: "USD"}, "another currency": {Authorized: 1000, Currency: "EUR"},
		"nothing known": nil} {
		r.Payment = p
		var reject *Reject
		func() {
			defer func() { require.ErrorAs(t, recover().(ended).err, &reject, name) }()
			r.Increase()
		}()
		require.Equal(t, "amount", reject.Parameter, name)
	}
}

func TestObjectAt(t *testing.T) {
	x := NewObject().Str("x", "{")
	require.Equal(t, `{"a":{"x":"{"},"b":{"c":{"d":{"x":"{"}}},"e":1}`, NewObject().At("a", x).At("b.c.d", x).At("f.g", nil).At("h", NewObject()).Int("e", 1).String())
	require.Equal(t, `{"x":"{"}`, x.String(), "it is as it was")
	require.Equal(t, `{"a":{"b":"1"},"c":{"d":{"e":"2"}},"g":"3"}`, NewObject().StrAt("a.b", "1").StrAt("c.d.e", "2").StrAt("a.f", "").StrAt("g", "3").String())
}
