package account

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/vault"
)

// A change on this node counts immediately, a change on another node, such as a revoked key, within staleAfter. For this, Watch reads the store's version of
// the configuration every WatchEvery. While that works, an entry of the present version is good for keptFor, and one of another version is read again.
// While it does not work, or where nothing watches, the age decides: after refreshAfter, one caller reads the entry again while the others use the old one;
// after staleAfter, all callers wait for the read.
const (
	// WatchEvery is the usual interval of Watch.
	WatchEvery   = 400 * time.Millisecond
	refreshAfter = 500 * time.Millisecond
	staleAfter   = time.Second
	keptFor      = 10 * time.Second
	// cachedEntries limits the size of each cache.
	cachedEntries = 4096
)

// Directory caches the configuration that every payment needs: merchants with their profiles and connector accounts, and keys. Callers must
// not change the values that it returns, because they are shared. A missing row is not cached. Safe for concurrent use.
type Directory struct {
	store Store
	opener
	// epoch counts the local writes. An entry that was read before a write is not used after it.
	epoch     atomic.Uint64
	seen      atomic.Pointer[seen]
	news      chan struct{} // 1
	now       func() time.Duration
	merchants cache[string, *merchantEntry]
	keys      cache[[32]byte, *APIKey]
	publics   cache[string, string] // publishable key → merchant id
}

// seen is the version of the configuration that this node has read last.
type seen struct {
	version int64
	at      time.Duration // when the read began
}

