package checkout_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, checkout.Adapter(), os.DirFS("testdata"), facts) }

const (
	links  = `"_links":{"redirect":{"href":"https://3ds2.example/x"}}`
	action = `{"action_id":"act_1","reference":"order-1"}`
	raised = `{"action_id":"act_2","amount":1000,"currency":"USD","approved":true,"auth_code":"410961","response_code":"10000","balances":{"total_authorized":3499}}`
)

// paid returns a payment in Checkout.com's form.
func paid(status, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"id":"pay_1","status":"` + status + `","amount":2499,"currency":"USD","reference":"order-1","source":{"id":"src_1","cvv_check":"Y","avs_check":"A"}` + more + `}`
}

// TestSuite runs the suite of all adapters.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(checkout.Adapter()), sdktest.Options{
		Answer: func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
			body := `{"id":"pay_1","status":"Authorized","approved":true}`
			switch op {
			case sdk.OpCapture, sdk.OpVoid, sdk.OpRefund:
				body = action
			case sdk.OpIncrementalAuthorize:
				body = raised
			case sdk.OpRefundSync:
				body = `[{"id":"act_0","type":"Authorization","approved":true},{"id":"rf_1","type":"Refund","approved":true}]`
			}
			return sdk.Exchange{Status: 200, Body: []byte(body)}
		},
	}))
}

// step returns a step of an operation with a card.
func step(op sdk.Operation) *sdk.Step {
	return wire.NewStep(&checkout.Adapter().Manifest, op, sdk.Request{Reference: "order-1", Amount: sdk.Money{Minor: 2499, Currency: "USD"},
		Capture: sdk.CaptureManual, TransactionID: "pay_1", ReturnURL: "https://switch.example/return?x=1",
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "numberStandIn", CVC: "cvcStandIn", ExpMonth: 12, ExpYear: 2030, Holder: "Ann B. Doe"}}})
}

// sent returns the adapter's first request.
func sent(t *testing.T, s *sdk.Step) (*sdk.Send, sdk.JSON) {
	t.Helper()
	sends, r, err := wire.Play(checkout.Adapter(), s)
	require.NoError(t, err)
	require.Len(t, sends, 1, "%+v", r)
	body, _ := sdk.ParseJSON(sends[0].Body) // a GET has no body
	return sends[0], body
}

// outcome returns the adapter's outcome for an answer.
func outcome(t *testing.T, s *sdk.Step, status int, body string) *sdk.Outcome {
	t.Helper()
	_, r, err := wire.Play(checkout.Adapter(), s, wire.Answer(status, body))
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
		{1050, "USD", "1050"}, {1050, "JPY", "1050"}, {1050, "KWD", "1050"}, {1051, "KWD", ""}, {9007199254740993, "EUR", "9007199254740993"},
		{1050, "CLP", "105000"}, {1<<62 + 1, "CLP", ""}, {105000, "ISK", "1050"}, {105001, "ISK", ""}, {100, "CLF", ""}, {100, "XXX", ""},
	} {
		s := step(sdk.OpAuthorize)
		s.Request.Amount = sdk.Money{Minor: k.minor, Currency: k.currency}
		if k.value == "" {
			require.NotNil(t, checkout.Adapter().Step(s).Reject, "%d %s", k.minor, k.currency)
			continue
		}
		_, body := sent(t, s)
		require.Equal(t, k.value, body.Number("amount"), k.currency)
		o := outcome(t, s, 201, `{"id":"pay_1","status":"Authorized","amount":`+k.value+`,"currency":"`+string(k.currency)+`"}`)
		require.Equal(t, s.Request.Amount, *o.Amount)
	}
}

func TestBlind(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "cavvStandIn", ECI: "05", Version: "2.2.0", DSTransID: "ds-1"}
	send, body := sent(t, s)
	require.Equal(t, "Bearer test_api_secret", sdk.HeaderValue(send.Headers, "Authorization"))
	require.Equal(t, "Cko-Idempotency-Key", send.IdempotencyHeader)
	// After an error Checkout.com forgets the key, and the same request makes another payment.
	require.False(t, send.SafeToRepeat)
	require.NotContains(t, checkout.Adapter().Manifest.Resolve.By, sdk.ResolveByIdempotentResend)
	require.Equal(t, "numberStandIn", body.Str("source.number"))
	require.Equal(t, "cvcStandIn", body.Str("source.cvv"))
	require.Equal(t, `{"first_name":"Ann B.","last_name":"Doe"}`, body.Raw("source.account_holder"))
	require.Equal(t, `{"enabled":true,"force_3ds":false,"eci":"05","cryptogram":"cavvStandIn","xid":"ds-1","version":"2.2.0","challenge_indicator":"no_preference"}`,
		body.Raw("3ds"))
	require.Equal(t, "https://switch.example/return?x=1&status=success", body.Str("success_url"))
}

// A payment with Checkout.com's own 3-D Secure redirects; complete asks for its result. A card of two networks is charged on the
// chosen one. A resubmitted payment is marked as one.
func TestProcessing(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Instrument.Card.Network = sdk.Visa
	_, body := sent(t, s)
	require.False(t, body.Has("processing"))
	s.Request.DescriptorName = "THE MERCHANT WITH THE LONGEST NAME"
	_, body = sent(t, s)
	require.Equal(t, "THE MERCHANT WITH THE LON", body.Str("billing_descriptor.name"), "a longer one would be refused")
	s.Request.Instrument.Card.Network = sdk.CartesBancaires
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "resubmission"}
	_, body = sent(t, s)
	require.JSONEq(t, `{"preferred_scheme":"cartes_bancaires","merchant_initiated_reason":"Resubmission"}`, body.Raw("processing"))
	require.Equal(t, "Unscheduled", body.Str("payment_type"))
}

func TestExternal3DS(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "cavvStandIn", ECI: "06", TransStatus: "A", Version: "2.1.0", DSTransID: "ds-1", Flow: "frictionless", CAVVAlgorithm: "2"}
	_, body := sent(t, s)
	require.JSONEq(t, `{"enabled":true,"force_3ds":false,"eci":"06","cryptogram":"cavvStandIn","xid":"ds-1","version":"2.1.0","status":"A","flow_type":"frictionless",
		"cryptogram_algorithm":"2","challenge_indicator":"no_preference"}`, body.Raw("3ds"))
}

func TestShipping(t *testing.T) {
	s := step(sdk.OpAuthorize)
	_, body := sent(t, s)
	require.False(t, body.Has("shipping"))
	s.Request.Shipping = &sdk.Address{Line1: "500 Oak Ave", City: "Portland", Zip: "97201", Country: "US"}
	_, body = sent(t, s)
	require.JSONEq(t, `{"address":{"address_line1":"500 Oak Ave","city":"Portland","zip":"97201","country":"US"}}`, body.Raw("shipping"))
}

func TestRedirect(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Request3DS = true
	_, body := sent(t, s)
	require.True(t, body.Bool("3ds.enabled"))
	require.Equal(t, "challenge_requested", body.Str("3ds.challenge_indicator"))
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	_, body = sent(t, s)
	require.Equal(t, "challenge_requested_mandate", body.Str("3ds.challenge_indicator"), "the merchant is to charge on its own")
	s.Request.StoredCredential = nil
	o := outcome(t, s, 202, paid("Pending", links))
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://3ds2.example/x"}, o.NextAction)

	s = step(sdk.OpComplete)
	s.Request.Return = &sdk.Return{Method: "GET", Query: []sdk.Header{sdk.H("status", "success"), sdk.H("cko-session-id", "sid_1")}}
	send, _ := sent(t, s)
	require.Equal(t, "GET https://api.sandbox.checkout.com/payments/pay_1", send.Method+" "+send.URL)
	require.Equal(t, sdk.StatusAuthorized, outcome(t, s, 200, paid("Authorized", "")).Status)
	o = outcome(t, step(sdk.OpComplete), 200, paid("Declined", `"actions":[{"response_code":"20151","response_summary":"Cardholder failed 3DS"}]`))
	require.Equal(t, sdk.Decline{Code: "20151", Message: "Cardholder failed 3DS", Reason: sdk.DeclineAuthenticationFailed}, *o.Decline)
	require.Equal(t, sdk.StatusPending, outcome(t, step(sdk.OpComplete), 200, paid("Pending", links)).Status)
	require.Equal(t, sdk.StatusDeclined, outcome(t, step(sdk.OpComplete), 200, paid("Expired", "")).Status)
}

func TestRefusals(t *testing.T) {
	for _, k := range []struct {
		status int
		body   string
		reason sdk.DeclineReason // "" is unknown
	}{
		{422, `{"error_type":"request_invalid","error_codes":["card_expired","cvv_invalid"]}`, sdk.DeclineExpiredCard},
		{422, `{"error_type":"request_invalid","error_codes":["card_expiry_year_invalid"]}`, sdk.DeclineIncorrectExpiry},
		{422, `{"error_type":"request_invalid","error_codes":["processing_channel_id_invalid"]}`, sdk.DeclineInvalidMerchant},
		{403, `{"error_type":"processing_error","error_codes":["new_one"]}`, sdk.DeclineProcessingError},
		{409, `{"error_type":"request_invalid","error_codes":["idempotency_key_in_use"]}`, ""},
		{429, `{"error_type":"request_invalid","error_codes":["duplicate_request"]}`, ""},
		{500, `{"error_type":"processing_error","error_codes":["card_expired"]}`, ""},
		{401, ``, ""}, {403, `<html>`, ""},
	} {
		for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpVoid, sdk.OpRefund} {
			o := outcome(t, step(op), k.status, k.body)
			if k.reason == "" {
				require.Equal(t, sdk.StatusUnknown, o.Status, k.body)
				continue
			}
			require.Equal(t, sdk.StatusDeclined, o.Status, k.body)
			require.Equal(t, k.reason, o.Decline.Reason, k.body)
		}
	}
	require.Equal(t, "card_expired, cvv_invalid", outcome(t, step(sdk.OpVoid), 422, `{"error_codes":["card_expired","cvv_invalid"]}`).Decline.Message)
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpAuthorize), 201, paid("Authorized", `"approved":false`)).Status)
	o := outcome(t, step(sdk.OpAuthorize), 201, paid("Declined", `"response_code":"29999","response_summary":"New","processing":{"partner_response_code":"05"}`))
	require.Equal(t, sdk.Decline{Code: "29999", Message: "New", NetworkCode: "05", Reason: sdk.DeclineDoNotHonor, RetryElsewhere: true}, *o.Decline)
	for code, want := range map[string]sdk.DeclineReason{"20055": sdk.DeclineSecurityViolation, "30034": sdk.DeclineFraud, "30036": sdk.DeclinePickUpCard,
		"40201": sdk.DeclineBlocked, "30022": sdk.DeclineLimitExceeded, "200R1": sdk.DeclineStopRecurring, "20182": sdk.DeclineDoNotHonor} {
		// 82 is a code of Mastercard, not the security code check of other networks.
		o := outcome(t, step(sdk.OpAuthorize), 201, paid("Declined", `"response_code":"`+code+`","processing":{"partner_response_code":"82"}`))
		require.Equal(t, want, o.Decline.Reason, code)
	}
}

// An undecided answer still gives the payment's id.
func TestUndecidedHasItsID(t *testing.T) {
	for body, status := range map[string]int{paid("Brand New", ""): 201, paid("Authorized", `"approved":false`): 201, paid("Authorized", `"approved":"false"`): 201, paid("Authorized", ""): 500} {
		s := step(sdk.OpAuthorize)
		s.Request.TransactionID = ""
		o := outcome(t, s, status, body)
		require.Equal(t, []any{sdk.StatusUnknown, "pay_1"}, []any{o.Status, o.TransactionID}, body)
	}
}

// A hard decline (30xxx) lasts until the issuer or the cardholder has acted (checkout.com/docs, "API response codes"), so no other processor may try the
// card.
func TestHardDeclines(t *testing.T) {
	for code, want := range map[string]sdk.DeclineReason{"30020": sdk.DeclineInvalidAmount, "30036": sdk.DeclinePickUpCard, "30043": sdk.DeclineStolenCard,
		"30044": sdk.DeclineRestrictedCard, "30099": sdk.DeclineGeneric} {
		o := outcome(t, step(sdk.OpAuthorize), 201, `{"id":"pay_1","status":"Declined","approved":false,"amount":2499,"currency":"USD","response_code":"`+code+`"}`)
		require.Equal(t, want, o.Decline.Reason, code)
		require.False(t, o.Decline.RetryElsewhere, code)
	}
	soft := outcome(t, step(sdk.OpAuthorize), 201, `{"id":"pay_1","status":"Declined","approved":false,"amount":2499,"currency":"USD","response_code":"20062"}`)
	require.True(t, soft.Decline.RetryElsewhere)
}

// An estimated authorization is raised by the difference to the new total.
func TestIncrementalAuthorization(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Account.Config = map[string]string{"authorization_type": "Estimated"}
	_, body := sent(t, s)
	require.Equal(t, "Estimated", body.Str("authorization_type"))
	s.Request.Capture = sdk.CaptureAutomatic
	_, body = sent(t, s)
	require.False(t, body.Has("authorization_type"), "it could not be captured at once")

	s = step(sdk.OpIncrementalAuthorize)
	s.Request.Amount.Minor = 3499
	s.Request.Payment = &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Capture: sdk.CaptureManual}
	send, _ := sent(t, s)
	require.Equal(t, "https://api.sandbox.checkout.com/payments/pay_1/authorizations", send.URL)
	require.Equal(t, `{"amount":1000,"reference":"order-1"}`, string(send.Body))
	require.Equal(t, "Cko-Idempotency-Key", send.IdempotencyHeader)
	o := outcome(t, s, 201, raised)
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	require.Equal(t, sdk.Money{Minor: 3499, Currency: "USD"}, *o.Amount)
	o = outcome(t, s, 201, `{"action_id":"act_2","approved":false,"response_code":"20051","response_summary":"Insufficient Funds"}`)
	require.Equal(t, sdk.DeclineInsufficientFunds, o.Decline.Reason)
	o = outcome(t, s, 422, `{"error_type":"request_invalid","error_codes":["amount_invalid"]}`)
	require.Equal(t, sdk.DeclineInvalidAmount, o.Decline.Reason)
	for _, proves := range []string{`{}`, `{"approved":true}`, `{"action_id":"act_2"}`} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, s, 201, proves).Status, proves)
	}
	for _, total := range []int64{2499, 100} {
		s.Request.Amount.Minor = total
		require.Equal(t, "amount", checkout.Adapter().Step(s).Reject.Parameter)
	}

	s = step(sdk.OpSync)
	s.Request.Resolves, s.Request.Amount.Minor = sdk.OpIncrementalAuthorize, 3499
	require.Equal(t, sdk.StatusUnknown, outcome(t, s, 200, paid("Authorized", `"balances":{"total_authorized":2499}`)).Status, "not raised, or not yet")
	require.Equal(t, sdk.Money{Minor: 3499, Currency: "USD"}, *outcome(t, s, 200, paid("Authorized", `"balances":{"total_authorized":3499}`)).Amount)
}

func TestLater(t *testing.T) {
	s := step(sdk.OpCapture)
	_, body := sent(t, s)
	require.Equal(t, "NonFinal", body.Str("capture_type"))
	s.Request.FinalCapture = true
	_, body = sent(t, s)
	require.Equal(t, "Final", body.Str("capture_type"))
	s.Request.CaptureReference = "pay_1_1_2"
	_, body = sent(t, s)
	require.Equal(t, "pay_1_1_2", body.Str("reference"), "several captures can be told apart")
	o := outcome(t, s, 202, action)
	require.Equal(t, sdk.StatusPending, o.Status)
	require.Equal(t, "act_1", o.CaptureID)
	require.Equal(t, "act_1", outcome(t, step(sdk.OpRefund), 202, action).RefundID)
	require.Equal(t, sdk.StatusPending, outcome(t, step(sdk.OpVoid), 202, action).Status)
}

func TestSync(t *testing.T) {
	balances := `"balances":{"total_authorized":2499,"total_captured":1000,"total_refunded":300}`
	o := outcome(t, step(sdk.OpSync), 200, paid("Partially Captured", balances))
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, sdk.Money{Minor: 1000, Currency: "USD"}, *o.Amount)
	require.Equal(t, sdk.Totals{Authorized: 2499, Captured: 1000, Refunded: 300}, *o.Totals)
	require.Equal(t, sdk.Checks{CVC: "pass", AddressLine1: "pass", PostalCode: "fail"}, *o.Checks)
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, paid("Partially Captured", "")).Status, "how much is not known")
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, paid("Refunded", "")).Status, "how much was captured by hand is not known")
	all := step(sdk.OpSync)
	all.Request.Capture = sdk.CaptureAutomatic
	require.Equal(t, sdk.Money{Minor: 2499, Currency: "USD"}, *outcome(t, all, 200, paid("Refunded", "")).Amount)
	require.Equal(t, sdk.StatusVoided, outcome(t, step(sdk.OpSync), 200, paid("Voided", "")).Status)
	require.Equal(t, sdk.StatusCustomerAction, outcome(t, step(sdk.OpSync), 200, paid("Pending", links)).Status)
	require.Equal(t, sdk.StatusDeclined, outcome(t, step(sdk.OpSync), 200, paid("Expired", "")).Status)
	s := step(sdk.OpSync)
	s.Request.Payment = &sdk.PaymentState{Authorized: 2499}
	require.Equal(t, sdk.StatusVoided, outcome(t, s, 200, paid("Expired", "")).Status)
	require.Nil(t, outcome(t, step(sdk.OpSync), 200, paid("Authorized", `"payment_type":"Regular"`)).StoredCredential)
	require.Equal(t, "src_1", outcome(t, step(sdk.OpSync), 200, paid("Authorized", `"payment_type":"Unscheduled"`)).StoredCredential.ID)
	gone := outcome(t, step(sdk.OpSync), 404, `{"error_codes":["payment_not_found"]}`)
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{gone.Status, gone.Raw["alarm"]}, "an id that Checkout.com gave")
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 404, ``).Status)
}

func TestSyncByReference(t *testing.T) {
	lost := func() *sdk.Step {
		s := step(sdk.OpSync)
		s.Request.TransactionID = ""
		return s
	}
	sends, r, err := wire.Play(checkout.Adapter(), lost(),
		wire.Answer(200, `{"total_count":1,"data":[{"id":"pay_0","reference":"order-11"},{"id":"pay_1","reference":"order-1"}]}`),
		wire.Answer(200, paid("Authorized", "")))
	require.NoError(t, err)
	require.Equal(t, "https://api.sandbox.checkout.com/payments?limit=10&skip=0&reference=order-1", sends[0].URL)
	require.Equal(t, "https://api.sandbox.checkout.com/payments/pay_1", sends[1].URL)
	require.Equal(t, sdk.StatusAuthorized, r.Outcome.Status)
	require.Equal(t, sdk.StatusNotFound, outcome(t, lost(), 200, `{"total_count":0,"data":[]}`).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, lost(), 200, `{"data":[{"id":"a","reference":"order-1"},{"id":"b","reference":"order-1"}]}`).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, lost(), 500, `{"data":[]}`).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, lost(), 200, `{"total_count":1,"data":[]}`).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, lost(), 200, `{"data":[{"id":"a"}]}`).Status, "it may be ours")
}

func TestRefundSync(t *testing.T) {
	const actions = `[{"id":"act_2","type":"Refund","amount":700,"approved":false,"response_code":"20051","reference":"ref-2"},
		{"id":"act_1","type":"Refund","amount":300,"approved":true,"reference":"ref-1"},{"id":"act_0","type":"Authorization","approved":true,"reference":"ref-3"}]`
	find := func(id, reference string) *sdk.Outcome {
		s := step(sdk.OpRefundSync)
		s.Request.RefundID, s.Request.Reference = id, reference
		return outcome(t, s, 200, actions)
	}
	o := find("act_1", "")
	require.Equal(t, sdk.StatusRefunded, o.Status)
	require.Equal(t, sdk.Money{Minor: 300, Currency: "USD"}, *o.Amount)
	require.Equal(t, "act_1", find("", "ref-1").RefundID)
	require.Equal(t, sdk.DeclineInsufficientFunds, find("", "ref-2").Decline.Reason)
	require.Equal(t, sdk.StatusNotFound, find("", "ref-3").Status, "that is no refund")
	require.Equal(t, sdk.StatusPending, find("act_9", "").Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpRefundSync), 200, `[]`).Status)
	require.Equal(t, sdk.StatusPending, find("act_0", "").Status, "an action of another kind proves no refund")
}

func TestExemptions(t *testing.T) {
	for e, want := range map[sdk.Exemption]string{"": "", sdk.ExemptionLowValue: "low_value", sdk.ExemptionRiskAnalysis: "transaction_risk_assessment",
		sdk.ExemptionTrustedBeneficiary: "trusted_listing", sdk.ExemptionSecureCorporate: "secure_corporate_payment", sdk.ExemptionDelegation: "sca_delegation"} {
		s := step(sdk.OpAuthorize)
		s.Request.Exemption = e
		_, body := sent(t, s)
		require.Equal(t, want, body.Str("3ds.exemption"))
		require.Equal(t, want != "", body.Has("3ds.exemption"))
		require.False(t, body.Bool("3ds.enabled"))
	}
}

func TestStoredCredential(t *testing.T) {
	s := step(sdk.OpVerify)
	s.Request.Amount.Minor = 0
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	o := outcome(t, s, 201, `{"id":"pay_0","status":"Card Verified","approved":true,"source":{"id":"src_1"},"customer":{"id":"cus_1"}}`)
	require.Equal(t, sdk.StatusVerified, o.Status)
	require.Equal(t, &sdk.StoredCredential{ID: "src_1", CustomerID: "cus_1"}, o.StoredCredential)

	s = step(sdk.OpAuthorize)
	s.Request.Instrument = &sdk.Instrument{StoredCredentialID: "src_1"}
	s.Request.ConnectorData = o.ConnectorData
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "installment"}
	s.Request.Metadata = map[string]string{"b": "2", "a": "1"}
	_, body := sent(t, s)
	require.Equal(t, "pay_0", body.Str("previous_payment_id"))
	require.Equal(t, "Installment", body.Str("payment_type"))
	require.True(t, body.Bool("merchant_initiated"))
	require.Equal(t, `{"a":"1","b":"2"}`, body.Raw("metadata"))
	s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit"}
	_, body = sent(t, s)
	require.Equal(t, "Regular", body.Str("payment_type"))
	require.False(t, body.Has("previous_payment_id"))
	s.Request.Instrument = &sdk.Instrument{}
	require.Equal(t, sdk.RejectMissing, checkout.Adapter().Step(s).Reject.Code)
}
