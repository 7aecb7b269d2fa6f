package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// journal lists and opens all records. Neither they nor the database's files may hold a card or a credential.
func (w *world) journal() (records []*drive.JournalRecord, opened []*port.Recording) {
	w.t.Helper()
	vault, err := engine.OpenVault(w.t.Context(), w.db, worldKey)
	require.NoError(w.t, err)
	j := engine.NewJournal(w.db, vault)
	require.NoError(w.t, j.Each(w.t.Context(), drive.JournalFilter{}, func(r *drive.JournalRecord) error {
		rec, err := j.Open(r)
		require.NoError(w.t, err)
		require.Equal(w.t, []string{r.OperationID, string(r.Kind), r.AccountID, r.Connector, r.Adapter, r.AdapterHash},
			[]string{rec.Step.OperationID, string(rec.Step.Operation), rec.Step.Account.ID, rec.Step.Account.Connector, rec.Adapter, rec.Hash})
		text := string(sdk.EncodeStep(rec.Step))
		for _, s := range rec.Steps {
			text += string(s.Result)
		}
		for _, secret := range []string{"4242424242424242", "4000000000000002", `"737"`, shopKey} {
			require.NotContains(w.t, text, secret)
		}
		records, opened = append(records, r), append(opened, rec)
		return nil
	}))
	return records, opened
}

// TestJournalOfOlderVersions opens a record whose recording holds the adapter's name and hash itself, as older versions stored it.
func TestJournalOfOlderVersions(t *testing.T) {
	t.Parallel()
	v := Open(t)
	whole := &port.Recording{Adapter: "bank", Hash: "an older build", Step: &sdk.Step{ABI: sdk.ABI, OperationID: "op_1", Operation: sdk.OpCapture}}
	b, err := whole.Encode()
	require.NoError(t, err)
	r := &drive.JournalRecord{OperationID: "op_1", Adapter: "bank", AdapterHash: "an older build"}
	r.Sealed, err = v.Seal(b, vault.JournalAD(r.OperationID))
	require.NoError(t, err)
	got, err := r.Open(v)
	require.NoError(t, err)
	require.Equal(t, []string{"bank", "an older build"}, []string{got.Adapter, got.Hash})
}

// kinds returns the kinds of the records, in order.
func kinds(all []*drive.JournalRecord) (kinds []string) {
	for _, r := range all {
		kinds = append(kinds, string(r.Kind))
	}
	return kinds
}

const shopKey = "sk_test_the_key_of_the_shop"

// chatty returns the shop's adapter with a credential, and with one more request before each authorization.
func chatty(rule sdk.ResolveRule) *sdk.Adapter {
	a := shop(rule)
	a.Manifest.Credentials = []sdk.Field{{Name: "api_key", Type: "secret", Label: "Key"}}
	a.Manifest.Authentication = []sdk.Placement{{Secret: "api_key", In: "header", Field: "Authorization"}}
	pay := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Get("/pay?reference=none", sdk.H("Authorization", c.Account.Credentials["api_key"])); err != nil {
			return nil, err
		}
		return pay(c)
	}
	return a
}

