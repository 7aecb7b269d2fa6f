package paypal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/paypal"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// play runs an operation to its end and returns its requests.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) (sdk.Result, []*sdk.Send) {
	t.Helper()
	a := paypal.Adapter()
	s := wire.NewStep(&a.Manifest, op, r)
	s.Account.Credentials["access_token"] = "tok"
	sends, result, err := wire.Play(a, s, answers...)
	require.NoError(t, err)
	return result, sends
}

func outcome(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) *sdk.Outcome {
	t.Helper()
	result, sends := play(t, op, r, answers...)
	require.NotNil(t, result.Outcome)
	require.Len(t, sends, len(answers))
	return result.Outcome
}

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func card() *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, Network: sdk.Visa}}
}

func purchase() sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Capture: sdk.CaptureManual, Instrument: card(), ReturnURL: "https://switch.example/return"}
}

const (
	value      = `"amount":{"currency_code":"USD","value":"24.99"}`
	authorized = `{"id":"AUTH0001","status":"CREATED",` + value + `}`
	captured   = `{"id":"CAP0001","status":"COMPLETED","final_capture":true,` + value + `}`
)

// anOrder returns an order with payments: "authorizations":[…], and so on.
func anOrder(status, payments string, more ...string) sdk.Exchange {
	return wire.Answer(201, `{"id":"ORDER1","status":"`+status+`","purchase_units":[{"reference_id":"ref-1","payments":{`+payments+`}}]`+strings.Join(more, "")+`}`)
}

func later() sdk.Request {
	return sdk.Request{Reference: "ref-2", TransactionID: "ORDER1", Amount: usd(2499), FinalCapture: true,
		ConnectorData: &sdk.ConnectorData{Version: 1, Payment: `{"authorize_id":"AUTH0001","capture_id":"CAP0001"}`}}
}

// TestSuite runs the suite of all adapters with realistic answers of PayPal.
func TestSuite(t *testing.T) {
	amount := `"amount":{"currency_code":"USD","value":"65.40"}`
	answer := func(op sdk.Operation, i int, _ *sdk.Send) sdk.Exchange {
		switch {
		case op == sdk.OpAccessToken:
			return wire.Answer(200, `{"access_token":"A21AAF","token_type":"Bearer","expires_in":31668}`)
		case op == sdk.OpVerify:
			return wire.Answer(201, `{"id":"8kk8451t","customer":{"id":"c1"},"payment_source":{"card":{"brand":"VISA"}}}`)
		case op == sdk.OpComplete && i == 0:
			return anOrder("APPROVED", "", `,"payment_source":{"card":{"authentication_result":{"liability_shift":"POSSIBLE","three_d_secure":{"authentication_status":"Y","enrollment_status":"Y"}}}}`)
		case op == sdk.OpCapture, op == sdk.OpRefund, op == sdk.OpRefundSync:
			return wire.Answer(201, `{"id":"X1","status":"COMPLETED",`+amount+`}`)
		case op == sdk.OpVoid:
			return wire.Answer(200, `{"id":"AUTH0001","status":"VOIDED"}`)
		}
		return anOrder("COMPLETED", `"authorizations":[{"id":"AUTH0001","status":"CREATED",`+amount+`}]`)
	}
	request := func(op sdk.Operation, r *sdk.Request) {
		if op == sdk.OpCapture || op == sdk.OpVoid || op == sdk.OpRefund {
			r.ConnectorData = later().ConnectorData
		}
	}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(paypal.Adapter()), sdktest.Options{Answer: answer, Request: request}))
}

func TestToken(t *testing.T) {
	o := outcome(t, sdk.OpAccessToken, sdk.Request{}, wire.Answer(200, `{"access_token":"A21","expires_in":31668}`))
	require.Equal(t, &sdk.AccessToken{Value: "A21", ExpiresIn: 31668}, o.Token)
	_, sends := play(t, sdk.OpAccessToken, sdk.Request{})
	require.Equal(t, "Basic dGVzdF9jbGllbnRfaWQ6dGVzdF9jbGllbnRfc2VjcmV0", sdk.HeaderValue(sends[0].Headers, "Authorization"))
	require.Equal(t, []sdk.Capture{{Path: "access_token", Name: "access_token"}}, sends[0].Capture)
	for _, bad := range []sdk.Exchange{wire.Answer(401, `{"error":"invalid_client"}`), wire.Answer(200, `{"access_token":"A21"}`), wire.Answer(500, `{"access_token":"A21","expires_in":1}`)} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAccessToken, sdk.Request{}, bad).Status)
	}
}

