package braintree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// TestSuite runs the suite of all adapters with realistic answers of Braintree.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(braintree.Adapter()), sdktest.Options{Answer: happy}))
}

func happy(op sdk.Operation, i int, _ *sdk.Send) sdk.Exchange {
	held := transaction("AUTHORIZED", "65.40", "USD", "")
	switch {
	case (op == sdk.OpAuthorize || op == sdk.OpVerify) && i == 0:
		return token
	case op == sdk.OpAuthorize:
		return data(`{"authorizeCreditCard":{"transaction":` + held + `}}`)
	case op == sdk.OpVerify:
		return data(`{"verifyCreditCard":{"verification":{"id":"v_1","status":"VERIFIED"}}}`)
	case op == sdk.OpCapture:
		return data(`{"captureTransaction":{"transaction":` + transaction("SUBMITTED_FOR_SETTLEMENT", "65.40", "USD", "") + `}}`)
	case op == sdk.OpVoid:
		return data(`{"reverseTransaction":{"reversal":{"__typename":"Transaction","id":"x","status":"VOIDED"}}}`)
	case op == sdk.OpRefund:
		return data(`{"refundTransaction":{"refund":` + transaction("SETTLED", "65.40", "USD", "") + `}}`)
	case op == sdk.OpIncrementalAuthorize:
		return data(`{"updateTransactionAmount":{"transaction":` + held + `}}`)
	case op == sdk.OpSync:
		return found("transactions", held)
	}
	return found("refunds", transaction("SETTLED", "65.40", "USD", ""))
}

func TestACardIsTokenizedAndThenCharged(t *testing.T) {
	for capture, name := range map[sdk.CaptureMethod]string{sdk.CaptureAutomatic: "chargeCreditCard", sdk.CaptureManual: "authorizeCreditCard"} {
		r := payment()
		r.Capture = capture
		p := play(t, sdk.OpAuthorize, r, token, data(`{"`+name+`":{"transaction":`+transaction("AUTHORIZED", "24.99", "USD", `,"statusHistory":[{"status":"AUTHORIZED",`+
			`"processorResponse":{"authorizationId":"A1","cvvResponse":"MATCHES","avsPostalCodeResponse":"DOES_NOT_MATCH","avsStreetAddressResponse":"NOT_PROVIDED"}}],`+
			`"paymentMethodSnapshot":{"networkTransactionId":"nti-1"}`)+`}}`))
		require.Equal(t, sdk.StatusAuthorized, p.Status)
		require.Equal(t, []string{"dHJhbnNhY3Rpb25fYWJj", "abc", "A1", "nti-1"}, []string{p.TransactionID, p.Reference, p.AuthCode, p.NetworkTransactionID})
		require.Equal(t, &sdk.Checks{CVC: "pass", PostalCode: "fail", AddressLine1: "unchecked"}, p.Checks)
		require.Equal(t, int64(2499), p.Amount.Minor)
		require.Len(t, p.sends, 2)
		query, in := input(t, p.sends[0])
		require.Contains(t, query, "tokenizeCreditCard")
		require.Equal(t, "STANDINnumber", at(in, "creditCard.number"))
		query, in = input(t, p.sends[1])
		require.Contains(t, query, name)
		require.Equal(t, []any{"op_1-1", "tokencc_1", "24.99", "acct", "ref-1"}, []any{at(in, "apiRequestKey"), at(in, "paymentMethodId"),
			at(in, "transaction.amount"), at(in, "transaction.merchantAccountId"), at(in, "transaction.orderId")})
		require.NotContains(t, string(p.sends[1].Body), "STANDIN")
		require.True(t, p.sends[1].SafeToRepeat)
	}
}

func TestAmounts(t *testing.T) {
	for _, v := range []struct {
		amount sdk.Money
		want   string
	}{{usd(2499), "24.99"}, {usd(5), "0.05"}, {usd(1<<53 + 1), "90071992547409.93"}, {sdk.Money{Minor: 5000, Currency: "JPY"}, "5000"},
		{sdk.Money{Minor: 1050, Currency: "KWD"}, "1.050"}} {
		r := payment()
		r.Amount = v.amount
		p := play(t, sdk.OpAuthorize, r, token, charged(transaction("SETTLING", v.want, string(v.amount.Currency), "")))
		require.Equal(t, sdk.StatusCaptured, p.Status)
		require.Equal(t, v.amount, *p.Amount)
		_, in := input(t, p.sends[1])
		require.Equal(t, v.want, at(in, "transaction.amount"))
	}
	// Braintree would charge 24.99 in the merchant account's currency.
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund, sdk.OpIncrementalAuthorize} {
		require.Equal(t, sdk.RejectUnsupported, playIn(t, "EUR", op, payment()).reject.Code, op)
		require.Equal(t, sdk.RejectUnsupported, playIn(t, "CLF", op, sdk.Request{Amount: sdk.Money{Minor: 1, Currency: "CLF"}, Instrument: card()}).reject.Code, op)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), token, charged(transaction("SETTLING", "24.99", "EUR", ""))).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), token, charged(transaction("SETTLING", "24.999", "USD", ""))).Status)
}

