package router_test

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// newPushWorld makes a world whose authenticator can only push results. Its messages come from the simulated 3DS server.
func newPushWorld(b *bankWorld) *bankWorld {
	return newBankWorld(b.t, func(adapters map[string]*sdk.Adapter) {
		a := threedsecureio.Adapter()
		a.Result = nil
		a.Manifest.Authenticator.Result, a.Manifest.Authenticator.PushAuthentication = "push", "none"
		a.Manifest.Webhook = &sdk.WebhookRule{Scheme: "url_token", Capture: []sdk.Capture{{Path: "authenticationValue", Name: "authentication_value"}}}
		a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
			j, err := sdk.ParseJSON(c.Request.Webhook.Body)
			if err != nil || j.Str("messageType") != "RReq" {
				return nil, errors.New("not a result")
			}
			o := &sdk.AuthenticationOutcome{CAVV: j.Str("authenticationValue")}
			threeds.Result(j, o)
			threeds.Message(o)
			return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200}, Events: []sdk.Event{{Object: "authentication",
				TransactionID: o.ServerTransID, Outcome: &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: o}}}}, nil
		}
		adapters["threedsecureio"] = a
	})
}

// confirmed enters a code as the payer. It returns the RReq of the bank's directory server and the URL to push it to.
func (c *challenged) confirmed(otp string) (result map[string]any, to string) {
	c.t.Helper()
	c.confirms(otp)
	r := c.bankPost("/sim/3ds/postauth", `{"threeDSServerTransID":"`+c.answer["three_ds_server_trans_id"].(string)+`"}`)
	require.NoError(c.t, json.Unmarshal([]byte(r), &result))
	require.Equal(c.t, "RReq", result["messageType"])
	return result, c.counted.asked(c.payment["payment_id"].(string), sdk.OpAuthenticate).Authentication.ResultURL
}

func pushed(b *bankWorld) {
	b = newPushWorld(b)
	c := b.challenge("0170")
	result, url := c.confirmed("1234")
	b.waits(c.payment)
	b.pushes(url, result) // before the CRes, as it should be
	b.ends(c.payment, "succeeded", "", 1)
	require.Equal(b.t, "05", b.proof(c.payment).ECI)
	to, fields, _ := b.bankForm(c.answer["acs_url"].(string), map[string][]string{"creq": {c.answer["challenge_request"].(string)}}) // the CRes closes the frame
	require.Contains(b.t, b.ours(to, fields).body, "openurl_if_required")
	b.ends(c.payment, "succeeded", "", 1)

	c = b.challenge("0170")
	result, url = c.confirmed("1111")
	b.pushes(url, result)
	b.ends(c.payment, "failed", "authentication_failed", 0)
}

func pushedWrongly(b *bankWorld) {
	b = newPushWorld(b)
	c, other := b.challenge("0170"), b.challenge("0170")
	result, to := c.confirmed("1234")
	_, theirs := other.confirmed("1111")
	require.Equal(b.t, 404, b.send("POST", "/3ds/r/"+strings.Repeat("x", 42), "", "{}").status)
	b.pushes(theirs, result) // of another transaction
	require.Equal(b.t, 1, b.counted.alarmed("three_ds_id_mismatch"))
	time.Sleep(50 * time.Millisecond)
	b.waits(c.payment)
	b.waits(other.payment)
	for range 3 {
		b.pushes(to, result)
	}
	b.ends(c.payment, "succeeded", "", 1)
	b.pushes(to, result)
	b.ends(c.payment, "succeeded", "", 1)
}

func pushedLate(b *bankWorld) {
	b = newPushWorld(b)
	c := b.challenge("0170")
	result, to := c.confirmed("1234")
	id := c.payment["payment_id"].(string)
	require.Equal(b.t, "cancelled", b.post("/payments/"+id+"/cancel", `{}`).ok()["status"])
	b.pushes(to, result)
	require.Equal(b.t, "Y", b.record(id).Details.TransStatus, "stored")
	require.Equal(b.t, 1, b.counted.alarmed("late_result"))
	b.ends(c.payment, "cancelled", "", 0) // and used for nothing
}
