package adyen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, adyen.Adapter(), os.DirFS("testdata"), facts) }

// Successful answers of Adyen.
const (
	authorised = `{"pspReference":"993617895204576J","resultCode":"Authorised"}`
	received   = `{"merchantAccount":"M","paymentPspReference":"tx_1","pspReference":"883617895208888A","status":"received"}`
)

// TestSuite runs the suite of all adapters.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(adyen.Adapter()), sdktest.Options{
		Request: func(op sdk.Operation, r *sdk.Request) {
			if op == sdk.OpComplete {
				r.Return.Query = []sdk.Header{sdk.H("redirectResult", "X6XtfGC3!Y")}
			}
		},
		Answer: func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
			body := received
			if op == sdk.OpAuthorize || op == sdk.OpVerify || op == sdk.OpComplete {
				body = authorised
			}
			return sdk.Exchange{Status: 200, Body: []byte(body)}
		},
	}))
}

// step returns a step of an operation with a card.
func step(op sdk.Operation) *sdk.Step {
	return wire.NewStep(&adyen.Adapter().Manifest, op, sdk.Request{Reference: "order-1", Amount: sdk.Money{Minor: 2499, Currency: "USD"},
		Capture: sdk.CaptureAutomatic, TransactionID: "TXN1",
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "numberStandIn", CVC: "cvcStandIn", ExpMonth: 3, ExpYear: 2030, Holder: "Ann Doe"}}})
}

// sent returns the adapter's first request.
func sent(t *testing.T, s *sdk.Step) (*sdk.Send, sdk.JSON) {
	t.Helper()
	sends, r, err := wire.Play(adyen.Adapter(), s)
	require.NoError(t, err)
	require.Len(t, sends, 1, "%+v", r)
	return sends[0], wire.JSONBody(t, sends[0])
}

// outcome returns the adapter's outcome for an answer.
func outcome(t *testing.T, s *sdk.Step, status int, body string, headers ...sdk.Header) *sdk.Outcome {
	t.Helper()
	x := wire.Answer(status, body)
	x.Headers = append(x.Headers, headers...)
	_, r, err := wire.Play(adyen.Adapter(), s, x)
	require.NoError(t, err)
	require.NotNil(t, r.Outcome, "%+v", r)
	return r.Outcome
}

func TestMoney(t *testing.T) {
	for _, k := range []struct {
		minor    int64
		currency sdk.Currency
		value    string // "" is a reject
	}{
		{1050, "USD", "1050"}, {1050, "JPY", "1050"}, {1050, "KWD", "1050"}, {9007199254740993, "EUR", "9007199254740993"},
		{1050, "CLP", "105000"}, {105000, "IDR", "1050"}, {105001, "IDR", ""}, {1050, "ISK", "1050"}, {1<<62 + 1, "CLP", ""}, {100, "MGA", ""}, {100, "XXX", ""},
	} {
		s := step(sdk.OpAuthorize)
		s.Request.Amount = sdk.Money{Minor: k.minor, Currency: k.currency}
		if k.value == "" {
			require.NotNil(t, adyen.Adapter().Step(s).Reject, "%d %s", k.minor, k.currency)
			continue
		}
		_, body := sent(t, s)
		require.Equal(t, k.value, body.Number("amount.value"), k.currency)
		o := outcome(t, s, 200, `{"pspReference":"P","resultCode":"Authorised","amount":`+body.Raw("amount")+`}`)
		require.Equal(t, s.Request.Amount, *o.Amount)
	}
}

func TestBlind(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "cavvStandIn", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "ds-1", Flow: "challenge"}
	send, body := sent(t, s)
	require.Equal(t, "test_api_key", sdk.HeaderValue(send.Headers, "X-API-Key"))
	require.Equal(t, "Idempotency-Key", send.IdempotencyHeader)
	require.True(t, send.SafeToRepeat)
	require.Equal(t, "numberStandIn", body.Str("paymentMethod.number"))
	require.Equal(t, "cavvStandIn", body.Str("mpiData.cavv"))
	require.Equal(t, "C", body.Str("mpiData.directoryResponse"))
	require.Equal(t, "Y", body.Str("mpiData.authenticationResponse"))
	require.Equal(t, "Ann Doe", body.Str("paymentMethod.holderName"))
	s.Request.ThreeDS.Flow, s.Request.ThreeDS.CAVVAlgorithm = "frictionless", "2"
	_, body = sent(t, s)
	require.Equal(t, "2", body.Str("mpiData.cavvAlgorithm"))
	require.Equal(t, "Y", body.Str("mpiData.directoryResponse"))
	require.False(t, body.Has("mpiData.authenticationResponse"))
}