func TestStoredCredentials(t *testing.T) {
	r := payment()
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session", Category: "recurring"}
	p := play(t, sdk.OpAuthorize, r, token, charged(transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", `,"paymentMethod":{"id":"pm_1"}`)))
	require.Equal(t, &sdk.StoredCredential{ID: "pm_1"}, p.StoredCredential)
	_, in := input(t, p.sends[1])
	require.Equal(t, []any{"ALWAYS", "RECURRING_FIRST"}, []any{at(in, "transaction.vaultPaymentMethodAfterTransacting.when"), at(in, "transaction.paymentInitiator")})
	declined := play(t, sdk.OpAuthorize, r, token, charged(transaction("PROCESSOR_DECLINED", "24.99", "USD", `,"paymentMethod":{"id":"pm_1"}`)))
	require.Nil(t, declined.StoredCredential, "a card that was declined is not offered again")

	for category, want := range map[sdk.MITCategory]string{"recurring": "RECURRING", "installment": "INSTALLMENT", "unscheduled": "UNSCHEDULED", "": "UNSCHEDULED"} {
		r = payment()
		r.Instrument = &sdk.Instrument{StoredCredentialID: "pm_1"}
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: category}
		r.Billing = &sdk.Address{Email: "john@example.com", Zip: "94105"}
		p = play(t, sdk.OpAuthorize, r, charged(transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", `,"paymentMethod":{"id":"pm_1"}`)))
		require.Equal(t, &sdk.StoredCredential{ID: "pm_1"}, p.StoredCredential, "what was charged")
		_, in = input(t, p.sends[0])
		require.Equal(t, []any{"pm_1", want, nil, nil}, []any{at(in, "paymentMethodId"), at(in, "transaction.paymentInitiator"), at(in, "transaction.customerDetails"), at(in, "options")})
	}

	r.Instrument = card()
	r.Instrument.NetworkTransactionID = "016153570198200"
	r.StoredCredential.Category = ""
	p = play(t, sdk.OpAuthorize, r, token, charged(transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", "")))
	_, in = input(t, p.sends[1])
	require.Equal(t, []any{"VAULTED", "016153570198200", "UNSCHEDULED", "94105"}, []any{at(in, "options.externalVault.status"),
		at(in, "options.externalVault.verifyingNetworkTransactionId"), at(in, "transaction.paymentInitiator"), at(in, "options.billingAddress.postalCode")})

	r.Instrument = nil
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).reject.Code)
}

func TestThreeDS(t *testing.T) {
	r := payment()
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "STANDINcavv", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "ds-1", ServerTransID: "srv-1"}
	r.Exemption = sdk.ExemptionLowValue
	const pass = "options.threeDSecureAuthentication.passThrough."
	p := play(t, sdk.OpAuthorize, r, token, charged(transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", "")))
	_, in := input(t, p.sends[1])
	require.Equal(t, []any{"STANDINcavv", "05", "Y", "2.2.0", "srv-1", "LOW_VALUE"}, []any{at(in, pass+"cavv"), at(in, pass+"eciFlag"),
		at(in, pass+"directoryServerResponse"), at(in, pass+"version"), at(in, pass+"threeDSecureServerTransactionId"), at(in, "options.scaExemption")})
	r.ThreeDS.ServerTransID = ""
	_, in = input(t, play(t, sdk.OpAuthorize, r, token, charged(transaction("SETTLING", "24.99", "USD", ""))).sends[1])
	require.Equal(t, "ds-1", at(in, pass+"threeDSecureServerTransactionId"))

	r.ThreeDS.ECI = ""
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).reject.Code)
	r.ThreeDS, r.Request3DS = nil, true
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpAuthorize, r).reject.Code, "Braintree's own 3-D Secure lives in the browser")
}

