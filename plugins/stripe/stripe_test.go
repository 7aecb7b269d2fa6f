package stripe_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// play runs an operation with Stripe's answers, and returns the requests and the result.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result) {
	a := stripe.Adapter()
	sends, end, err := wire.Play(a, wire.NewStep(&a.Manifest, op, r), answers...)
	require.NoError(t, err)
	return sends, end
}

func outcome(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) *sdk.Outcome {
	_, end := play(t, op, r, answers...)
	require.NotNil(t, end.Outcome)
	return end.Outcome
}

func purchase(minor int64, c sdk.Currency) sdk.Request {
	return sdk.Request{Reference: "pay_1_1", Amount: sdk.Money{Minor: minor, Currency: c}, Capture: sdk.CaptureAutomatic, TransactionID: "pi_1",
		ReturnURL: "https://switch.example/back", Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "4242424242424242", CVC: "123", ExpMonth: 11, ExpYear: 2031}},
		Customer: &sdk.Customer{ID: "c1", Name: "Jane Roe", Email: "jane@example.com"}}
}

const succeeded = `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":1000,"currency":"usd","customer":"cus_1","payment_method":"pm_1","status":"succeeded"}`

func TestAmounts(t *testing.T) {
	fields := map[sdk.Operation]string{sdk.OpAuthorize: "amount", sdk.OpCapture: "amount_to_capture", sdk.OpRefund: "amount", sdk.OpIncrementalAuthorize: "amount"}
	for _, row := range []struct {
		amount sdk.Money
		want   string // "" is a reject
	}{
		{sdk.Money{Minor: 1050, Currency: "USD"}, "1050"}, {sdk.Money{Minor: 1050, Currency: "JPY"}, "1050"},
		{sdk.Money{Minor: 1050, Currency: "KWD"}, "1050"}, {sdk.Money{Minor: 1051, Currency: "KWD"}, ""},
		{sdk.Money{Minor: 1050, Currency: "UGX"}, "105000"}, {sdk.Money{Minor: 1 << 62, Currency: "UGX"}, ""},
		{sdk.Money{Minor: 1050, Currency: "CLF"}, ""}, {sdk.Money{Minor: 1<<53 + 1, Currency: "EUR"}, "9007199254740993"},
	} {
		for op, field := range fields {
			sends, end := play(t, op, purchase(row.amount.Minor, row.amount.Currency))
			if row.want == "" {
				require.Equal(t, sdk.RejectInvalid, end.Reject.Code, row)
				continue
			}
			require.Equal(t, row.want, wire.FormBody(t, sends[0])[field], "%v %s", row, op)
		}
	}
	o := outcome(t, sdk.OpAuthorize, purchase(1050, "UGX"), wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":105000,"amount_received":105000,"currency":"ugx","status":"succeeded"}`))
	require.Equal(t, &sdk.Money{Minor: 1050, Currency: "UGX"}, o.Amount)
}

// asked returns a request of 10 dollars, or the verification of a card.
func asked(op sdk.Operation) sdk.Request {
	if op == sdk.OpVerify {
		return purchase(0, "USD")
	}
	return purchase(1000, "USD")
}

func TestLimits(t *testing.T) {
	r := purchase(1000, "USD")
	r.Metadata = map[string]string{"order_id": "x", "a[b]": "x", strings.Repeat("n", 41): "x", "long": strings.Repeat("v", 501)}
	for i := range 60 {
		r.Metadata["k"+strconv.Itoa(i)] = "v"
	}
	r.DescriptorName, r.DescriptorSuffix = "THE MERCHANT WITH THE LONGEST NAME", "AND A SUFFIX THAT IS NOT SHORT"
	sends, _ := play(t, sdk.OpAuthorize, r)
	f := wire.FormBody(t, sends[0])
	kept := 0
	for name := range f {
		if strings.HasPrefix(name, "metadata[") {
			kept++
			require.True(t, name == "metadata[order_id]" || strings.HasPrefix(name, "metadata[k"), name)
		}
	}
	require.Equal(t, 50, kept)
	require.Equal(t, "pay_1_1", f["metadata[order_id]"])
	require.Equal(t, []string{"THE MERCHANT WITH THE ", "AND A SUFFIX THAT IS N"}, []string{f["statement_descriptor"], f["statement_descriptor_suffix"]}, "longer ones would be refused")
}

func TestEveryPostIsIdempotent(t *testing.T) {
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify, sdk.OpCapture, sdk.OpVoid, sdk.OpRefund, sdk.OpIncrementalAuthorize} {
		sends, _ := play(t, op, asked(op))
		require.Equal(t, "Idempotency-Key", sends[0].IdempotencyHeader, op)
		require.True(t, sends[0].SafeToRepeat)
	}
}

