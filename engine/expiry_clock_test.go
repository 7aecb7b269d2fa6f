package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// atWrongClocks runs a test for each pair of wrong clocks: that of the node that begins, and that of the node that goes on.
func atWrongClocks(t *testing.T, test func(t *testing.T, first, second time.Duration)) {
	t.Parallel()
	for _, off := range wrongClocks {
		t.Run(fmt.Sprint(off), func(t *testing.T) {
			t.Parallel()
			test(t, off[0], off[1])
		})
	}
}

// A client secret and a payment link expire by the database's clock, whatever the clocks of the nodes show.
func TestSecretsAndLinksByAWrongNodeClock(t *testing.T) {
	atWrongClocks(t, func(t *testing.T, first, second time.Duration) {
		w := newWorld(t, engine.Options{}, nil)
		w.account("simulator", "")
		w.clock.Store(int64(first))
		v := w.pay(sale(100, "", func(in *request.Input) {
			in.PaymentLink, in.Confirm, in.PaymentMethod, in.Card, in.HasMethodData = ptr(true), nil, "", nil, false
		}))
		client := account.Auth{MerchantID: "m1", Publishable: true}
		secret := v.Payment.Private.ClientSecret
		w.clock.Store(int64(second))
		expired := func() (secretCode string, link, page bool) {
			if _, err := w.RetrievePayment(t.Context(), client, v.Payment.ID, request.RetrieveInput{ClientSecret: secret}); err != nil {
				secretCode = code(t, err)
			}
			r, err := w.PaymentLink(t.Context(), w.auth, v.Payment.Details.Link.ID, "")
			require.NoError(t, err)
			p, err := w.PaymentPage(t.Context(), "m1", v.Payment.ID)
			require.NoError(t, err)
			return secretCode, r.Expired, p.Expired
		}
		got, link, page := expired()
		require.Empty(t, got)
		require.False(t, link || page, "link %v, page %v", link, page)
		w.pass(14 * time.Minute)
		got, _, _ = expired()
		require.Empty(t, got, "the payer still has time")
		w.pass(2 * time.Hour)
		got, link, page = expired()
		require.Equal(t, "IR_08", got)
		require.True(t, link && page, "link %v, page %v", link, page)
	})
}

// A payer has the time of the profile to authenticate, by the database's clock.
func TestChallengesByAWrongNodeClock(t *testing.T) {
	for _, challenge := range []bool{true, false} {
		t.Run(fmt.Sprint("challenge ", challenge), func(t *testing.T) {
			atWrongClocks(t, func(t *testing.T, first, second time.Duration) {
				w := newSecureWorld(t, quick)
				w.clock.Store(int64(first))
				id := ""
				if challenge {
					v, _ := w.inChallenge()
					id = v.Payment.ID
				} else {
					id = w.begun().Payment.ID
				}
				w.clock.Store(int64(second))
				w.passes(id, 14*time.Minute)
				w.running()
				w.swept(3)
				require.Equal(t, payment.RequiresCustomerAction, w.get(id, request.RetrieveInput{}).Payment.Status, "the payer still has time")
				w.passes(id, 2*time.Minute)
				v := w.eventually(id, payment.Failed)
				require.Equal(t, "authentication_abandoned", v.Attempt.Details.Error.Code)
			})
		})
	}
}

// A retry follows an authenticated payment's decline within the budget by the database's clock, and not later.
func TestRetryBudgetByAWrongNodeClock(t *testing.T) {
	for _, late := range []bool{true, false} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			atWrongClocks(t, func(t *testing.T, first, second time.Duration) {
				w, backup := retrying(t, acquirerOne)
				w.profileFields(`{"auto_retries_time_budget":60000}`)
				answer := w.bank.answer
				w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
					if late {
						w.pass(61 * time.Second)
					}
					return answer(r)
				}
				w.clock.Store(int64(first))
				v := w.begun()
				w.clock.Store(int64(second))
				w.authenticated(v)
				v = w.done(v.Payment.ID)
				if late {
					require.Equal(t, payment.Failed, v.Payment.Status)
					return
				}
				require.Equal(t, payment.Succeeded, v.Payment.Status)
				require.Equal(t, backup.ID, v.Attempt.AccountID)
			})
		})
	}
}

// The rest of a partial capture is released for a day by the database's clock, though the clock of a node is a day ahead.
func TestReleaseByAWrongNodeClock(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		w, id := heldInParts(t, p)
		w.clock.Store(int64(25 * time.Hour))
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(40))})
		require.NoError(t, err)
		w.running()
		time.Sleep(time.Hour)
		require.Empty(t, w.alarms.all())
		p.set("/void", "")
		time.Sleep(2 * time.Hour)
		require.True(t, w.get(id, request.RetrieveInput{}).Attempt.Details.Released)
	}, p.Server)
}

// Adapters get the time of the database's clock: they compare the times of webhooks with it, sign requests with it, and judge by it how old a payment is.
func TestAdaptersByAWrongNodeClock(t *testing.T) {
	atWrongClocks(t, func(t *testing.T, first, second time.Duration) {
		p := newProcessor(t)
		adapter, seen := mailing(byReference), map[sdk.Operation]time.Time{}
		authorize, sync, webhook := adapter.Authorize, adapter.Sync, adapter.Webhook
		adapter.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) { seen[sdk.OpAuthorize] = c.Now(); return authorize(c) }
		adapter.Sync = func(c *sdk.Call) (*sdk.Outcome, error) { seen[sdk.OpSync] = c.Now(); return sync(c) }
		adapter.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) { seen[sdk.OpWebhook] = c.Now(); return webhook(c) }
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": adapter})
		at := w.mailAccount("shop", p.URL, "")
		p.hangs.Store(true)
		w.clock.Store(int64(first))
		v := w.pay(sale(100, visa))
		w.clock.Store(int64(second))
		w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
		w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": "nobody's", "object": "payment"}))
		require.Len(t, seen, 3)
		for op, now := range seen {
			require.WithinDuration(t, time.Now(), now, time.Minute, op)
		}
	})
}