func TestAmounts(t *testing.T) {
	for _, v := range []struct {
		minor    int64
		currency sdk.Currency
		want     string // "" is a reject
	}{{2499, "USD", "24.99"}, {5, "USD", "0.05"}, {1<<53 + 1, "USD", "90071992547409.93"}, {5000, "JPY", "5000"}, {100000, "HUF", "1000"}, {100050, "HUF", ""}, {2000, "TWD", "20"}} {
		r := purchase()
		r.Amount = sdk.Money{Minor: v.minor, Currency: v.currency}
		result, sends := play(t, sdk.OpAuthorize, r)
		if v.want == "" {
			require.Equal(t, sdk.RejectInvalid, result.Reject.Code)
			continue
		}
		require.Equal(t, v.want, wire.JSONBody(t, sends[0]).Str("purchase_units.0.amount.value"))
		require.Equal(t, v.want, wire.JSONBody(t, sends[0]).Str("purchase_units.0.items.0.unit_amount.value"))
	}
	require.NotContains(t, paypal.Adapter().Manifest.Currencies, sdk.Currency("KWD"))
}

func TestBreakdown(t *testing.T) {
	r := purchase()
	r.ShippingCost, r.TaxAmount = 500, 199
	r.Lines = []sdk.Line{{Name: "Widget", SKU: "w-1", Quantity: 2, UnitPrice: 900}}
	unit := func() sdk.JSON {
		_, sends := play(t, sdk.OpAuthorize, r)
		return wire.JSONBody(t, sends[0]).Get("purchase_units.0")
	}
	j := unit()
	require.Equal(t, []string{"18.00", "5.00", "1.99"}, []string{j.Str("amount.breakdown.item_total.value"), j.Str("amount.breakdown.shipping.value"), j.Str("amount.breakdown.tax_total.value")})
	require.Equal(t, []string{"Widget", "2", "9.00"}, []string{j.Str("items.0.name"), j.Str("items.0.quantity"), j.Str("items.0.unit_amount.value")})
	r.Lines[0].Quantity = 3 // PayPal refuses items that do not add up
	require.Equal(t, "Payment for invoice ref-1", unit().Str("items.0.name"))
	r.ShippingCost = 2500
	result, _ := play(t, sdk.OpAuthorize, r)
	require.Equal(t, sdk.RejectInvalid, result.Reject.Code)
}

func TestAuthorize(t *testing.T) {
	r := purchase()
	result, sends := play(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"authorizations":[{"id":"AUTH0001","status":"CREATED","network_transaction_reference":{"id":"0741","network":"VISA"},`+
		`"processor_response":{"avs_code":"Y","cvv_code":"N","response_code":"0000"},`+value+`}]`))
	o := result.Outcome
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	require.Equal(t, "ORDER1", o.TransactionID)
	require.Equal(t, "0741", o.NetworkTransactionID)
	require.Equal(t, `{"authorize_id":"AUTH0001"}`, o.ConnectorData.Payment)
	require.Equal(t, &sdk.Checks{CVC: "fail", AddressLine1: "pass", PostalCode: "pass"}, o.Checks)
	require.Equal(t, "PayPal-Request-Id", sends[0].IdempotencyHeader)
	require.True(t, sends[0].SafeToRepeat)

	for _, v := range []struct {
		name   string
		answer sdk.Exchange
		status sdk.OutcomeStatus
	}{
		{"another currency", anOrder("COMPLETED", `"captures":[{"id":"C","status":"COMPLETED","amount":{"currency_code":"EUR","value":"24.99"}}]`), sdk.StatusUnknown},
		{"no amount", anOrder("COMPLETED", `"captures":[{"id":"C","status":"COMPLETED"}]`), sdk.StatusUnknown},
		{"complete without a payment", anOrder("COMPLETED", ""), sdk.StatusUnknown},
		{"captured, the amount is unknown", anOrder("COMPLETED", `"authorizations":[{"id":"A","status":"PARTIALLY_CAPTURED",`+value+`}]`), sdk.StatusUnknown},
		{"under review", anOrder("COMPLETED", `"captures":[{"id":"C","status":"PENDING","status_details":{"reason":"PENDING_REVIEW"}}]`), sdk.StatusReview},
		{"the same request is being worked on", wire.Answer(409, `{"name":"RESOURCE_CONFLICT","details":[{"issue":"PREVIOUS_REQUEST_IN_PROGRESS"}]}`), sdk.StatusUnknown},
		{"an earlier request took the reference", wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"DUPLICATE_INVOICE_ID"}]}`), sdk.StatusUnknown},
		{"waiting for the payer without a link", anOrder("PAYER_ACTION_REQUIRED", ""), sdk.StatusPending},
		{"gone", anOrder("VOIDED", ""), sdk.StatusDeclined},
	} {
		require.Equal(t, v.status, outcome(t, sdk.OpAuthorize, r, v.answer).Status, v.name)
	}
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "x"}
	result, _ = play(t, sdk.OpAuthorize, r)
	require.Equal(t, sdk.RejectUnsupported, result.Reject.Code)
}