func TestVerify(t *testing.T) {
	r := payment()
	r.Amount.Minor = 0
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "STANDINcavv", ECI: "05"}
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpVerify, r).reject.Code)
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	p := play(t, sdk.OpVerify, r, token, data(`{"vaultCreditCard":{"paymentMethod":{"id":"pm_1"},"verification":{"id":"v_1","status":"VERIFIED",`+
		`"paymentMethodSnapshot":{"networkTransactionId":"nti-1"},"processorResponse":{"cvvResponse":"MATCHES"}}}}`))
	require.Equal(t, sdk.StatusVerified, p.Status)
	require.Equal(t, []string{"pm_1", "nti-1", "pass"}, []string{p.StoredCredential.ID, p.NetworkTransactionID, string(p.Checks.CVC)})
	_, in := input(t, p.sends[1])
	require.Equal(t, []any{"tokencc_1", "acct", "STANDINcavv"}, []any{at(in, "paymentMethodId"), at(in, "verification.merchantAccountId"), at(in, "threeDSecurePassThrough.cavv")})

	r.StoredCredential, r.ThreeDS = nil, nil
	for status, want := range map[string]sdk.OutcomeStatus{"VERIFIED": sdk.StatusVerified, "PENDING": sdk.StatusPending, "VERIFYING": sdk.StatusPending, "FAILED": sdk.StatusDeclined,
		"GATEWAY_REJECTED": sdk.StatusDeclined, "PROCESSOR_DECLINED": sdk.StatusDeclined, "NEW": sdk.StatusUnknown} {
		p = play(t, sdk.OpVerify, r, token, data(`{"verifyCreditCard":{"verification":{"id":"v_1","status":"`+status+`","processorResponse":{"legacyCode":"2010","message":"CVV"},"gatewayRejectionReason":"CVV"}}}`))
		require.Equal(t, want, p.Status, status)
		if status == "PROCESSOR_DECLINED" || status == "GATEWAY_REJECTED" {
			require.Equal(t, sdk.DeclineIncorrectCVC, p.Decline.Reason)
		}
	}
	r.Amount = usd(1)
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpVerify, r).reject.Code)
}

func TestDeclines(t *testing.T) {
	event := func(status, inner string) sdk.Exchange {
		return charged(transaction(status, "24.99", "USD", `,"statusHistory":[{"status":"`+status+`",`+inner+`},{"status":"AUTHORIZED"}]`))
	}
	for name, v := range map[string]struct {
		x    sdk.Exchange
		want sdk.Decline
	}{
		"processor": {event("PROCESSOR_DECLINED", `"processorResponse":{"legacyCode":"2001","message":"Insufficient Funds"},"networkResponse":{"code":"51"},"merchantAdviceCodeResponse":{"code":"03"}`),
			sdk.Decline{Code: "2001", Message: "Insufficient Funds", NetworkCode: "51", AdviceCode: "03", Reason: sdk.DeclineInsufficientFunds}},
		"the network says more": {event("PROCESSOR_DECLINED", `"processorResponse":{"legacyCode":"2999","message":"Processor Declined"},"networkResponse":{"code":"62"}`),
			sdk.Decline{Code: "2999", Message: "Processor Declined", NetworkCode: "62", Reason: sdk.DeclineRestrictedCard, RetryElsewhere: true}},
		"gateway, after an approval": {event("GATEWAY_REJECTED", `"gatewayRejectionReason":"AVS","processorResponse":{"legacyCode":"1000","message":"Approved"}`),
			sdk.Decline{Code: "AVS", Message: "Gateway rejected: AVS", Reason: sdk.DeclineIncorrectAddress}},
		"gateway, a rule": {event("GATEWAY_REJECTED", `"gatewayRejectionReason":"PAYMENT_METHOD_BLOCKED"`),
			sdk.Decline{Code: "PAYMENT_METHOD_BLOCKED", Message: "Gateway rejected: PAYMENT_METHOD_BLOCKED", Reason: sdk.DeclineBlocked}},
		"lost on the way": {event("FAILED", `"processorResponse":{"legacyCode":"3001","message":"Processor Network Unavailable"}`),
			sdk.Decline{Code: "3001", Message: "Processor Network Unavailable", Reason: sdk.DeclineProcessingError}},
		"unheard of":     {failure("VALIDATION", "91564", "Cannot use a payment_method_nonce more than once."), sdk.Decline{Code: "91564", Message: "Cannot use a payment_method_nonce more than once.", Reason: sdk.DeclineProcessingError, RetryElsewhere: true}},
		"validation":     {failure("VALIDATION", "81715", "Credit card number is invalid."), sdk.Decline{Code: "81715", Message: "Credit card number is invalid.", Reason: sdk.DeclineIncorrectNumber}},
		"wrong key":      {failure("AUTHENTICATION", "", "Authentication failed"), sdk.Decline{Code: "AUTHENTICATION", Message: "Authentication failed", Reason: sdk.DeclineInvalidMerchant, RetryElsewhere: true}},
		"too many calls": {failure("RESOURCE_LIMIT", "", "Slow down"), sdk.Decline{Code: "RESOURCE_LIMIT", Message: "Slow down", Reason: sdk.DeclineTryLater, RetryElsewhere: true}},
		"with a 4xx":     {answer(401, `{"errors":[{"message":"No","extensions":{"errorClass":"AUTHENTICATION"}}]}`), sdk.Decline{Code: "AUTHENTICATION", Message: "No", Reason: sdk.DeclineInvalidMerchant, RetryElsewhere: true}},
		"voided":         {charged(transaction("VOIDED", "24.99", "USD", "")), sdk.Decline{Code: "VOIDED", Message: "VOIDED", Reason: sdk.DeclineGeneric, RetryElsewhere: true}},
	} {
		p := play(t, sdk.OpAuthorize, payment(), token, v.x)
		require.Equal(t, sdk.StatusDeclined, p.Status, name)
		require.Equal(t, v.want, *p.Decline, name)
	}
	p := play(t, sdk.OpAuthorize, payment(), failure("VALIDATION", "81707", "CVV must be 4 digits for American Express and 3 digits for other card types."))
	require.Equal(t, sdk.DeclineIncorrectCVC, p.Decline.Reason, "the card is refused before there is a payment")
}

