package checkout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func playDispute(t *testing.T, op sdk.Operation, change func(d *sdk.DisputeRequest), answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result) {
	a := checkout.Adapter()
	d := &sdk.DisputeRequest{ID: "dsp_1", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: sdk.Money{Minor: 1000, Currency: "USD"}}
	if change != nil {
		change(d)
	}
	sends, end, err := wire.Play(a, wire.NewStep(&a.Manifest, op, sdk.Request{TransactionID: "pay_1", Amount: d.Amount, Dispute: d}), answers...)
	require.NoError(t, err)
	return sends, end
}

// TestDisputes has the requests and answers of Checkout.com's API reference.
func TestDisputes(t *testing.T) {
	sends, end := playDispute(t, sdk.OpAcceptDispute, nil, wire.Answer(204, ""))
	require.Equal(t, []any{"POST", "https://api.sandbox.checkout.com/disputes/dsp_1/accept", sdk.DisputeAccepted}, []any{sends[0].Method, sends[0].URL, end.Outcome.Dispute.Status})

	sends, end = playDispute(t, sdk.OpSubmitEvidence, func(d *sdk.DisputeRequest) {
		d.Evidence = map[string]string{"shipping_carrier": "Post", "shipping_tracking_number": "1Z", "customer_name": "Jane Doe"}
		d.Files = []sdk.AttachedFile{{Type: sdk.EvidenceReceipt, ID: "file_1"}}
	}, wire.Answer(204, ""), wire.Answer(204, ""))
	require.Equal(t, sdk.DisputeChallenged, end.Outcome.Dispute.Status)
	require.JSONEq(t, `{"proof_of_delivery_or_service_text":"shipping carrier: Post\nshipping tracking number: 1Z","invoice_or_receipt_file":"file_1",
		"additional_evidence_text":"customer name: Jane Doe"}`, string(sends[0].Body))
	require.Equal(t, []string{"PUT", "POST"}, []string{sends[0].Method, sends[1].Method})

	_, end = playDispute(t, sdk.OpSubmitEvidence, func(d *sdk.DisputeRequest) {
		d.Evidence = map[string]string{"uncategorized_text": strings.Repeat("x", 501)}
	})
	require.Equal(t, "uncategorized_text", end.Reject.Parameter)
	_, end = playDispute(t, sdk.OpSubmitEvidence, nil, wire.Answer(204, ""), wire.Answer(500, ""))
	require.Equal(t, sdk.StatusUnknown, end.Outcome.Status)
	_, end = playDispute(t, sdk.OpAcceptDispute, nil, wire.Answer(422, `{"error_type":"request_invalid","error_codes":["dispute_already_accepted"]}`))
	require.Equal(t, sdk.StatusDeclined, end.Outcome.Status)

	_, end = playDispute(t, sdk.OpAttachEvidence, func(d *sdk.DisputeRequest) {
		d.File = &sdk.EvidenceFile{Type: sdk.EvidenceReceipt, Name: "a.pdf", ContentType: "application/pdf", Body: []byte("%PDF-1.7")}
	}, wire.Answer(200, `{"id":"file_1","_links":{}}`))
	require.Equal(t, "file_1", end.Outcome.EvidenceID)

	for status, want := range map[string]sdk.DisputeStatus{"evidence_required": sdk.DisputeOpened, "evidence_under_review": sdk.DisputeChallenged, "won": sdk.DisputeWon,
		"lost": sdk.DisputeLost, "resolved": sdk.DisputeCancelled, "made_up": ""} {
		_, end = playDispute(t, sdk.OpDisputeSync, nil, wire.Answer(200, `{"id":"dsp_1","category":"fraudulent","amount":1000,"currency":"USD","reason_code":"10.4","status":"`+status+`"}`))
		if want == "" {
			require.Equal(t, sdk.StatusUnknown, end.Outcome.Status)
			continue
		}
		require.Equal(t, want, end.Outcome.Dispute.Status)
	}
	_, end = playDispute(t, sdk.OpDisputeSync, nil, wire.Answer(200, `{"id":"dsp_2","amount":1000,"currency":"USD","status":"won"}`))
	require.Equal(t, sdk.StatusUnknown, end.Outcome.Status, "another dispute")
}