// A card of two networks is charged on the chosen one.
func TestBrand(t *testing.T) {
	for network, want := range map[sdk.CardNetwork]string{"": "", sdk.Visa: "", sdk.CartesBancaires: "cartebancaire"} {
		s := step(sdk.OpAuthorize)
		s.Request.Instrument.Card.Network = network
		_, body := sent(t, s)
		require.Equal(t, want, body.Str("paymentMethod.brand"))
	}
}

func TestExemptions(t *testing.T) {
	for e, want := range map[sdk.Exemption]string{"": "", sdk.ExemptionLowValue: "lowValue", sdk.ExemptionRiskAnalysis: "transactionRiskAnalysis",
		sdk.ExemptionTrustedBeneficiary: "trustedBeneficiary", sdk.ExemptionSecureCorporate: "secureCorporate"} {
		s := step(sdk.OpAuthorize)
		s.Request.Exemption = e
		_, body := sent(t, s)
		require.Equal(t, want, body.Str("additionalData.scaExemption"))
		require.Equal(t, want != "", body.Has("additionalData.scaExemption"))
		require.Equal(t, "false", body.Str("additionalData.executeThreeD"))
	}
}

// A payment in installments names their number; one part is no installment.
func TestInstallments(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 3: `{"value":3}`} {
		s := step(sdk.OpAuthorize)
		s.Request.Installments = n
		_, body := sent(t, s)
		require.Equal(t, want, body.Raw("installments"), n)
	}
}

// The software that made the payment is named; a merchant who says nothing sends nothing.
func TestApplicationInfo(t *testing.T) {
	for want, partner := range map[string]*sdk.Partner{
		``: nil, `{"externalPlatform":{"name":"Shopware","version":"6.7","integrator":"Ada"},"merchantApplication":{"name":"shop"}}`: {
			Platform: &sdk.Software{Name: "Shopware", Version: "6.7", Integrator: "Ada"}, Application: &sdk.Software{Name: "shop"}},
	} {
		s := step(sdk.OpAuthorize)
		s.Request.Partner = partner
		_, body := sent(t, s)
		require.Equal(t, want, body.Raw("applicationInfo"))
	}
	s := step(sdk.OpAuthorize)
	s.Request.Partner = &sdk.Partner{Platform: &sdk.Software{}}
	_, body := sent(t, s)
	require.Empty(t, body.Raw("applicationInfo"))
}

// A telephone number goes out in E.164, with its country code: the billing address's, else the customer's.
func TestTelephoneNumber(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Customer = &sdk.Customer{Phone: "079 123 45 67", PhoneCountry: "+41"}
	_, j := sent(t, s)
	require.Equal(t, "+41791234567", j.Str("telephoneNumber"))
	s.Request.Billing = &sdk.Address{Phone: "4155550100", PhoneCountry: "+1"}
	_, j = sent(t, s)
	require.Equal(t, "+14155550100", j.Str("telephoneNumber"))
}

func TestAddress(t *testing.T) {
	for line, want := range map[string][2]string{
		"1 Market St": {"1", "Market St"}, "221B Baker Street": {"221B", "Baker Street"}, "Damrak 1": {"1", "Damrak"}, "The Elms": {"N/A", "The Elms"},
		"Broadway": {"N/A", "Broadway"}, "7": {"N/A", "7"}, "Quay ": {"N/A", "Quay "},
	} {
		s := step(sdk.OpAuthorize)
		s.Request.Billing = &sdk.Address{Line1: line, City: "Here", Zip: "1012", Country: "NL"}
		_, body := sent(t, s)
		require.Equal(t, want, [2]string{body.Str("billingAddress.houseNumberOrName"), body.Str("billingAddress.street")}, line)
		s.Request.Billing.Zip = ""
		_, body = sent(t, s)
		require.False(t, body.Has("billingAddress"), "it lacks a part")
	}
}