func TestDeclines(t *testing.T) {
	r := purchase()
	for answer, want := range map[string]*sdk.Decline{
		`"processor_response":{"response_code":"5120","payment_advice_code":"24"}`:                                {Code: "5120", Message: "INSUFFICIENT_FUNDS", AdviceCode: "24", Reason: sdk.DeclineInsufficientFunds},
		`"processor_response":{"response_code":"ZZZZ"}`:                                                           {Code: "ZZZZ", Message: "DECLINED", Reason: sdk.DeclineGeneric, RetryElsewhere: true},
		`"status_details":{"reason":"DECLINED_BY_RISK_FRAUD_FILTERS"}`:                                            {Code: "DECLINED_BY_RISK_FRAUD_FILTERS", Message: "DECLINED_BY_RISK_FRAUD_FILTERS", Reason: sdk.DeclineFraud},
		`"processor_response":{"response_code":"0000"},"status_details":{"reason":"TRANSACTION_BLOCKED_BY_RISK"}`: {Code: "TRANSACTION_BLOCKED_BY_RISK", Message: "TRANSACTION_BLOCKED_BY_RISK", Reason: sdk.DeclineFraud},
	} {
		o := outcome(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"captures":[{"id":"C","status":"DECLINED",`+answer+`}]`))
		require.Equal(t, sdk.StatusDeclined, o.Status)
		require.Equal(t, want, o.Decline)
	}
	for code, want := range map[string]sdk.DeclineReason{ // "Do not retry the same card": Orders API, processor_response
		"5150": sdk.DeclinePickUpCard, "5180": sdk.DeclineRestrictedCard, "9500": sdk.DeclineFraud, "9520": sdk.DeclineLostCard, "PPAB": sdk.DeclineRestrictedCard,
	} {
		o := outcome(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"captures":[{"id":"C","status":"DECLINED","processor_response":{"response_code":"`+code+`"}}]`))
		require.Equal(t, want, o.Decline.Reason, code)
		require.False(t, o.Decline.RetryElsewhere, code)
	}
	// Advice 02 of Visa: the cardholder has stopped this payment. Of Mastercard: try again later.
	for brand, want := range map[string]sdk.DeclineReason{"VISA": sdk.DeclineStopRecurring, "MASTERCARD": sdk.DeclineDoNotHonor} {
		o := outcome(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"captures":[{"id":"C","status":"DECLINED","processor_response":{"response_code":"0500","payment_advice_code":"02"}}]`,
			`,"payment_source":{"card":{"brand":"`+brand+`"}}`))
		require.Equal(t, sdk.Decline{Code: "0500", Message: "DO_NOT_HONOR", AdviceCode: "02", Reason: want, RetryElsewhere: brand != "VISA"}, *o.Decline)
	}
	for status, v := range map[int]struct {
		body string
		want sdk.Decline
	}{
		401: {`{"error":"invalid_token","error_description":"Token signature verification failed"}`, sdk.Decline{Code: "invalid_token", Message: "Token signature verification failed", Reason: sdk.DeclineInvalidMerchant, RetryElsewhere: true}},
		400: {`{"name":"INVALID_REQUEST","message":"not well formed","details":[{"issue":"CURRENCY_NOT_SUPPORTED","description":"no"}]}`, sdk.Decline{Code: "CURRENCY_NOT_SUPPORTED", Message: "no", Reason: sdk.DeclineCurrency, RetryElsewhere: true}},
		429: {`{"name":"RATE_LIMIT_REACHED","message":"Too many requests"}`, sdk.Decline{Code: "RATE_LIMIT_REACHED", Message: "Too many requests", Reason: sdk.DeclineTryLater, RetryElsewhere: true}},
	} {
		o := outcome(t, sdk.OpAuthorize, r, wire.Answer(status, v.body))
		require.Equal(t, sdk.StatusDeclined, o.Status)
		require.Equal(t, &v.want, o.Decline)
	}
}

func TestStoredCredentials(t *testing.T) {
	r := purchase()
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session", Category: "recurring"}
	result, sends := play(t, sdk.OpAuthorize, r, anOrder("COMPLETED", `"authorizations":[`+authorized+`]`, `,"payment_source":{"card":{"attributes":{"vault":{"id":"8kk8451t","status":"VAULTED","customer":{"id":"c1"}}}}}`))
	require.Equal(t, &sdk.StoredCredential{ID: "8kk8451t", CustomerID: "c1"}, result.Outcome.StoredCredential)
	source := wire.JSONBody(t, sends[0]).Get("payment_source.card")
	require.JSONEq(t, `{"vault":{"store_in_vault":"ON_SUCCESS"}}`, source.Raw("attributes"))
	require.JSONEq(t, `{"payment_initiator":"CUSTOMER","payment_type":"RECURRING","usage":"FIRST"}`, source.Raw("stored_credential"))

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "unscheduled"}
	r.Instrument = &sdk.Instrument{StoredCredentialID: "8kk8451t"}
	_, sends = play(t, sdk.OpAuthorize, r)
	require.JSONEq(t, `{"vault_id":"8kk8451t","stored_credential":{"payment_initiator":"MERCHANT","payment_type":"UNSCHEDULED","usage":"SUBSEQUENT"}}`, wire.JSONBody(t, sends[0]).Raw("payment_source.card"))

	r.Instrument = card()
	r.Instrument.NetworkTransactionID = "0741"
	r.Instrument.Card.Network, r.Instrument.Card.BIN = "", "411111" // derived from the number
	_, sends = play(t, sdk.OpAuthorize, r)
	require.JSONEq(t, `{"id":"0741","network":"VISA"}`, wire.JSONBody(t, sends[0]).Raw("payment_source.card.stored_credential.previous_network_transaction_reference"))

	v := purchase()
	v.Amount.Minor = 0
	o := outcome(t, sdk.OpVerify, v, wire.Answer(201, `{"id":"8kk8451t","customer":{"id":"c1"},"payment_source":{"card":{}}}`))
	require.Equal(t, sdk.StatusVerified, o.Status)
	require.Equal(t, &sdk.StoredCredential{ID: "8kk8451t", CustomerID: "c1"}, o.StoredCredential)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpVerify, v, wire.Answer(201, `{"id":"8kk8451t"}`)).Status)
}

func Test3DS(t *testing.T) {
	r := purchase()
	r.Request3DS = true
	waits := anOrder("PAYER_ACTION_REQUIRED", "", `,"links":[{"href":"https://www.paypal.com/3ds?id=ORDER1","rel":"payer-action"}]`)
	result, sends := play(t, sdk.OpAuthorize, r, waits)
	require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://www.paypal.com/3ds?id=ORDER1"}, result.Outcome.NextAction)
	source := wire.JSONBody(t, sends[0]).Get("payment_source.card")
	require.Equal(t, "SCA_ALWAYS", source.Str("attributes.verification.method"))
	require.Equal(t, "https://switch.example/return", source.Str("experience_context.return_url"))

	r.TransactionID = "ORDER1"
	back := func(shift, enrolled, status string) sdk.Exchange {
		return anOrder("APPROVED", "", `,"payment_source":{"card":{"authentication_result":{"liability_shift":"`+shift+`","three_d_secure":{"enrollment_status":"`+enrolled+`","authentication_status":"`+status+`"}}}}`)
	}
	for _, v := range [][3]string{{"POSSIBLE", "Y", "Y"}, {"POSSIBLE", "Y", "A"}, {"NO", "N", ""}, {"NO", "U", ""}, {"NO", "B", ""}, {"POSSIBLE", "", ""}, {"YES", "", ""}} {
		result, sends = play(t, sdk.OpComplete, r, back(v[0], v[1], v[2]), anOrder("COMPLETED", `"authorizations":[`+authorized+`]`))
		require.Equal(t, sdk.StatusAuthorized, result.Outcome.Status, v)
		require.Equal(t, "https://api-m.sandbox.paypal.com/v2/checkout/orders/ORDER1/authorize", sends[1].URL)
		require.Equal(t, "PayPal-Request-Id", sends[1].IdempotencyHeader)
	}
	for _, v := range [][3]string{{"NO", "Y", "N"}, {"NO", "Y", "R"}, {"UNKNOWN", "Y", "U"}, {"UNKNOWN", "Y", "C"}, {"NO", "Y", ""}, {"UNKNOWN", "U", ""}, {"UNKNOWN", "", ""}, {"", "", ""}} {
		o := outcome(t, sdk.OpComplete, r, back(v[0], v[1], v[2]))
		require.Equal(t, sdk.DeclineAuthenticationFailed, o.Decline.Reason, v)
	}
	r.Capture = sdk.CaptureAutomatic
	result, sends = play(t, sdk.OpComplete, r, back("POSSIBLE", "Y", "Y"), anOrder("COMPLETED", `"captures":[`+captured+`]`))
	require.Equal(t, sdk.StatusCaptured, result.Outcome.Status)
	require.True(t, strings.HasSuffix(sends[1].URL, "/ORDER1/capture"))

	require.Equal(t, sdk.StatusCustomerAction, outcome(t, sdk.OpComplete, r, waits).Status, "the customer came back too early")
	require.Equal(t, sdk.StatusCaptured, outcome(t, sdk.OpComplete, r, anOrder("COMPLETED", `"captures":[`+captured+`]`)).Status, "it has been done already")
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpComplete, r, back("POSSIBLE", "Y", "Y"),
		wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"ORDER_ALREADY_CAPTURED"}]}`)).Status)
}