// A stored card gets a customer, whom later payments name.
func TestStoredCredentials(t *testing.T) {
	r := purchase(1000, "USD")
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true}
	sends, end := play(t, sdk.OpAuthorize, r, wire.Answer(200, `{"id":"cus_1","object":"customer"}`), wire.Answer(200, succeeded))
	require.Len(t, sends, 2)
	require.Equal(t, map[string]string{"email": "jane@example.com", "name": "Jane Roe"}, wire.FormBody(t, sends[0]))
	require.Equal(t, []string{"cus_1", "off_session"}, []string{wire.FormBody(t, sends[1])["customer"], wire.FormBody(t, sends[1])["setup_future_usage"]})
	require.Equal(t, &sdk.StoredCredential{ID: "pm_1", CustomerID: "cus_1"}, end.Outcome.StoredCredential)
	require.Equal(t, "cus_1", end.Outcome.ConnectorData.Customer)
	_, end = play(t, sdk.OpAuthorize, r, wire.Answer(200, `{"id":"cus_1","object":"customer"}`), wire.Answer(402, `{"error":{"type":"card_error","code":"card_declined"}}`))
	require.Equal(t, "cus_1", end.Outcome.ConnectorData.Customer, "made for this payment, and known in the next")

	again := purchase(1000, "USD")
	again.ConnectorData = end.Outcome.ConnectorData
	again.Instrument = &sdk.Instrument{StoredCredentialID: "pm_1"}
	again.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "recurring"}
	sends, end = play(t, sdk.OpAuthorize, again, wire.Answer(200, succeeded))
	require.Len(t, sends, 1)
	f := wire.FormBody(t, sends[0])
	require.Equal(t, []string{"cus_1", "pm_1", "true", ""}, []string{f["customer"], f["payment_method"], f["off_session"], f["setup_future_usage"]})
	require.Nil(t, end.Outcome.StoredCredential)

	again.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit"}
	again.Request3DS = true
	sends, _ = play(t, sdk.OpAuthorize, again)
	require.Empty(t, wire.FormBody(t, sends[0])["off_session"])
	require.Equal(t, "any", wire.FormBody(t, sends[0])["payment_method_options[card][request_three_d_secure]"])

	refused := outcome(t, sdk.OpAuthorize, r, wire.Answer(400, `{"error":{"type":"invalid_request_error","code":"email_invalid","message":"Invalid email address"}}`))
	require.Equal(t, sdk.StatusDeclined, refused.Status)
	require.Equal(t, "email_invalid", refused.Decline.Code)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAuthorize, r, wire.Answer(200, `{}`)).Status)
}

