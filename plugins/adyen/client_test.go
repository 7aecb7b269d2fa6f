package adyen_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/plugins/internal/published"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// model returns the library's model of the requests to a path.
func model(url string) string {
	return map[string]string{"payments": "PaymentRequest", "details": "PaymentDetailsRequest", "captures": "PaymentCaptureRequest", "cancels": "PaymentCancelRequest",
		"refunds": "PaymentRefundRequest", "amountUpdates": "PaymentAmountUpdateRequest"}[path.Base(url)]
}

// TestRequestsAreOfTheClientsModels compares every request, of the recorded cases and of others, with Adyen's library.
func TestRequestsAreOfTheClientsModels(t *testing.T) {
	a := adyen.Adapter()
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	requests, _, err := wire.Load(os.DirFS("testdata"), "adyen")
	require.NoError(t, err)
	seen := map[string]bool{}
	check := func(name string, step *sdk.Step) {
		step.Request.ReturnURL = "https://switch.example/return" // the host always sends it
		sends, end, err := wire.Play(a, step)
		require.NoError(t, err)
		require.NotEmpty(t, sends, "%s: %+v", name, end)
		seen[model(sends[0].URL)] = true
		// A name is complete or empty. The recorded requests have an empty one, which the library would leave out.
		body := strings.Replace(string(sends[0].Body), `,"shopperName":{}`, "", 1)
		require.NoError(t, s.Check(model(sends[0].URL), []byte(body)), "%s: %s", name, body)
	}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		check(c.Name, c.Step(c.Operation(), wire.Account(&a.Manifest, requests), requests.Clock))
	}
	for _, e := range a.Manifest.Features.Exemptions {
		s := step(sdk.OpAuthorize)
		s.Request.Exemption = e
		check(string(e), s)
	}
	parts := step(sdk.OpAuthorize)
	parts.Request.Amount.Currency, parts.Request.Installments = "BRL", 3
	check("installments", parts)
	for _, reason := range []string{"requested_by_customer", "fraudulent", "duplicate", "goods returned", "whatever"} {
		s := step(sdk.OpRefund)
		s.Request.Reason = reason
		check(reason, s)
	}
	for n := range brandsOf {
		s := step(sdk.OpAuthorize)
		s.Request.Instrument.Card.Network, s.Request.Instrument.NetworkTransactionID = n, "016153570198200"
		s.Request.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "recurring"}
		check(string(n), s)
	}
	for _, a := range []sdk.Address{{FirstName: "Ann"}, {LastName: "Doe"}, {FirstName: "Ann", LastName: "Doe", Line1: "Damrak 1", City: "Amsterdam", Country: "NL"}} {
		s := step(sdk.OpAuthorize)
		s.Request.Billing, s.Request.Shipping = &a, &a
		check("part of an address", s)
	}
	back := step(sdk.OpComplete)
	back.Request.Return = &sdk.Return{Query: []sdk.Header{sdk.H("redirectResult", "X6XtfGC3!Y")}}
	check("return", back)
	back.Request.Return = &sdk.Return{Form: []sdk.Header{sdk.H("MD", "md"), sdk.H("PaRes", "pares")}}
	check("return by form", back)
	for _, status := range []string{"Y", "A", "U", "N", "R", "I"} { // the EMV 3-D Secure statuses that allow a payment
		for _, flow := range []string{"", "frictionless", "challenge"} {
			s := step(sdk.OpAuthorize)
			s.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "cavv", ECI: "05", TransStatus: status, Version: "2.2.0", DSTransID: "ds-1", Flow: flow, CAVVAlgorithm: "2"}
			check("3-D Secure done outside: "+status+flow, s)
		}
	}
	require.Len(t, seen, 6)

	require.Error(t, s.Check("PaymentRequest", []byte(`{"colour":"red"}`)))
}

// brandsOf are the networks for which Adyen accepts payments on an agreement of another processor.
var brandsOf = map[sdk.CardNetwork]bool{sdk.Visa: true, sdk.Mastercard: true, sdk.AmericanExpress: true, sdk.JCB: true, sdk.DinersClub: true, sdk.Discover: true,
	sdk.CartesBancaires: true, sdk.UnionPay: true, sdk.Maestro: true}

