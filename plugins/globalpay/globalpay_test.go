package globalpay_test

import (
	"crypto/sha512"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/globalpay"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// play runs an operation to its end and returns its requests.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) (sdk.Result, []*sdk.Send) {
	t.Helper()
	a := globalpay.Adapter()
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
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Capture: sdk.CaptureManual, Instrument: card()}
}

func later(minor int64) sdk.Request {
	return sdk.Request{Reference: "ref-2", TransactionID: "TRN_1", Amount: usd(minor), FinalCapture: true,
		Payment: &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Capture: sdk.CaptureManual}}
}

func sale(status, more string) sdk.Exchange {
	return wire.Answer(200, `{"id":"TRN_1","type":"SALE","status":"`+status+`","amount":"2499","currency":"USD","reference":"ref-1"`+more+`}`)
}

// seen returns the answer to a known idempotency key.
func seen(id string) sdk.Exchange {
	return wire.Answer(409, `{"error_code":"DUPLICATE_ACTION","detailed_error_code":"40039","detailed_error_description":"Idempotency Key seen before: id=`+id+`, status=CAPTURED"}`)
}

// TestSuite runs the suite of all adapters with realistic answers of GP API.
func TestSuite(t *testing.T) {
	answer := func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
		kind, status := "SALE", "PREAUTHORIZED"
		switch op {
		case sdk.OpAccessToken:
			return wire.Answer(200, `{"token":"bxL","type":"Bearer","seconds_to_expire":86399}`)
		case sdk.OpVerify:
			return wire.Answer(200, `{"id":"PMT_1","status":"ACTIVE"}`)
		case sdk.OpCapture:
			status = "CAPTURED"
		case sdk.OpVoid:
			status = "REVERSED"
		case sdk.OpRefund, sdk.OpRefundSync:
			kind, status = "REFUND", "CAPTURED"
		}
		return wire.Answer(200, `{"id":"TRN_1","type":"`+kind+`","status":"`+status+`","amount":"6540","currency":"USD"}`)
	}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(globalpay.Adapter()), sdktest.Options{Answer: answer}))
}

func TestToken(t *testing.T) {
	result, sends := play(t, sdk.OpAccessToken, sdk.Request{}, wire.Answer(200, `{"token":"bxL","seconds_to_expire":86399}`))
	require.Equal(t, &sdk.AccessToken{Value: "bxL", ExpiresIn: 86399}, result.Outcome.Token)
	j := wire.JSONBody(t, sends[0])
	sum := sha512.Sum512([]byte(j.Str("nonce") + "test_app_key"))
	require.Equal(t, hex.EncodeToString(sum[:]), j.Str("secret"))
	require.Equal(t, "test_app_id", j.Str("app_id"))
	require.Len(t, j.Str("nonce"), 26)
	require.NotContains(t, string(sends[0].Body), "test_app_key")
	for _, bad := range []sdk.Exchange{wire.Answer(403, `{"error_code":"ACTION_NOT_AUTHORIZED"}`), wire.Answer(200, `{"token":"bxL"}`), wire.Answer(500, `{"token":"bxL","seconds_to_expire":1}`)} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAccessToken, sdk.Request{}, bad).Status)
	}
}

func TestAmounts(t *testing.T) {
	for _, m := range []sdk.Money{usd(5), usd(1<<53 + 1), {Minor: 5000, Currency: "JPY"}, {Minor: 1050, Currency: "KWD"}} {
		r := purchase()
		r.Amount = m
		_, sends := play(t, sdk.OpAuthorize, r)
		require.Equal(t, sdk.Decimal(m.Minor, 0), wire.JSONBody(t, sends[0]).Str("amount"), "minor units, as text")
		require.Equal(t, string(m.Currency), wire.JSONBody(t, sends[0]).Str("currency"))
	}
}

func TestCountry(t *testing.T) {
	a := globalpay.Adapter()
	for _, k := range [][3]string{{"GB", "FR", "GB"}, {"", "FR", "FR"}, {"", "", "US"}} { // configured, billing, sent
		r := purchase()
		r.Billing = &sdk.Address{Country: k[1]}
		s := wire.NewStep(&a.Manifest, sdk.OpAuthorize, r)
		s.Account.Config["country"] = k[0]
		sends, _, err := wire.Play(a, s)
		require.NoError(t, err)
		require.Equal(t, k[2], wire.JSONBody(t, sends[0]).Str("country"))
	}
}

