package plugins_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A drive reports the broken rules however it ends: a few at most, shortened, and without values.
func TestViolationsOfADrive(t *testing.T) {
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"echo":"`+r.Header.Get("Authorization")+`"}`)
	}))
	defer p.Close()
	a := scripted(func(*sdk.Call) (*sdk.Outcome, error) { return nil, nil })
	a.Manifest.Authentication = []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}}
	drive := func(f sdk.Func) (*port.DriveResult, error) {
		a.Authorize = f
		n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{AllowLoopbackHTTP: true})
		require.NoError(t, err)
		return n.Drive(t.Context(), authorize("scripted", p.URL))
	}
	res, err := drive(func(c *sdk.Call) (*sdk.Outcome, error) {
		for range 8 { // the processor answers with the key each time
			if _, err := c.Do(&sdk.Send{Method: "GET", URL: "/", SafeToRepeat: true, Headers: []sdk.Header{sdk.H("Authorization", c.Account.Credentials["secret_key"])}}); err != nil {
				return nil, err
			}
		}
		return &sdk.Outcome{Status: sdk.StatusPending, Raw: map[string]string{"carry": c.Request.Instrument.Card.Number}}, nil
	})
	require.NoError(t, err)
	require.Len(t, res.Violations, 8)
	first := res.Violations[0]
	require.Equal(t, port.Violation{OperationID: first.OperationID, Operation: sdk.OpAuthorize, Adapter: "scripted", AdapterHash: res.AdapterHash,
		Rule: plugins.RuleAnswer, Place: "a secret in the answer of " + p.Listener.Addr().String() + ", blanked"}, first)

	res, err = drive(func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusPending, Raw: map[string]string{"carry": c.Request.Instrument.Card.CVC}}, nil
	})
	require.NoError(t, err)
	require.Len(t, res.Violations, 1)
	require.Equal(t, "the stand-in of cvc in the outcome", res.Violations[0].Place)

	// Card numbers and overlong names that an adapter makes up do not get into the report.
	res, err = drive(func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Do(&sdk.Send{Method: "POST", URL: "/", Headers: []sdk.Header{sdk.H("X-4242424242424242-"+strings.Repeat("y", 5000), "v\r\n")}})
		return nil, err
	})
	require.Error(t, err)
	require.Len(t, res.Violations, 1)
	require.Equal(t, plugins.RuleHeader, res.Violations[0].Rule)
	require.LessOrEqual(t, len(res.Violations[0].Place), port.MaxPlace)
	require.NotContains(t, res.Violations[0].Place, "4242424242424242")
}
