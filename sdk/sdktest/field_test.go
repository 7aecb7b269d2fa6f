package sdktest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A failure of determinism names the field.
func TestDifferingNamesTheField(t *testing.T) {
	send := func(body, header string) []byte {
		return sdk.EncodeResult(&sdk.Result{Send: &sdk.Send{Method: "POST", URL: "https://a.example/", Body: []byte(body), BodyLength: len(body),
			Headers: []sdk.Header{sdk.H("Nonce", header)}}})
	}
	for want, pair := range map[string][2][]byte{
		`send.headers[0].value ("1" and "2")`:                               {send("{}", "1"), send("{}", "2")},
		`send.body.card.salt ("1" and "2")`:                                 {send(`{"card":{"salt":1}}`, ""), send(`{"card":{"salt":2}}`, "")},
		`send.body.list[1] ("b" and "c")`:                                   {send(`{"list":["a","b"]}`, ""), send(`{"list":["a","c"]}`, "")},
		`send.body ("a=1" and "a=2")`:                                       {send("a=1", ""), send("a=2", "")},
		`the whole message`:                                                 {send("", ""), []byte("x")},
		`outcome.status ("captured" and "declined")`:                        {outcomeMessage("captured"), outcomeMessage("declined")},
		`send.body (` + `"{\"a\":1,\"b\":2}" and "{\"b\":2,\"a\":1}"` + `)`: {send(`{"a":1,"b":2}`, ""), send(`{"b":2,"a":1}`, "")},
	} {
		require.Equal(t, want, differing(pair[0], pair[1]))
	}
}

func outcomeMessage(s sdk.OutcomeStatus) []byte {
	return sdk.EncodeResult(&sdk.Result{Outcome: &sdk.Outcome{Status: s}})
}
