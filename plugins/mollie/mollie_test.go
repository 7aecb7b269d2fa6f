package mollie_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/mollie"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

func TestSuite(t *testing.T) {
	o := sdktest.Options{Answer: func(op sdk.Operation, i int, s *sdk.Send) sdk.Exchange {
		asked, _ := sdk.ParseJSON(s.Body)
		sum := asked.Raw("amount")
		if sum == "" {
			sum = `{"value":"65.40","currency":"USD"}`
		}
		body := `{"resource":"payment","id":"tr_1","status":"authorized","amount":` + sum + `}`
		switch {
		case op == sdk.OpVerify && i == 0:
			body = `{"resource":"customer","id":"cst_1"}`
		case op == sdk.OpVerify && i == 1, op == sdk.OpAuthorize && i == 0:
			body = token
		case op == sdk.OpVerify:
			body = `{"resource":"payment","id":"tr_1","status":"paid","amount":` + sum + `}`
		case op == sdk.OpCapture:
			body = `{"resource":"capture","id":"cpt_1","status":"succeeded","amount":` + sum + `}`
		case op == sdk.OpRefund, op == sdk.OpRefundSync:
			body = `{"resource":"refund","id":"re_1","status":"refunded","amount":` + sum + `}`
		case op == sdk.OpVoid:
			body = `{"resource":"payment","id":"tr_1","status":"canceled"}`
		}
		return answer(200, body)
	}}
	if err := sdktest.Check(t.Context(), sdktest.Native(mollie.Adapter()), o); err != nil {
		t.Error(err)
	}
}

// TestAmounts sends exactly the decimals of the currency.
func TestAmounts(t *testing.T) {
	for _, v := range []struct {
		minor    int64
		currency sdk.Currency
		want     string
	}{{1050, "EUR", "10.50"}, {7, "EUR", "0.07"}, {1050, "JPY", "1050"}, {1050, "KWD", "1.050"}, {9007199254740993, "USD", "90071992547409.93"}} {
		sends, _ := drive(t, sdk.OpAuthorize, purchase(v.minor, v.currency), answer(201, token), answer(201, "{}"))
		j, err := sdk.ParseJSON(sends[1].Body)
		require.NoError(t, err)
		require.Equal(t, v.want, j.Str("amount.value"))
		require.Equal(t, string(v.currency), j.Str("amount.currency"))
	}
}

// TestCardToken: only the first request holds the card.
func TestCardToken(t *testing.T) {
	sends, result := drive(t, sdk.OpAuthorize, purchase(1000, "EUR"), answer(201, token), answer(201, paymentBody("authorized", "10.00", "")))
	require.Equal(t, sdk.StatusAuthorized, result.Outcome.Status)
	require.Contains(t, string(sends[0].Body), card)
	require.NotContains(t, string(sends[1].Body), card)
	for _, s := range sends {
		require.Equal(t, "Bearer test_api_key", sdk.HeaderValue(s.Headers, "Authorization"))
		require.Equal(t, "Idempotency-Key", s.IdempotencyHeader)
	}
	o := outcome(t, sdk.OpAuthorize, purchase(1000, "EUR"),
		answer(422, `{"status":422,"title":"Unprocessable Entity","detail":"The card number is invalid","field":"cardNumber"}`))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	require.Equal(t, sdk.DeclineIncorrectNumber, o.Decline.Reason)
}

// TestStore creates a customer for the first stored card, uses it for the next, and charges the mandate.
func TestStore(t *testing.T) {
	r := purchase(1000, "EUR")
	r.Capture, r.StoredCredential = sdk.CaptureAutomatic, &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	paid := answer(201, paymentBody("paid", "10.00", `,"customerId":"cst_1","mandateId":"mdt_1"`))
	sends, result := drive(t, sdk.OpAuthorize, r, answer(201, `{"resource":"customer","id":"cst_1"}`), answer(201, token), paid)
	require.Equal(t, "https://api.mollie.com/v2/customers", sends[0].URL)
	require.Contains(t, string(sends[2].Body), `"sequenceType":"first","customerId":"cst_1"`)
	require.Equal(t, &sdk.StoredCredential{ID: "cst_1/mdt_1", CustomerID: "cst_1"}, result.Outcome.StoredCredential)
	require.Equal(t, "cst_1", result.Outcome.ConnectorData.Customer)

	r.ConnectorData = result.Outcome.ConnectorData
	sends, _ = drive(t, sdk.OpAuthorize, r, answer(201, token), paid)
	require.Contains(t, string(sends[1].Body), `"customerId":"cst_1"`)

	r.StoredCredential, r.ConnectorData = &sdk.StoredCredentialUse{Initiator: "mit"}, nil
	r.Instrument = &sdk.Instrument{StoredCredentialID: "cst_1/mdt_1"}
	sends, result = drive(t, sdk.OpAuthorize, r, paid)
	require.Contains(t, string(sends[0].Body), `"sequenceType":"recurring","customerId":"cst_1","mandateId":"mdt_1"`)
	require.Equal(t, sdk.StatusCaptured, result.Outcome.Status)

	r.Instrument = &sdk.Instrument{StoredCredentialID: "mdt_1"}
	_, result = drive(t, sdk.OpAuthorize, r)
	require.Equal(t, sdk.RejectInvalid, result.Reject.Code)
}

