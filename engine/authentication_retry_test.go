package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/sdk"
)

const (
	acquirerOne = `{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"MID1","acquirer_country_code":"DK"}}`
	acquirerTwo = `{"acquirer_details":{"acquirer_bin":"498765","acquirer_merchant_id":"MID2","acquirer_country_code":"DE"}}`
)

// retrying returns a world with payswitch's own 3-D Secure, retries, and a second account whose acquirer is in its metadata. The bank declines the
// first authorization in a way that another account may decide otherwise.
func retrying(t *testing.T, metadata string) (*secureWorld, *account.Account) {
	w := newSecureWorld(t, engine.Options{})
	second := w.account("bank", metadata)
	w.profileFields(`{"is_auto_retries_enabled":true,"max_auto_retries_enabled":3}`)
	n := 0
	w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
		if n++; n == 1 {
			return refusal()
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference}
	}
	return w, second
}

// The payer is authenticated once. The first account declines, and the second one takes the payment with the same result.
func TestRetryWithTheSameAuthentication(t *testing.T) {
	t.Parallel()
	for name, challenge := range map[string]bool{"frictionless": false, "challenge": true} {
		t.Run(name, func(t *testing.T) {
			w, second := retrying(t, acquirerOne)
			if challenge {
				w.a.authenticate = challenged
			}
			v := w.begun()
			w.authenticated(v)
			if challenge {
				w.a.result = always("Y")
				w.comesBack(token(w.a.last(t, sdk.OpAuthenticate).Authentication.NotificationURL), cres("server-x", "Y"))
			}
			v = w.done(v.Payment.ID)
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Equal(t, second.ID, v.Attempt.AccountID)
			require.Equal(t, 2, v.Payment.AttemptCount)
			w.authenticated(v) // a second identical request
			require.Equal(t, 1, w.a.count(sdk.OpAuthenticate))
			require.Len(t, w.bank.requests, 2)
			first, next := w.bank.requests[0], w.bank.requests[1]
			require.NotNil(t, next.ThreeDS)
			require.NotEmpty(t, next.ThreeDS.CAVV)
			first.ThreeDS.CAVV, next.ThreeDS.CAVV = "", "" // stand-ins
			require.Equal(t, first.ThreeDS, next.ThreeDS)
			require.NotEqual(t, first.Reference, next.Reference)
			require.NotEqual(t, first.AttemptID, next.AttemptID)
			require.NotEqual(t, first.WebhookURL, next.WebhookURL)
			require.False(t, next.Request3DS)
			require.Equal(t, []any{first.Billing, first.Browser, first.Amount}, []any{next.Billing, next.Browser, next.Amount})
			list := w.attempts(v.Payment.ID)
			require.Equal(t, payment.AttemptFailure, list[0].Status)
			require.Equal(t, routed.ByRetry, list[1].Details.Routed.By)
			require.Equal(t, "success", string(v.Attempt.Details.Authentication.Status))
			require.Equal(t, []string{"action_required", "payment_succeeded"}, w.events(v.Payment.ID))
			for _, op := range w.operations(v.Payment.ID) {
				require.Empty(t, op.Instrument, "no card stays behind")
			}
			require.Empty(t, w.alarms.all())
		})
	}
}

// The result holds for the acquirer that it was made for, and for the payment's time.
func TestNoRetryWithTheAuthentication(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metadata string
		change   func(w *secureWorld, second *account.Account)
		answer   func(w *secureWorld) *sdk.Outcome
	}{
		"another acquirer": {metadata: acquirerTwo},
		"switched off": {metadata: acquirerOne, change: func(w *secureWorld, _ *account.Account) {
			w.profileFields(`{"is_auto_retries_enabled":false}`)
		}},
		"the account has gone": {metadata: acquirerOne, change: func(w *secureWorld, second *account.Account) {
			require.NoError(w.t, w.DeleteAccount(w.t.Context(), w.auth, second.ID))
		}},
		"the account is switched off": {metadata: acquirerOne, change: func(w *secureWorld, second *account.Account) {
			_, err := w.UpdateAccount(w.t.Context(), w.auth, second.ID, account.AccountInput{Disabled: ptr(true)})
			require.NoError(w.t, err)
		}},
		"a final decline": {metadata: acquirerOne, answer: func(*secureWorld) *sdk.Outcome {
			o := refusal()
			o.Decline.RetryElsewhere = false
			return o
		}},
		"a stolen card": {metadata: acquirerOne, answer: func(*secureWorld) *sdk.Outcome {
			o := refusal()
			o.Decline.Reason = sdk.DeclineStolenCard
			return o
		}},
		"money in the totals": {metadata: acquirerOne, answer: func(*secureWorld) *sdk.Outcome {
			o := refusal()
			o.Totals = &sdk.Totals{Captured: 6540}
			return o
		}},
		"the merchant cancels meanwhile": {metadata: acquirerOne, answer: func(w *secureWorld) *sdk.Outcome {
			_, err := w.CancelPayment(w.t.Context(), w.auth, w.bank.last(w.t).PaymentID, "requested_by_customer")
			require.NoError(w.t, err)
			return refusal()
		}},
		"the payer has waited long": {metadata: acquirerOne, answer: func(w *secureWorld) *sdk.Outcome {
			w.pass(16 * time.Second)
			return refusal()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w, second := retrying(t, c.metadata)
			if c.answer != nil {
				w.bank.answer = func(*sdk.Request) *sdk.Outcome { return c.answer(w) }
			}
			v := w.begun()
			if c.change != nil {
				c.change(w, second)
			}
			w.authenticated(v)
			require.Eventually(t, func() bool { return w.bank.count() > 0 }, 20*time.Second, time.Millisecond)
			p := w.done(v.Payment.ID).Payment
			require.NotEqual(t, payment.Succeeded, p.Status)
			require.Equal(t, 1, p.AttemptCount)
			require.Equal(t, 1, w.bank.count())
		})
	}
}

// A saved card that the payer authenticated without its CVC goes on only to an account that takes it so.
func TestRetryWithTheAuthenticationOfASavedCard(t *testing.T) {
	t.Parallel()
	w, second := retrying(t, acquirerOne)
	answer := w.bank.answer
	w.bank.answer = nil
	w.pay(sale(1200, visa, onSession, agreed, customer("c")))
	allow := func(id string) {
		_, err := w.UpdateAccount(t.Context(), w.auth, id, account.AccountInput{Metadata: json.RawMessage(`{"saved_cards_without_cvc":true,` + acquirerOne[1:])})
		require.NoError(t, err)
	}
	accounts, err := w.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	for _, a := range accounts {
		if a.Connector == "bank" && a.ID != second.ID {
			allow(a.ID)
		}
	}
	pay := func() *payment.Payment {
		in := sale(1200, visa, external, customer("c"))
		in.Card, in.PaymentToken = nil, w.methods("c")[0].Token
		v := w.pay(in)
		w.authenticated(v)
		return w.done(v.Payment.ID).Payment
	}
	w.bank.answer = func(*sdk.Request) *sdk.Outcome { return refusal() }
	p := pay()
	require.Equal(t, []any{payment.Failed, 1, 2}, []any{p.Status, p.AttemptCount, w.bank.count()}, "the second account needs the CVC")
	allow(second.ID)
	w.bank.answer = answer
	p = pay()
	require.Equal(t, []any{payment.Succeeded, 2, 4}, []any{p.Status, p.AttemptCount, w.bank.count()})
}