func (w *world) chattyAccount(url string) {
	w.t.Helper()
	a, err := w.CreateAccount(w.t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: "shop",
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"` + shopKey + `"}`)})
	require.NoError(w.t, err)
	_, err = w.SetEgress(w.t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: url})
	require.NoError(w.t, err)
}

func (w *world) exchanges(operationID string) (all []drive.ExchangeRecord) {
	w.t.Helper()
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { all, err = r.Exchanges(operationID); return err }))
	return all
}

func TestJournalOfAPayment(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": chatty(byReference)})
	w.chattyAccount(p.URL)
	v := w.pay(sale(1000, "4242424242424242"))
	records, opened := w.journal()
	require.Equal(t, []string{"authorize"}, kinds(records))
	r, rec := records[0], opened[0]
	require.Equal(t, v.Payment.ID, r.PaymentID)
	require.Equal(t, "m1", r.MerchantID)
	require.WithinDuration(t, time.Now(), r.At, time.Minute)
	require.Len(t, rec.Step.Exchanges, 2)
	require.Len(t, rec.Steps, 3)
	require.Empty(t, w.exchanges(r.OperationID), "they were there to go on with")

	n, err := plugins.NewNative(map[string]*sdk.Adapter{"shop": chatty(byReference)}, plugins.Options{})
	require.NoError(t, err)
	for _, rec := range opened {
		again, err := n.Replay(t.Context(), rec)
		require.NoError(t, err)
		require.True(t, again.Same(), "%+v", again.Differences())
	}
	require.NoError(t, w.db.Close())
	for _, file := range []string{w.file, w.file + "-wal"} {
		b, err := os.ReadFile(file)
		if err == nil {
			require.NotContains(t, string(b), "4242424242424242")
			require.NotContains(t, string(b), shopKey)
			require.NotContains(t, string(b), "Joseph Doe")
		}
	}
}

func TestJournalOfSyncs(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
	w.shopAccount(p.URL)
	p.hangs.Store(true)
	p.forgets.Store(true)
	v := w.pay(sale(1000, "4242424242424242"))
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true}).Payment.Status)
	require.Eventually(t, func() bool { all, _ := w.journal(); return len(all) == 2 }, 10*time.Second, time.Millisecond, "also what told nothing")

	p.forgets.Store(false)
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true}).Payment.Status)
	records, opened := w.journal()
	require.Equal(t, []string{"authorize", "sync", "sync"}, kinds(records), "what settled is there at once")
	require.Equal(t, 404, opened[1].Step.Exchanges[0].Status)
	require.Equal(t, 200, opened[2].Step.Exchanges[0].Status)
	require.NotEqual(t, records[1].OperationID, records[2].OperationID)
	for _, r := range records {
		require.Equal(t, v.Payment.ID, r.PaymentID)
	}
}

func TestJournalOfAnUnknown(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": chatty(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})})
		w.chattyAccount(p.URL)
		p.hangs.Store(true)
		v := w.pay(sale(1000, "4242424242424242"))
		require.Equal(t, payment.Processing, v.Payment.Status)
		records, opened := w.journal()
		require.Equal(t, []string{"authorize"}, kinds(records))
		require.Equal(t, "reset", opened[0].Step.Exchanges[1].Failure)
		require.NotEmpty(t, w.exchanges(records[0].OperationID), "a resend goes on with them")

		p.hangs.Store(false)
		w.running()
		w.eventually(v.Payment.ID, payment.Succeeded)
		records, opened = w.journal()
		require.Equal(t, []string{"authorize", "authorize"}, kinds(records))
		require.Equal(t, records[0].OperationID, records[1].OperationID)
		require.Equal(t, 1, opened[1].Resumed)
		require.Empty(t, w.exchanges(records[0].OperationID))
		n, err := plugins.NewNative(map[string]*sdk.Adapter{"shop": chatty(byReference)}, plugins.Options{})
		require.NoError(t, err)
		again, err := n.Replay(t.Context(), opened[1])
		require.NoError(t, err)
		require.Len(t, again.Differences(), 1, "this build does not declare its request safe to repeat")
		require.Equal(t, "request 2 safe_to_repeat", again.Differences()[0].Where)
	}, p.Server)
}

func TestJournalOfWhatFails(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	broken := shop(byReference)
	broken.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Post("https://elsewhere.test/", "text/plain", nil)
		return nil, err
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": broken})
	w.shopAccount(p.URL)
	_, err := w.CreatePayment(t.Context(), w.auth, sale(1000, "4242424242424242"))
	require.Error(t, err)
	records, opened := w.journal()
	require.Equal(t, []string{"authorize"}, kinds(records))
	require.Contains(t, opened[0].Error, "not approved")
	require.Empty(t, opened[0].Step.Exchanges)
}

// counting counts the transactions of a store.
type counting struct {
	engine.Store
	n atomic.Int64
}

func (c *counting) Update(ctx context.Context, f func(engine.Tx) error) error {
	c.n.Add(1)
	return c.Store.Update(ctx, f)
}

func TestJournalCostsNoTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	vault, err := engine.OpenVault(t.Context(), w.db, worldKey)
	require.NoError(t, err)
	var updates []int64
	for _, keep := range []time.Duration{-1, time.Hour} {
		store := &counting{Store: w.db}
		e, err := engine.New(engine.Deps{Store: store, Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}),
			Vault: vault, Presenter: presenter{}}, engine.Options{JournalKeep: keep})
		require.NoError(t, err)
		_, err = e.CreatePayment(t.Context(), w.auth, sale(1000, "4242424242424242"))
		require.NoError(t, err)
		require.NoError(t, e.Close(t.Context()))
		updates = append(updates, store.n.Load())
	}
	require.Equal(t, updates[0], updates[1])
	records, _ := w.journal()
	require.Len(t, records, 1, "none is kept where none is wanted")
}

func TestJournalEnds(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	o := quick
	o.JournalKeep = time.Millisecond
	file := filepath.Join(t.TempDir(), "p.db")
	w := newWorldWith(t, o, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": chatty(byReference)}), file)
	w.chattyAccount(p.URL)
	for range 3 {
		w.pay(sale(1000, "4242424242424242"))
	}
	records, _ := w.journal()
	require.Len(t, records, 3)
	w.running()
	require.Eventually(t, func() bool { all, _ := w.journal(); return len(all) == 0 }, 10*time.Second, time.Millisecond)
}

// After another node has settled the operation, the journal holds the requests and answers of the node that died.
func TestJournalOfADeadNode(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": chatty(byReference)})
	w.chattyAccount(p.URL)
	p.hangs.Store(true)
	v := w.pay(sale(1000, "4242424242424242"))
	op := w.operations(v.Payment.ID)[0]
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { // as the node would have left it
		op, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		op.Status, op.Owner, op.LeaseUntil, op.ResolveAt = payment.OperationStarted, "node_gone", tx.Now().Add(-time.Second), time.Time{}
		return tx.UpdateOperation(op)
	}))
	w.running()
	w.eventually(v.Payment.ID, payment.Succeeded)
	records, opened := w.journal()
	require.Equal(t, []string{"authorize", "authorize", "sync"}, kinds(records))
	lost := opened[1]
	require.Equal(t, op.ID, records[1].OperationID)
	require.Contains(t, lost.Error, "the node that drove it ended")
	require.Equal(t, 1, lost.Resumed)
	require.Equal(t, opened[0].Step.Exchanges[:1], lost.Step.Exchanges)
	require.Equal(t, opened[0].Step.Account, lost.Step.Account)
	require.Equal(t, opened[0].Step.Request, lost.Step.Request)
	require.Empty(t, w.exchanges(op.ID))

	n, err := plugins.NewNative(map[string]*sdk.Adapter{"shop": chatty(byReference)}, plugins.Options{})
	require.NoError(t, err)
	again, err := n.Replay(t.Context(), lost)
	require.NoError(t, err)
	require.True(t, again.Same())
	require.Len(t, again.Steps, 2, "and what it was about to send is shown")
	require.Equal(t, "POST", again.Steps[1].Replayed.Send.Method)
}
