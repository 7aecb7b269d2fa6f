package engine_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// A signed result at the account's own URL ends the challenge, once. Later messages, in any order, change nothing.
func TestAPushedResultAtTheAccountsURL(t *testing.T) {
	t.Parallel()
	for _, rule := range []sdk.ResultDelivery{sdk.ResultPush, sdk.ResultPushAndPull} {
		t.Run(string(rule), func(t *testing.T) {
			w := newPushWorld(t, rule, "hmac", hookSecret)
			v, back := w.inChallenge()
			require.NoError(t, w.toAccount(map[string]any{"transaction": "server-x", "event": "information"}, hookSecret), "signed, and no result")
			w.still(v, authentication.Challenge)
			require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
			v = w.done(v.Payment.ID)
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Equal(t, "05", w.bank.last(t).ThreeDS.ECI)
			require.NotEmpty(t, w.bank.last(t).ThreeDS.CAVV)
			require.NotEqual(t, cavv, w.bank.last(t).ThreeDS.CAVV, "adapters see a stand-in")
			require.Zero(t, w.a.count(sdk.OpResult), "no node had to ask")

			for range 2 { // the same result again, then a different end
				require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
			}
			require.NoError(t, w.toAccount(resultOf("N"), hookSecret))
			require.True(t, w.comesBack(back, cres("server-x", "Y")).Known, "the payer comes back afterwards")
			require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
			require.Equal(t, 1, w.bank.count())
			require.Equal(t, []string{"action_required", "payment_succeeded"}, w.events(v.Payment.ID))
			require.Equal(t, "Y", w.record(v.Payment.ID).Details.TransStatus)
			require.Empty(t, w.alarms.all())
		})
	}
}

func TestAPushedResultSaysNo(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "push", "hmac", hookSecret)
	v, back := w.inChallenge()
	require.True(t, w.comesBack(back, cres("server-x", "Y")).Known)
	require.NoError(t, w.toAccount(resultOf("N", reason("19")), hookSecret))
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, "authentication_failed", v.Attempt.Details.Error.Code)
	require.NoError(t, w.toAccount(resultOf("Y"), hookSecret), "replayed with another end")
	require.Equal(t, payment.Failed, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Zero(t, w.bank.count())
}

// A message that the authenticator did not sign proves nothing, and its sender gets no details.
func TestForgedResults(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "push", "hmac", hookSecret)
	v, _ := w.inChallenge()
	require.Equal(t, "WE_01", code(t, w.toAccount(resultOf("Y"), "a guess")))
	tampered := pushed(resultOf("N"), hookSecret)
	tampered.Body = []byte(strings.Replace(string(tampered.Body), `"N"`, `"Y"`, 1))
	_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: w.account.ID, Message: tampered})
	require.Equal(t, "WE_01", code(t, err))
	_, err = w.AuthenticatorCalled(t.Context(), token(w.a.last(t, sdk.OpAuthenticate).Authentication.ResultURL), tampered)
	require.Equal(t, "WE_01", code(t, err), "the result URL needs a signature too, if the vendor signs")
	w.still(v, authentication.Challenge)

	none := resultOf("Y")
	none["transaction"] = "server-nobody"
	require.Equal(t, "WE_04", code(t, w.toAccount(none, hookSecret)))

	// A message that names our transaction has ids of another one inside.
	swapped := resultOf("Y", func(o *sdk.AuthenticationOutcome) { o.ACSTransID = "acs-2" })
	require.NoError(t, w.toAccount(swapped, hookSecret))
	swapped = resultOf("Y", func(o *sdk.AuthenticationOutcome) { o.ServerTransID = "server-2" })
	swapped["transaction"] = "server-x"
	require.NoError(t, w.toAccount(swapped, hookSecret))
	w.still(v, authentication.Challenge)
	require.Equal(t, map[string]int{"three_ds_id_mismatch": 2}, w.alarms.all())

	require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
}

// Without a secret on the account, no message at its URL is evidence, even if the adapter accepts it. If the result cannot be fetched, the
// engine refuses the message.
func TestUnsignedResultsOfOneThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for _, proof := range []sdk.PushProof{"hmac", "none", "mtls", "ip", ""} {
		t.Run(string(proof), func(t *testing.T) {
			w := newPushWorld(t, "push", proof, "")
			v, _ := w.inChallenge()
			require.Equal(t, "WE_01", code(t, w.toAccount(resultOf("Y"), "")))
			require.Equal(t, "WE_01", code(t, w.toAccount(map[string]any{"transaction": "server-nobody", "event": "result_ready"}, "")), "whatever transaction the message names")
			w.still(v, authentication.Challenge)
			reply, err := w.AuthenticatorCalled(t.Context(), token(w.a.last(t, sdk.OpAuthenticate).Authentication.ResultURL), pushed(resultOf("Y"), ""))
			if proof == "hmac" {
				require.Equal(t, "WE_01", code(t, err), "the message needs a signature")
				w.still(v, authentication.Challenge)
				return
			}
			require.NoError(t, err, "the URL, which only the authenticator knows, is the proof")
			require.Equal(t, 200, reply.Status)
			require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
		})
	}
}

