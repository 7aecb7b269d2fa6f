package mollie_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/internal/published"
	"payswitch/plugins/mollie"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func models(t *testing.T) *published.Schema {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	return s
}

// requestModels are the library's models by the last part of the path. The library lacks the card tokens of Mollie Components.
var requestModels = map[string]string{"payments": "PaymentRequest", "refunds": "RefundRequest", "captures": "EntityCapture", "customers": "EntityCustomer"}

// TestRequestsAreOfTheClientsModels compares every request, of the recorded cases and of others, with Mollie's library.
func TestRequestsAreOfTheClientsModels(t *testing.T) {
	a, s, seen := mollie.Adapter(), models(t), map[string]bool{}
	requests, _, err := wire.Load(os.DirFS("testdata"), "mollie")
	require.NoError(t, err)
	check := func(name string, step *sdk.Step) {
		answers := []sdk.Exchange{}
		for {
			sends, end, err := wire.Play(a, step, answers...)
			require.NoError(t, err)
			if end.Send == nil {
				require.NotEmpty(t, sends, "%s: %+v", name, end)
				return
			}
			send := sends[len(sends)-1]
			if m := requestModels[path.Base(send.URL)]; m != "" && send.Method == "POST" {
				seen[m] = true
				body := string(send.Body)
				if strings.Contains(body, `"recurring"`) { // the library requires the address even as null; Mollie does not require it for a mandate
					body = `{"redirectUrl":null,` + body[1:]
				}
				require.NoError(t, s.Check(m, []byte(body)), "%s: %s", name, body)
			}
			answers = append(answers, wire.Answer(201, map[bool]string{true: `{"cardToken":"tkn_1"}`, false: `{"id":"cst_1"}`}[strings.HasSuffix(send.URL, "/card-tokens")]))
		}
	}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		step := c.Step(c.Operation(), wire.Account(&a.Manifest, requests), requests.Clock)
		step.Request.ThreeDS = nil
		check(c.Name, step)
	}
	for _, usage := range []sdk.CredentialUsage{"on_session", "off_session"} {
		r := purchase(1000, "EUR")
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: usage}
		check("stored for "+string(usage), wire.NewStep(&a.Manifest, sdk.OpAuthorize, r))
		r.Amount.Minor = 0
		check("verified for "+string(usage), wire.NewStep(&a.Manifest, sdk.OpVerify, r))
		r = purchase(1000, "EUR")
		r.Instrument = &sdk.Instrument{StoredCredentialID: "cst_1/mdt_1"}
		check("charged by mandate", wire.NewStep(&a.Manifest, sdk.OpAuthorize, r))
	}
	r := purchase(1000, "EUR")
	r.TransactionID, r.Description = "tr_1", "part"
	check("capture", wire.NewStep(&a.Manifest, sdk.OpCapture, r))
	require.Len(t, seen, len(requestModels))
	require.Error(t, s.Check("PaymentRequest", []byte(`{"description":"x","amount":{"currency":"EUR","value":"1.00"},"redirectUrl":null,"colour":"red"}`)))
}

// link is one of an answer's links.
const link = `{"href":"https://api.mollie.com/v2/x","type":"application/hal+json"}`

// whole returns an answer with everything that Mollie's library requires.
func whole(resource, id, status, more string) string {
	return `{"resource":"` + resource + `","id":"` + id + `","mode":"test","description":"x","amount":{"currency":"EUR","value":"10.00"},"status":"` + status +
		`","createdAt":"2026-01-15T10:20:30+00:00","_links":{"self":` + link + more + `}`
}

// TestClientKnowsNoOtherAnswers: the adapter reads every status and reason of Mollie's library, from answers that the library
// reads too.
func TestClientKnowsNoOtherAnswers(t *testing.T) {
	s := models(t)
	each := func(of, model string, op sdk.Operation, r sdk.Request, body func(value string) string, want map[string]sdk.OutcomeStatus) {
		values := s.Values(of)
		require.NotEmpty(t, values, of)
		for _, v := range values {
			text := body(v)
			require.NoError(t, s.Check(model, []byte(text)), text)
			require.NotEmpty(t, want[v], "%s: new value %s", of, v)
			require.Equal(t, want[v], outcome(t, op, r, answer(200, text)).Status, "%s %s", of, v)
		}
	}
	payment := func(status, more string) string {
		return whole("payment", "tr_1", status, `,"dashboard":`+link+`},"sequenceType":"oneoff","profileId":"pfl_1"`+more)
	}
	query := sdk.Request{TransactionID: "tr_1", Amount: sdk.Money{Minor: 1000, Currency: "EUR"}}
	each("PaymentResponse status", "PaymentResponse", sdk.OpSync, query, func(v string) string { return payment(v, "") }, map[string]sdk.OutcomeStatus{
		"open": sdk.StatusPending, "pending": sdk.StatusPending, "authorized": sdk.StatusAuthorized, "paid": sdk.StatusCaptured, "canceled": sdk.StatusDeclined,
		"expired": sdk.StatusDeclined, "failed": sdk.StatusDeclined})
	ofPayment := func(resource, id string) func(string) string {
		return func(v string) string {
			return whole(resource, id, v, `,"payment":`+link+`,"documentation":`+link+`},"paymentId":"tr_1","metadata":null`)
		}
	}
	back := query
	back.RefundID = "re_1"
	each("RefundResponse status", "RefundResponse", sdk.OpRefundSync, back, ofPayment("refund", "re_1"), map[string]sdk.OutcomeStatus{"queued": sdk.StatusPending,
		"pending": sdk.StatusPending, "processing": sdk.StatusPending, "refunded": sdk.StatusRefunded, "failed": sdk.StatusDeclined, "canceled": sdk.StatusDeclined})
	each("CaptureResponse status", "CaptureResponse", sdk.OpCapture, later(1000, 0), ofPayment("capture", "cpt_1"), map[string]sdk.OutcomeStatus{"pending": sdk.StatusPending,
		"succeeded": sdk.StatusCaptured, "failed": sdk.StatusDeclined})

	reasons := s.Values("PaymentDetailsFailureReasonResponse")
	require.Greater(t, len(reasons), 8)
	for _, reason := range reasons {
		text := payment("failed", `,"details":{"failureReason":"`+reason+`"}`)
		require.NoError(t, s.Check("PaymentResponse", []byte(text)))
		o := outcome(t, sdk.OpSync, query, answer(200, text))
		require.Equal(t, reason == "card_declined" || reason == "unknown_reason", o.Decline.Reason == sdk.DeclineGeneric, "%s is %s", reason, o.Decline.Reason)
	}
	// Codes of approvals, and codes that mean no more than "declined".
	general := strings.Fields("approved_or_completed_successfully partial_approval vip_approval no_reason_to_decline transaction_reversed " +
		"invalid_authorization_life_cycle invalid_biller_information pin_change_unblock_request_declined")
	networks := slices.Concat(s.Values("StatusReasonCardSchemeResponse"), s.Values("StatusReasonMerchantResponse"))
	require.Greater(t, len(networks), 80)
	for _, reason := range networks {
		text := payment("failed", `,"statusReason":{"code":"`+reason+`","message":"no"},"details":{"failureReason":"card_declined"}`)
		require.NoError(t, s.Check("PaymentResponse", []byte(text)))
		d := outcome(t, sdk.OpSync, query, answer(200, text)).Decline
		require.Equal(t, "card_declined", d.Code)
		require.Equal(t, slices.Contains(general, reason), d.Reason == sdk.DeclineGeneric, "%s is %s", reason, d.Reason)
	}
}
