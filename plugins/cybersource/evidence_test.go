package cybersource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestCapturedWithThePayment shows that a payment with automatic capture counts as captured if its service ics_bill succeeded.
func TestCapturedWithThePayment(t *testing.T) {
	r := later(2499)
	r.Capture, r.Payment = sdk.CaptureAutomatic, &sdk.PaymentState{Currency: "USD", Requested: 2499, Capture: sdk.CaptureAutomatic}
	const auth = `{"name":"ics_auth","rCode":"1","rFlag":"SOK","reasonCode":"100"}`
	for name, k := range map[string]struct {
		information string
		want        sdk.OutcomeStatus
	}{
		"both":                   {`"status":"AUTHORIZED","applications":[` + auth + `,{"name":"ics_bill","rCode":"1","rFlag":"SOK","reasonCode":"100"}]`, sdk.StatusCaptured},
		"the bill failed":        {`"status":"AUTHORIZED","applications":[` + auth + `,{"name":"ics_bill","rCode":"0","rFlag":"DINVALIDDATA","reasonCode":"102"}]`, sdk.StatusAuthorized},
		"no bill":                {`"status":"AUTHORIZED","applications":[` + auth + `]`, sdk.StatusAuthorized},
		"a system error":         {`"status":"AUTHORIZED","applications":[` + auth + `,{"name":"ics_bill","rCode":"-1","rFlag":"ESYSTEM"}]`, sdk.StatusUnknown},
		"a bill without result":  {`"status":"AUTHORIZED","applications":[` + auth + `,{"name":"ics_bill"}]`, sdk.StatusUnknown},
		"no services":            {`"status":"AUTHORIZED"`, sdk.StatusUnknown},
		"services without names": {`"status":"AUTHORIZED","applications":[{}]`, sdk.StatusUnknown},
		"other services":         {`"status":"AUTHORIZED","applications":"ics_bill"`, sdk.StatusUnknown},
		"a reason code alone":    {`"reasonCode":"100"`, sdk.StatusUnknown},
		"handed on":              {`"status":"TRANSMITTED"`, sdk.StatusCaptured},
		"handed on, not billed":  {`"status":"TRANSMITTED","applications":[` + auth + `,{"name":"ics_bill","rCode":"0"}]`, sdk.StatusUnknown},
	} {
		p := play(t, sdk.OpSync, r, answer(200, `{"id":"7001","clientReferenceInformation":{"code":"ref-1"},"applicationInformation":{`+k.information+`},
			"orderInformation":{"amountDetails":{"authorizedAmount":"24.99","totalAmount":"24.99","currency":"USD"}}}`))
		require.Equal(t, k.want, p.Status, "%s: %v", name, p.Raw)
	}
}

// TestFailedCaptureSaysNothingOfThePayment shows that a failed capture ends the capture and not the payment.
func TestFailedCaptureSaysNothingOfThePayment(t *testing.T) {
	r := later(2499)
	r.ConnectorData = sdk.Keep("capture", "8001")
	for _, status := range []string{"FAILED", "DECLINED", "CANCELLED", "VOIDED"} {
		failed := answer(200, `{"id":"8001","applicationInformation":{"status":"`+status+`"}}`)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, failed).Status, status)
		of := r
		of.Resolves = sdk.OpCapture
		require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpSync, of, failed).Status, status)
	}
}

// TestNotFoundByItsID shows that a transaction with Cybersource's own id that Cybersource does not know belongs to another
// account.
func TestNotFoundByItsID(t *testing.T) {
	captured, void, refund := later(2499), later(0), later(500)
	captured.ConnectorData, void.Resolves, refund.RefundID = sdk.Keep("capture", "8001"), "", "9001"
	for op, r := range map[sdk.Operation][]sdk.Request{sdk.OpSync: {later(2499), captured, void}, sdk.OpRefundSync: {refund}} {
		for _, r := range r {
			p := play(t, op, r, answer(404, `{"reason":"NOT_FOUND"}`))
			require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]}, op)
		}
	}
}

// TestInDoubt shows that a request on which the processor may have acted is not declined.
func TestInDoubt(t *testing.T) {
	for _, reason := range []string{"PROCESSOR_TIMEOUT", "PROCESSOR_ERROR", "SYSTEM_ERROR", "SERVER_TIMEOUT", "SERVICE_TIMEOUT", "GATEWAY_TIMEOUT"} {
		x := answer(201, `{"id":"7001","status":"DECLINED","errorInformation":{"reason":"`+reason+`"}}`)
		for op, r := range map[sdk.Operation]sdk.Request{sdk.OpAuthorize: payment(), sdk.OpCapture: later(1000), sdk.OpVoid: later(0), sdk.OpRefund: later(1000)} {
			require.Equal(t, sdk.StatusUnknown, play(t, op, r, x).Status, "%s %s", op, reason)
		}
	}
	for _, code := range []string{"150", "151", "152", "250"} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"reasonCode":"`+code+`"}}`)).Status, code)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"status":"DECLINED","reasonCode":"`+code+`"}}`)).Status, code)
	}
}

// TestReasons shows that Cybersource's documented reasons have specific decline reasons.
func TestReasons(t *testing.T) {
	for reason, want := range map[string]sdk.DeclineReason{
		"CUSTOMER_WATCHLIST_MATCH": sdk.DeclineBlocked, "ADDRESS_COUNTRY_WATCHLIST_MATCH": sdk.DeclineBlocked, "EMAIL_COUNTRY_WATCHLIST_MATCH": sdk.DeclineBlocked,
		"IP_COUNTRY_WATCHLIST_MATCH": sdk.DeclineBlocked, "ALLOWABLE_PIN_RETRIES_EXCEEDED": sdk.DeclineSecurityViolation, "BLOCKED_BY_CARDHOLDER": sdk.DeclineStopRecurring,
		"INVALID_PIN": sdk.DeclineSecurityViolation, "INVALID_CARD": sdk.DeclineIncorrectNumber, "RISK_CONTROL_DECLINE": sdk.DeclineFraud,
	} {
		p := play(t, sdk.OpAuthorize, payment(), answer(201, `{"id":"7001","status":"DECLINED","errorInformation":{"reason":"`+reason+`"}}`))
		require.Equal(t, want, p.Decline.Reason, reason)
		require.False(t, p.Decline.RetryElsewhere, reason)
	}
}