// If the engine can ask the authenticator, an unproven message starts a fetch: the authenticator's answer counts, and not the message.
func TestAMessageThatProvesNothingWakesUp(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]map[string]any{
		"a result":  resultOf("Y"),
		"an event":  {"transaction": "server-x", "event": "result_ready"},
		"sync":      {"transaction": "server-x", "sync": true},
		"both":      {"transaction": "server-x", "sync": true, "result": resultOf("Y")["result"]},
		"our id":    {"reference": "OURS", "sync": true},
		"two names": {"transaction": "", "reference": "OURS", "event": "result_ready"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPushWorld(t, "pull", "none", "")
			v, _ := w.inChallenge()
			w.a.result = always("N", reason("01"))
			sent := map[string]any{}
			for k, value := range content {
				sent[k] = value
				if value == "OURS" {
					sent[k] = w.record(v.Payment.ID).ID
				}
			}
			require.NoError(t, w.toAccount(sent, ""))
			v = w.done(v.Payment.ID)
			require.Equal(t, payment.Failed, v.Payment.Status)
			require.Equal(t, "authentication_failed", v.Attempt.Details.Error.Code)
			require.Equal(t, 1, w.a.count(sdk.OpResult))
			require.Zero(t, w.bank.count())
		})
	}
}

// Anyone can send wake-ups, but only one goroutine asks.
func TestManyWakeUps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newPushWorld(t, "pull", "none", "")
		v, _ := w.inChallenge()
		var wg sync.WaitGroup
		began := time.Now()
		for range 40 {
			wg.Go(func() { w.toAccount(map[string]any{"transaction": "server-x", "event": "result_ready"}, "") })
		}
		wg.Wait()
		require.Eventually(t, func() bool { return w.a.count(sdk.OpResult) > 0 }, 5*time.Second, time.Millisecond)
		pulls := w.a.count(sdk.OpResult)
		require.LessOrEqual(t, pulls, 4+int(time.Since(began)/(400*time.Millisecond)), "by the clock, not by the number of messages")
		w.a.mu.Lock()
		w.a.result = always("Y")
		w.a.mu.Unlock()
		require.NoError(t, w.toAccount(map[string]any{"transaction": "server-x", "event": "result_ready"}, ""))
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	})
}

// A message before the challenge changes nothing, from any sender. A message during the AReq ends the authentication.
func TestAResultThatComesEarly(t *testing.T) {
	t.Parallel()
	t.Run("before the AReq", func(t *testing.T) {
		w := newPushWorld(t, "push_and_pull", "hmac", hookSecret)
		v := w.begun()
		require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
		require.NoError(t, w.toAccount(map[string]any{"transaction": "server-x", "event": "result_ready"}, hookSecret))
		require.NoError(t, w.toAccount(map[string]any{"transaction": "server-x", "event": "method_completed"}, hookSecret))
		w.still(v, authentication.Prepared)
		require.Zero(t, w.record(v.Payment.ID).Details.MethodNotifiedAt, "only the method's own URL ends the method")
		require.Zero(t, w.a.count(sdk.OpResult))
		w.a.authenticate = challenged
		require.Equal(t, "C", w.authenticated(v).TransStatus, "the early result is not remembered")
		require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
		require.Equal(t, 1, w.bank.count())
	})
	for name, c := range map[string]struct {
		content map[string]any
		want    payment.Status
		first   string
	}{
		"while the AReq is under way":                         {resultOf("Y"), payment.Succeeded, "Y"},
		"of another transaction while the AReq is under way":  {resultOf("N", func(o *sdk.AuthenticationOutcome) { o.ServerTransID = "server-2" }), payment.Succeeded, "A"},
		"a challenge while the AReq is under way":             {resultOf("C"), payment.Succeeded, "A"},
		"a failure that is technical while the AReq is under": {map[string]any{"transaction": "server-x", "result": failing(sdk.ErrorTechnical, "405")(nil)}, payment.Succeeded, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPushWorld(t, "push", "hmac", hookSecret)
			w.a.authenticate = always("A")
			c.content["transaction"] = "server-x"
			w.a.before = func(op sdk.Operation) {
				if op == sdk.OpAuthenticate {
					require.NoError(t, w.toAccount(c.content, hookSecret))
				}
			}
			v := w.begun()
			w.authenticated(v)
			v = w.done(v.Payment.ID)
			require.Equal(t, c.want, v.Payment.Status)
			require.Equal(t, c.first, w.record(v.Payment.ID).Details.FirstStatus)
			require.Equal(t, 1, w.bank.count())
		})
	}
}

// A result that comes after the end is stored and authorizes nothing.
func TestAPushedResultThatComesLate(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "push", "hmac", hookSecret)
	v, _ := w.inChallenge()
	_, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
	require.NoError(t, err)
	require.NoError(t, w.toAccount(resultOf("Y"), hookSecret))
	v = w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	require.Zero(t, w.bank.count())
	require.Equal(t, "Y", w.record(v.Payment.ID).Details.TransStatus, "stored beside it")
	require.Equal(t, map[string]int{"late_result": 1}, w.alarms.all())
}

