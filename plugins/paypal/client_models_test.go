package paypal_test

import (
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/internal/published"
	"payswitch/plugins/paypal"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// modelOf is the request of PayPal's library that is posted to a path.
func modelOf(url string) string {
	path := strings.TrimSuffix(strings.TrimPrefix(url, "https://api-m.sandbox.paypal.com"), "/")
	switch {
	case path == "/v2/checkout/orders":
		return "orderRequest"
	case path == "/v3/vault/payment-tokens":
		return "paymentTokenRequest"
	case strings.HasPrefix(path, "/v2/checkout/orders/") && strings.HasSuffix(path, "/capture"):
		return "orderCaptureRequest"
	case strings.HasPrefix(path, "/v2/checkout/orders/"):
		return "orderAuthorizeRequest"
	case strings.HasSuffix(path, "/capture"):
		return "captureRequest"
	case strings.HasSuffix(path, "/refund"):
		return "refundRequest"
	}
	return ""
}

// models are those of PayPal's own library.
func models(t *testing.T) *published.Schema {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	return s
}

// TestRequestsAreOfThePublishedModels checks what is sent in every recorded case, and in what has no case, against PayPal's library.
func TestRequestsAreOfThePublishedModels(t *testing.T) {
	a, s, seen := paypal.Adapter(), models(t), map[string]bool{}
	requests, _, err := wire.Load(os.DirFS("testdata"), "paypal")
	require.NoError(t, err)
	check := func(name string, step *sdk.Step, answers ...sdk.Exchange) {
		step.Request.ThreeDS = nil
		sends, end, err := wire.Play(a, step, answers...)
		require.NoError(t, err)
		require.NotEmpty(t, sends, "%s: %+v", name, end)
		last := sends[len(sends)-1]
		if m := modelOf(last.URL); m != "" && len(last.Body) > 0 {
			seen[m] = true
			require.NoError(t, s.Check(m, last.Body), "%s: %s", name, last.Body)
		}
	}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		check(c.Name, c.Step(wire.Operation(c.Flow), wire.Account(&a.Manifest, requests), requests.Clock))
	}
	step := func(op sdk.Operation, r sdk.Request) *sdk.Step {
		step := wire.NewStep(&a.Manifest, op, r)
		step.Account.Credentials["access_token"] = "tok"
		return step
	}
	for _, initiator := range []string{"cit", "mit"} {
		for _, usage := range []string{"", "on_session", "off_session"} {
			for _, category := range []string{"", "recurring", "installment", "unscheduled", "resubmission"} {
				for _, first := range []bool{false, true} {
					r := purchase()
					r.StoredCredential = &sdk.StoredCredentialUse{Initiator: initiator, Usage: usage, Category: category, First: first && initiator == "cit"}
					check("agreement", step(sdk.OpAuthorize, r))
					r.Instrument.NetworkTransactionID = "0741"
					check("agreement of another processor", step(sdk.OpAuthorize, r))
					r.Instrument = &sdk.Instrument{StoredCredentialID: "8kk8451t"}
					check("agreement of the vault", step(sdk.OpAuthorize, r))
				}
			}
		}
	}
	for _, n := range []sdk.CardNetwork{sdk.Visa, sdk.Mastercard, sdk.AmericanExpress, sdk.Discover, sdk.JCB, sdk.DinersClub, sdk.Maestro, sdk.UnionPay, sdk.CartesBancaires} {
		r := purchase()
		r.StoredCredential, r.Instrument.NetworkTransactionID, r.Instrument.Card.Network = &sdk.StoredCredentialUse{Initiator: "mit"}, "0741", n
		check(string(n), step(sdk.OpAuthorize, r))
	}
	for _, capture := range []sdk.CaptureMethod{sdk.CaptureAutomatic, sdk.CaptureManual} {
		r := purchase()
		r.TransactionID, r.Capture = "ORDER1", capture
		approved, err := json.Marshal(authenticated().value)
		require.NoError(t, err)
		check("return from 3-D Secure", step(sdk.OpComplete, r), wire.Answer(200, string(approved)))
	}
	for _, m := range []string{"orderRequest", "orderAuthorizeRequest", "orderCaptureRequest", "captureRequest", "refundRequest", "paymentTokenRequest"} {
		require.True(t, seen[m], m)
	}
	require.Error(t, s.Check("orderRequest", []byte(`{"intent":"CAPTURE","purchase_units":[],"colour":"red"}`)))
}