// A payment with Adyen's own 3-D Secure redirects, and ends with what the browser brings back.
func TestRedirect(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Request3DS = true
	_, body := sent(t, s)
	require.Equal(t, "true", body.Str("additionalData.executeThreeD"))
	o := outcome(t, s, 200, `{"resultCode":"RedirectShopper","action":{"type":"redirect","method":"POST","url":"https://acs.example/","paymentData":"pd","data":{"MD":"m","PaReq":"p"}}}`)
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Equal(t, &sdk.NextAction{Type: "form_post", URL: "https://acs.example/", Fields: []sdk.Header{sdk.H("MD", "m"), sdk.H("PaReq", "p")}}, o.NextAction)

	s = step(sdk.OpComplete)
	s.Request.ConnectorData = o.ConnectorData
	require.Equal(t, sdk.RejectMissing, adyen.Adapter().Step(s).Reject.Code)
	s.Request.Return = &sdk.Return{Method: "GET", Query: []sdk.Header{sdk.H("redirectResult", "X!Y")}}
	send, _ := sent(t, s)
	require.Equal(t, "https://checkout-test.adyen.com/v68/payments/details", send.URL)
	require.Equal(t, `{"details":{"redirectResult":"X!Y"},"paymentData":"pd"}`, string(send.Body))
	require.Equal(t, sdk.StatusCaptured, outcome(t, s, 200, authorised).Status)
	of := func(reference string) *sdk.Outcome {
		return outcome(t, s, 200, `{"pspReference":"P","resultCode":"Authorised","merchantReference":"`+reference+`"}`)
	}
	require.Equal(t, sdk.StatusCaptured, of("order-1").Status)
	o = of("order-2")
	require.Equal(t, []any{sdk.StatusUnknown, ""}, []any{o.Status, o.TransactionID}, "the customer brought the result of another payment")

	s = step(sdk.OpComplete)
	s.Request.Return = &sdk.Return{Method: "POST", Form: []sdk.Header{sdk.H("MD", "m"), sdk.H("PaRes", "r")}}
	_, body = sent(t, s)
	require.Equal(t, `{"MD":"m","PaRes":"r"}`, body.Raw("details"))
	o = outcome(t, s, 200, `{"resultCode":"Refused","refusalReason":"3D Not Authenticated","refusalReasonCode":"11","pspReference":"P"}`)
	require.Equal(t, sdk.DeclineAuthenticationFailed, o.Decline.Reason)

	s = step(sdk.OpAuthorize) // an action for Adyen's component
	require.Equal(t, sdk.StatusPending, outcome(t, s, 200, `{"resultCode":"ChallengeShopper","action":{"type":"threeDS2","token":"t"}}`).Status)
}