func TestAuthorize(t *testing.T) {
	r := purchase()
	result, sends := play(t, sdk.OpAuthorize, r, sale("PREAUTHORIZED", `,"payment_method":{"result":"00","id":"PMT_1","card":{"authcode":"12345","brand_reference":"0161","cvv_result":"NOT_MATCHED","avs_postal_code_result":"MATCHED"}}`))
	o := result.Outcome
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	require.Equal(t, []string{"TRN_1", "0161", "12345"}, []string{o.TransactionID, o.NetworkTransactionID, o.AuthCode})
	require.Equal(t, usd(2499), *o.Amount)
	require.Equal(t, &sdk.Checks{CVC: "fail", PostalCode: "pass"}, o.Checks)
	require.Nil(t, o.StoredCredential, "the request does not ask to keep it")
	require.Equal(t, "X-GP-Idempotency", sends[0].IdempotencyHeader)
	require.True(t, sends[0].SafeToRepeat)

	for name, x := range map[string]sdk.Exchange{"another currency": wire.Answer(200, `{"id":"T","type":"SALE","status":"CAPTURED","amount":"2499","currency":"EUR"}`),
		"no amount": wire.Answer(200, `{"id":"T","type":"SALE","status":"CAPTURED","currency":"USD"}`), "a refund": wire.Answer(200, `{"id":"T","type":"REFUND","status":"CAPTURED","amount":"2499","currency":"USD"}`),
		"another conflict": wire.Answer(409, `{"error_code":"CONFLICT"}`), "a conflict without an id": wire.Answer(409, `{"error_code":"DUPLICATE_ACTION"}`), "downstream": wire.Answer(502, `{"error_code":"SYSTEM_ERROR_DOWNSTREAM"}`)} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAuthorize, r, x).Status, name)
	}
	r.Request3DS = true
	result, _ = play(t, sdk.OpAuthorize, r)
	require.Equal(t, sdk.RejectUnsupported, result.Reject.Code)
}

// An undecided answer still gives the payment's id; the answer of a refund is not about a payment.
func TestUndecidedHasItsID(t *testing.T) {
	for _, x := range []sdk.Exchange{sale("BRAND_NEW", ""), wire.Answer(502, `{"id":"TRN_1","type":"SALE","status":"CAPTURED"}`),
		wire.Answer(200, `{"id":"TRN_1","type":"SALE","status":"CAPTURED","amount":"2499","currency":"EUR"}`)} {
		o := outcome(t, sdk.OpAuthorize, purchase(), x)
		require.Equal(t, []any{sdk.StatusUnknown, "TRN_1"}, []any{o.Status, o.TransactionID})
	}
	require.Empty(t, outcome(t, sdk.OpCapture, later(2499), wire.Answer(200, `{"id":"TRN_2","type":"REFUND","status":"CAPTURED"}`)).TransactionID)
	for _, told := range []string{`"status":"BRAND_NEW"`, `"status":"CAPTURED","amount":"700","currency":"EUR"`} {
		o := outcome(t, sdk.OpRefund, later(700), wire.Answer(200, `{"id":"TRN_2","type":"REFUND",`+told+`}`))
		require.Equal(t, []any{sdk.StatusUnknown, "TRN_2"}, []any{o.Status, o.RefundID}, told)
	}
}

// A repeated request returns what the first one made.
func TestRepeat(t *testing.T) {
	result, sends := play(t, sdk.OpAuthorize, purchase(), seen("TRN_1"), sale("PREAUTHORIZED", ""))
	require.Equal(t, sdk.StatusAuthorized, result.Outcome.Status)
	require.Equal(t, "https://apis.sandbox.globalpay.com/ucp/transactions/TRN_1", sends[1].URL)
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpAuthorize, purchase(), seen("TRN_1"), sale("DECLINED", "")).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAuthorize, purchase(), seen("TRN_1"), wire.Answer(500, "")).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, later(2499), seen("TRN_1"), sale("PREAUTHORIZED", "")).Status, "the first capture is still under way")
	o := outcome(t, sdk.OpRefund, later(700), seen("TRN_2"), wire.Answer(200, `{"id":"TRN_2","type":"REFUND","status":"CAPTURED","amount":"700","currency":"USD"}`))
	require.Equal(t, "TRN_2", o.RefundID)
	v := purchase()
	v.Amount.Minor = 0
	result, sends = play(t, sdk.OpVerify, v, seen("PMT_1"), wire.Answer(200, `{"id":"PMT_1","status":"ACTIVE"}`))
	require.Equal(t, sdk.StatusVerified, result.Outcome.Status)
	require.Equal(t, "https://apis.sandbox.globalpay.com/ucp/payment-methods/PMT_1", sends[1].URL)
}

