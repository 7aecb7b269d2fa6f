package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// at performs an operation at a connector of that name.
func at(t *testing.T, connector string, op sdk.Operation, after time.Duration, r sdk.Request) *sdk.Outcome {
	t.Helper()
	s := step(op, after, r)
	s.Account.Connector = connector
	o := simulator.Adapter().Step(s).Outcome
	require.NotNil(t, o)
	return o
}

// TestPaymentsThatAreSettledLater: adyen settles an automatic payment in euros later, unless the payer was
// authenticated. A query finds it unsettled.
func TestPaymentsThatAreSettledLater(t *testing.T) {
	euros := func(how sdk.CaptureMethod) sdk.Request {
		r := request(visa, 6540, how)
		r.Amount.Currency = "EUR"
		return r
	}
	first := euros(sdk.CaptureAutomatic)
	o := at(t, "adyen", sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusPending, o.Status)
	require.NotEmpty(t, o.TransactionID)
	require.Equal(t, sdk.StatusPending, at(t, "adyen", sdk.OpSync, time.Hour, later(first, o)).Status)
	require.Equal(t, sdk.StatusCaptured, at(t, "stripe", sdk.OpSync, time.Hour, later(first, o)).Status)

	declined := euros(sdk.CaptureAutomatic)
	declined.Instrument.Card = cardOf("4000 0000 0000 0002")
	authenticated := euros(sdk.CaptureAutomatic)
	authenticated.ThreeDS = &sdk.ThreeDSResult{CAVV: "CAVVStandIn", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c4e59ceb-a382-4d6a-bc87-385d591fa09d"}
	redirected := euros(sdk.CaptureAutomatic)
	redirected.Request3DS = true
	stored := request(visa, 6540, sdk.CaptureAutomatic)
	for name, row := range map[string]struct {
		connector string
		request   sdk.Request
		want      sdk.OutcomeStatus
	}{
		"another currency":  {"adyen", stored, sdk.StatusCaptured},
		"another connector": {"stripe", euros(sdk.CaptureAutomatic), sdk.StatusCaptured},
		"held":              {"adyen", euros(sdk.CaptureManual), sdk.StatusAuthorized},
		"declined":          {"adyen", declined, sdk.StatusDeclined},
		"authenticated":     {"adyen", authenticated, sdk.StatusCaptured},
		"redirected":        {"adyen", redirected, sdk.StatusCustomerAction},
	} {
		require.Equal(t, row.want, at(t, row.connector, sdk.OpAuthorize, 0, row.request).Status, name)
	}
}

// TestMessagesOfStripe: under the name of stripe the simulator reads messages in that processor's form. Each only
// causes a query, and the switch answers one about an unknown payment.
func TestMessagesOfStripe(t *testing.T) {
	event := func(kind, object string) string {
		return `{"id":"evt_1","object":"event","created":1700000000,"type":"` + kind + `","data":{"object":` + object + `}}`
	}
	const intent, charge = `{"object":"payment_intent","id":"pi_1"}`, `{"object":"charge","id":"ch_1","payment_intent":"pi_1"}`
	refunded := func(status, metadata string) string {
		return `{"object":"refund","id":"re_1","payment_intent":"pi_1","status":"` + status + `","metadata":` + metadata + `}`
	}
	at1 := int64(1_700_000_000_000)
	byID := &sdk.Event{Object: "payment", TransactionID: "pi_1", Sync: true, Time: at1}
	refund := &sdk.Event{Object: "refund", TransactionID: "pi_1", RefundID: "re_1", Sync: true, Time: at1}
	payment, named := *byID, *refund
	payment.Reference, named.Reference = "pay_1_1", "ref_1"
	for body, want := range map[string]*sdk.Event{
		event("payment_intent.succeeded", `{"object":"payment_intent","id":"pi_1","metadata":{"order_id":"pay_1_1"}}`):   &payment,
		event("payment_intent.payment_failed", intent):                                                                   byID,
		event("payment_intent.canceled", intent):                                                                         byID,
		event("payment_intent.amount_capturable_updated", intent):                                                        byID,
		event("payment_intent.requires_action", intent):                                                                  byID,
		event("payment_intent.partially_funded", intent):                                                                 byID,
		event("payment_intent.created", intent):                                                                          nil,
		event("payment_intent.processing", intent):                                                                       nil,
		event("charge.refund.updated", refunded("succeeded", `{"order_id":"ref_1","is_refund_id_as_reference":"true"}`)): &named,
		event("charge.refund.updated", refunded("failed", `{"order_id":"ref_1"}`)):                                       refund,
		event("charge.refund.updated", refunded("pending", `{}`)):                                                        nil,
		event("charge.captured", charge):                                                                                 nil,
		event("charge.refunded", charge):                                                                                 nil,
	} {
		o := at(t, "stripe", sdk.OpWebhook, 0, message(body))
		require.Equal(t, sdk.StatusHandled, o.Status, body)
		if want == nil {
			require.Empty(t, o.Events, body)
			require.Equal(t, &sdk.Reply{Status: 200}, o.Reply, body)
			continue
		}
		require.Equal(t, []sdk.Event{*want}, o.Events, body)
		require.Nil(t, o.Reply, body)
		require.Empty(t, at(t, "checkout", sdk.OpWebhook, 0, message(body)).Events, "under another name the message is unknown")
	}

	s := step(sdk.OpWebhook, 0, message(event("payment_intent.succeeded", intent)))
	s.Account.Credentials["webhook_secret"] = "SecretStandIn"
	r := simulator.Adapter().Step(s)
	require.Nil(t, r.Verify, "what only causes a query needs no proof")
	require.Equal(t, []sdk.Event{*byID}, r.Outcome.Events)
}
