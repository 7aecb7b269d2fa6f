package paypal_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// orderOf returns an order with payments.
func orderOf(status, payments string) sdk.Exchange {
	return wire.Answer(201, `{"id":"ORDER1","status":"`+status+`","purchase_units":[{"reference_id":"ref-1","payments":{`+payments+`}}]}`)
}

// TestEveryStatus: every status of Orders v2 and Payments v2, with what it proves.
func TestEveryStatus(t *testing.T) {
	sync := sdk.Request{TransactionID: "ORDER1", Amount: usd(2499)}
	for v, want := range map[string]sdk.OutcomeStatus{"COMPLETED": sdk.StatusCaptured, "PARTIALLY_REFUNDED": sdk.StatusCaptured, "REFUNDED": sdk.StatusCaptured,
		"PENDING": sdk.StatusPending, "DECLINED": sdk.StatusDeclined, "FAILED": sdk.StatusDeclined} {
		require.Equal(t, want, outcome(t, sdk.OpSync, sync, orderOf("COMPLETED", `"captures":[{"id":"C","status":"`+v+`",`+value+`}]`)).Status, v)
	}
	for v, want := range map[string]sdk.OutcomeStatus{"CREATED": sdk.StatusAuthorized, "PENDING": sdk.StatusPending, "DENIED": sdk.StatusDeclined, "VOIDED": sdk.StatusVoided,
		"CAPTURED": sdk.StatusUnknown, "PARTIALLY_CAPTURED": sdk.StatusUnknown} { // the last two lack the capture itself
		require.Equal(t, want, outcome(t, sdk.OpSync, sync, orderOf("COMPLETED", `"authorizations":[{"id":"A","status":"`+v+`",`+value+`}]`)).Status, v)
	}
	for v, want := range map[string]sdk.OutcomeStatus{"CREATED": sdk.StatusPending, "SAVED": sdk.StatusPending, "APPROVED": sdk.StatusPending,
		"PAYER_ACTION_REQUIRED": sdk.StatusPending, "VOIDED": sdk.StatusVoided, "COMPLETED": sdk.StatusUnknown} { // all without a payment
		require.Equal(t, want, outcome(t, sdk.OpSync, sync, orderOf(v, "")).Status, v)
	}
	for v, want := range map[string]sdk.OutcomeStatus{"COMPLETED": sdk.StatusRefunded, "PENDING": sdk.StatusPending, "FAILED": sdk.StatusDeclined, "CANCELLED": sdk.StatusDeclined} {
		answer := wire.Answer(200, `{"id":"REF1","status":"`+v+`",`+value+`}`)
		require.Equal(t, want, outcome(t, sdk.OpRefundSync, sdk.Request{RefundID: "REF1", Amount: usd(2499)}, answer).Status, v)
	}
	for _, reason := range []string{"BUYER_COMPLAINT", "CHARGEBACK", "ECHECK", "OTHER", "PENDING_REVIEW", "REFUNDED", "UNILATERAL", "VERIFICATION_REQUIRED"} {
		o := outcome(t, sdk.OpAuthorize, purchase(), orderOf("COMPLETED", `"captures":[{"id":"C","status":"PENDING","status_details":{"reason":"`+reason+`"},`+value+`}]`))
		want := sdk.StatusPending
		if reason == "PENDING_REVIEW" {
			want = sdk.StatusReview
		}
		require.Equal(t, want, o.Status, reason)
	}
}

// TestEveryCheckCode: the codes of address and CVC checks, as PayPal's reference (processor_response) explains them.
func TestEveryCheckCode(t *testing.T) {
	read := func(field, code string) *sdk.Checks {
		payment := `"captures":[{"id":"C","status":"COMPLETED","processor_response":{"` + field + `":"` + code + `"},` + value + `}]`
		return outcome(t, sdk.OpAuthorize, purchase(), orderOf("COMPLETED", payment)).Checks
	}
	// E is an error, I invalid, S and 4 no service, U not certified, X no response: these are neither results nor failures.
	cvv := map[string]sdk.CheckResult{"M": "pass", "0": "pass", "N": "fail", "1": "fail", "P": "unchecked", "2": "unchecked", "3": "unchecked"}
	for _, code := range strings.Split("E I M N P S U X 0 1 2 3 4", " ") {
		require.Equal(t, cmp.Or(cvv[code], "unavailable"), read("cvv_code", code).CVC, code)
	}
	addresses := map[string][2]sdk.CheckResult{"A": {"pass", "fail"}, "B": {"pass", "fail"}, "C": {"fail", "fail"}, "N": {"fail", "fail"}, "1": {"fail", "fail"}, "D": {"pass", "pass"},
		"F": {"pass", "pass"}, "M": {"pass", "pass"}, "X": {"pass", "pass"}, "Y": {"pass", "pass"}, "0": {"pass", "pass"}, "P": {"fail", "pass"}, "W": {"fail", "pass"},
		"Z": {"fail", "pass"}, "3": {"unchecked", "unchecked"}}
	for _, code := range strings.Split("A B C D E F G I M N P R S U W X Y Z 0 1 2 3 4", " ") {
		want, ok := addresses[code]
		if !ok {
			want = [2]sdk.CheckResult{"unavailable", "unavailable"}
		}
		c := read("avs_code", code)
		require.Equal(t, want, [2]sdk.CheckResult{c.AddressLine1, c.PostalCode}, code)
	}
	// American Express has meanings of its own: W and X are "all incorrect".
	for code, want := range map[string][2]sdk.CheckResult{"A": {"pass", "unavailable"}, "E": {"pass", "pass"}, "F": {"pass", "unavailable"}, "M": {"pass", "pass"},
		"N": {"fail", "fail"}, "W": {"fail", "fail"}, "X": {"fail", "fail"}, "Y": {"pass", "pass"}, "Z": {"fail", "pass"}, "S": {"unavailable", "unavailable"}} {
		answer := anOrder("COMPLETED", `"captures":[{"id":"C","status":"COMPLETED","processor_response":{"avs_code":"`+code+`","cvv_code":"M"},`+value+`}]`,
			`,"payment_source":{"card":{"brand":"AMEX"}}`)
		c := outcome(t, sdk.OpAuthorize, purchase(), answer).Checks
		require.Equal(t, sdk.Checks{CVC: "pass", AddressLine1: want[0], PostalCode: want[1]}, *c, code)
	}
}
