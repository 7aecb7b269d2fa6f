package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// pushing reads an authenticator's messages: {"transaction", "reference", "sync", "event", "result"}, signed with the account's webhook
// secret. For an account without a secret it accepts every message, as some vendors' adapters do.
func pushing() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{ABI: sdk.ABI, Name: "threedsecureio", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "3DS", Description: "A test authenticator.",
			Credentials: []sdk.Field{{Name: "webhook_secret", Label: "Webhook secret", Type: "secret", Optional: true}},
			Webhook:     &sdk.WebhookRule{Scheme: "hmac-sha256", Capture: []sdk.Capture{{Path: "result.cavv", Name: "authentication_value"}}},
			Authenticator: &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser}, MessageVersions: []string{"2.2.0"}, Result: "push",
				PushAuthentication: "hmac"}},
		Authenticate: func(*sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: sdk.StatusUnknown}, nil },
		Webhook: func(c *sdk.Call) (*sdk.Outcome, error) {
			m := c.Request.Webhook
			if secret := c.Account.Credentials["webhook_secret"]; secret != "" {
				ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(secret), sdk.Body())), sdk.HeaderValue(m.Headers, "Signature"))
				if err != nil {
					return nil, err
				}
				if !ok {
					return sdk.Refuse(401, "signature"), nil
				}
			}
			var in struct {
				Transaction, Reference string
				Event                  sdk.AuthenticationEvent
				Sync                   bool
				Result                 *sdk.AuthenticationOutcome
			}
			if err := json.Unmarshal(m.Body, &in); err != nil {
				return sdk.Refuse(400, "not JSON"), nil
			}
			ev := sdk.Event{Object: "authentication", TransactionID: in.Transaction, Reference: in.Reference, Sync: in.Sync}
			switch {
			case in.Result != nil:
				ev.Outcome = &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: in.Result}
			case in.Event != "":
				ev.Outcome = &sdk.Outcome{Status: sdk.StatusHandled, Authentication: &sdk.AuthenticationOutcome{Event: in.Event}}
			}
			return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{ev}}, nil
		},
	}
}

// pushWorld is a secureWorld whose authenticator pushes results in the named manner, to an account with or without a webhook secret.
type pushWorld struct {
	*secureWorld
	account *account.Account
	secret  string
}

func newPushWorld(t *testing.T, result sdk.ResultDelivery, proof sdk.PushProof, secret string) *pushWorld {
	a, b := newAuthenticator(), &bank{external: true, rule: byReference}
	a.manifest.Operations = append(a.manifest.Operations, sdk.OpWebhook)
	a.manifest.Authenticator.Result, a.manifest.Authenticator.PushAuthentication = result, proof
	w := &pushWorld{secureWorld: openSecureWorld(t, engine.Options{}, a, b, t.TempDir()+"/p.db"), secret: secret}
	accounts, err := w.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	for _, acc := range accounts {
		if acc.Connector == "threedsecureio" {
			w.account = acc
		}
	}
	w.setSecret(w.auth, w.account.ID, secret)
	return w
}

func (w *world) setSecret(auth account.Auth, id, secret string) {
	w.t.Helper()
	if secret == "" {
		return
	}
	raw, err := json.Marshal(map[string]string{"merchant_secret": secret})
	require.NoError(w.t, err)
	_, err = w.UpdateAccount(w.t.Context(), auth, id, account.AccountInput{Fields: account.Fields{"connector_webhook_details": raw}})
	require.NoError(w.t, err)
}

// resultOf returns a pushed result for the first transaction of w.begun.
func resultOf(s string, change ...func(o *sdk.AuthenticationOutcome)) map[string]any {
	o := status(s, change...)
	o.ServerTransID, o.ACSTransID, o.DSTransID, o.MessageVersion, o.ACSURL = "server-x", "acs-1", "ds-1", "2.2.0", ""
	for _, f := range change {
		f(o)
	}
	return map[string]any{"transaction": o.ServerTransID, "result": o}
}

func pushed(content map[string]any, secret string) sdk.WebhookMessage {
	body, _ := json.Marshal(content)
	return sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body), Headers: []sdk.Header{{Name: "Signature", Value: hmacHex(secret, body)}}}
}

// ToAccount sends a message to the account's general URL.
func (w *pushWorld) toAccount(content map[string]any, secret string) error {
	reply, err := w.ReceiveWebhook(w.t.Context(), engine.WebhookInput{MerchantID: "m1", Account: w.account.ID, Message: pushed(content, secret)})
	if err == nil {
		require.Equal(w.t, 200, reply.Status)
	}
	return err
}

// still checks that no message has moved the payment.
func (w *pushWorld) still(v *change.View, state authentication.State) {
	w.t.Helper()
	require.Equal(w.t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(w.t, state, w.record(v.Payment.ID).State)
	require.Zero(w.t, w.bank.count())
}