func TestThreeDSecureOfStripe(t *testing.T) {
	r := purchase(1000, "USD")
	r.Request3DS = true
	sends, end := play(t, sdk.OpAuthorize, r, wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":1000,"currency":"usd","status":"requires_action",
		"next_action":{"type":"redirect_to_url","redirect_to_url":{"url":"https://hooks.stripe.com/3d_secure_2/1"}}}`))
	require.Equal(t, "any", wire.FormBody(t, sends[0])["payment_method_options[card][request_three_d_secure]"])
	require.Equal(t, sdk.StatusCustomerAction, end.Outcome.Status)
	require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://hooks.stripe.com/3d_secure_2/1"}, end.Outcome.NextAction)

	sends, end = play(t, sdk.OpComplete, r, wire.Answer(200, succeeded))
	require.Equal(t, "https://api.stripe.com/v1/payment_intents/pi_1?expand[0]=latest_charge", sends[0].URL)
	require.Equal(t, sdk.StatusCaptured, end.Outcome.Status)
	o := outcome(t, sdk.OpComplete, r, wire.Answer(200, `{"id":"pi_1","object":"payment_intent","status":"requires_payment_method",
		"last_payment_error":{"type":"card_error","code":"payment_intent_authentication_failure","message":"We are unable to authenticate your payment method."}}`))
	require.Equal(t, sdk.DeclineAuthenticationFailed, o.Decline.Reason)
	o = outcome(t, sdk.OpComplete, r, wire.Answer(200, `{"id":"pi_1","object":"payment_intent","status":"canceled","cancellation_reason":"abandoned"}`))
	require.Equal(t, sdk.DeclineAbandoned, o.Decline.Reason)

	o = outcome(t, sdk.OpAuthorize, r, wire.Answer(200, `{"id":"pi_1","object":"payment_intent","status":"requires_action","next_action":{"type":"use_stripe_sdk"}}`))
	require.Equal(t, sdk.StatusUnknown, o.Status, "an action that only Stripe's script can run")

	r.TransactionID = "seti_1"
	sends, end = play(t, sdk.OpComplete, r, wire.Answer(200, `{"id":"seti_1","object":"setup_intent","status":"succeeded","payment_method":"pm_1"}`))
	require.Equal(t, "https://api.stripe.com/v1/setup_intents/seti_1?expand[0]=latest_attempt", sends[0].URL)
	require.Equal(t, sdk.StatusVerified, end.Outcome.Status)
	require.Equal(t, "pm_1", end.Outcome.StoredCredential.ID)
}

// The adapter sends an outside result with its cryptogram. Without a cryptogram Stripe would refuse the payment.
func TestThreeDSecureFromElsewhere(t *testing.T) {
	const result = "payment_method_options[card][three_d_secure]"
	r := purchase(1000, "USD")
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAAB", ECI: "06", TransStatus: "A", Version: "2.1.0", DSTransID: "ds-1"}
	sends, _ := play(t, sdk.OpAuthorize, r)
	form := wire.FormBody(t, sends[0])
	require.Equal(t, []string{"AAAB", "06", "A", "2.1.0", "ds-1"}, []string{form[result+"[cryptogram]"], form[result+"[electronic_commerce_indicator]"],
		form[result+"[ares_trans_status]"], form[result+"[version]"], form[result+"[transaction_id]"]})

	const algorithm = result + "[network_options][cartes_bancaires][cb_avalgo]"
	r.ThreeDS.CAVVAlgorithm = "4"
	for network, want := range map[sdk.CardNetwork]string{sdk.Visa: "", sdk.CartesBancaires: "4"} {
		r.Instrument.Card.Network = network
		sends, _ = play(t, sdk.OpAuthorize, r)
		require.Equal(t, want, wire.FormBody(t, sends[0])[algorithm])
	}

	r.Instrument.NetworkTransactionID, r.StoredCredential = "0161", &sdk.StoredCredentialUse{Initiator: "mit"}
	sends, _ = play(t, sdk.OpAuthorize, r)
	require.Equal(t, "AAAB", wire.FormBody(t, sends[0])[result+"[cryptogram]"])
	r.Instrument.NetworkTransactionID, r.StoredCredential = "", nil

	r.Request3DS, r.ThreeDS = true, &sdk.ThreeDSResult{ECI: "07", TransStatus: "U", Version: "2.2.0", DSTransID: "ds-1"}
	sends, _ = play(t, sdk.OpAuthorize, r)
	for name := range wire.FormBody(t, sends[0]) {
		require.NotContains(t, name, result)
	}
	require.Equal(t, "automatic", wire.FormBody(t, sends[0])["payment_method_options[card][request_three_d_secure]"], "it is not run twice")
}

// Telephone numbers go out in E.164, with their country codes.
func TestTelephoneNumbers(t *testing.T) {
	r := purchase(1000, "USD")
	r.Billing = &sdk.Address{FirstName: "Ann", Phone: "4155550100", PhoneCountry: "+1"}
	r.Shipping = &sdk.Address{FirstName: "Ann", Line1: "1 Market St", Phone: "079 123 45 67", PhoneCountry: "41"}
	sends, _ := play(t, sdk.OpAuthorize, r)
	body := wire.FormBody(t, sends[0])
	require.Equal(t, []string{"+14155550100", "+41791234567"}, []string{body["payment_method_data[billing_details][phone]"], body["shipping[phone]"]})
}

func TestPartialCapture(t *testing.T) {
	partial := `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":400,"currency":"usd","status":"succeeded"}`
	o := outcome(t, sdk.OpCapture, purchase(400, "USD"), wire.Answer(200, partial))
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, int64(400), o.Amount.Minor)
	require.True(t, o.Released)
	o = outcome(t, sdk.OpCapture, purchase(400, "USD"), wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_capturable":1000,"currency":"usd","status":"requires_capture"}`))
	require.Equal(t, sdk.StatusUnknown, o.Status, "still held: not captured, and not refused either")
}

