package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

func message(body string) sdk.Request {
	return sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("x-simulator-signature", "c0ffee")}, Body: []byte(body), BodyLength: len(body)}}
}

func TestWebhookMessages(t *testing.T) {
	for body, want := range map[string]sdk.Outcome{
		`{"type":"payment.updated","transaction_id":"sim_1","created":1700000000}`: {Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200},
			Events: []sdk.Event{{Object: "payment", TransactionID: "sim_1", Sync: true, Time: 1_700_000_000_000}}},
		`{"type":"refund.updated","refund_id":"simr_1","transaction_id":"sim_1","reference":"ref_1"}`: {Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200},
			Events: []sdk.Event{{Object: "refund", TransactionID: "sim_1", RefundID: "simr_1", Reference: "ref_1", Sync: true}}},
		`{"type":"payment.updated","reference":"pay_1_1","created":-5}`: {Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200},
			Events: []sdk.Event{{Object: "payment", Reference: "pay_1_1", Sync: true}}},
		`{"type":"dispute.updated","dispute_id":"dp_1","status":"opened","amount":500,"currency":"USD","transaction_id":"sim_1"}`: {Status: sdk.StatusHandled,
			Reply: &sdk.Reply{Status: 200}, Events: []sdk.Event{{Object: "dispute", TransactionID: "sim_1",
				Dispute: &sdk.Dispute{ID: "dp_1", Status: sdk.DisputeOpened, Amount: usd(500), ConnectorStatus: "opened"}}}},
		`{"type":"dispute.updated","dispute_id":"dp_1"}`:     {Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 400}},
		`{"type":"payout.updated","transaction_id":"sim_1"}`: {Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200}},
		`{"type":"payment.updated"}`:                         {Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 400}},
		`{"type":"refund.updated","transaction_id":"sim_1"}`: {Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 400}},
		`{"type":`: {Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 400}},
	} {
		got := *do(t, sdk.OpWebhook, 0, message(body))
		require.Equal(t, want.Reply.Status >= 400, got.Raw["error"] != "", "a refusal has its reason")
		got.Raw = nil
		require.Equal(t, want, got, body)
	}
}

func TestWebhookSignature(t *testing.T) {
	s := step(sdk.OpWebhook, 0, message(`{"type":"payment.updated","transaction_id":"sim_1"}`))
	s.Account.Credentials["webhook_secret"] = "SecretStandIn"
	adapter := simulator.Adapter()
	asked := adapter.Step(s)
	require.NotNil(t, asked.Verify, "a message is not believed unverified where there is a secret")
	require.Equal(t, sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text("SecretStandIn"), sdk.Body())), asked.Verify.Expr)
	require.Equal(t, "c0ffee", asked.Verify.Equal)

	for _, genuine := range []bool{true, false} {
		s.Exchanges = []sdk.Exchange{{Now: s.Now, RequestHash: sdk.VerifyHash(asked.Verify), Sent: true, Verified: &genuine}}
		o := adapter.Step(s).Outcome
		if genuine {
			require.Equal(t, sdk.StatusHandled, o.Status)
			require.Len(t, o.Events, 1)
		} else {
			require.Equal(t, 401, o.Reply.Status)
			require.Empty(t, o.Events)
		}
	}
}
