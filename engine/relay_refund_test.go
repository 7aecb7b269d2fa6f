package engine_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// givesBack refunds an amount of a transaction by a relay.
func (w *world) givesBack(account, tx string, amount int64) (*relay.Relay, error) {
	return w.CreateRelay(w.t.Context(), w.auth, relay.Input{ResourceID: tx, AccountID: account, Type: relay.Refund,
		Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: amount, Currency: "USD"}}}})
}

// The refunds of a payment, relays that refund its transaction, and its disputes share one limit: what was taken. The processor does not check it.
func TestRelayedRefundOfAnOwnPayment(t *testing.T) {
	t.Parallel()
	w, c, a, id := disputeWorld(t)
	tx := w.get(id, request.RetrieveInput{}).Attempt.TransactionID
	relayed := func(amount int64) error {
		_, err := w.givesBack(a.ID, tx, amount)
		return err
	}
	refunded := func(amount int64) error {
		_, err := w.refund(id, amount)
		return err
	}
	_, err := w.givesBack(a.ID, "of another system", 5000)
	require.NoError(t, err, "payswitch does not know this transaction")
	c.set(func() { clear(c.refunds) })

	require.ErrorContains(t, relayed(1001), "1000 of the payment "+id)
	require.NoError(t, relayed(300))
	require.ErrorContains(t, refunded(0), "700 of the captured 1000 can still be refunded (minor units); 0 is disputed; relays have given back, or may give back, 300")
	require.Equal(t, "IR_13", code(t, refunded(701)))
	require.NoError(t, refunded(200))
	require.ErrorContains(t, relayed(501), "500 of the payment")
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeOpened, 400, "USD", 0))
	require.ErrorContains(t, relayed(101), "100 of the payment")
	require.ErrorContains(t, refunded(101), "100 of the captured")
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeWon, 400, "USD", 0))

	c.set(func() { c.act = "hang" }) // the processor pays, and its answer is lost
	k, err := w.givesBack(a.ID, tx, 350)
	require.NoError(t, err)
	require.Equal(t, relay.Pending, k.Status)
	c.set(func() { c.act = "ok" })
	require.ErrorContains(t, refunded(151), "150 of the captured")
	require.ErrorContains(t, relayed(151), "150 of the payment")
	require.NoError(t, refunded(150))
	require.Equal(t, "IR_13", code(t, refunded(1)))
	sum, _ := c.paid()
	require.EqualValues(t, 1000, sum)
	got := w.get(id, request.RetrieveInput{}).Payment
	require.EqualValues(t, 350, got.Refunded, "a relay changes no payment")

	allowed, err := w.Allowed(t.Context(), w.auth, id)
	require.NoError(t, err)
	require.False(t, allowed.Refund.Allowed)
}

// Of refunds and relays at the same moment, those stand that fit into what was taken.
func TestRelayedRefundsAtOnce(t *testing.T) {
	t.Parallel()
	w, c, a, _ := disputeWorld(t)
	for range 8 {
		v := w.pay(sale(1000, visa))
		c.set(func() { clear(c.refunds) })
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				if i%2 == 0 {
					_, _ = w.givesBack(a.ID, v.Attempt.TransactionID, 400+int64(i))
				} else {
					_, _ = w.refund(v.Payment.ID, 400+int64(i))
				}
			})
		}
		wg.Wait()
		sum, posts := c.paid()
		require.LessOrEqual(t, sum, int64(1000))
		require.GreaterOrEqual(t, posts, 2)
	}
}

// A relay begins and ends between a refund's look at the relays and the refund's commit: the refund is decided again, with the relay.
func TestRelayedRefundBetweenReadAndCommit(t *testing.T) {
	t.Parallel()
	w, c, a, _ := disputeWorld(t)
	s := &storeAfterRelays{Store: w.db}
	e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(byReference)}), Vault: w.vault, Presenter: presenter{}}, engine.Options{})
	require.NoError(t, err)
	v := w.pay(sale(1000, visa))
	relayed := func(amount int64) {
		_, err := w.givesBack(a.ID, v.Attempt.TransactionID, amount)
		require.NoError(t, err)
	}
	relayed(100)
	between := func() { relayed(500) }
	s.step.Store(&between)
	_, err = e.CreateRefund(t.Context(), w.auth, &request.RefundInput{PaymentID: v.Payment.ID, Amount: new(int64(900))})
	require.Equal(t, "IR_13", code(t, err))
	sum, _ := c.paid()
	require.EqualValues(t, 600, sum)
}