// Stripe counts the captures of a payment together. A capture is what the sum has more than before.
func TestSeveralCaptures(t *testing.T) {
	intent := func(received, capturable int, status string) sdk.Exchange {
		return wire.Answer(200, fmt.Sprintf(`{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":%d,"amount_capturable":%d,"currency":"usd","status":%q}`,
			received, capturable, status))
	}
	r := purchase(400, "USD")
	r.Payment = &sdk.PaymentState{Currency: "USD", Requested: 1000, Authorized: 1000, Capture: sdk.CaptureManual}
	for _, c := range []struct {
		before, asked, received, capturable int64
		final                               bool
		status                              string
		want                                int64 // 0 for an unknown result
	}{
		{0, 400, 400, 600, false, "requires_capture", 400}, {400, 500, 900, 100, false, "requires_capture", 500},
		{900, 100, 1000, 0, true, "succeeded", 100}, {400, 600, 400, 600, true, "requires_capture", 0}, {400, 600, 400, 0, true, "succeeded", 0},
	} {
		r.Payment.Captured, r.Amount.Minor, r.FinalCapture = c.before, c.asked, c.final
		sends, end := play(t, sdk.OpCapture, r, intent(int(c.received), int(c.capturable), c.status))
		require.Equal(t, map[bool]string{true: "", false: "false"}[c.final], wire.FormBody(t, sends[0])["final_capture"])
		if c.want == 0 {
			require.Equal(t, sdk.StatusUnknown, end.Outcome.Status, "%+v", c)
			continue
		}
		require.Equal(t, sdk.StatusCaptured, end.Outcome.Status, "%+v", c)
		require.Equal(t, c.want, end.Outcome.Amount.Minor)
		require.False(t, end.Outcome.Released)
	}
	r.FinalCapture = false
	o := outcome(t, sdk.OpSync, r, wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":400,"amount_capturable":600,"currency":"usd","status":"requires_capture",
		"latest_charge":{"amount_refunded":0}}`))
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, &sdk.Totals{Authorized: 1000, Captured: 400}, o.Totals)
	require.False(t, o.Released, "the rest is still held")
}

// void cancels an intent that waits for the customer, as its own kind.
func TestVoid(t *testing.T) {
	r := purchase(1000, "USD")
	for id, reasons := range map[string]map[string]string{
		"pi_1":   {"fraudulent": "fraudulent", "abandoned": "abandoned", "changed my mind": ""},
		"seti_1": {"fraudulent": "", "abandoned": "abandoned"},
	} {
		path, object := "payment_intents", "payment_intent"
		if id == "seti_1" {
			path, object = "setup_intents", "setup_intent"
		}
		for reason, want := range reasons {
			r.TransactionID, r.Reason = id, reason
			sends, end := play(t, sdk.OpVoid, r, wire.Answer(200, `{"id":"`+id+`","object":"`+object+`","status":"canceled"}`))
			require.Equal(t, "https://api.stripe.com/v1/"+path+"/"+id+"/cancel", sends[0].URL)
			require.Equal(t, want, wire.FormBody(t, sends[0])["cancellation_reason"], id)
			require.Equal(t, sdk.StatusVoided, end.Outcome.Status)
		}
	}
}

func TestIncrementalAuthorization(t *testing.T) {
	a := stripe.Adapter()
	r := purchase(1000, "USD")
	r.Capture = sdk.CaptureManual
	step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, r)
	step.Account.Config["incremental_authorization"] = "if_available"
	sends, _, err := wire.Play(a, step)
	require.NoError(t, err)
	require.Equal(t, "if_available", wire.FormBody(t, sends[0])["payment_method_options[card][request_incremental_authorization]"])
	o := outcome(t, sdk.OpIncrementalAuthorize, purchase(1500, "USD"), wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":1500,"amount_capturable":1500,"currency":"usd","status":"requires_capture"}`))
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	require.Equal(t, int64(1500), o.Amount.Minor)
}