// TestPublishedListsAreRead: of every list of values in PayPal's library that an answer can hold, each value is read.
func TestPublishedListsAreRead(t *testing.T) {
	s := models(t)
	list := func(of string, want map[string]sdk.OutcomeStatus) []string {
		values := s.Values(of)
		require.NotEmpty(t, values, of)
		for _, v := range values {
			require.True(t, want == nil || want[v] != "", "%s: new value %s", of, v)
		}
		return values
	}
	answered := func(model, message string) sdk.Exchange {
		require.NoError(t, s.Check(model, []byte(message)), message)
		return wire.Answer(201, message)
	}
	ordered := func(status, payments string) sdk.Exchange {
		return answered("order", `{"id":"ORDER1","status":"`+status+`","purchase_units":[{"reference_id":"ref-1","payments":{`+payments+`}}]}`)
	}
	sync := sdk.Request{TransactionID: "ORDER1", Amount: usd(2499)}

	payments := map[string]sdk.OutcomeStatus{"CREATED": sdk.StatusAuthorized, "COMPLETED": sdk.StatusCaptured, "PARTIALLY_REFUNDED": sdk.StatusCaptured, "REFUNDED": sdk.StatusCaptured,
		"PENDING": sdk.StatusPending, "DECLINED": sdk.StatusDeclined, "DENIED": sdk.StatusDeclined, "FAILED": sdk.StatusDeclined, "VOIDED": sdk.StatusVoided,
		"CAPTURED": sdk.StatusUnknown, "PARTIALLY_CAPTURED": sdk.StatusUnknown} // the last two without the capture itself
	for _, v := range list("captureStatus", payments) {
		require.Equal(t, payments[v], outcome(t, sdk.OpSync, sync, ordered("COMPLETED", `"captures":[{"id":"C","status":"`+v+`",`+value+`}]`)).Status, v)
	}
	for _, v := range list("authorizationStatus", payments) {
		require.Equal(t, payments[v], outcome(t, sdk.OpSync, sync, ordered("COMPLETED", `"authorizations":[{"id":"A","status":"`+v+`",`+value+`}]`)).Status, v)
	}
	orders := map[string]sdk.OutcomeStatus{"CREATED": sdk.StatusPending, "SAVED": sdk.StatusPending, "APPROVED": sdk.StatusPending, "PAYER_ACTION_REQUIRED": sdk.StatusPending,
		"VOIDED": sdk.StatusVoided, "COMPLETED": sdk.StatusUnknown} // all without a payment
	for _, v := range list("orderStatus", orders) {
		require.Equal(t, orders[v], outcome(t, sdk.OpSync, sync, ordered(v, "")).Status, v)
	}
	back := map[string]sdk.OutcomeStatus{"COMPLETED": sdk.StatusRefunded, "PENDING": sdk.StatusPending, "FAILED": sdk.StatusDeclined, "CANCELLED": sdk.StatusDeclined}
	for _, v := range list("refundStatus", back) {
		require.Equal(t, back[v], outcome(t, sdk.OpRefundSync, sdk.Request{RefundID: "REF1", Amount: usd(2499)}, answered("refund", `{"id":"REF1","status":"`+v+`",`+value+`}`)).Status, v)
	}
	for _, reason := range list("captureIncompleteReason", nil) {
		o := outcome(t, sdk.OpAuthorize, purchase(), ordered("COMPLETED", `"captures":[{"id":"C","status":"PENDING","status_details":{"reason":"`+reason+`"},`+value+`}]`))
		require.Equal(t, reason == "PENDING_REVIEW", o.Status == sdk.StatusReview, reason)
		require.Contains(t, []sdk.OutcomeStatus{sdk.StatusPending, sdk.StatusReview}, o.Status, reason)
	}
	for _, code := range list("processorResponse response_code", nil) {
		o := outcome(t, sdk.OpAuthorize, purchase(), ordered("COMPLETED", `"captures":[{"id":"C","status":"DECLINED","processor_response":{"response_code":"`+code+`"},`+value+`}]`))
		require.Equal(t, sdk.StatusDeclined, o.Status, code)
		require.Equal(t, code, o.Raw["response_code"])
	}
}

// TestPublishedCheckCodesAreRead: the codes of address and CVC checks, by their words in PayPal's reference (processor_response).
func TestPublishedCheckCodesAreRead(t *testing.T) {
	s := models(t)
	read := func(field, code string) *sdk.Checks {
		answer := `{"id":"ORDER1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"id":"C","status":"COMPLETED","processor_response":{"` + field + `":"` + code + `"},` + value + `}]}}]}`
		require.NoError(t, s.Check("order", []byte(answer)))
		return outcome(t, sdk.OpAuthorize, purchase(), wire.Answer(201, answer)).Checks
	}
	// E is an error, I invalid, S and 4 no service, U not certified, X no response: no result, and no failure either.
	cvv := map[string]string{"M": "pass", "0": "pass", "N": "fail", "1": "fail", "P": "unchecked", "2": "unchecked", "3": "unchecked"}
	for _, code := range s.Values("processorResponse cvv_code") {
		require.Equal(t, cmp.Or(cvv[code], "unavailable"), read("cvv_code", code).CVC, code)
	}
	addresses := map[string][2]string{"A": {"pass", "fail"}, "B": {"pass", "fail"}, "C": {"fail", "fail"}, "N": {"fail", "fail"}, "1": {"fail", "fail"}, "D": {"pass", "pass"},
		"F": {"pass", "pass"}, "M": {"pass", "pass"}, "X": {"pass", "pass"}, "Y": {"pass", "pass"}, "0": {"pass", "pass"}, "P": {"fail", "pass"}, "W": {"fail", "pass"},
		"Z": {"fail", "pass"}, "3": {"unchecked", "unchecked"}}
	for _, code := range s.Values("processorResponse avs_code") {
		want, ok := addresses[code]
		if !ok {
			want = [2]string{"unavailable", "unavailable"}
		}
		c := read("avs_code", code)
		require.Equal(t, want, [2]string{c.AddressLine1, c.PostalCode}, code)
	}
}
