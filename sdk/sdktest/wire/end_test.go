package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// failing is a test that records its failure and stops there.
type failing struct{ testing.TB }

type stopped struct{}

func (failing) Helper()               {}
func (failing) Fatal(...any)          { panic(stopped{}) }
func (failing) Fatalf(string, ...any) { panic(stopped{}) }

func TestEnd(t *testing.T) {
	a := tiny()
	s := NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{Reference: "order-1", Amount: sdk.Money{Minor: 1050, Currency: "USD"},
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030}}})
	ok := Answer(200, `{"id":"tx_1","state":"ok"}`)
	p := End(t, a, s, ok)
	require.Equal(t, sdk.StatusCaptured, p.Status)
	require.Nil(t, p.Reject)
	require.Equal(t, "4111111111111111", JSONBody(t, p.Sends[0]).Str("card.number"))
	require.Panics(t, func() { End(failing{t}, a, s) }, "there is no answer")
	require.Panics(t, func() { End(failing{t}, a, s, ok, ok) }, "there is no request")
	reject := NewStep(&a.Manifest, sdk.OpVoid, sdk.Request{})
	require.Equal(t, sdk.RejectUnsupported, End(t, a, reject).Reject.Code)

	require.Panics(t, func() { JSONBody(failing{t}, &sdk.Send{Body: []byte("x")}) })
	require.Equal(t, map[string]string{"a": "b c"}, FormBody(t, &sdk.Send{Body: []byte("a=b+c")}))
	require.Panics(t, func() { FormBody(failing{t}, &sdk.Send{Body: []byte("a=1&a=2")}) })
	require.Panics(t, func() { FormBody(failing{t}, &sdk.Send{Body: []byte("a=%")}) })
}
