package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestSignedPairs(t *testing.T) {
	rule := sdk.PairSignature{Header: "X-Sig", Separator: ",", Name: "v1", Secret: "secret", Code: sdk.FnHex}
	var at string
	a := &sdk.Adapter{Webhook: func(c *sdk.Call) (*sdk.Outcome, error) {
		at = c.SignedPairs(rule)
		return sdk.Handled(), nil
	}}
	step := &sdk.Step{ABI: sdk.ABI, Operation: sdk.OpWebhook, Account: sdk.Account{Credentials: map[string]string{"secret": "k"}},
		Request: sdk.Request{Webhook: &sdk.WebhookMessage{Headers: []sdk.Header{sdk.H("x-sig", "t=17,v0=00,v1=AB,v1=cd")}}}}
	signed := sdk.Fn(sdk.FnConcat, sdk.Text("17."), sdk.Body())
	want := &sdk.Verify{Expr: sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text("k"), signed)), Equal: "ab"}
	require.Equal(t, want, a.Step(step).Verify)

	no, yes := false, true
	step.Exchanges = []sdk.Exchange{{Verified: &no, RequestHash: sdk.VerifyHash(want)}}
	want.Equal = "cd"
	require.Equal(t, want, a.Step(step).Verify, "the other signature of that name")
	step.Exchanges = append(step.Exchanges, sdk.Exchange{Verified: &yes, RequestHash: sdk.VerifyHash(want)})
	require.Equal(t, 200, a.Step(step).Outcome.Reply.Status)
	require.Equal(t, "17", at)
	step.Exchanges[1].Verified = &no
	require.Equal(t, 401, a.Step(step).Outcome.Reply.Status)

	step.Exchanges = nil
	rule.Key, rule.Code = sdk.FnUnbase64, sdk.FnBase64
	want = &sdk.Verify{Expr: sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnHMACSHA256, sdk.Fn(sdk.FnUnbase64, sdk.Text("k")), signed)), Equal: "AB"}
	require.Equal(t, want, a.Step(step).Verify)
	step.Request.Webhook.Headers = nil
	require.Equal(t, 401, a.Step(step).Outcome.Reply.Status, "no signature")
	step.Account.Credentials = nil
	require.Equal(t, 401, a.Step(step).Outcome.Reply.Status, "no key")
}

func TestEach(t *testing.T) {
	for text, want := range map[string]int{`{"a":[1,2]}`: 2, `{"a":{"b":1}}`: 1, `{"a":[]}`: 0, `{}`: 0} {
		n := 0
		for range sdk.Must(sdk.ParseJSON([]byte(text))).Get("a").Each() {
			n++
		}
		require.Equal(t, want, n, text)
	}
	require.Equal(t, `{"b":[1]}`, sdk.NewObject().OptArr("a", sdk.NewArray()).OptArr("a", nil).OptArr("b", sdk.NewArray().Int(1)).String())
}