// TestTokenOfThePage pays with a token from the merchant's page, and names the payer for a card without a holder.
func TestTokenOfThePage(t *testing.T) {
	r := purchase(1000, "EUR")
	r.Instrument = &sdk.Instrument{StoredCredentialID: "tkn_browser"}
	r.Metadata = map[string]string{"cart": "77", "orderId": "mine"}
	sends, _ := drive(t, sdk.OpAuthorize, r, answer(201, paymentBody("authorized", "10.00", "")))
	require.Contains(t, string(sends[0].Body), `"cardToken":"tkn_browser"`)
	require.Contains(t, string(sends[0].Body), `"metadata":{"cart":"77","orderId":"`+r.Reference+`"}`)
	r.Metadata["long"] = strings.Repeat("x", 1000)
	sends, _ = drive(t, sdk.OpAuthorize, r, answer(201, paymentBody("authorized", "10.00", "")))
	require.Contains(t, string(sends[0].Body), `"metadata":{"orderId":"`+r.Reference+`"}`, "more than Mollie takes")

	r = purchase(1000, "EUR")
	r.Instrument.Card.Holder, r.Billing = "", &sdk.Address{FirstName: "Ana", LastName: "Lima"}
	sends, _ = drive(t, sdk.OpAuthorize, r, answer(201, token), answer(201, paymentBody("authorized", "10.00", "")))
	require.Contains(t, string(sends[0].Body), `"cardHolder":"Ana Lima"`)

	r.Instrument.NetworkTransactionID = "016153570198200"
	_, result := drive(t, sdk.OpAuthorize, r)
	require.Equal(t, sdk.RejectUnsupported, result.Reject.Code, "no payment with the customer instead of the one that was agreed to")
}

func TestVerify(t *testing.T) {
	r := purchase(0, "EUR")
	o := outcome(t, sdk.OpVerify, r, answer(201, `{"id":"cst_1"}`), answer(201, token), answer(201, paymentBody("paid", "0.00", `,"customerId":"cst_1","mandateId":"mdt_1"`)))
	require.Equal(t, sdk.StatusVerified, o.Status)
	require.Equal(t, "cst_1/mdt_1", o.StoredCredential.ID)
}

// TestRedirect sends the customer away and fetches the payment after the return.
func TestRedirect(t *testing.T) {
	o := outcome(t, sdk.OpAuthorize, purchase(1000, "EUR"), answer(201, token),
		answer(201, paymentBody("open", "10.00", `,"_links":{"checkout":{"href":"https://www.mollie.com/checkout/1"}}`)))
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://www.mollie.com/checkout/1"}, o.NextAction)

	r := purchase(1000, "EUR")
	r.TransactionID, r.Payment = "tr_1", &sdk.PaymentState{Currency: "EUR", Requested: 1000}
	sends, result := drive(t, sdk.OpComplete, r, answer(200, paymentBody("authorized", "10.00", "")))
	require.Equal(t, "GET https://api.mollie.com/v2/payments/tr_1", sends[0].Method+" "+sends[0].URL)
	require.Equal(t, sdk.StatusAuthorized, result.Outcome.Status)
	for status, reason := range map[string]sdk.DeclineReason{"canceled": sdk.DeclineAbandoned, "expired": sdk.DeclineAbandoned, "failed": sdk.DeclineGeneric} {
		o := outcome(t, sdk.OpComplete, r, answer(200, paymentBody(status, "10.00", "")))
		require.Equal(t, sdk.StatusDeclined, o.Status, status)
		require.Equal(t, reason, o.Decline.Reason)
	}
	o = outcome(t, sdk.OpComplete, r, answer(200, paymentBody("failed", "10.00", `,"statusReason":{"code":"insufficient_funds","message":"Not enough"}`)))
	for code, reason := range map[string]sdk.DeclineReason{"do_not_honor": sdk.DeclineDoNotHonor, "stop_payment_order": sdk.DeclineStopRecurring, "capture_card": sdk.DeclinePickUpCard,
		"exceeds_withdrawal_count_limit": sdk.DeclineLimitExceeded, "additional_customer_authentication_required": sdk.DeclineAuthenticationNeeded} {
		declined := outcome(t, sdk.OpComplete, r, answer(200, paymentBody("failed", "10.00", `,"statusReason":{"code":"`+code+`","message":"No"}`)))
		require.Equal(t, reason, declined.Decline.Reason, code)
	}
	require.Equal(t, sdk.Decline{Code: "insufficient_funds", Message: "Not enough", Reason: sdk.DeclineInsufficientFunds}, *o.Decline)
}

