package adyen_test

import (
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