func TestDeclines(t *testing.T) {
	for result, want := range map[string]*sdk.Decline{
		"51":  {Code: "51", Message: "no", NetworkCode: "51", Reason: sdk.DeclineInsufficientFunds},
		"43":  {Code: "43", Message: "no", NetworkCode: "43", Reason: sdk.DeclineStolenCard},
		"107": {Code: "107", Message: "no", Reason: sdk.DeclineFraud},
		"999": {Code: "999", Message: "no", Reason: sdk.DeclineGeneric, RetryElsewhere: true},
		"":    {Code: "DECLINED", Message: "no", Reason: sdk.DeclineGeneric, RetryElsewhere: true},
	} {
		o := outcome(t, sdk.OpAuthorize, purchase(), sale("DECLINED", `,"payment_method":{"result":"`+result+`","message":"no"}`))
		require.Equal(t, sdk.StatusDeclined, o.Status)
		require.Equal(t, want, o.Decline)
	}
	require.Equal(t, "51", outcome(t, sdk.OpAuthorize, purchase(), sale("DECLINED", `,"payment_method":{"result":51,"message":"no"}`)).Decline.NetworkCode)
	o := outcome(t, sdk.OpAuthorize, purchase(), sale("DECLINED", `,"payment_method":{"result":"65","message":"no","card":{"brand":"MASTERCARD"}}`))
	require.Equal(t, sdk.DeclineAuthenticationNeeded, o.Decline.Reason)
	for code, reason := range map[string]sdk.DeclineReason{"NOT_AUTHENTICATED": sdk.DeclineInvalidMerchant, "INVALID_REQUEST_DATA": sdk.DeclineProcessingError,
		"TOO_MANY_REQUESTS": sdk.DeclineTryLater, "INVALID_ACTION": sdk.DeclineGeneric} {
		o := outcome(t, sdk.OpCapture, later(2499), wire.Answer(400, `{"error_code":"`+code+`","detailed_error_code":"40001","detailed_error_description":"no"}`))
		require.Equal(t, sdk.Decline{Code: code, Message: "no", Reason: reason, RetryElsewhere: true}, *o.Decline)
	}
}

func TestStoredCredentials(t *testing.T) {
	r := purchase()
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session", Category: "recurring"}
	result, sends := play(t, sdk.OpAuthorize, r, sale("PREAUTHORIZED", `,"payment_method":{"id":"PMT_1"}`))
	require.Equal(t, &sdk.StoredCredential{ID: "PMT_1"}, result.Outcome.StoredCredential)
	j := wire.JSONBody(t, sends[0])
	require.Equal(t, []string{"PAYER", "RECURRING", "FIRST", "ON_SUCCESS"}, []string{j.Str("initiator"), j.Str("stored_credential.model"), j.Str("stored_credential.sequence"), j.Str("payment_method.storage_mode")})

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "unscheduled"}
	r.Instrument = &sdk.Instrument{StoredCredentialID: "PMT_1"}
	_, sends = play(t, sdk.OpAuthorize, r)
	j = wire.JSONBody(t, sends[0])
	require.Equal(t, []string{"MERCHANT", "UNSCHEDULED", "SUBSEQUENT"}, []string{j.Str("initiator"), j.Str("stored_credential.model"), j.Str("stored_credential.sequence")})
	require.JSONEq(t, `{"entry_mode":"ECOM","id":"PMT_1"}`, j.Raw("payment_method"))

	r.Instrument = card()
	r.Instrument.NetworkTransactionID = "0161"
	_, sends = play(t, sdk.OpAuthorize, r)
	require.Equal(t, "0161", wire.JSONBody(t, sends[0]).Str("payment_method.card.brand_reference"))

	r.StoredCredential.Category, r.DescriptorName, r.DescriptorSuffix = "resubmission", "ACME WIDGETS", "77"
	r.Instrument.Card.Holder, r.Billing = "", &sdk.Address{FirstName: "Ana", LastName: "Lima"}
	_, sends = play(t, sdk.OpAuthorize, r)
	j = wire.JSONBody(t, sends[0])
	require.Equal(t, []string{"UNSCHEDULED", "RESUBMISSION", "ACME WIDGETS 77", "Ana Lima"}, []string{j.Str("stored_credential.model"), j.Str("stored_credential.reason"),
		j.Str("payment_method.narrative"), j.Str("payment_method.name")})

	v := purchase()
	v.Amount.Minor = 0
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpVerify, v, wire.Answer(200, `{"id":"PMT_1","status":"DELETED"}`)).Status)
}

