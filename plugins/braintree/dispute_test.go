package braintree_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func playDispute(t *testing.T, op sdk.Operation, evidence map[string]string, answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result) {
	a := braintree.Adapter()
	d := &sdk.DisputeRequest{ID: "abc", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: sdk.Money{Minor: 1000, Currency: "USD"}, Evidence: evidence}
	sends, end, err := wire.Play(a, wire.NewStep(&a.Manifest, op, sdk.Request{TransactionID: "dHJhbnNhY3Rpb25fMQ", Amount: d.Amount, Dispute: d}), answers...)
	require.NoError(t, err)
	return sends, end
}

// node returns a Dispute of Braintree's GraphQL schema.
func node(legacy, status, amount string) string {
	return `{"id":"ZGlzcHV0ZV9hYmM","legacyId":"` + legacy + `","status":"` + status + `","type":"CHARGEBACK","amountDisputed":{"value":"` + amount + `","currencyCode":"USD"}}`
}

// TestDisputes answers a dispute with the mutations of Braintree's GraphQL API, and asks for its state.
func TestDisputes(t *testing.T) {
	sends, end := playDispute(t, sdk.OpAcceptDispute, nil, wire.Answer(200, `{"data":{"acceptDispute":{"dispute":`+node("abc", "ACCEPTED", "10.00")+`}}}`))
	require.Contains(t, string(sends[0].Body), `"variables":{"input":{"disputeId":"ZGlzcHV0ZV9hYmM"}}`)
	require.Equal(t, []any{sdk.DisputeAccepted, sdk.StageDispute, "abc", int64(1000)}, []any{end.Outcome.Dispute.Status, end.Outcome.Dispute.Stage, end.Outcome.Dispute.ID, end.Outcome.Dispute.Amount.Minor})

	sends, end = playDispute(t, sdk.OpSubmitEvidence, map[string]string{"customer_name": "Jane Doe", "uncategorized_text": "She has it."},
		wire.Answer(200, `{"data":{"createDisputeTextEvidence":{"evidence":{"id":"ev_1"}}}}`),
		wire.Answer(200, `{"data":{"finalizeDispute":{"dispute":`+node("abc", "DISPUTED", "10.00")+`}}}`))
	require.Equal(t, sdk.DisputeChallenged, end.Outcome.Dispute.Status)
	require.Contains(t, string(sends[0].Body), `"content":"customer name: Jane Doe\nuncategorized text: She has it."`)
	require.Contains(t, string(sends[1].Body), "finalizeDispute(input: $input)")

	_, end = playDispute(t, sdk.OpSubmitEvidence, nil)
	require.Equal(t, "uncategorized_text", end.Reject.Parameter)
	_, end = playDispute(t, sdk.OpAcceptDispute, nil, wire.Answer(200, `{"data":{"acceptDispute":null},"errors":[{"message":"Disputes can only be accepted when they are in an Open state",
		"extensions":{"errorClass":"VALIDATION","legacyCode":"95701"}}]}`))
	require.Equal(t, sdk.StatusDeclined, end.Outcome.Status)

	search := func(nodes string) sdk.Exchange {
		return wire.Answer(200, `{"data":{"search":{"disputes":{"edges":[`+nodes+`]}}}}`)
	}
	for name, c := range map[string]struct {
		answer sdk.Exchange
		want   sdk.DisputeStatus // "" is unknown
	}{"won": {search(`{"node":` + node("abc", "WON", "10.00") + `}`), sdk.DisputeWon}, "open": {search(`{"node":` + node("abc", "OPEN", "7.50") + `}`), sdk.DisputeOpened},
		"another": {search(`{"node":` + node("xyz", "WON", "10.00") + `}`), ""}, "none": {search(""), ""}, "made up": {search(`{"node":` + node("abc", "MADE_UP", "10.00") + `}`), ""},
		"no amount": {search(`{"node":{"legacyId":"abc","status":"WON"}}`), ""}, "fault": {wire.Answer(500, ""), ""}} {
		_, end = playDispute(t, sdk.OpDisputeSync, nil, c.answer)
		if c.want == "" {
			require.Equal(t, sdk.StatusUnknown, end.Outcome.Status, name)
			continue
		}
		require.Equal(t, c.want, end.Outcome.Dispute.Status, name)
	}
}