// The adapter finds a payment whose id was lost by our reference.
func TestLostAnswers(t *testing.T) {
	r := purchase(1000, "USD")
	r.TransactionID, r.Resolves = "", sdk.OpAuthorize
	sends, end := play(t, sdk.OpSync, r, wire.Answer(200, `{"object":"search_result","data":[`+succeeded+`]}`))
	require.Equal(t, "https://api.stripe.com/v1/payment_intents/search?query=metadata%5B%27order_id%27%5D%3A%27pay_1_1%27&expand[0]=data.latest_charge", sends[0].URL)
	require.Equal(t, sdk.StatusCaptured, end.Outcome.Status)
	o := outcome(t, sdk.OpSync, r, wire.Answer(200, `{"data":[{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":900,"currency":"usd","status":"succeeded","latest_charge":{"amount_refunded":300}}]}`))
	require.Equal(t, &sdk.Totals{Authorized: 1000, Captured: 900, Refunded: 300}, o.Totals)
	for answer, want := range map[string]sdk.OutcomeStatus{
		`{"object":"search_result","data":[]}`:                                    sdk.StatusNotFound,
		`{"object":"search_result","data":[` + succeeded + `,` + succeeded + `]}`: sdk.StatusUnknown,
		`{}`: sdk.StatusUnknown,
	} {
		require.Equal(t, want, outcome(t, sdk.OpSync, r, wire.Answer(200, answer)).Status, answer)
	}
	r.Resolves = sdk.OpVerify
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(200, `{"data":[]}`)).Status, "SetupIntents cannot be searched")

	r = purchase(1000, "USD")
	gone := wire.Answer(404, `{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such payment_intent: 'pi_1'"}}`)
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpSync, r, gone).Raw["alarm"], "an id that Stripe gave")
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(404, `{"error":{"type":"invalid_request_error"}}`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(401, `{"error":{"type":"invalid_request_error"}}`)).Status, "the key is wrong: nothing is known of the payment")

	r.Reference = "ref_2"
	list := `{"object":"list","has_more":false,"data":[{"id":"re_1","object":"refund","metadata":{"order_id":"ref_1"},"status":"failed"},
		{"id":"re_2","object":"refund","amount":300,"currency":"usd","metadata":{"order_id":"ref_2"},"payment_intent":"pi_1","status":"succeeded"}]}`
	o = outcome(t, sdk.OpRefundSync, r, wire.Answer(200, list))
	require.Equal(t, []any{sdk.StatusRefunded, "re_2", int64(300)}, []any{o.Status, o.RefundID, o.Amount.Minor})
	require.Equal(t, sdk.StatusNotFound, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, `{"object":"list","has_more":false,"data":[]}`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, `{"object":"list","has_more":true,"data":[]}`)).Status)
	r.RefundID = "re_2"
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpRefundSync, r, gone).Raw["alarm"], "an id that Stripe gave")
}

func TestErrors(t *testing.T) {
	for _, row := range []struct {
		status int
		body   string
		want   sdk.OutcomeStatus
		reason sdk.DeclineReason
	}{
		{402, `{"error":{"type":"card_error","code":"card_declined","decline_code":"stolen_card"}}`, sdk.StatusDeclined, sdk.DeclineStolenCard},
		{402, `{"error":{"type":"card_error","code":"card_declined","decline_code":"brand_new"}}`, sdk.StatusDeclined, sdk.DeclineGeneric},
		{402, `{"error":{"type":"card_error","code":"card_decline_rate_limit_exceeded"}}`, sdk.StatusDeclined, sdk.DeclineLimitExceeded},
		{402, `{"error":{"type":"card_error","code":"expired_card"}}`, sdk.StatusDeclined, sdk.DeclineExpiredCard},
		{400, `{"error":{"type":"invalid_request_error","code":"amount_too_small"}}`, sdk.StatusDeclined, sdk.DeclineInvalidAmount},
		{400, `{"error":{"type":"invalid_request_error","message":"?"}}`, sdk.StatusDeclined, sdk.DeclineProcessingError},
		{401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key"}}`, sdk.StatusDeclined, sdk.DeclineInvalidMerchant},
		{400, `{"error":{"type":"idempotency_error","message":"used before"}}`, sdk.StatusUnknown, ""},
		{409, `{"error":{"type":"invalid_request_error","code":"idempotency_key_in_use"}}`, sdk.StatusUnknown, ""},
		{429, `{"error":{"type":"invalid_request_error","code":"rate_limit"}}`, sdk.StatusUnknown, ""},
		{500, `{"error":{"type":"card_error","code":"card_declined"}}`, sdk.StatusUnknown, ""},
		{402, `{"error":{"type":"api_error"}}`, sdk.StatusUnknown, ""},
		{402, succeeded, sdk.StatusUnknown, ""},
	} {
		for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify, sdk.OpCapture, sdk.OpVoid, sdk.OpRefund, sdk.OpIncrementalAuthorize} {
			o := outcome(t, op, asked(op), wire.Answer(row.status, row.body))
			require.Equal(t, row.want, o.Status, "%s %v", op, row)
			if row.reason != "" {
				require.Equal(t, row.reason, o.Decline.Reason, "%s %v", op, row)
				facts, _ := row.reason.Facts()
				require.Equal(t, facts.RetryElsewhere, o.Decline.RetryElsewhere)
				require.NotEmpty(t, o.Decline.Code)
			}
		}
	}
}

