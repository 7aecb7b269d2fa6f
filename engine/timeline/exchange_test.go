package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/sdk"
)

// TestExchanges: a request is shown with names in the place of stand-ins, wherever they stand, and a long body is cut.
func TestExchanges(t *testing.T) {
	step := &sdk.Step{Operation: sdk.OpAuthorize, Now: 1000, Request: sdk.Request{Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "XXNUMBERXX", CVC: "XXCVCXX", LastFour: "4242"}}},
		Account: sdk.Account{Credentials: map[string]string{"api_key": "XXKEYXX"}}, Exchanges: []sdk.Exchange{
			{Now: 900, Sent: true, Status: 200, Headers: []sdk.Header{{Name: "Echo", Value: "XXKEYXX"}}, Body: []byte(`{"you_sent":"XXNUMBERXX"}`)},
			{Now: 950, Sent: true, Failure: "reset"}}}
	send := func(body string) []byte {
		b := sdk.EncodeResult(&sdk.Result{Send: &sdk.Send{Method: "POST", URL: "https://processor.example/pay?k=XXKEYXX", Body: []byte(body),
			Headers: []sdk.Header{{Name: "Authorization", Value: "Bearer XXKEYXX"}, {Name: "Digest", Value: "XXD0XX"}},
			Derive:  []sdk.Derivation{{StandIn: "XXD0XX", Expr: sdk.Expr{Fn: "hmac-sha256"}}}}})
		return b
	}
	rec := &port.Recording{Step: step, Steps: []port.RecordedStep{
		{Result: send(`{"number":"XXNUMBERXX","cvc":"XXCVCXX"}`), Exchange: 412 * time.Millisecond},
		{Result: send(strings.Repeat("a", maxBody+10))},
		{Fault: "garbage"},
		{Result: sdk.EncodeResult(&sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}})}}}
	list := exchanges(rec)
	require.Len(t, list, 2)
	x := list[0]
	require.Equal(t, `{"number":"‹card number ··4242›","cvc":"‹card code›"}`, x.Body)
	require.Equal(t, "https://processor.example/pay?k=‹credential api_key›", x.URL)
	require.Equal(t, []sdk.Header{{Name: "Authorization", Value: "Bearer ‹credential api_key›"}, {Name: "Digest", Value: "‹derived: hmac-sha256›"}}, x.Headers)
	require.Equal(t, `{"you_sent":"‹card number ··4242›"}`, x.Answer)
	require.Equal(t, []sdk.Header{{Name: "Echo", Value: "‹credential api_key›"}}, x.Answered)
	require.Equal(t, 200, x.Status)
	require.Equal(t, 412*time.Millisecond, x.Took)
	require.True(t, list[1].Sent)
	require.Equal(t, "reset", list[1].Failure)
	require.True(t, strings.HasSuffix(list[1].Body, "\n… 10 more bytes"))
	for _, x := range list {
		require.NotContains(t, x.URL+x.Body+x.Answer, "XX", "no stand-in is left")
	}
}