func TestRefusals(t *testing.T) {
	for _, k := range []struct {
		status int
		body   string
		reason sdk.DeclineReason // "" is unknown
	}{
		{422, `{"status":422,"errorCode":"129","message":"Expiry Date Invalid","errorType":"validation"}`, sdk.DeclineIncorrectExpiry},
		{403, `{"status":403,"errorCode":"901","message":"Invalid Merchant Account","errorType":"security"}`, sdk.DeclineInvalidMerchant},
		{422, `{"status":422,"errorCode":"999","message":"new","errorType":"configuration"}`, sdk.DeclineInvalidMerchant},
		{422, `{"status":422,"errorCode":"999","message":"new","errorType":"validation"}`, sdk.DeclineProcessingError},
		{422, `{"status":422,"errorCode":"704","message":"request already processed or in progress","errorType":"validation"}`, ""},
		{500, `{"status":500,"errorCode":"905","message":"Payment details are not supported","errorType":"internal"}`, ""},
		{403, `<html>`, ""}, {400, ``, ""},
	} {
		for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpVoid, sdk.OpRefund, sdk.OpIncrementalAuthorize} {
			o := outcome(t, step(op), k.status, k.body)
			if k.reason == "" {
				require.Equal(t, sdk.StatusUnknown, o.Status, k.body)
				continue
			}
			require.Equal(t, sdk.StatusDeclined, o.Status, k.body)
			require.Equal(t, k.reason, o.Decline.Reason, k.body)
		}
	}
	o := outcome(t, step(sdk.OpAuthorize), 422, `{"errorCode":"999","message":"try again"}`, sdk.H("Transient-Error", "true"))
	require.Equal(t, sdk.StatusUnknown, o.Status)
	o = outcome(t, step(sdk.OpAuthorize), 200, `{"resultCode":"Refused","pspReference":"P","refusalReason":"Refused","refusalReasonCode":"2","additionalData":{"refusalReasonRaw":"05 : Do not honor"}}`)
	require.Equal(t, sdk.Decline{Code: "2", Message: "Refused", NetworkCode: "05", Reason: sdk.DeclineDoNotHonor, RetryElsewhere: true}, *o.Decline)
	// A blocked card is "unusable", retry "No". The network's code says why, with or without its leading zero (docs.adyen.com, "Raw acquirer responses").
	for raw, want := range map[string]sdk.Decline{
		"":                               {Reason: sdk.DeclineRestrictedCard},
		"51 : Insufficient funds":        {NetworkCode: "51", Reason: sdk.DeclineRestrictedCard},
		"43 : Stolen card, pick up":      {NetworkCode: "43", Reason: sdk.DeclineStolenCard},
		"41: Lost card":                  {NetworkCode: "41", Reason: sdk.DeclineLostCard},
		"4 : Capture card":               {NetworkCode: "04", Reason: sdk.DeclinePickUpCard},
		"DECLINED Expiry Incorrect":      {Reason: sdk.DeclineRestrictedCard},
		"R1 : Revocation of authorities": {NetworkCode: "R1", Reason: sdk.DeclineStopRecurring},
	} {
		o = outcome(t, step(sdk.OpAuthorize), 200, `{"resultCode":"Refused","pspReference":"P","refusalReason":"Blocked Card","refusalReasonCode":"5","additionalData":{"refusalReasonRaw":"`+raw+`"}}`)
		want.Code, want.Message = "5", "Blocked Card"
		require.Equal(t, want, *o.Decline, raw)
	}
	o = outcome(t, step(sdk.OpAuthorize), 200, `{"resultCode":"Refused","pspReference":"P","refusalReason":"Transaction blocked by Adyen to prevent excessive retry fees","refusalReasonCode":"46"}`)
	require.Equal(t, sdk.DeclineBlocked, o.Decline.Reason)
	require.Equal(t, sdk.DeclineAbandoned, outcome(t, step(sdk.OpAuthorize), 200, `{"resultCode":"Cancelled","pspReference":"P"}`).Decline.Reason)
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpAuthorize), 200, `{"resultCode":"Authorised"}`).Status, "without an id nothing can be done with it")
}

// Adyen may have captured an automatic payment before it is voided.
func TestVoid(t *testing.T) {
	for capture, want := range map[sdk.CaptureMethod]string{sdk.CaptureManual: "cancels", sdk.CaptureAutomatic: "reversals"} {
		s := step(sdk.OpVoid)
		s.Request.Payment = &sdk.PaymentState{Capture: capture}
		send, _ := sent(t, s)
		require.Equal(t, "https://checkout-test.adyen.com/v68/payments/TXN1/"+want, send.URL)
		require.Equal(t, `{"merchantAccount":"test_merchant_account","reference":"order-1"}`, string(send.Body))
		require.Equal(t, sdk.StatusPending, outcome(t, s, 201, received).Status)
	}
}

