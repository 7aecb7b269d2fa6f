package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/vault"
	"payswitch/storage"
)

func local(t testing.TB, fill byte) vault.MasterKey {
	t.Helper()
	k, err := vault.LocalMasterKey(masterKey(fill))
	require.NoError(t, err)
	return k
}

// openQuick opens a vault as a node does, but waits only milliseconds.
func openQuick(t testing.TB, s engine.Store, o vault.Options) *vault.Vault {
	t.Helper()
	if o.Master == nil {
		o.Master = local(t, 'a')
	}
	if o.Refresh == 0 {
		o.Refresh = 5 * time.Millisecond
	}
	v, err := engine.OpenVaultWith(context.Background(), s, o)
	require.NoError(t, err)
	return v
}

// states returns the key states of the keysets that are rotated, such as "cards: retired 3, primary 1".
func states(t testing.TB, v *vault.Vault) string {
	t.Helper()
	list, err := v.Status(context.Background())
	require.NoError(t, err)
	var out []string
	for _, s := range list {
		if !s.Encrypt {
			require.Len(t, s.Keys, 1)
			continue
		}
		var keys []string
		for _, k := range s.Keys {
			keys = append(keys, fmt.Sprint(k.State, " ", k.Records))
		}
		out = append(out, s.Name+": "+strings.Join(keys, ", "))
	}
	return strings.Join(out, "; ")
}

func saveCard(t testing.TB, s engine.Store, v *vault.Vault, id string) {
	t.Helper()
	c, err := v.SealCard("m", id, testCard())
	require.NoError(t, err)
	require.NoError(t, s.Update(context.Background(), func(tx engine.Tx) error { return tx.InsertCard(c) }))
}

func saveCustomer(t testing.TB, s engine.Store, v *vault.Vault, id string) {
	t.Helper()
	sealed, err := v.Seal([]byte(`{}`), "customer/m/"+id)
	require.NoError(t, err)
	require.NoError(t, s.Update(context.Background(), func(tx engine.Tx) error {
		return tx.InsertCustomer(&account.Customer{MerchantID: "m", ID: id, Sealed: sealed})
	}))
}