func TestExternal3DS(t *testing.T) {
	r := purchase()
	v := purchase()
	v.Amount.Minor, v.ThreeDS = 0, &sdk.ThreeDSResult{ECI: "05"}
	result, _ := play(t, sdk.OpVerify, v)
	require.Equal(t, "three_ds_data", result.Reject.Parameter)

	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAAB", ECI: "05", Version: "2.2.0", DSTransID: "ds", ServerTransID: "srv"}
	_, sends := play(t, sdk.OpAuthorize, r)
	require.JSONEq(t, `{"three_ds":{"message_version":"2.2.0","eci":"05","server_trans_ref":"srv","ds_trans_ref":"ds","value":"AAAB"}}`,
		wire.JSONBody(t, sends[0]).Raw("payment_method.authentication"))
}

func TestExemptions(t *testing.T) {
	for e, want := range map[sdk.Exemption]string{"": "", sdk.ExemptionLowValue: `{"three_ds":{"exempt_status":"LOW_VALUE"}}`,
		sdk.ExemptionRiskAnalysis:       `{"three_ds":{"exempt_status":"TRANSACTION_RISK_ANALYSIS"}}`,
		sdk.ExemptionTrustedBeneficiary: `{"three_ds":{"exempt_status":"TRUSTED_MERCHANT"}}`,
		sdk.ExemptionSecureCorporate:    `{"three_ds":{"exempt_status":"SECURE_CORPORATE_PAYMENT"}}`, sdk.ExemptionDelegation: `{"three_ds":{"exempt_status":"SCA_DELEGATION"}}`} {
		r := purchase()
		r.Exemption = e
		_, sends := play(t, sdk.OpAuthorize, r)
		require.Equal(t, want, wire.JSONBody(t, sends[0]).Raw("payment_method.authentication"))
	}
	r := purchase()
	r.Exemption, r.ThreeDS = sdk.ExemptionRiskAnalysis, &sdk.ThreeDSResult{ECI: "07", Version: "2.2.0"}
	_, sends := play(t, sdk.OpAuthorize, r)
	require.JSONEq(t, `{"three_ds":{"exempt_status":"TRANSACTION_RISK_ANALYSIS","message_version":"2.2.0","eci":"07"}}`, wire.JSONBody(t, sends[0]).Raw("payment_method.authentication"))
}

func TestLater(t *testing.T) {
	result, sends := play(t, sdk.OpCapture, later(1000), sale("CAPTURED", ""))
	require.Equal(t, sdk.StatusCaptured, result.Outcome.Status)
	require.Nil(t, result.Outcome.Amount, "the answer shows what was authorized: what was asked for has been taken")
	require.True(t, result.Outcome.Released)
	require.JSONEq(t, `{"amount":"1000"}`, string(sends[0].Body))
	o := outcome(t, sdk.OpCapture, later(2499), wire.Answer(200, `{"id":"TRN_1","type":"SALE","status":"CAPTURED","amount":"1000","currency":"USD"}`))
	require.Equal(t, usd(1000), *o.Amount, "less than was asked for is reported as such")
	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpCapture, later(2499), sale("PENDING", "")).Status)
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpCapture, later(2499), sale("REVERSED", "")).Status)

	result, sends = play(t, sdk.OpVoid, later(2499), sale("REVERSED", ""))
	require.Equal(t, sdk.StatusVoided, result.Outcome.Status)
	require.JSONEq(t, `{"amount":"2499"}`, string(sends[0].Body))
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpVoid, later(2499), sale("CAPTURED", "")).Status)
	taken := later(1000)
	taken.VoidCaptured, taken.Payment.Captured = true, 1000
	result, sends = play(t, sdk.OpVoid, taken, sale("REVERSED", ""))
	require.Equal(t, sdk.StatusVoided, result.Outcome.Status)
	require.JSONEq(t, `{"amount":"1000"}`, string(sends[0].Body), "what is captured is reversed")

	const refund = `{"id":"TRN_2","type":"REFUND","status":"CAPTURED","amount":"700","currency":"USD"}`
	o = outcome(t, sdk.OpRefund, later(700), wire.Answer(200, refund))
	require.Equal(t, sdk.StatusRefunded, o.Status)
	require.Equal(t, usd(700), *o.Amount)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefund, later(700), sale("CAPTURED", "")).Status, "not a refund")
	r := later(700)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r).Status)
	r.RefundID = "TRN_2"
	require.Equal(t, sdk.StatusRefunded, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, refund)).Status)
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpRefundSync, r, wire.Answer(404, `{"error_code":"RESOURCE_NOT_FOUND"}`)).Raw["alarm"])
}

