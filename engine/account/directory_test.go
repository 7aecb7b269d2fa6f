package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// shelf is a store with the directory's configuration, which counts reads.
type shelf struct {
	Tx
	mu       sync.Mutex
	reads    atomic.Int64
	merchant Merchant
	profiles []Profile
	accounts []Account
	keys     map[string]APIKey
	slow     time.Duration // duration of a read
	fail     error
	switches map[string]string
	altered  error // names of the config keys that exist
	version  int64
	blind    bool // the version cannot be read
}

func (s *shelf) ConfigVersion() (int64, error) {
	if s.blind {
		return 0, errors.New("away")
	}
	return s.version, nil
}

func (s *shelf) View(_ context.Context, f func(Reader) error) error {
	s.reads.Add(1)
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	return f(s)
}

func (s *shelf) Update(_ context.Context, f func(Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(s)
}

func (s *shelf) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *shelf) Merchants(string) ([]*Merchant, error) { return nil, nil }

func (s *shelf) ConfigValues(names [4]string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		if v, ok := s.switches[name]; ok {
			out[name] = v
		}
	}
	return out, s.altered
}

func (s *shelf) Now() time.Time { return time.Now() }

// keyShelf is a store with the vault's keys.
type keyShelf struct {
	vault.Tx
	keysets map[string][]byte
}

func (s *keyShelf) View(_ context.Context, f func(vault.Reader) error) error { return f(s) }

func (s *keyShelf) Update(_ context.Context, f func(vault.Tx) error) error { return f(s) }

func (s *keyShelf) Keyset(name string) ([]byte, error) {
	if k := s.keysets[name]; k != nil {
		return k, nil
	}
	return nil, fault.ErrNotFound
}

func (s *keyShelf) SignRows(vault.RowSigner) {}

func (s *keyShelf) SealedCounts(vault.SealedTable, int64, int) (map[string]int, int64, error) {
	return nil, 0, nil
}

func (s *keyShelf) SignedRows(string, int64, int) ([]vault.SignedRow, int64, error) {
	return nil, 0, nil
}

func (s *keyShelf) Now() time.Time { return time.Now() }

func (s *keyShelf) InsertKeyset(name string, wrapped []byte) error {
	s.keysets[name] = wrapped
	return nil
}

func (s *shelf) Merchant(id string) (*Merchant, error) {
	if id != s.merchant.ID && !strings.HasPrefix(id, "many_") {
		return nil, fault.ErrNotFound
	}
	m := s.merchant
	return &m, nil
}

func (s *shelf) Profiles(string) (list []*Profile, err error) {
	for _, p := range s.profiles {
		list = append(list, &p)
	}
	return list, nil
}

func (s *shelf) Accounts(string) (list []*Account, err error) {
	for _, a := range s.accounts {
		list = append(list, &a)
	}
	return list, nil
}

func (s *shelf) MerchantByPublishableKey(key string) (*Merchant, error) {
	if key != s.merchant.PublishableKey {
		return nil, fault.ErrNotFound
	}
	return s.Merchant(s.merchant.ID)
}

func (s *shelf) APIKeyByHash(hash []byte) (*APIKey, error) {
	if k, ok := s.keys[string(hash)]; ok {
		return &k, nil
	}
	return nil, fault.ErrNotFound
}