// Stripe's advice replaces the decline codes that said not to try again, and a restricted card may be a lost or stolen one
// (docs.stripe.com/declines/codes): no other processor may try such a card.
func TestAdviceNotToTryAgain(t *testing.T) {
	for error, elsewhere := range map[string]bool{
		`"decline_code":"generic_decline"`:                                          true,
		`"decline_code":"generic_decline","advice_code":"try_again_later"`:          true,
		`"decline_code":"generic_decline","advice_code":"do_not_try_again"`:         false,
		`"decline_code":"transaction_not_allowed","advice_code":"do_not_try_again"`: false,
		`"decline_code":"restricted_card"`:                                          false,
	} {
		_, end := play(t, sdk.OpAuthorize, purchase(1000, "USD"), wire.Answer(402, `{"error":{"type":"card_error","code":"card_declined",`+error+`}}`))
		require.Equal(t, elsewhere, end.Outcome.Decline.RetryElsewhere, error)
	}
}

// An undecided answer still gives the id for a later query.
func TestUndecidedHasItsID(t *testing.T) {
	r := purchase(1000, "USD")
	r.TransactionID = ""
	for _, x := range []sdk.Exchange{wire.Answer(500, succeeded), wire.Answer(400, succeeded), wire.Answer(500, `{"error":{"type":"api_error","payment_intent":{"id":"pi_1"}}}`),
		wire.Answer(200, `{"id":"pi_1","object":"payment_intent","status":"brand_new"}`)} {
		o := outcome(t, sdk.OpAuthorize, r, x)
		require.Equal(t, []any{sdk.StatusUnknown, "pi_1"}, []any{o.Status, o.TransactionID}, string(x.Body))
	}
	require.Empty(t, outcome(t, sdk.OpRefund, r, wire.Answer(500, `{"id":"re_1","object":"refund"}`)).TransactionID, "that is no payment's")
}

func TestRejects(t *testing.T) {
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify} {
		r := asked(op)
		r.Instrument = nil
		_, end := play(t, op, r)
		require.Equal(t, sdk.RejectMissing, end.Reject.Code)
	}
}

// What the payment asks of its hold goes into the request, and what Stripe says of the hold into the outcome.
func TestHold(t *testing.T) {
	r := purchase(1000, "USD")
	r.Capture, r.Hold = sdk.CaptureManual, &sdk.HoldWish{Incremental: true, Extended: true, OverCapture: true, Multiple: true}
	answer := wire.Answer(200, `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_capturable":1000,"currency":"usd","status":"requires_capture","latest_charge":{"payment_method_details":
		{"card":{"capture_before":1700000000,"extended_authorization":{"status":"enabled"},"incremental_authorization":{"status":"available"},"overcapture":{"status":"unavailable"}}}}}`)
	sends, end := play(t, sdk.OpAuthorize, r, answer)
	for _, name := range []string{"incremental_authorization", "extended_authorization", "overcapture", "multicapture"} {
		require.Equal(t, "if_available", wire.FormBody(t, sends[0])["payment_method_options[card][request_"+name+"]"], name)
	}
	yes, no := true, false
	require.Equal(t, &sdk.Hold{Incremental: &yes, OverCapture: &no, Extended: &yes, CaptureBefore: 1_700_000_000_000}, end.Outcome.Hold)
	r.Hold = nil
	sends, end = play(t, sdk.OpAuthorize, r, answer)
	require.NotContains(t, string(sends[0].Body), "if_available")
	require.Nil(t, end.Outcome.Hold)
}