func TestSync(t *testing.T) {
	r := later(2499)
	for status, want := range map[string]sdk.OutcomeStatus{"PREAUTHORIZED": sdk.StatusAuthorized, "FUNDED": sdk.StatusCaptured, "BATCHED": sdk.StatusCaptured, "REVERSED": sdk.StatusVoided, "FOR_REVIEW": sdk.StatusPending, "NEW": sdk.StatusUnknown} {
		require.Equal(t, want, outcome(t, sdk.OpSync, r, sale(status, "")).Status, status)
	}
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpSync, r, wire.Answer(404, `{"error_code":"RESOURCE_NOT_FOUND"}`)).Raw["alarm"])
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(404, `{"message":"no route"}`)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(401, `{"error_code":"NOT_AUTHENTICATED"}`)).Status)

	r.Payment.Captured = 1000
	require.Equal(t, usd(1000), *outcome(t, sdk.OpSync, r, sale("CAPTURED", "")).Amount, "the transaction still shows what was authorized")
	r.Amount, r.Resolves, r.Payment.Captured = usd(1000), sdk.OpCapture, 0
	require.Nil(t, outcome(t, sdk.OpSync, r, sale("CAPTURED", "")).Amount, "what was asked for")

	r.TransactionID, r.Reference = "", "ref-1"
	list := func(all ...string) sdk.Exchange {
		return wire.Answer(200, `{"transactions":[`+strings.Join(all, ",")+`]}`)
	}
	const ours, other = `{"id":"TRN_1","type":"SALE","reference":"ref-1"}`, `{"id":"TRN_3","type":"SALE","reference":"ref-10"}`
	result, sends := play(t, sdk.OpSync, r, list(other, ours, `{"id":"TRN_2","type":"REFUND","reference":"ref-1"}`), sale("CAPTURED", ""))
	require.Equal(t, sdk.StatusCaptured, result.Outcome.Status)
	require.Contains(t, sends[0].URL, "reference=ref-1")
	require.True(t, strings.HasSuffix(sends[1].URL, "/transactions/TRN_1"))
	require.Equal(t, sdk.StatusNotFound, outcome(t, sdk.OpSync, r, list(other)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, list(ours, ours)).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, list(`{"id":"TRN_1","type":"SALE"}`)).Status, "it may be ours")
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, wire.Answer(200, `{}`)).Status)
}

func TestWebhook(t *testing.T) {
	read := func(text, signature string) *sdk.Outcome {
		w := &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("x-gp-signature", signature)}, Body: []byte(text)}
		return outcome(t, sdk.OpWebhook, sdk.Request{Webhook: w})
	}
	sign := func(text string) string {
		sum := sha512.Sum512([]byte(text + "test_app_key"))
		return hex.EncodeToString(sum[:])
	}
	const captured = `{"id":"TRN_1","type":"SALE","status":"CAPTURED","reference":"ref-1"}`
	require.Equal(t, []sdk.Event{{Object: "payment", TransactionID: "TRN_1", Reference: "ref-1", Sync: true}}, read(captured, strings.ToUpper(sign(captured))).Events)
	const refund = `{"id":"TRN_2","type":"REFUND","status":"CAPTURED","reference":"ref-1"}`
	require.Equal(t, []sdk.Event{{Object: "refund", RefundID: "TRN_2", Sync: true}}, read(refund, sign(refund)).Events)
	for _, forged := range []string{"", sign(refund), sign(captured)[1:]} {
		o := read(captured, forged)
		require.Empty(t, o.Events)
		require.Equal(t, 401, o.Reply.Status)
	}
	require.Equal(t, 400, read("{}", sign("{}")).Reply.Status)
}