// TestEvidenceFile uploads a file in the form of developer.paypal.com/braintree/graphql/integration_guides/uploading_files, and hands it in without a text.
func TestEvidenceFile(t *testing.T) {
	a := braintree.Adapter()
	attach := func(content string, answer sdk.Exchange) (map[string]string, sdk.Result) {
		d := &sdk.DisputeRequest{ID: "abc", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: sdk.Money{Minor: 1000, Currency: "USD"},
			File: &sdk.EvidenceFile{Type: sdk.EvidenceReceipt, Name: "a.pdf", ContentType: "application/pdf", Body: []byte(content)}}
		sends, end, err := wire.Play(a, wire.NewStep(&a.Manifest, sdk.OpAttachEvidence, sdk.Request{TransactionID: "dHJhbnNhY3Rpb25fMQ", Amount: d.Amount, Dispute: d}), answer)
		require.NoError(t, err)
		require.Len(t, sends, 1)
		require.False(t, sends[0].SafeToRepeat, "a repeated upload is a second file")
		header := http.Header{}
		for _, h := range sends[0].Headers {
			header.Set(h.Name, h.Value)
		}
		require.NotEmpty(t, header.Get("Authorization"))
		_, params, err := mime.ParseMediaType(header.Get("Content-Type"))
		require.NoError(t, err)
		form, parts := multipart.NewReader(bytes.NewReader(sends[0].Body), params["boundary"]), map[string]string{}
		for {
			part, err := form.NextPart()
			if err == io.EOF {
				return parts, end
			}
			require.NoError(t, err)
			text, err := io.ReadAll(part)
			require.NoError(t, err)
			parts[part.FormName()+" "+part.FileName()+" "+part.Header.Get("Content-Type")] = string(text)
		}
	}
	confirmed := wire.Answer(200, `{"data":{"createDisputeFileEvidence":{"evidence":{"id":"ev_2"}}}}`)
	parts, end := attach("%PDF-1.7\r\n--payswitch", confirmed)
	require.Equal(t, []any{sdk.StatusAttached, "ev_2"}, []any{end.Outcome.Status, end.Outcome.EvidenceID})
	require.JSONEq(t, `{"query":"mutation($input: CreateDisputeFileEvidenceInput!) { createDisputeFileEvidence(input: $input) { evidence { id } } }",
		"variables":{"input":{"disputeId":"ZGlzcHV0ZV9hYmM"},"file":null}}`, parts["operations  application/json"])
	require.Equal(t, []string{`{"file":"variables.file"}`, "%PDF-1.7\r\n--payswitch"}, []string{parts["map  "], parts["file a.pdf application/pdf"]})
	require.Len(t, parts, 3)

	_, end = attach("%PDF", wire.Answer(200, `{"data":{"createDisputeFileEvidence":null},"errors":[{"message":"The dispute is not open","extensions":{"errorClass":"VALIDATION","legacyCode":"95702"}}]}`))
	require.Equal(t, sdk.StatusDeclined, end.Outcome.Status)
	for _, body := range []string{`{"data":{"createDisputeFileEvidence":{"evidence":{}}}}`, `{}`, ``} {
		_, end = attach("%PDF", wire.Answer(200, body))
		require.Equal(t, sdk.StatusUnknown, end.Outcome.Status, body)
	}

	d := &sdk.DisputeRequest{ID: "abc", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: sdk.Money{Minor: 1000, Currency: "USD"},
		Files: []sdk.AttachedFile{{Type: sdk.EvidenceReceipt, ID: "ev_2"}}}
	sends, end, err := wire.Play(a, wire.NewStep(&a.Manifest, sdk.OpSubmitEvidence, sdk.Request{TransactionID: "dHJhbnNhY3Rpb25fMQ", Amount: d.Amount, Dispute: d}),
		wire.Answer(200, `{"data":{"finalizeDispute":{"dispute":`+node("abc", "DISPUTED", "10.00")+`}}}`))
	require.NoError(t, err)
	require.Len(t, sends, 1)
	require.Equal(t, sdk.DisputeChallenged, end.Outcome.Dispute.Status)
}