func newShelf(t testing.TB) (*shelf, *vault.Vault) {
	s := &shelf{keys: map[string]APIKey{}}
	v, err := vault.Open(context.Background(), &keyShelf{keysets: map[string][]byte{}}, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
	require.NoError(t, err)
	s.merchant = Merchant{ID: "m1", PublishableKey: "pk_dev_1", Version: 1}
	s.profiles = []Profile{{ID: "pro_1", MerchantID: "m1", Version: 1}}
	a := Account{ID: "mca_1", MerchantID: "m1", ProfileID: "pro_1", Version: 1}
	a.Sealed, err = sealPrivate(v, map[string]secret.Value{fieldCredentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_1"}`)}, vault.AccountAD("m1", "mca_1"))
	require.NoError(t, err)
	s.accounts = []Account{a}
	s.reads.Store(0)
	return s, v
}

// noAdapters are connectors without any adapter.
type noAdapters struct{ port.Connectors }

func (noAdapters) Adapter(string) (port.AdapterInfo, bool) { return port.AdapterInfo{}, false }

func TestDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s, v := newShelf(t)
		d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
		for range 10 {
			m, err := d.Merchant(ctx, "m1")
			require.NoError(t, err)
			require.Equal(t, "m1", m.ID)
			p, err := d.Profile(ctx, "m1", "pro_1")
			require.NoError(t, err)
			require.Equal(t, "pro_1", p.ID)
			a, err := d.Accounts(ctx, "m1")
			require.NoError(t, err)
			require.Equal(t, "sk_1", a[0].Credentials["api_key"].Reveal())
			require.Equal(t, authHeader, a[0].AuthType)
		}
		require.EqualValues(t, 1, s.reads.Load(), "ten look-ups of everything are one read")

		var e *fault.Error
		_, err := d.Profile(ctx, "m1", "pro_2")
		require.ErrorAs(t, err, &e)
		require.Equal(t, "HE_02", e.Code)
		_, err = d.Merchant(ctx, "m2")
		require.ErrorIs(t, err, fault.ErrNotFound)
		require.ErrorAs(t, err, &e)
		require.Equal(t, "HE_02", e.Code)
		require.NotContains(t, d.merchants.slots, "m2", "what does not exist is not kept")

		before, err := d.Accounts(ctx, "m1")
		require.NoError(t, err)
		s.change(func() { s.merchant.Version, s.merchant.OrganizationID = 2, "org_2" })
		time.Sleep(staleAfter)
		m, err := d.Merchant(ctx, "m1")
		require.NoError(t, err)
		require.Equal(t, "org_2", m.OrganizationID, "another node's write counts within a second")
		after, err := d.Accounts(ctx, "m1")
		require.NoError(t, err)
		require.Same(t, before[0], after[0], "what did not change is not opened again")

		s.change(func() { s.merchant.Version, s.merchant.OrganizationID = 3, "org_3" })
		d.changed()
		m, err = d.Merchant(ctx, "m1")
		require.NoError(t, err)
		require.Equal(t, "org_3", m.OrganizationID, "our own write counts at once")

		s.change(func() { // deleted and made again: the same id and version
			s.accounts[0].Sealed, err = sealPrivate(v, map[string]secret.Value{fieldCredentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_2"}`)}, vault.AccountAD("m1", "mca_1"))
		})
		require.NoError(t, err)
		d.changed()
		again, err := d.Accounts(ctx, "m1")
		require.NoError(t, err)
		require.Equal(t, "sk_2", again[0].Credentials["api_key"].Reveal())

		s.change(func() { s.fail = errors.New("disk") })
		d.changed()
		_, err = d.Merchant(ctx, "m1")
		require.ErrorContains(t, err, "disk")
		require.NotErrorIs(t, err, fault.ErrNotFound)
	})
}

// TestDirectoryWatches: while a node sees the version of the configuration, it reads what it holds again when the version changes, and seldom otherwise.
// Without the version, the age decides as before.
func TestDirectoryWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		s, v := newShelf(t)
		d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
		organization := func() string {
			m, err := d.Merchant(ctx, "m1")
			require.NoError(t, err)
			return m.OrganizationID
		}
		go d.Watch(ctx, WatchEvery)
		synctest.Wait()
		require.Empty(t, organization())
		before := s.reads.Load()
		for range 79 { // just under eight seconds
			time.Sleep(100 * time.Millisecond)
			require.Empty(t, organization())
		}
		require.LessOrEqual(t, s.reads.Load()-before, int64(20), "the version alone is read")
		require.Empty(t, d.News())

		changed := func(name string) {
			s.change(func() { s.merchant.Version, s.merchant.OrganizationID = s.merchant.Version+1, name })
		}
		changed("org_2")
		s.change(func() { s.version++ })
		time.Sleep(WatchEvery)
		synctest.Wait()
		require.Equal(t, "org_2", organization(), "a change of another node counts with the next look at the version")
		require.Len(t, d.News(), 1)

		changed("org_3") // by a program that raises no version
		time.Sleep(keptFor + WatchEvery)
		require.Equal(t, "org_3", organization())

		s.change(func() { s.blind = true })
		time.Sleep(staleAfter)
		require.Equal(t, "org_3", organization())
		changed("org_4")
		s.change(func() { s.version++ })
		time.Sleep(staleAfter)
		require.Equal(t, "org_4", organization(), "the age decides while the version cannot be read")
	})
}

func TestDirectoryRefreshesBeforeStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s, v := newShelf(t)
		d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
		_, err := d.Merchant(ctx, "m1")
		require.NoError(t, err)
		s.slow = 100 * time.Millisecond
		time.Sleep(refreshAfter)
		began := time.Now()
		waited := make([]time.Duration, 10)
		var wg sync.WaitGroup
		for i := range waited {
			wg.Go(func() {
				_, err := d.Merchant(ctx, "m1")
				require.NoError(t, err)
				waited[i] = time.Since(began)
			})
		}
		wg.Wait()
		slow := 0
		for _, w := range waited {
			if w > 0 {
				slow++
			}
		}
		require.Equal(t, 1, slow, "one caller reads, the others go on")
		require.EqualValues(t, 2, s.reads.Load())
	})
}