// An undecided answer still gives the payment's id.
func TestUndecidedHasItsID(t *testing.T) {
	for body, status := range map[string]int{`{"resultCode":"BrandNew","pspReference":"P"}`: 200, `{"pspReference":"P"}`: 200, `{"resultCode":"Authorised", "pspReference":"P"}`: 400} {
		o := outcome(t, step(sdk.OpAuthorize), status, body)
		require.Equal(t, []any{sdk.StatusUnknown, "P"}, []any{o.Status, o.TransactionID}, body)
	}
	o := outcome(t, step(sdk.OpCapture), 201, `{"status":"new","pspReference":"C"}`)
	require.Equal(t, []any{sdk.StatusUnknown, "", "C"}, []any{o.Status, o.TransactionID, o.CaptureID}, "that is the capture's")
	require.Equal(t, "R", outcome(t, step(sdk.OpRefund), 201, `{"status":"new","pspReference":"R"}`).RefundID)
}

func TestStoredCredential(t *testing.T) {
	s := step(sdk.OpVerify)
	s.Request.Amount.Minor = 0
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	require.Equal(t, "customer_id", adyen.Adapter().Step(s).Reject.Parameter)
	s.Request.Customer = &sdk.Customer{ID: "cus"}
	o := outcome(t, s, 200, `{"pspReference":"P","resultCode":"Authorised","amount":{"currency":"USD","value":0},"additionalData":{
		"recurring.recurringDetailReference":"M5N7","recurring.shopperReference":"mca_wire_cus","cvcResult":"1 Matches","avsResult":"6 Postal code matches"}}`)
	require.Equal(t, sdk.StatusVerified, o.Status)
	require.Equal(t, &sdk.StoredCredential{ID: "M5N7", CustomerID: "mca_wire_cus"}, o.StoredCredential)
	require.Equal(t, &sdk.Checks{CVC: "pass", AddressLine1: "fail", PostalCode: "pass"}, o.Checks)
	for avs, want := range map[string]sdk.Checks{"12 Address matches, postal code not checked": {AddressLine1: "pass", PostalCode: "unchecked"}, "0 Unknown": {AddressLine1: "unavailable", PostalCode: "unavailable"},
		"16 Postal code doesn't match, address unknown": {AddressLine1: "unavailable", PostalCode: "fail"}, "22 Name matches": {}} {
		want.CVC = "unchecked"
		o := outcome(t, s, 200, `{"pspReference":"P","resultCode":"Authorised","additionalData":{"cvcResult":"6 No CVC/CVV provided","avsResult":"`+avs+`"}}`)
		require.Equal(t, &want, o.Checks, avs)
	}

	s = step(sdk.OpAuthorize) // the shopper is the one who stored the card
	s.Request.Instrument = &sdk.Instrument{StoredCredentialID: o.StoredCredential.ID}
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "recurring"}
	s.Request.ConnectorData = o.ConnectorData
	s.Request.Metadata = map[string]string{"b": "2", "a": "1", "too_long": strings.Repeat("x", 81)}
	_, body := sent(t, s)
	require.Equal(t, "mca_wire_cus", body.Str("shopperReference"))
	require.Equal(t, "ContAuth", body.Str("shopperInteraction"))
	require.Equal(t, `{"a":"1","b":"2"}`, body.Raw("metadata"))
	require.False(t, body.Has("paymentMethod.cvc"))
}

// An extension updates the amount to the present one. Adyen only confirms the receipt.
func TestExtendAuthorization(t *testing.T) {
	s := step(sdk.OpExtendAuthorization)
	send, body := sent(t, s)
	require.Contains(t, send.URL, "/payments/TXN1/amountUpdates")
	require.EqualValues(t, 2499, body.Int("amount.value"))
	o := outcome(t, s, 201, `{"pspReference":"MOD1","paymentPspReference":"TXN1","status":"received","amount":{"currency":"USD","value":2499}}`)
	require.Equal(t, sdk.StatusPending, o.Status)
}

// An authorization that asked to be raisable says that it is.
func TestRaisable(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Capture, s.Request.Hold = sdk.CaptureManual, &sdk.HoldWish{Incremental: true}
	o := outcome(t, s, 200, `{"pspReference":"TXN1","resultCode":"Authorised","amount":{"currency":"USD","value":2499}}`)
	require.True(t, *o.Hold.Incremental)
}