func TestCapture(t *testing.T) {
	r := later()
	r.Amount = usd(1000)
	result, sends := play(t, sdk.OpCapture, r, wire.Answer(201, `{"id":"CAP0002","status":"COMPLETED","final_capture":true,"amount":{"currency_code":"USD","value":"10.00"}}`))
	o := result.Outcome
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, usd(1000), *o.Amount)
	require.True(t, o.Released)
	require.Equal(t, "CAP0002", o.CaptureID)
	require.Equal(t, `{"authorize_id":"AUTH0001","capture_id":"CAP0002"}`, o.ConnectorData.Payment)
	require.JSONEq(t, `{"amount":{"currency_code":"USD","value":"10.00"},"final_capture":true}`, string(sends[0].Body))
	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpCapture, r, wire.Answer(201, `{"id":"C","status":"PENDING"}`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, r, wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"AUTHORIZATION_ALREADY_CAPTURED"}]}`)).Status)

	r.ConnectorData = nil // the answer with the id was lost
	result, sends = play(t, sdk.OpCapture, r, anOrder("COMPLETED", `"authorizations":[`+authorized+`]`), wire.Answer(201, captured))
	require.Equal(t, sdk.StatusCaptured, result.Outcome.Status)
	require.True(t, strings.HasSuffix(sends[1].URL, "/v2/payments/authorizations/AUTH0001/capture"))
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, r, anOrder("CREATED", "")).Status)
}

// TestSeveralCaptures: each capture of an authorization goes out with a reference of its own, and a sync finds it by that. A sync of the payment
// adds the captures up.
func TestSeveralCaptures(t *testing.T) {
	several := func(final bool, before, minor int64) sdk.Request {
		r := later()
		r.Amount, r.FinalCapture, r.CaptureReference = usd(minor), final, "ref-1_2"
		r.Payment = &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Captured: before, Capture: sdk.CaptureManual}
		return r
	}
	one := func(id, value, reference, status string) string {
		return `{"id":"` + id + `","status":"` + status + `","final_capture":false,"invoice_id":"` + reference + `","amount":{"currency_code":"USD","value":"` + value + `"}}`
	}
	for _, c := range []struct {
		final  bool
		before int64
		named  bool
	}{{false, 0, true}, {true, 1000, true}, {true, 0, false}} {
		result, sends := play(t, sdk.OpCapture, several(c.final, c.before, 1000), wire.Answer(201, one("CAP2", "10.00", "ref-1_2", "COMPLETED")))
		require.Equal(t, c.named, strings.Contains(string(sends[0].Body), `"invoice_id":"ref-1_2"`), c)
		require.Equal(t, c.named, strings.Contains(result.Outcome.ConnectorData.Payment, "several_captures"), c)
		require.False(t, result.Outcome.Released, "the rest is still held")
	}

	held := `"authorizations":[{"id":"AUTH0001","status":"PARTIALLY_CAPTURED",` + value + `}]`
	both := held + `,"captures":[` + one("CAP1", "10.00", "ref-1_1", "COMPLETED") + `,` + one("CAP2", "7.00", "ref-1_2", "PENDING") + `,` + one("CAP3", "5.00", "ref-1_3", "COMPLETED") + `]`
	r := several(false, 1500, 2499)
	r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: `{"authorize_id":"AUTH0001","capture_id":"CAP3","several_captures":"true"}`}
	r.CaptureReference = ""
	o := outcome(t, sdk.OpSync, r, anOrder("COMPLETED", both))
	require.Equal(t, []any{sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 1500}}, []any{o.Status, o.Totals}, "the pending one is not taken yet")
	r.Resolves, r.CaptureReference, r.Amount = sdk.OpCapture, "ref-1_2", usd(700)
	o = outcome(t, sdk.OpSync, r, anOrder("COMPLETED", both))
	require.Equal(t, sdk.StatusPending, o.Status, "the one that the sync is about")
	o = outcome(t, sdk.OpSync, r, anOrder("COMPLETED", strings.ReplaceAll(both, "PENDING", "COMPLETED")))
	require.Equal(t, []any{sdk.StatusCaptured, "CAP2", usd(700), int64(2200)}, []any{o.Status, o.CaptureID, *o.Amount, o.Totals.Captured})
	r.CaptureReference = "ref-1_4"
	o = outcome(t, sdk.OpSync, r, anOrder("COMPLETED", both))
	require.Equal(t, []any{"CAP3", int64(1500)}, []any{o.CaptureID, o.Totals.Captured}, "another capture and the totals, which do not show this one")
}

// TestRefundsOfSeveralCaptures: PayPal gives back money of one capture, so a refund takes the smallest rest that is enough.
func TestRefundsOfSeveralCaptures(t *testing.T) {
	r := later()
	r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: `{"authorize_id":"AUTH0001","capture_id":"CAP2","several_captures":"true"}`}
	piece := func(id, value, status, more string) string {
		return `{"id":"` + id + `","status":"` + status + `","amount":{"currency_code":"USD","value":"` + value + `"}` + more + `}`
	}
	up := func(of string) string {
		return `,"links":[{"rel":"self","href":"https://api-m.paypal.com/v2/payments/refunds/R"},{"rel":"up","href":"https://api-m.paypal.com/v2/payments/captures/` + of + `"}]`
	}
	order := anOrder("COMPLETED", `"authorizations":[`+authorized+`],"captures":[`+piece("CAP1", "10.00", "PARTIALLY_REFUNDED", "")+`,`+piece("CAP2", "12.00", "COMPLETED", "")+`,`+
		piece("CAP3", "99.00", "DECLINED", "")+`],"refunds":[`+piece("R1", "4.00", "COMPLETED", up("CAP1"))+`,`+piece("R2", "5.00", "FAILED", up("CAP2"))+`]`)
	given := wire.Answer(201, piece("REF1", "6.00", "COMPLETED", ""))
	for minor, capture := range map[int64]string{600: "CAP1", 601: "CAP2", 1200: "CAP2"} {
		r.Amount = usd(minor)
		_, sends := play(t, sdk.OpRefund, r, order, given)
		require.Len(t, sends, 2)
		require.Contains(t, sends[1].URL, "/captures/"+capture+"/refund", minor)
	}
	r.Amount = usd(1201)
	result, sends := play(t, sdk.OpRefund, r, order)
	require.Len(t, sends, 1, "nothing is given back")
	require.Equal(t, []any{sdk.StatusDeclined, sdk.DeclineInvalidAmount}, []any{result.Outcome.Status, result.Outcome.Decline.Reason})
	require.Contains(t, result.Outcome.Decline.Message, "12.00: make several refunds")
	hidden := anOrder("COMPLETED", `"captures":[`+piece("CAP1", "10.00", "COMPLETED", "")+`],"refunds":[`+piece("R1", "4.00", "COMPLETED", "")+`]`)
	r.Amount = usd(600)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefund, r, hidden).Status, "a refund of which capture?")
}

// TestReauthorize: a reauthorization raises the amount or holds it for longer. It has an id of its own, which later captures name.
func TestReauthorize(t *testing.T) {
	r := later()
	r.Amount, r.ConnectorData = usd(2800), &sdk.ConnectorData{Version: 1, Payment: `{"authorize_id":"AUTH0001"}`}
	again := func(status, value string) sdk.Exchange {
		return wire.Answer(201, `{"id":"AUTH0002","status":"`+status+`","amount":{"currency_code":"USD","value":"`+value+`"},"expiration_time":"2026-02-13T10:20:30Z"}`)
	}
	o := outcome(t, sdk.OpIncrementalAuthorize, r, again("CREATED", "28.00"))
	require.Equal(t, []any{sdk.StatusAuthorized, usd(2800), "ORDER1"}, []any{o.Status, *o.Amount, o.TransactionID})
	require.JSONEq(t, `{"authorize_id":"AUTH0002"}`, o.ConnectorData.Payment)
	require.Nil(t, o.Hold)
	o = outcome(t, sdk.OpExtendAuthorization, r, again("CREATED", "28.00"))
	yes := true
	require.Equal(t, &sdk.Hold{Extended: &yes, CaptureBefore: time.Date(2026, 2, 13, 10, 20, 30, 0, time.UTC).UnixMilli()}, o.Hold)
	for _, text := range []string{"2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z", "2000-12-31T12:00:00Z", "2027-01-01T00:00:01Z", "2100-03-01T06:07:08Z", "2026-02-13T10:20:30+01:00"} {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		body := strings.Replace(string(again("CREATED", "28.00").Body), "2026-02-13T10:20:30Z", text, 1)
		require.Equal(t, at.UnixMilli(), outcome(t, sdk.OpExtendAuthorization, r, wire.Answer(201, body)).Hold.CaptureBefore, text)
	}
	for _, text := range []string{"", "tomorrow", "2026-13-01T00:00:00Z", "2026-02-13T10:20Z", "2026-02-13T10:20:30+25:00"} {
		body := strings.Replace(string(again("CREATED", "28.00").Body), "2026-02-13T10:20:30Z", text, 1)
		require.Zero(t, outcome(t, sdk.OpExtendAuthorization, r, wire.Answer(201, body)).Hold.CaptureBefore, text)
	}
	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpIncrementalAuthorize, r, again("PENDING", "28.00")).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpIncrementalAuthorize, r, again("CAPTURED", "28.00")).Status)
	o = outcome(t, sdk.OpIncrementalAuthorize, r, wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"REAUTHORIZATION_TOO_SOON","description":"too soon"}]}`))
	require.Equal(t, []any{sdk.StatusDeclined, "REAUTHORIZATION_TOO_SOON"}, []any{o.Status, o.Decline.Code})

	// The order shows the old authorization too. The last one counts.
	o = outcome(t, sdk.OpSync, r, anOrder("COMPLETED", `"authorizations":[`+authorized+`,{"id":"AUTH0002","status":"CREATED","amount":{"currency_code":"USD","value":"28.00"}}]`))
	require.Equal(t, []any{sdk.StatusAuthorized, usd(2800), &sdk.Totals{Authorized: 2800}}, []any{o.Status, *o.Amount, o.Totals})
}