// A message concerns the account at whose URL it arrived. It reaches neither another merchant nor another account of the same merchant.
func TestAResultAtAnotherAccountsURL(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "push", "hmac", hookSecret)
	v, _ := w.inChallenge()
	_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
	require.NoError(t, err)
	theirs := account.Auth{MerchantID: "m2"}
	other, err := w.CreateAccount(t.Context(), theirs, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds"})
	require.NoError(t, err)
	second, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds 2"})
	require.NoError(t, err)
	for merchant, acct := range map[string]*account.Account{"m2": other, "m1": second} {
		w.setSecret(account.Auth{MerchantID: merchant}, acct.ID, "their secret")
		for _, content := range []map[string]any{resultOf("Y"), {"reference": w.record(v.Payment.ID).ID, "result": resultOf("Y")["result"]}} {
			_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: merchant, Account: acct.ID, Message: pushed(content, "their secret")})
			require.Equal(t, "WE_04", code(t, err), merchant)
		}
		_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: merchant, Account: w.account.ID, Message: pushed(resultOf("Y"), "their secret")})
		require.Contains(t, []string{"WE_01", "HE_02"}, code(t, err))
	}
	w.still(v, authentication.Challenge)
	require.Empty(t, w.alarms.all())
}

// URLs of one authentication: a result at the result URL, which only the authenticator knows, is evidence; an event never is. No token fits
// another URL.
func TestTheAuthenticationsOwnURLs(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "push", "none", "")
	v, _ := w.inChallenge()
	asked := w.a.last(t, sdk.OpAuthenticate).Authentication
	result, event := token(asked.ResultURL), token(asked.EventURL)
	called := func(token string, event bool, content map[string]any) error {
		if event {
			_, err := w.AuthenticatorEvent(t.Context(), token, pushed(content, ""))
			return err
		}
		reply, err := w.AuthenticatorCalled(t.Context(), token, pushed(content, ""))
		if err == nil {
			require.Equal(t, 200, reply.Status)
		}
		return err
	}
	for _, other := range []string{event, token(asked.NotificationURL), token(asked.MethodNotificationURL), result[:len(result)-1] + "!", "", "x"} {
		require.NoError(t, called(other, false, resultOf("Y")), "a URL that leads to nothing looks like one that has ended")
	}
	require.NoError(t, called(result, true, resultOf("Y")))
	require.Equal(t, "WE_01", code(t, called(event, true, resultOf("Y"))), "a browser brings no result")
	require.NoError(t, called(event, true, map[string]any{"event": "method_completed"}), "too late for that")
	require.NoError(t, called(event, true, map[string]any{"event": "result_ready"}))
	w.still(v, authentication.Challenge)

	require.NoError(t, called(result, false, resultOf("Y", func(o *sdk.AuthenticationOutcome) { o.DSTransID = "ds-2" })), "of another transaction")
	w.still(v, authentication.Challenge)
	require.NoError(t, called(result, false, resultOf("Y")))
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	require.NoError(t, called(result, false, resultOf("Y")), "replayed")
	require.Equal(t, 1, w.bank.count())

	// A token of another payment: each token is bound to its own payment.
	second := w.begun()
	require.Equal(t, "C", w.authenticated(second).TransStatus)
	require.NoError(t, called(result, false, resultOf("Y", func(o *sdk.AuthenticationOutcome) {
		o.ServerTransID = w.record(second.Payment.ID).Details.ServerTransID
	})))
	require.Equal(t, payment.RequiresCustomerAction, w.get(second.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, 1, w.bank.count())
}

// An event of the authenticator's page: the end of the 3DS method counts once, before the AReq.
func TestEventsOfTheAuthenticatorsPage(t *testing.T) {
	t.Parallel()
	w := newPushWorld(t, "pull", "none", "")
	v := w.begun()
	event := token(w.a.last(t, sdk.OpPrepare).Authentication.EventURL)
	tell := func(name, done string) {
		v, err := w.AuthenticatorEvent(t.Context(), event, pushed(map[string]any{"event": name}, ""))
		require.NoError(t, err)
		require.True(t, v.Known)
		require.Equal(t, done, v.Done, name)
	}
	tell("information", "")
	require.False(t, w.record(v.Payment.ID).Details.MethodOver)
	for _, name := range []string{"method_skipped", "timed_out"} {
		tell(name, flow.DoneMethod)
		require.Zero(t, w.record(v.Payment.ID).Details.MethodNotifiedAt, name)
		require.True(t, w.record(v.Payment.ID).Details.MethodOver, "the engine stops waiting for the method")
	}
	tell("method_completed", flow.DoneMethod)
	require.NotZero(t, w.record(v.Payment.ID).Details.MethodNotifiedAt)
	w.a.authenticate, w.a.result = challenged, always("Y")
	require.Equal(t, "C", w.authenticated(v).TransStatus)
	require.Equal(t, "Y", w.a.last(t, sdk.OpAuthenticate).Authentication.MethodCompletion)
	tell("result_ready", flow.DoneChallenge)
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
}
