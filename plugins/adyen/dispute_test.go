package adyen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestAcceptDispute has the form of docs.adyen.com/api-explorer/Disputes/30/post/acceptDispute.
func TestAcceptDispute(t *testing.T) {
	play := func(environment string, answer sdk.Exchange) (*sdk.Send, *sdk.Outcome) {
		a := adyen.Adapter()
		amount := sdk.Money{Minor: 1000, Currency: "EUR"}
		s := wire.NewStep(&a.Manifest, sdk.OpAcceptDispute, sdk.Request{TransactionID: "psp_1", Amount: amount,
			Dispute: &sdk.DisputeRequest{ID: "8816480354727275", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: amount}})
		s.Account.Environment = environment
		sends, end, err := wire.Play(a, s, answer)
		require.NoError(t, err)
		return sends[0], end.Outcome
	}
	send, o := play("test", wire.Answer(200, `{"disputeServiceResult":{"success":true}}`))
	require.Equal(t, []any{"https://ca-test.adyen.com/ca/services/DisputeService/v30/acceptDispute", sdk.DisputeAccepted}, []any{send.URL, o.Dispute.Status})
	require.Contains(t, string(send.Body), `"disputePspReference":"8816480354727275"`)
	send, _ = play("live", wire.Answer(200, `{"disputeServiceResult":{"success":true}}`))
	require.Equal(t, "https://ca-live.adyen.com/ca/services/DisputeService/v30/acceptDispute", send.URL)
	_, o = play("test", wire.Answer(200, `{"disputeServiceResult":{"success":false,"errorMessage":"Unable to accept the dispute"}}`))
	require.Equal(t, []any{sdk.StatusDeclined, "Unable to accept the dispute"}, []any{o.Status, o.Decline.Message})
	_, o = play("test", wire.Answer(422, `{"status":422,"errorCode":"117","message":"Requested action not available on this dispute","errorType":"validation"}`))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	for _, body := range []string{`{}`, `{"disputeServiceResult":{"success":"yes"}}`, ``} {
		_, o = play("test", wire.Answer(200, body))
		require.Equal(t, sdk.StatusUnknown, o.Status, body)
	}
}

// offered is the example answer of docs.adyen.com/api-explorer/Disputes/30/post/retrieveApplicableDefenseReasons, with one
// more type of document.
const offered = `{"defenseReasons":[
	{"defenseDocumentTypes":[{"available":false,"defenseDocumentTypeCode":"TIDorInvoice","requirementLevel":"Optional"},
		{"available":false,"defenseDocumentTypeCode":"GoodsNotReturned","requirementLevel":"Required"}],
		"defenseReasonCode":"GoodsNotReturned","satisfied":false},
	{"defenseDocumentTypes":[{"available":false,"defenseDocumentTypeCode":"GoodsWereAsDescribed","requirementLevel":"Required"}],
		"defenseReasonCode":"GoodsWereAsDescribed","satisfied":false},
	{"defenseDocumentTypes":[{"available":true,"defenseDocumentTypeCode":"DefenseMaterial","requirementLevel":"Required"}],
		"defenseReasonCode":"SupplyDefenseMaterial","satisfied":SATISFIED}],
	"disputeServiceResult":{"success":true}}`

func playEvidence(t *testing.T, op sdk.Operation, d sdk.DisputeRequest, answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result) {
	a := adyen.Adapter()
	d.ID, d.Status, d.Stage, d.Amount = "DZ4DPSHB4WD2WN82", sdk.DisputeOpened, sdk.StageDispute, sdk.Money{Minor: 1000, Currency: "EUR"}
	s := wire.NewStep(&a.Manifest, op, sdk.Request{TransactionID: "psp_1", Amount: d.Amount, Dispute: &d})
	s.Account.Environment = "test"
	sends, end, err := wire.Play(a, s, answers...)
	require.NoError(t, err)
	return sends, end
}