func TestCapture(t *testing.T) {
	for _, v := range []struct {
		status string
		want   sdk.OutcomeStatus
	}{{"succeeded", sdk.StatusCaptured}, {"pending", sdk.StatusPending}, {"failed", sdk.StatusDeclined}, {"other", sdk.StatusUnknown}} {
		sends, result := drive(t, sdk.OpCapture, later(400, 0), answer(201, `{"resource":"capture","id":"cpt_1","status":"`+v.status+`","amount":{"value":"4.00","currency":"EUR"}}`))
		require.Equal(t, v.want, result.Outcome.Status, v.status)
		require.Contains(t, string(sends[0].Body), `"value":"4.00"`)
	}
	r := later(400, 0)
	r.Resolves = sdk.OpCapture
	o := outcome(t, sdk.OpSync, r, answer(200, paymentBody("paid", "10.00", `,"amountCaptured":{"value":"4.00","currency":"EUR"}`)))
	require.Equal(t, sdk.Totals{Authorized: 1000, Captured: 400}, *o.Totals)
	require.Equal(t, int64(400), o.Amount.Minor)
}

// TestVoid cancels an authorization. After a capture it releases the rest, and later asks for the result.
func TestVoid(t *testing.T) {
	sends, result := drive(t, sdk.OpVoid, later(0, 0), answer(200, paymentBody("canceled", "10.00", "")))
	require.Equal(t, "DELETE https://api.mollie.com/v2/payments/tr_1", sends[0].Method+" "+sends[0].URL)
	require.Equal(t, sdk.StatusVoided, result.Outcome.Status)
	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpVoid, later(0, 0), answer(200, paymentBody("authorized", "10.00", ""))).Status)

	sends, result = drive(t, sdk.OpVoid, later(0, 400), answer(202, ""))
	require.Equal(t, "POST https://api.mollie.com/v2/payments/tr_1/release-authorization", sends[0].Method+" "+sends[0].URL)
	require.Equal(t, sdk.StatusPending, result.Outcome.Status)
	r := later(0, 400)
	r.Resolves = sdk.OpVoid
	require.Equal(t, sdk.StatusVoided, outcome(t, sdk.OpSync, r, answer(200, paymentBody("paid", "10.00", `,"amountCaptured":{"value":"4.00","currency":"EUR"}`))).Status)
	require.Equal(t, sdk.StatusAuthorized, outcome(t, sdk.OpSync, r, answer(200, paymentBody("authorized", "10.00", ""))).Status)

	o := outcome(t, sdk.OpVoid, later(0, 0), answer(422, `{"status":422,"title":"Unprocessable Entity","detail":"The payment cannot be canceled"}`))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	require.False(t, o.Decline.RetryElsewhere)
}

// TestRefund finds a refund after a lost answer by our reference.
func TestRefund(t *testing.T) {
	r := later(700, 1000)
	r.Reference = "ref_1"
	o := outcome(t, sdk.OpRefund, r, answer(201, `{"resource":"refund","id":"re_1","status":"refunded","amount":{"value":"7.00","currency":"EUR"}}`))
	require.Equal(t, sdk.StatusRefunded, o.Status)
	require.Equal(t, "re_1", o.RefundID)

	list := `{"_embedded":{"refunds":[{"resource":"refund","id":"re_2","status":"refunded","metadata":{"orderId":"ref_2"}},
		{"resource":"refund","id":"re_1","status":"failed","metadata":{"orderId":"ref_1"}}]},"_links":{"next":null}}`
	o = outcome(t, sdk.OpRefundSync, r, answer(200, list))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	require.Equal(t, "re_1", o.RefundID)
	r.Reference = "ref_3"
	require.Equal(t, sdk.StatusNotFound, outcome(t, sdk.OpRefundSync, r, answer(200, list)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r, answer(200, `{"_embedded":{"refunds":[]},"_links":{"next":{"href":"https://x"}}}`)).Status)
}