// Watch learns of changes on other nodes until ctx ends. It looks at once, and then at every interval. With an interval longer than WatchEvery the age of
// the entries decides between two looks.
func (d *Directory) Watch(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		n := &seen{at: d.now()}
		err := d.store.View(ctx, func(r Reader) (err error) { n.version, err = r.ConfigVersion(); return err })
		if err == nil { // after an error the age of the entries decides, until a read works
			if was := d.seen.Swap(n); was != nil && was.version != n.version {
				select {
				case d.news <- struct{}{}:
				default:
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// News has an entry after Watch has seen a change of the configuration, on this node or another one. It has one reader.
func (d *Directory) News() <-chan struct{} { return d.news }

// merchantEntry is one consistent snapshot of a merchant's configuration.
type merchantEntry struct {
	merchant *Merchant
	profiles []*Profile
	accounts []*Account // credentials opened
	// altered names the profiles and accounts that were left out because their signature is bad. A payment that needs one of them fails;
	// other payments go on.
	altered *vault.AlteredError
	// switches are the values of the merchant's switches that exist, by name.
	switches map[string]string
}

func newDirectory(s Store, o opener) *Directory {
	d := &Directory{store: s, opener: o, news: make(chan struct{}, 1)}
	start := time.Now()
	now := func() time.Duration { return time.Since(start) }
	d.now = now
	d.merchants.init(&d.epoch, &d.seen, now)
	d.keys.init(&d.epoch, &d.seen, now)
	d.publics.init(&d.epoch, &d.seen, now)
	return d
}

// changed drops every cached entry. Call it after every committed write of configuration.
func (d *Directory) changed() { d.epoch.Add(1) }

// Merchant returns the merchant account, opened. It returns HE_02 (and ErrNotFound) for an unknown id.
func (d *Directory) Merchant(ctx context.Context, id string) (*Merchant, error) {
	e, err := d.entry(ctx, id)
	if err != nil {
		return nil, err
	}
	return e.merchant, nil
}

// Profile returns one of the merchant's profiles, opened. It returns HE_02 (and ErrNotFound) for an unknown id.
func (d *Directory) Profile(ctx context.Context, merchantID, id string) (*Profile, error) {
	e, err := d.entry(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	for _, p := range e.profiles {
		if p.ID == id {
			return p, nil
		}
	}
	if e.altered.Names("profiles", id) {
		return nil, fault.Internal(e.altered, "read business profile")
	}
	return nil, ProfileNotFound(id)
}

// ProfileOfPayment returns the profile of a new payment: the one in the request, else the key's, else the merchant's default. A merchant without a
// default profile may name one by business_country and business_label instead. Errors: IR_04 for a request that names none, HE_02 for an unknown one.
func (d *Directory) ProfileOfPayment(ctx context.Context, m *Merchant, auth Auth, id, country, label string) (*Profile, error) {
	id = cmp.Or(id, auth.ProfileID, m.DefaultProfile)
	switch {
	case id == "" && country != "" && label != "":
		return d.profileNamed(ctx, m.ID, country+"_"+label)
	case id == "":
		return nil, fault.Missing("profile_id or business_country, business_label").WithParam("profile_id")
	case auth.ProfileID != "" && auth.ProfileID != id:
		return nil, ProfileNotFound(id)
	}
	return d.Profile(ctx, m.ID, id)
}

func (d *Directory) profileNamed(ctx context.Context, merchantID, name string) (*Profile, error) {
	e, err := d.entry(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	if p := profileBy(e.profiles, func(p *Profile) bool { return p.Name == name }); p != nil {
		return p, nil
	}
	if e.altered.Names("profiles", "") {
		return nil, fault.Internal(e.altered, "read business profile")
	}
	return nil, ProfileNotFound(name).WithParam("business_label").WithHint("Send the business_country and the business_label of a profile, or its profile_id.")
}

// OrAltered replaces err by an internal error if the account was left out because its signature is bad: then the merchant is not to blame.
// accountID "" means any account.
func (d *Directory) OrAltered(ctx context.Context, merchantID, accountID string, err error) error {
	if e, _ := d.entry(ctx, merchantID); e != nil && e.altered.Names("accounts", accountID) {
		return fault.Internal(e.altered, "read connector account")
	}
	return err
}

// Accounts returns the merchant's connector accounts of all profiles, by creation, disabled ones included. Their credentials are opened.
func (d *Directory) Accounts(ctx context.Context, merchantID string) ([]*Account, error) {
	e, err := d.entry(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	return e.accounts, nil
}

// apiKey finds a secret key by its keyed hash, also if it is revoked or expired. It returns ErrNotFound for an unknown hash.
func (d *Directory) apiKey(ctx context.Context, hash [32]byte) (*APIKey, error) {
	return d.keys.get(ctx, hash, func(ctx context.Context, _ *APIKey) (k *APIKey, err error) {
		err = d.store.View(ctx, func(r Reader) error {
			k, err = r.APIKeyByHash(hash[:])
			return err
		})
		return k, err
	})
}

// publishable returns the id of the merchant with this publishable key, or ErrNotFound.
func (d *Directory) publishable(ctx context.Context, key string) (string, error) {
	return d.publics.get(ctx, key, func(ctx context.Context, _ string) (id string, err error) {
		err = d.store.View(ctx, func(r Reader) error {
			m, err := r.MerchantByPublishableKey(key)
			if err == nil {
				id = m.ID
			}
			return err
		})
		return id, err
	})
}

func (d *Directory) entry(ctx context.Context, merchantID string) (*merchantEntry, error) {
	e, err := d.merchants.get(ctx, merchantID, func(ctx context.Context, old *merchantEntry) (*merchantEntry, error) {
		return d.load(ctx, merchantID, old)
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, merchantNotFound()
	}
	return e, err
}

// load reads a merchant's configuration and opens its sealed parts. It reuses the unchanged parts of old.
func (d *Directory) load(ctx context.Context, merchantID string, old *merchantEntry) (*merchantEntry, error) {
	e := &merchantEntry{}
	err := d.store.View(ctx, func(r Reader) (err error) {
		if e.merchant, err = r.Merchant(merchantID); err != nil {
			return err
		}
		e.profiles, err = r.Profiles(merchantID)
		if e.altered, err = LeftOut(e.altered, err); err != nil {
			return err
		}
		e.accounts, err = r.Accounts(merchantID)
		if e.altered, err = LeftOut(e.altered, err); err != nil {
			return err
		}
		e.switches, err = r.ConfigValues(switchNames(merchantID))
		e.altered, err = LeftOut(e.altered, err)
		return err
	})
	if err != nil {
		return nil, err
	}
	if old == nil {
		old = &merchantEntry{}
	}
	// The ciphertext distinguishes a row from a later row with the same id and version, because no two ciphertexts are equal.
	if o := old.merchant; o != nil && o.Version == e.merchant.Version && bytes.Equal(o.Sealed, e.merchant.Sealed) {
		e.merchant = o
	} else if err := openMerchant(d.vault, e.merchant); err != nil {
		return nil, err
	}
	for i, p := range e.profiles {
		if o := slices.IndexFunc(old.profiles, func(o *Profile) bool {
			return o.ID == p.ID && o.Version == p.Version && bytes.Equal(o.Sealed, p.Sealed)
		}); o >= 0 {
			e.profiles[i] = old.profiles[o]
		} else if err := openProfile(d.vault, p); err != nil {
			return nil, err
		}
	}
	for i, a := range e.accounts {
		if o := slices.IndexFunc(old.accounts, func(o *Account) bool {
			return o.ID == a.ID && o.Version == a.Version && bytes.Equal(o.Sealed, a.Sealed)
		}); o >= 0 {
			e.accounts[i] = old.accounts[o]
		} else if err := d.open(a); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// LeftOut separates an AlteredError, which names rows that a list left out, from other errors.
func LeftOut(altered *vault.AlteredError, err error) (*vault.AlteredError, error) {
	var a *vault.AlteredError
	if errors.As(err, &a) {
		return altered.And(a), nil
	}
	return altered, err
}

// cache holds up to cachedEntries values and reads each one again when it is too old.
type cache[K comparable, V any] struct {
	epoch *atomic.Uint64
	seen  *atomic.Pointer[seen]
	now   func() time.Duration
	mu    sync.RWMutex // guards slots
	slots map[K]*slot[V]
}

type slot[V any] struct {
	loading sync.Mutex // one caller reads at a time
	current atomic.Pointer[cached[V]]
}

type cached[V any] struct {
	value V
	at    time.Duration // when the read began
	epoch uint64
	seen  *seen // the version that the node knew then; nil if it knew none
}

func (c *cache[K, V]) init(epoch *atomic.Uint64, seen *atomic.Pointer[seen], now func() time.Duration) {
	c.epoch, c.seen, c.now, c.slots = epoch, seen, now, make(map[K]*slot[V])
}

// current reports whether a value is the newest as far as this node knows. sure is true if no other node can have changed it longer than staleAfter ago,
// whatever its age.
func (c *cache[K, V]) current(v *cached[V]) (current, sure bool) {
	if v == nil || v.epoch != c.epoch.Load() {
		return false, false
	}
	s := c.seen.Load()
	if s == nil {
		return true, false
	}
	if v.seen == nil || v.seen.version != s.version {
		return v.at >= s.at, false // the entry was read after the version, so it is no older than the version
	}
	return true, c.now()-s.at < staleAfter && c.now()-v.at < keptFor
}

// get returns the value of key. If there is no fresh value, it calls load with the previous value, if any. Errors are not cached.
func (c *cache[K, V]) get(ctx context.Context, key K, load func(context.Context, V) (V, error)) (V, error) {
	c.mu.RLock()
	s := c.slots[key]
	c.mu.RUnlock()
	if s == nil {
		s = c.add(key)
	}
	v := s.current.Load()
	if current, sure := c.current(v); current {
		age := c.now() - v.at
		if sure || age < refreshAfter {
			return v.value, nil
		}
		if age < staleAfter {
			if !s.loading.TryLock() {
				return v.value, nil
			}
			defer s.loading.Unlock()
			return c.reload(ctx, key, s, load)
		}
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	return c.reload(ctx, key, s, load)
}

// reload reads the value, unless another caller has just done so. The caller holds s.loading.
func (c *cache[K, V]) reload(ctx context.Context, key K, s *slot[V], load func(context.Context, V) (V, error)) (V, error) {
	var old V
	if v := s.current.Load(); v != nil {
		if current, _ := c.current(v); current && c.now()-v.at < refreshAfter {
			return v.value, nil
		}
		old = v.value
	}
	n := &cached[V]{at: c.now(), epoch: c.epoch.Load(), seen: c.seen.Load()}
	var err error
	if n.value, err = load(ctx, old); err != nil {
		c.mu.Lock()
		if c.slots[key] == s {
			delete(c.slots, key)
		}
		c.mu.Unlock()
		var none V
		return none, err
	}
	s.current.Store(n)
	return n.value, nil
}

// add makes the slot of key. A full cache first drops any other slot, because reading one again is cheap.
func (c *cache[K, V]) add(key K) *slot[V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.slots[key]; s != nil {
		return s
	}
	if len(c.slots) >= cachedEntries {
		for k := range c.slots {
			delete(c.slots, k)
			break
		}
	}
	s := &slot[V]{}
	c.slots[key] = s
	return s
}