// TestEvidence has the form of the Disputes API's reference: supplyDefenseDocument and defendDispute, after the question
// which reasons apply.
func TestEvidence(t *testing.T) {
	reasons := func(satisfied string) sdk.Exchange {
		return wire.Answer(200, strings.ReplaceAll(offered, "SATISFIED", satisfied))
	}
	done := wire.Answer(200, `{"disputeServiceResult":{"success":true}}`)
	file := func(kind sdk.EvidenceType) sdk.DisputeRequest {
		return sdk.DisputeRequest{File: &sdk.EvidenceFile{Type: kind, Name: "a.pdf", ContentType: "application/pdf", Body: []byte("%PDF-1.4")}}
	}
	for kind, code := range map[sdk.EvidenceType]string{sdk.EvidenceReceipt: "TIDorInvoice", sdk.EvidenceRefundPolicy: "GoodsNotReturned",
		sdk.EvidenceServiceDocumentation: "GoodsWereAsDescribed", sdk.EvidenceSignature: "DefenseMaterial", sdk.EvidenceUncategorizedFile: "DefenseMaterial"} {
		sends, end := playEvidence(t, sdk.OpAttachEvidence, file(kind), reasons("false"), done)
		require.Equal(t, []any{sdk.StatusAttached, code}, []any{end.Outcome.Status, end.Outcome.EvidenceID})
		require.Equal(t, "https://ca-test.adyen.com/ca/services/DisputeService/v30/retrieveApplicableDefenseReasons", sends[0].URL)
		require.True(t, sends[0].SafeToRepeat)
		require.Equal(t, "https://ca-test.adyen.com/ca/services/DisputeService/v30/supplyDefenseDocument", sends[1].URL)
		require.False(t, sends[1].SafeToRepeat)
		require.Contains(t, string(sends[1].Body), `{"defenseDocuments":[{"content":"JVBERi0xLjQ=","contentType":"application/pdf","defenseDocumentTypeCode":"`+code+`"}]`)
		require.Contains(t, string(sends[1].Body), `"disputePspReference":"DZ4DPSHB4WD2WN82"`)
	}
	none := wire.Answer(200, `{"defenseReasons":[{"defenseDocumentTypes":[{"available":false,"defenseDocumentTypeCode":"TIDorInvoice"}],"defenseReasonCode":"X","satisfied":false}],
		"disputeServiceResult":{"success":true}}`)
	sends, end := playEvidence(t, sdk.OpAttachEvidence, file(sdk.EvidenceSignature), none)
	require.Len(t, sends, 1, "nothing was supplied")
	require.Equal(t, sdk.StatusDeclined, end.Outcome.Status)
	require.Contains(t, end.Outcome.Decline.Message, "It takes: TIDorInvoice")

	sends, end = playEvidence(t, sdk.OpSubmitEvidence, sdk.DisputeRequest{}, reasons("true"), done)
	require.Equal(t, sdk.DisputeChallenged, end.Outcome.Dispute.Status)
	require.Equal(t, "https://ca-test.adyen.com/ca/services/DisputeService/v30/defendDispute", sends[1].URL)
	require.Contains(t, string(sends[1].Body), `"defenseReasonCode":"SupplyDefenseMaterial"`)
	sends, end = playEvidence(t, sdk.OpSubmitEvidence, sdk.DisputeRequest{}, reasons("false"))
	require.Len(t, sends, 1)
	require.Contains(t, end.Outcome.Decline.Message, "GoodsNotReturned (GoodsNotReturned); GoodsWereAsDescribed (GoodsWereAsDescribed)")
	_, end = playEvidence(t, sdk.OpSubmitEvidence, sdk.DisputeRequest{}, reasons("true"), wire.Answer(500, ""))
	require.Equal(t, sdk.StatusUnknown, end.Outcome.Status, "the defense may have arrived")
	_, end = playEvidence(t, sdk.OpSubmitEvidence, sdk.DisputeRequest{}, reasons("true"),
		wire.Answer(200, `{"disputeServiceResult":{"success":false,"errorMessage":"Dispute expired."}}`))
	require.Equal(t, "Dispute expired.", end.Outcome.Decline.Message)
	sends, end = playEvidence(t, sdk.OpSubmitEvidence, sdk.DisputeRequest{Evidence: map[string]string{"customer_name": "Ada"}})
	require.Empty(t, sends)
	require.Equal(t, "customer_name", end.Reject.Parameter)
}