// TestEvidence: an answer that is not about the payment decides nothing.
func TestEvidence(t *testing.T) {
	mistake := func(status string) string { return `{"status":` + status + `,"title":"Error","detail":"Some error"}` }
	for _, v := range []struct {
		status int
		body   string
		want   sdk.OutcomeStatus
	}{{404, mistake("404"), sdk.StatusUnknown}, {404, "{}", sdk.StatusUnknown}, {401, mistake("401"), sdk.StatusUnknown}, {503, mistake("503"), sdk.StatusUnknown},
		{200, paymentBody("unheard_of", "10.00", ""), sdk.StatusUnknown}} {
		require.Equal(t, v.want, outcome(t, sdk.OpSync, later(1000, 0), answer(v.status, v.body)).Status, v.body)
	}
	for status, want := range map[string]sdk.OutcomeStatus{"401": sdk.StatusDeclined, "409": sdk.StatusUnknown, "429": sdk.StatusDeclined, "422": sdk.StatusDeclined} {
		code := int(status[0]-'0')*100 + int(status[1]-'0')*10 + int(status[2]-'0')
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "EUR"), answer(201, token), answer(code, mistake(status)))
		require.Equal(t, want, o.Status, status)
		if o.Decline != nil {
			require.True(t, o.Decline.RetryElsewhere, status)
		}
	}
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, sdk.Request{TransactionID: "tr_1", RefundID: "re_1"}, answer(401, mistake("401"))).Status)
}

// TestAddress: the adapter sends a complete address or none.
func TestAddress(t *testing.T) {
	r := purchase(1000, "EUR")
	sent := func() sdk.JSON {
		sends, _ := drive(t, sdk.OpAuthorize, r, answer(201, token), answer(201, paymentBody("paid", "10.00", "")))
		return wire.JSONBody(t, sends[1]).Get("billingAddress")
	}
	r.Billing = &sdk.Address{FirstName: "Ana", LastName: "Lima", Email: "ana@example.com", Line1: "Rua 1", Line2: "2", City: "Lisboa", Zip: "1000-001", Country: "PT"}
	require.JSONEq(t, `{"streetAndNumber":"Rua 1,2","city":"Lisboa","postalCode":"1000-001","country":"PT"}`, sent().Raw(""))
	r.Billing.City = ""
	require.False(t, sent().Exists())
}

// TestAmountsToldAreEvidence: an amount in another currency, or none, proves nothing. The payment's id stays known.
func TestAmountsToldAreEvidence(t *testing.T) {
	told := func(amounts string) sdk.Exchange {
		return answer(200, `{"resource":"payment","id":"tr_1","status":"paid",`+amounts+`}`)
	}
	for amounts, want := range map[string]sdk.OutcomeStatus{
		`"amount":{"currency":"EUR","value":"10.00"}`: sdk.StatusCaptured,
		`"amount":{"currency":"USD","value":"10.00"}`: sdk.StatusUnknown,
		`"amount":{"currency":"JPY","value":"10.00"}`: sdk.StatusUnknown,
		`"amount":{"currency":"EUR","value":"ten"}`:   sdk.StatusUnknown,
		`"amount":{"currency":"EUR","value":"-1.00"}`: sdk.StatusUnknown,
		`"amount":null`: sdk.StatusUnknown,
		`"amount":{"currency":"EUR","value":"10.00"},"amountCaptured":{"currency":"EUR","value":[]}`:            sdk.StatusUnknown,
		`"amount":{"currency":"EUR","value":"10.00"},"amountRefunded":{"currency":"USD","value":"1.00"}`:        sdk.StatusUnknown,
		`"amount":{"currency":"EUR","value":"10.00"},"amountCaptured":null,"amountRefunded":null`:               sdk.StatusCaptured,
		`"amount":{"currency":"EUR","value":"10.00"},"amountRefunded":{"currency":"EUR","value":"1.00"},"x":[]`: sdk.StatusCaptured,
	} {
		r := later(1000, 0)
		r.Payment.Capture = sdk.CaptureAutomatic
		o := outcome(t, sdk.OpSync, r, told(amounts))
		require.Equal(t, want, o.Status, amounts)
		require.Equal(t, "tr_1", o.TransactionID, amounts)
	}
	for status, body := range map[int]string{201: "unheard_of", 500: "paid"} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "EUR"), answer(201, token), answer(status, paymentBody(body, "10.00", "")))
		require.Equal(t, sdk.StatusUnknown, o.Status)
		require.Equal(t, "tr_1", o.TransactionID)
	}
}

func TestWebhook(t *testing.T) {
	for body, want := range map[string][]sdk.Event{
		"id=tr_7UhSN1zuXS":  {{Object: "payment", TransactionID: "tr_7UhSN1zuXS", Sync: true}},
		"id=ord_1":          nil,
		"testByMollie=true": nil,
		"%":                 nil,
		"id=tr_%zz":         nil,
	} {
		o := outcome(t, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}})
		require.Equal(t, sdk.StatusHandled, o.Status)
		require.Equal(t, want, o.Events, body)
	}
}