func TestVoid(t *testing.T) {
	r := later()
	for status, body := range map[int]string{204: "", 200: `{"id":"AUTH0001","status":"VOIDED"}`, 422: `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"PREVIOUSLY_VOIDED"}]}`} {
		require.Equal(t, sdk.StatusVoided, outcome(t, sdk.OpVoid, r, wire.Answer(status, body)).Status, status)
	}
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpVoid, r, wire.Answer(200, `{"id":"AUTH0001","status":"CREATED"}`)).Status)
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpVoid, r, wire.Answer(422, `{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"PREVIOUSLY_CAPTURED"}]}`)).Status)
}

func TestRefund(t *testing.T) {
	r := later()
	r.Amount = usd(700)
	const done = `{"id":"REF1","status":"COMPLETED","custom_id":"ref-2","amount":{"currency_code":"USD","value":"7.00"}}`
	result, sends := play(t, sdk.OpRefund, r, wire.Answer(201, done))
	require.Equal(t, sdk.StatusRefunded, result.Outcome.Status)
	require.Equal(t, usd(700), *result.Outcome.Amount)
	require.Equal(t, "https://api-m.sandbox.paypal.com/v2/payments/captures/CAP0001/refund", sends[0].URL)
	require.JSONEq(t, `{"amount":{"currency_code":"USD","value":"7.00"},"custom_id":"ref-2"}`, string(sends[0].Body))
	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpRefund, r, wire.Answer(201, `{"id":"REF1","status":"PENDING"}`)).Status)

	r.RefundID = "REF1"
	require.Equal(t, sdk.StatusRefunded, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, done)).Status)
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, `{"id":"REF1","status":"CANCELLED"}`)).Status)
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpRefundSync, r, wire.Answer(404, `{"name":"RESOURCE_NOT_FOUND"}`)).Raw["alarm"])
	r.RefundID = ""
	require.Equal(t, "REF1", outcome(t, sdk.OpRefundSync, r, anOrder("COMPLETED", `"captures":[`+captured+`],"refunds":[`+done+`]`)).RefundID)
	require.Equal(t, sdk.StatusNotFound, outcome(t, sdk.OpRefundSync, r, anOrder("COMPLETED", `"captures":[`+captured+`]`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r, anOrder("COMPLETED", "")).Status, "without its captures the order does not show their refunds")
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r, wire.Answer(404, `{"name":"RESOURCE_NOT_FOUND"}`)).Status, "no order is no answer about its refund")
}