// A void of a captured payment takes the whole back, so that no relay may have refunded a part of it.
func TestRelayedRefundBesideAVoid(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w, at, _ := ownRelays(t, q)
	v := w.pay(sale(100, visa))
	_, err := w.givesBack(at.ID, v.Attempt.TransactionID, 40)
	require.NoError(t, err)
	_, err = w.takeBack(v.Payment.ID)
	require.ErrorContains(t, err, "a relay has refunded a part of it")
}

// A relay may give back what a payment does not show: a part that another relay has captured a moment ago, and money of a payment that ended without any.
func TestRelayedRefundOfUnshownMoney(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w, at, relayed := ownRelays(t, q)
	v := w.pay(sale(100, visa, manual))
	relayed(v.Attempt.TransactionID, 30)
	k, err := w.givesBack(at.ID, v.Attempt.TransactionID, 20)
	require.NoError(t, err)
	require.Equal(t, relay.Success, k.Status)

	v = w.pay(sale(100, visa, multiple))
	_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: new(int64(60))})
	require.NoError(t, err)
	relayed(v.Attempt.TransactionID, 40)
	require.Equal(t, payment.PartiallyCapturedAndCapturable, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	k, err = w.givesBack(at.ID, v.Attempt.TransactionID, 100)
	require.NoError(t, err)
	require.Equal(t, relay.Success, k.Status)
	require.EqualValues(t, 100, q.of(v.Attempt.Details.Reference).Refunded())
}

// Where the profile of a relay's account asks for a second person, one person does not end the relay, whichever profile its caller has named.
func TestRelayAtAnotherProfilesAccount(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		never := simulatorAdapter()
		never.Manifest.Resolve.By = []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend}
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": never})
		strict, err := w.CreateProfile(t.Context(), w.auth, account.ProfileInput{Name: "second", Fields: account.Fields{"second_person_for_decisions": json.RawMessage(`{"required":true}`)}})
		require.NoError(t, err)
		of := func(profile, label string) relay.Input {
			auth := w.auth
			auth.ProfileID = profile
			a, err := w.CreateAccount(t.Context(), auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: label})
			require.NoError(t, err)
			return relay.Input{ResourceID: "tx", AccountID: a.ID, Type: relay.Refund, Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 900000404, Currency: "USD"}}}}
		}
		lost := func(in relay.Input, profile string) string {
			auth := w.auth
			auth.ProfileID = profile
			k, err := w.CreateRelay(t.Context(), auth, in)
			require.NoError(t, err)
			require.Equal(t, relay.Pending, k.Status)
			return k.ID
		}
		own, theirs := lost(of(w.profile.ID, "one"), ""), lost(of(strict.ID, "two"), "")
		named := lost(of(w.profile.ID, "three"), strict.ID)
		time.Sleep(3 * time.Minute)
		resolve := func(id string) error {
			_, err := w.ResolveOperation(t.Context(), id, request.ResolutionInput{Outcome: payment.FoundNotDone, By: "Ada", Why: "statement"})
			return err
		}
		require.ErrorContains(t, resolve(theirs), "a second person")
		require.ErrorContains(t, resolve(named), "a second person")
		require.NoError(t, resolve(own))
	})
}

// However many relays a transaction has had, what they have given back counts. An unreferenced refund that names the transaction does not count as one of its relays.
func TestRefundAfterManyRelays(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	tx := w.get(id, request.RetrieveInput{}).Attempt.TransactionID
	_, err := w.givesBack(a.ID, tx, 1000)
	require.NoError(t, err)
	more := func(kind relay.Type, n int) {
		require.NoError(t, w.db.Update(t.Context(), func(db engine.Tx) error {
			for i := range n {
				r := &relay.Relay{MerchantID: w.auth.MerchantID, ID: fmt.Sprintf("relay_%s_%d", kind, i), ProfileID: "pro", AccountID: a.ID, Connector: "shop", Type: kind,
					Status: relay.Failure, ResourceID: tx, CreatedAt: time.UnixMilli(1), ModifiedAt: time.UnixMilli(1)}
				if err := db.InsertRelay(r); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	more(relay.UnreferencedRefund, relay.MaxOfTransaction)
	_, err = w.refund(id, 1000)
	require.Equal(t, "IR_13", code(t, err))
	more(relay.Void, relay.MaxOfTransaction-1)
	_, err = w.refund(id, 1000)
	require.Equal(t, "IR_13", code(t, err))
	_, err = w.givesBack(a.ID, tx, 1)
	require.ErrorContains(t, err, "has had 1000 relays")
}