// requireReadable opens the records that saveCard and saveCustomer have stored.
func requireReadable(t testing.TB, s engine.Store, v *vault.Vault, ids ...string) {
	t.Helper()
	for _, id := range ids {
		var card *vault.StoredCard
		var customer *account.Customer
		require.NoError(t, s.View(context.Background(), func(r engine.Reader) (err error) {
			if card, err = r.Card("m", id); err != nil {
				return err
			}
			customer, err = r.Customer("m", id)
			return err
		}))
		data, err := v.OpenCard(card)
		require.NoError(t, err)
		require.Equal(t, testCard(), data)
		_, err = v.Open(customer.Sealed, "customer/m/"+id)
		require.NoError(t, err)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := openStore(t)
	v, other := openQuick(t, db, vault.Options{}), openQuick(t, db, vault.Options{Refresh: time.Hour})
	for _, id := range []string{"1", "2"} {
		saveCard(t, db, v, id)
		saveCustomer(t, db, v, id)
	}
	require.Equal(t, "cards: primary 2; data: primary 2", states(t, v))

	keys, err := v.Rotate(ctx)
	require.NoError(t, err)
	require.Len(t, keys, 2)
	requireReadable(t, db, v, "1", "2")
	saveCard(t, db, v, "3")
	saveCustomer(t, db, v, "3")
	require.Equal(t, "cards: retired 2, primary 1; data: retired 2, primary 1", states(t, v))
	requireReadable(t, db, other, "1", "2", "3") // the vault reads its keysets again when it meets an unknown key

	report, err := other.Reencrypt(ctx, false, nil)
	require.NoError(t, err)
	require.Equal(t, 2, report.Moved[vault.SealedCards])
	require.Equal(t, 2, report.Moved[vault.SealedCustomers])
	require.Empty(t, report.Destroyed, "nodes may still seal under them")
	require.Len(t, report.Waiting, 2)
	require.Equal(t, "cards: retired 0, primary 3; data: retired 0, primary 3", states(t, v))

	report, err = v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Len(t, report.Destroyed, 2)
	require.Empty(t, report.Waiting)
	require.Equal(t, "cards: destroyed 0, primary 3; data: destroyed 0, primary 3", states(t, v))
	for _, node := range []*vault.Vault{v, other, openQuick(t, db, vault.Options{})} {
		requireReadable(t, db, node, "1", "2", "3")
	}
	report, err = v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Empty(t, report.Destroyed)
}

// A node that cannot read the keysets stops sealing before older keys may be destroyed.
func TestStaleNodeSealsNothing(t *testing.T) {
	t.Parallel()
	db, _ := openStore(t)
	now := time.Now()
	cut := &severed{Store: db}
	v := openQuick(t, cut, vault.Options{Refresh: time.Second, Clock: func() time.Time { return now }})
	c, err := v.SealCard("m", "1", testCard())
	require.NoError(t, err)
	cut.off = true
	_, err = v.Seal(nil, "x")
	require.NoError(t, err, "the keys were read just now")
	now = now.Add(3 * time.Second)
	_, err = v.Seal(nil, "x")
	require.ErrorIs(t, err, errSevered)
	_, err = v.SealCard("m", "1", testCard())
	require.ErrorIs(t, err, errSevered)
	_, err = v.OpenCard(c)
	require.NoError(t, err, "what it has sealed it opens")
	cut.off = false
	_, err = v.Seal(nil, "x")
	require.NoError(t, err)
}

var errSevered = errors.New("severed")

type severed struct {
	engine.Store
	off bool
}

func (s *severed) View(ctx context.Context, f func(engine.Reader) error) error {
	if s.off {
		return errSevered
	}
	return s.Store.View(ctx, f)
}

// breaking ends the caller's context before the n-th use of the store, as a killed process would.
type breaking struct {
	engine.Store
	left int
	stop context.CancelFunc
}

func (b *breaking) tick() error {
	if b.left--; b.left < 0 {
		b.stop()
		return context.Canceled
	}
	return nil
}

func (b *breaking) View(ctx context.Context, f func(engine.Reader) error) error {
	return errors.Join(b.tick(), b.Store.View(ctx, f))
}

func (b *breaking) Update(ctx context.Context, f func(engine.Tx) error) error {
	if err := b.tick(); err != nil {
		return err
	}
	return b.Store.Update(ctx, f)
}

// TestRotationInterrupted interrupts rotation and re-encryption after every use of the store, and then finishes with another run.
func TestRotationInterrupted(t *testing.T) {
	t.Parallel()
	db, _ := openStore(t)
	v := openQuick(t, db, vault.Options{Refresh: time.Millisecond})
	saveCard(t, db, v, "1")
	saveCustomer(t, db, v, "1")
	finished := 0
	for n := 3; finished < 2; n++ { // 3: opening the vault reads its keysets
		ctx, stop := context.WithCancel(context.Background())
		store := &breaking{Store: db, left: 1 << 30, stop: stop}
		w := openQuick(t, store, vault.Options{Refresh: time.Millisecond})
		store.left = n
		_, err := w.Rotate(ctx)
		if err == nil {
			_, err = w.Reencrypt(ctx, true, nil)
		}
		if err == nil {
			finished++
		}
		stop()
		requireReadable(t, db, openQuick(t, db, vault.Options{}), "1")
	}
	_, err := v.Rotate(context.Background())
	require.NoError(t, err)
	_, err = v.Reencrypt(context.Background(), true, nil)
	require.NoError(t, err)
	requireReadable(t, db, v, "1")
	list, err := v.Status(context.Background())
	require.NoError(t, err)
	for _, s := range list {
		for _, k := range s.Keys {
			if k.State != vault.KeyPrimary {
				require.Equal(t, vault.KeyDestroyed, k.State, "%s %s", s.Name, k.ID)
				require.Zero(t, k.Records)
			} else if s.Encrypt {
				require.Equal(t, 1, k.Records)
			}
		}
	}
}

// TestRotationsTogether rotates and re-encrypts from several nodes while other goroutines save cards. What is sealed must be durable within a few refreshes: in
// a bubble it is, however slow the machine is.
func TestRotationsTogether(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		ctx := context.Background()
		db, _ := openStore(t)
		var ids []string
		var mu sync.Mutex
		var work, saving sync.WaitGroup
		done := make(chan struct{})
		for node := range 3 {
			v := openQuick(t, db, vault.Options{Refresh: 2 * time.Millisecond})
			saving.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					case <-time.After(time.Millisecond):
					}
					id := fmt.Sprint(node, "_", i)
					saveCard(t, db, v, id)
					saveCustomer(t, db, v, id)
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				}
			})
			if node == 2 {
				continue // it reads the keysets again only when its copies are old
			}
			work.Go(func() {
				for range 3 {
					_, err := v.Rotate(ctx)
					require.NoError(t, err)
					report, err := v.Reencrypt(ctx, true, nil)
					require.NoError(t, err)
					require.Empty(t, report.Unreadable)
				}
			})
		}
		work.Wait()
		close(done)
		saving.Wait()
		v := openQuick(t, db, vault.Options{})
		report, err := v.Reencrypt(ctx, true, nil)
		require.NoError(t, err)
		require.Empty(t, report.Unreadable)
		requireReadable(t, db, v, ids...)
		for part := range strings.SplitSeq(states(t, v), "; ") {
			require.NotContains(t, part, "retired")
			require.True(t, strings.HasSuffix(part, fmt.Sprint("primary ", len(ids))), part)
		}
	})
}