func TestSync(t *testing.T) {
	r := later()
	r.ConnectorData.Payment, r.Resolves = `{"authorize_id":"AUTH0001"}`, sdk.OpCapture
	lost := `{"id":"CAP0001","status":"DECLINED",` + value + `}`
	for _, v := range []struct {
		name     string
		resolves sdk.Operation
		payments string
		status   sdk.OutcomeStatus
		totals   *sdk.Totals
	}{
		{"held", sdk.OpCapture, `"authorizations":[` + authorized + `]`, sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499}},
		{"taken", sdk.OpCapture, `"authorizations":[{"id":"A","status":"CAPTURED",` + value + `}],"captures":[` + captured + `]`, sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 2499}},
		{"the capture failed", sdk.OpCapture, `"authorizations":[` + authorized + `],"captures":[` + lost + `]`, sdk.StatusDeclined, &sdk.Totals{Authorized: 2499}},
		{"still held after a capture that failed", sdk.OpVoid, `"authorizations":[` + authorized + `],"captures":[` + lost + `]`, sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499}},
		{"taken at the second try", sdk.OpCapture, `"captures":[` + lost + `,` + captured + `,` + lost + `]`, sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 2499}},
		{"given back", "", `"captures":[{"id":"C","status":"REFUNDED",` + value + `}],"refunds":[{"id":"R","status":"COMPLETED",` + value + `}]`, sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 2499, Refunded: 2499}},
		{"released", "", `"authorizations":[{"id":"A","status":"VOIDED",` + value + `}]`, sdk.StatusVoided, nil},
		{"a total in another currency", "", `"captures":[` + captured + `],"refunds":[{"id":"R","status":"COMPLETED","amount":{"currency_code":"EUR","value":"1.00"}}]`, sdk.StatusCaptured, nil},
	} {
		r.Resolves = v.resolves
		o := outcome(t, sdk.OpSync, r, anOrder("COMPLETED", v.payments))
		require.Equal(t, v.status, o.Status, v.name)
		require.Equal(t, v.totals, o.Totals, v.name)
	}
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpSync, r, wire.Answer(404, `{"name":"RESOURCE_NOT_FOUND","details":[{"issue":"INVALID_RESOURCE_ID"}]}`)).Raw["alarm"])
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(404, `{"message":"no route"}`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(401, `{"error":"invalid_token"}`)).Status)
	require.Equal(t, sdk.DeclineInvalidMerchant, outcome(t, sdk.OpCapture, r, wire.Answer(401, `{"error":"invalid_client"}`)).Decline.Reason)
}