func TestAnswersWithoutEvidence(t *testing.T) {
	whole := `{"data":{"chargeCreditCard":{"transaction":` + transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", "") + `}}}`
	refused := string(failure("VALIDATION", "81715", "No").Body)
	for name, x := range map[string]sdk.Exchange{
		"500 with an answer":         answer(500, whole),
		"500 with errors":            answer(500, refused),
		"400 with an answer":         answer(400, whole),
		"an internal error":          failure("INTERNAL", "", "Oops"),
		"not there":                  failure("SERVICE_AVAILABILITY", "", "Oops"),
		"an unknown class":           failure("NEW", "", "Oops"),
		"one of them proves nothing": answer(200, strings.Replace(refused, `[{`, `[{"message":"x","extensions":{"errorClass":"INTERNAL"}},{`, 1)),
		"invalid, but what?":         failure("VALIDATION", "", "A request is in progress"),
		"the key is in use":          answer(200, strings.Replace(refused, `"legacyCode"`, `"inputPath":["input","apiRequestKey"],"legacyCode"`, 1)),
		"no errors in the list":      answer(200, `{"data":{"chargeCreditCard":null},"errors":[]}`),
		"errors of another shape":    answer(200, `{"data":null,"errors":"no"}`),
		"no transaction":             data(`{"chargeCreditCard":{"transaction":null}}`),
		"another mutation":           data(`{"authorizeCreditCard":{"transaction":` + transaction("AUTHORIZED", "24.99", "USD", "") + `}}`),
		"no id":                      charged(`{"status":"SETTLED"}`),
		"time-out":                   {Sent: true, Failure: "timeout"},
	} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), token, x).Status, name)
	}
	other := play(t, sdk.OpAuthorize, payment(), token, charged(transaction("SETTLED", "24.99", "EUR", "")))
	require.Equal(t, []string{"unknown", "dHJhbnNhY3Rpb25fYWJj"}, []string{string(other.Status), other.TransactionID}, "what became of it can be asked")
	for n := range len(whole) {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), token, answer(200, whole[:n])).Status, "cut after %d bytes", n)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), data(`{"tokenizeCreditCard":{"paymentMethod":null}}`)).Status)
	// A payment stands even if one of its fields cannot be read.
	p := play(t, sdk.OpAuthorize, payment(), token, answer(200, strings.TrimSuffix(whole, "}")+`,"errors":[{"message":"x","extensions":{"errorClass":"AUTHORIZATION"}}]}`))
	require.Equal(t, sdk.StatusCaptured, p.Status)
}