func TestReencryptKeepsTheKeyOfWhatItCannotOpen(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := openStore(t)
	v := openQuick(t, db, vault.Options{})
	saveCard(t, db, v, "1")
	c, err := v.SealCard("m", "another", testCard())
	require.NoError(t, err)
	c.ID = "2" // the row of another card
	require.NoError(t, db.Update(ctx, func(tx engine.Tx) error { return tx.InsertCard(c) }))
	_, err = v.Rotate(ctx)
	require.NoError(t, err)
	report, err := v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Len(t, report.Unreadable, 1)
	require.Contains(t, report.Unreadable[0], "cards [m 2]: ")
	require.Len(t, report.Kept, 1)
	require.Equal(t, "cards: retired 1, primary 1; data: destroyed 0, primary 0", states(t, v))
}

func TestMasterKeys(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := openStore(t)
	a, b := local(t, 'a'), local(t, 'b')
	require.NotEqual(t, a.ID(), b.ID())
	v := openQuick(t, db, vault.Options{Master: a})
	saveCard(t, db, v, "1")
	saveCustomer(t, db, v, "1")

	before := keysets(t, db)
	_, err := engine.OpenVaultWith(ctx, db, vault.Options{Master: b})
	require.ErrorIs(t, err, vault.ErrMasterKey)
	require.ErrorContains(t, err, "needed: "+a.ID())
	require.ErrorContains(t, err, "("+b.ID()+")")
	require.Equal(t, before, keysets(t, db))

	_, err = v.RotateMaster(ctx)
	require.ErrorContains(t, err, "VaultOptions.Next is not set")
	both := openQuick(t, db, vault.Options{Master: a, Next: b})
	require.Equal(t, before, keysets(t, db), "knowing the next one changes nothing")
	moved, err := both.RotateMaster(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"cards", "data", "hash"}, moved)
	moved, err = both.RotateMaster(ctx)
	require.NoError(t, err)
	require.Empty(t, moved)

	time.Sleep(20 * time.Millisecond) // the node's copy is now too old to seal with
	_, err = v.Seal(nil, "x")
	require.NoError(t, err, "a node that was not told of the next one runs on")
	_, err = v.Rotate(ctx)
	require.ErrorIs(t, err, vault.ErrMasterKey, "but it cannot change anything")

	_, err = engine.OpenVaultWith(ctx, db, vault.Options{Master: a})
	require.ErrorContains(t, err, "needed: "+b.ID())
	for _, o := range []vault.Options{{Master: b}, {Master: a, Next: b}, {Master: b, Next: a}} {
		requireReadable(t, db, openQuick(t, db, o), "1")
	}
	_, err = both.Rotate(ctx)
	require.NoError(t, err)
	requireReadable(t, db, openQuick(t, db, vault.Options{Master: b}), "1")
	require.Equal(t, v.Hash("p", nil), openQuick(t, db, vault.Options{Master: b}).Hash("p", nil))
}

// The first release stored neither the master key's id nor the keys' times. The first rotation adds them.
func TestRotateWhatTheFirstReleaseStored(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := firstRelease(t)
	v := openQuick(t, db, vault.Options{})
	require.Equal(t, "cards: primary 0; data: retired 0, primary 0", states(t, v))
	_, err := v.Rotate(ctx)
	require.NoError(t, err)
	require.Equal(t, "cards: retired 0, primary 0; data: retired 0, retired 0, primary 0", states(t, v))
	_, err = v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Equal(t, "cards: destroyed 0, primary 0; data: destroyed 0, destroyed 0, primary 0", states(t, v))
	var k struct{ Master string }
	require.NoError(t, json.Unmarshal([]byte(keysets(t, db)[0]), &k))
	require.Equal(t, local(t, 'a').ID(), k.Master)
}

func firstRelease(t *testing.T) *storage.DB {
	stored := storedVault(t)
	db, _ := openStore(t)
	putKeysets(t, db, string(stored.Data), string(stored.Hash))
	return db
}