// The adapter cannot check the signature of messages, so each only causes a query.
func TestWebhook(t *testing.T) {
	read := func(body string) *sdk.Outcome {
		return outcome(t, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}})
	}
	for body, want := range map[string]sdk.Event{
		`{"event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{"id":"C","invoice_id":"ref-1","supplementary_data":{"related_ids":{"order_id":"ORDER1"}}}}`:              {Object: "payment", TransactionID: "ORDER1", Reference: "ref-1"},
		`{"event_type":"PAYMENT.AUTHORIZATION.VOIDED","resource":{"id":"A","invoice_id":"ref-1"}}`:                                                                      {Object: "payment", Reference: "ref-1"},
		`{"event_type":"CHECKOUT.ORDER.APPROVED","resource":{"id":"ORDER1","purchase_units":[{"reference_id":"ref-1"}]}}`:                                               {Object: "payment", TransactionID: "ORDER1", Reference: "ref-1"},
		`{"event_type":"PAYMENT.CAPTURE.REFUNDED","resource":{"id":"REF1","custom_id":"ref-2"}}`:                                                                        {Object: "refund", RefundID: "REF1", Reference: "ref-2"},
		`{"event_type":"CUSTOMER.DISPUTE.CREATED","resource":{"dispute_id":"PP-D-1","disputed_transactions":[{"seller_transaction_id":"C","invoice_number":"ref-1"}]}}`: {Object: "dispute", Reference: "ref-1"},
	} {
		want.Sync = true
		require.Equal(t, []sdk.Event{want}, read(body).Events)
	}
	require.Empty(t, read(`{"event_type":"CUSTOMER.DISPUTE.CREATED","resource":{"dispute_id":"PP-D-1"}}`).Events, "about nothing of ours")
	require.Empty(t, read(`{"event_type":"BILLING.PLAN.CREATED","resource":{"id":"P"}}`).Events)
	require.Empty(t, read(`{"event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{}}`).Events)
	require.Equal(t, 400, read(`{`).Reply.Status)
}