// A read that began before a write is not used after it.
func TestDirectoryReadAcrossAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		s, v := newShelf(t)
		hash := [32]byte(v.Hash(apiKeyPurpose, []byte("dev_x")))
		s.keys[string(hash[:])] = APIKey{ID: "k", MerchantID: "m1", Hash: hash[:]}
		d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
		reached, release := make(chan struct{}), make(chan struct{})
		go d.keys.get(ctx, hash, func(context.Context, *APIKey) (*APIKey, error) {
			k := s.keys[string(hash[:])]
			close(reached)
			<-release
			return &k, nil
		})
		<-reached
		s.change(func() {
			s.keys[string(hash[:])] = APIKey{ID: "k", MerchantID: "m1", Hash: hash[:], RevokedAt: time.Now()}
		})
		d.changed()
		close(release)
		synctest.Wait()
		k, err := d.apiKey(ctx, hash)
		require.NoError(t, err)
		require.False(t, k.RevokedAt.IsZero())
	})
}

func TestDirectoryIsBounded(t *testing.T) {
	s, v := newShelf(t)
	d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
	for i := range cachedEntries + 100 {
		_, err := d.Merchant(context.Background(), fmt.Sprintf("many_%d", i))
		require.NoError(t, err)
	}
	require.Len(t, d.merchants.slots, cachedEntries)
}

func TestDirectoryHammer(t *testing.T) {
	s, v := newShelf(t)
	d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
	var wg sync.WaitGroup
	var version atomic.Int64
	version.Store(1)
	for w := range 4 {
		wg.Go(func() {
			for i := range 500 {
				if w == 0 && i%10 == 0 {
					s.change(func() { s.merchant.Version++ })
					d.changed()
					version.Add(1)
				}
				least := version.Load()
				m, err := d.Merchant(context.Background(), "m1")
				require.NoError(t, err)
				require.GreaterOrEqual(t, m.Version, least)
				_, err = d.publishable(context.Background(), "pk_dev_1")
				require.NoError(t, err)
				_, err = d.Accounts(context.Background(), fmt.Sprint("many_", i))
				require.NoError(t, err)
			}
		})
	}
	wg.Wait()
}

func BenchmarkDirectory(b *testing.B) {
	ctx := context.Background()
	s, v := newShelf(b)
	d := newDirectory(s, opener{vault: v, connectors: noAdapters{}})
	b.Run("profile", func(b *testing.B) {
		for b.Loop() {
			d.Profile(ctx, "m1", "pro_1")
		}
	})
	b.Run("authenticate", func(b *testing.B) {
		key := "dev_" + strings.Repeat("x", 64)
		hash := v.Hash(apiKeyPurpose, []byte(key))
		s.keys[string(hash)] = APIKey{ID: "k", MerchantID: "m1", Hash: hash}
		e := &Registry{Deps: Deps{Vault: v, Now: time.Now}, Dir: d}
		secret := secret.New(key)
		for b.Loop() {
			if _, err := e.Authenticate(ctx, secret); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestDirectorySwitches: a payment learns from the directory how its merchant's switches are set, and what another node sets counts within staleAfter.
func TestDirectorySwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{merchant: Merchant{ID: "m1"}}
		d := newDirectory(s, opener{})
		value := func(prefix string) string {
			v, err := d.Switch(t.Context(), "m1", prefix)
			require.NoError(t, err)
			return v
		}
		require.Empty(t, value(SwitchBlocklist))
		reads := s.reads.Load()
		require.Empty(t, value(SwitchBlocklist))
		require.Equal(t, reads, s.reads.Load(), "it costs no read")
		for _, set := range []string{"true", "false"} {
			s.change(func() { s.switches = map[string]string{SwitchBlocklist + "m1": set} })
			time.Sleep(staleAfter)
			require.Equal(t, set, value(SwitchBlocklist))
			require.Empty(t, value(SwitchEligibility))
		}
		s.change(func() {
			s.altered = &vault.AlteredError{Rows: []vault.AlteredRow{{Table: "config_keys", Key: []string{SwitchBlocklist + "m1"}}}}
		})
		time.Sleep(staleAfter)
		_, err := d.Switch(t.Context(), "m1", SwitchBlocklist)
		require.ErrorIs(t, err, vault.ErrAltered, "an altered switch is not taken for one that is off")
		require.Empty(t, value(SwitchEligibility))
	})
}

// TestSpread: a new switch counts at every node once Spread returns.
func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, (&Registry{Deps: Deps{SoleNode: true}}).Spread(t.Context()))
		require.Equal(t, began, time.Now(), "one node waits for nobody")
		require.NoError(t, (&Registry{}).Spread(t.Context()))
		require.GreaterOrEqual(t, time.Since(began), staleAfter)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, (&Registry{}).Spread(ctx), context.Canceled)
	})
}