// TestAnswersAreOfTheClientsModels: Adyen's library can read the answers in these tests.
func TestAnswersAreOfTheClientsModels(t *testing.T) {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	_, responses, err := wire.Load(os.DirFS("testdata"), "adyen")
	require.NoError(t, err)
	checked := 0
	for i := range responses.Samples {
		c := &responses.Samples[i]
		m := map[string]string{"authorize": "PaymentResponse", "verify": "PaymentResponse", "complete": "PaymentResponse", "capture": "PaymentCaptureResponse",
			"void": "PaymentCancelResponse", "refund": "PaymentRefundResponse", "incremental_authorize": "PaymentAmountUpdateResponse"}[c.Flow]
		if c.Response != nil && c.Response.Status >= 400 {
			m = "ServiceError"
		}
		if m == "" || c.Response == nil || c.Name == "refund_received" { // this case has no amount: the adapter must not need one
			continue
		}
		checked++
		text, err := json.Marshal(c.Response.Body)
		require.NoError(t, err)
		require.NoError(t, s.Check(m, text), c.Name)
	}
	require.NotZero(t, checked)
}

// TestClientKnowsNoOtherResults: the adapter reads every result code of Adyen's library.
func TestClientKnowsNoOtherResults(t *testing.T) {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	results := s.Values("PaymentResponse resultCode")
	require.Greater(t, len(results), 8)
	for _, r := range results {
		want := map[string]sdk.OutcomeStatus{"Authorised": sdk.StatusCaptured, "Refused": sdk.StatusDeclined, "Error": sdk.StatusDeclined, "Cancelled": sdk.StatusDeclined,
			"Received": sdk.StatusPending, "Pending": sdk.StatusPending, "AuthenticationFinished": sdk.StatusPending, "AuthenticationNotRequired": sdk.StatusPending,
			"RedirectShopper": sdk.StatusCustomerAction, "ChallengeShopper": sdk.StatusPending, "IdentifyShopper": sdk.StatusPending, // only Adyen's component performs the actions of the last two
			"PresentToShopper":    sdk.StatusPending, // a voucher
			"PartiallyAuthorised": sdk.StatusUnknown, // the adapter never asks for it
			"Success":             sdk.StatusUnknown, // of gift cards
		}[r]
		action := `{"type":"threeDS2","token":"x"}`
		if r == "RedirectShopper" {
			action = `{"type":"redirect","method":"GET","paymentMethodType":"scheme","url":"https://checkoutshopper-test.adyen.com/x"}`
		}
		answer := `{"pspReference":"P","resultCode":"` + r + `","refusalReason":"Refused","refusalReasonCode":"2","action":` + action + `}`
		require.NoError(t, s.Check("PaymentResponse", []byte(answer)))
		require.Equal(t, want, outcome(t, step(sdk.OpAuthorize), 200, answer).Status, r)
	}
}

// TestClientKnowsNoOtherEvents: the adapter reads every event code of Adyen's library, or the code does not concern payments.
func TestClientKnowsNoOtherEvents(t *testing.T) {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	codes, ignored := s.Values("NotificationRequestItem.EventCodeEnum"), []string{}
	require.Greater(t, len(codes), 30)
	for _, code := range codes {
		for _, success := range s.Values("NotificationRequestItem success") {
			body := notification(t, code, success, "PAY")
			require.NoError(t, s.Check("Notification", []byte(strings.Replace(string(body), `"eventCode"`, `"eventDate":"2026-01-15T10:20:30+01:00","eventCode"`, 1))))
			o := receive(t, body, hmacKey)
			require.Equal(t, "[accepted]", o.Reply.Body, code)
			if success == "true" && len(o.Events) == 0 {
				ignored = append(ignored, code)
			}
		}
	}
	require.ElementsMatch(t, strings.Fields("AUTORESCUE CANCEL_AUTORESCUE DONATION HANDLED_EXTERNALLY ISSUER_COMMENTS "+
		"MANUAL_REVIEW_ACCEPT MANUAL_REVIEW_REJECT NOTIFICATION_OF_FRAUD ORDER_CLOSED ORDER_OPENED PAIDOUT_REVERSED PENDING POSTPONED_REFUND "+
		"PROCESS_RETRY PAYOUT_DECLINE PAYOUT_EXPIRE PAYOUT_THIRDPARTY REFUND_WITH_DATA REPORT_AVAILABLE TECHNICAL_CANCEL VOID_PENDING_REFUND"), ignored)
}
