package stripe_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// about is a request about the dispute du_1 of 10 dollars. The answers below have the form of docs.stripe.com/api/disputes.
func aboutDispute(change func(d *sdk.DisputeRequest)) sdk.Request {
	r := purchase(1000, "USD")
	r.Instrument, r.Dispute = nil, &sdk.DisputeRequest{ID: "du_1", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: r.Amount}
	if change != nil {
		change(r.Dispute)
	}
	return r
}

func disputeAnswer(status string) sdk.Exchange {
	return wire.Answer(200, `{"id":"du_1","object":"dispute","amount":1000,"currency":"usd","charge":"ch_1","payment_intent":"pi_1","reason":"general","status":"`+status+`",
		"created":1680651737,"evidence_details":{"due_by":1682294399,"has_evidence":false,"past_due":false,"submission_count":0}}`)
}

// TestDisputes answers a dispute in every way, and reads Stripe's answers.
func TestDisputes(t *testing.T) {
	for _, row := range []struct {
		op     sdk.Operation
		method string
		path   string
		status string
		want   sdk.DisputeStatus
	}{
		{sdk.OpAcceptDispute, "POST", "/v1/disputes/du_1/close", "lost", sdk.DisputeLost},
		{sdk.OpAcceptDispute, "POST", "/v1/disputes/du_1/close", "warning_closed", sdk.DisputeCancelled},
		{sdk.OpSubmitEvidence, "POST", "/v1/disputes/du_1", "under_review", sdk.DisputeChallenged},
		{sdk.OpDisputeSync, "GET", "/v1/disputes/du_1", "won", sdk.DisputeWon},
		{sdk.OpDisputeSync, "GET", "/v1/disputes/du_1", "needs_response", sdk.DisputeOpened},
	} {
		sends, end := play(t, row.op, aboutDispute(nil), disputeAnswer(row.status))
		require.Equal(t, []string{row.method, "https://api.stripe.com" + row.path}, []string{sends[0].Method, sends[0].URL})
		require.Equal(t, []any{sdk.StatusDisputed, row.want, "du_1", int64(1000)}, []any{end.Outcome.Status, end.Outcome.Dispute.Status, end.Outcome.Dispute.ID, end.Outcome.Dispute.Amount.Minor})
	}
	for name, answer := range map[string]sdk.Exchange{"another dispute": wire.Answer(200, `{"id":"du_2","object":"dispute","amount":1000,"currency":"usd","status":"lost"}`),
		"an unknown status": disputeAnswer("made_up"), "a list": wire.Answer(200, `{"object":"list","data":[]}`), "a fault": wire.Answer(500, `{}`),
		"a refused query": wire.Answer(404, `{"error":{"type":"invalid_request_error","code":"resource_missing"}}`)} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpDisputeSync, aboutDispute(nil), answer).Status, name)
	}
	refused := outcome(t, sdk.OpAcceptDispute, aboutDispute(nil), wire.Answer(400, `{"error":{"type":"invalid_request_error","message":"This dispute is already closed"}}`))
	require.Equal(t, []any{sdk.StatusDeclined, "This dispute is already closed"}, []any{refused.Status, refused.Decline.Message})
}

// TestEvidence submits texts under Stripe's names, and files by their ids.
func TestEvidence(t *testing.T) {
	sends, _ := play(t, sdk.OpSubmitEvidence, aboutDispute(func(d *sdk.DisputeRequest) {
		d.Evidence = map[string]string{"customer_name": "Jane Doe", "shipping_tracking_number": "1Z&=", "made_up": "x"}
		d.Files = []sdk.AttachedFile{{Type: sdk.EvidenceReceipt, ID: "file_1"}, {Type: sdk.EvidenceDistinctInvoice, ID: "file_2"}, {Type: sdk.EvidenceRecurringAgreement, ID: "file_3"}}
	}), disputeAnswer("under_review"))
	require.Equal(t, map[string]string{"evidence[customer_name]": "Jane Doe", "evidence[shipping_tracking_number]": "1Z&=", "evidence[receipt]": "file_1",
		"evidence[duplicate_charge_documentation]": "file_2", "submit": "true"}, wire.FormBody(t, sends[0]))

	file := aboutDispute(func(d *sdk.DisputeRequest) {
		d.File = &sdk.EvidenceFile{Type: sdk.EvidenceReceipt, Name: "a.pdf", ContentType: "application/pdf", Body: []byte("%PDF-1.7 content")}
	})
	sends, end := play(t, sdk.OpAttachEvidence, file, wire.Answer(200, `{"id":"file_1","object":"file","purpose":"dispute_evidence","size":16,"type":"pdf"}`))
	require.Equal(t, []any{sdk.StatusAttached, "file_1"}, []any{end.Outcome.Status, end.Outcome.EvidenceID})
	require.Equal(t, "https://files.stripe.com/v1/files", sends[0].URL)
	body := string(sends[0].Body)
	for _, part := range []string{"name=\"purpose\"\r\n\r\ndispute_evidence\r\n", "name=\"file\"; filename=\"a.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7 content\r\n--"} {
		require.True(t, strings.Contains(body, part), body)
	}
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAttachEvidence, file, wire.Answer(200, `{"object":"file"}`)).Status)
}
