package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestConverse lets an adapter with two requests talk to a server.
func TestConverse(t *testing.T) {
	a := &sdk.Adapter{Manifest: sdk.Manifest{Name: "two", Environments: map[string]sdk.Environment{"test": sdk.At("https://api.two.example")}},
		Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
			first := sdk.Must(c.Do(sdk.JSONSend("POST", "/customers", sdk.NewObject().Str("name", "Ann")).Keyed("Idempotency-Key")))
			second := sdk.Must(c.Get("/customers/" + first.JSON().Str("id")))
			return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: second.JSON().Str("id"), Raw: map[string]string{"trace": second.Header("X-Trace")}}, nil
		}}
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(body)+r.Header.Get("Idempotency-Key"))
		w.Header().Set("X-Trace", "t"+r.Method)
		_, _ = io.WriteString(w, `{"id":"cus_1"}`)
	}))
	step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{})
	step.Account.BaseURL = server.URL
	end, err := wire.Converse(a, step, server.Client())
	require.NoError(t, err)
	require.Equal(t, []any{sdk.StatusAuthorized, "cus_1", "tGET"}, []any{end.Outcome.Status, end.Outcome.TransactionID, end.Outcome.Raw["trace"]})
	require.Equal(t, []string{`POST /customers {"name":"Ann"}op_wire00000000000000000000001-1`, "GET /customers/cus_1 "}, got)
	require.Empty(t, step.Exchanges)

	server.Close()
	_, err = wire.Converse(a, step, server.Client())
	require.ErrorContains(t, err, "wire: send")
}
