package vault

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// keyring is a node's copy of one AEAD keyset. The node reads the keyset again every Options.Refresh, and immediately when it meets a
// key id that it does not know. A keyring encrypts only while its copy is younger than stale. So no node encrypts with a retired key once
// that time has passed. Safe for concurrent use.
type keyring struct {
	name    string
	store   Store
	masters []MasterKey
	stale   time.Duration
	now     port.Clock

	loading sync.Mutex // one reload at a time
	current atomic.Pointer[ringState]
}

// ringState is one copy of a keyset. It is immutable.
type ringState struct {
	stored  []byte // the bytes in the store: a change compares with them
	keyset  storedKeyset
	handle  *keyset.Handle
	aead    tink.AEAD
	primary string
	readAt  time.Time // on the database's clock
	asOf    time.Time // on this node's clock, taken before the read began
}

// reloadTimeout limits a reload that a payment waits for.
const reloadTimeout = 5 * time.Second

func (k *keyring) encrypt(plain, associated []byte) ([]byte, error) {
	s := k.current.Load()
	if k.now().Sub(s.asOf) >= k.stale {
		ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
		defer cancel()
		var err error
		if s, err = k.reload(ctx, s); err != nil {
			return nil, fmt.Errorf("keyset %q may be out of date and could not be read again: %w", k.name, err)
		}
	}
	return s.aead.Encrypt(plain, associated)
}

func (k *keyring) decrypt(sealed, associated []byte) ([]byte, error) {
	s := k.current.Load()
	plain, err := s.aead.Decrypt(sealed, associated)
	if err == nil {
		return plain, nil
	}
	id := sealingKey(sealed)
	if id == "" || s.holds(id) {
		return nil, errors.New("the ciphertext is damaged or belongs to another record") // Tink does not report which of the two
	}
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	if s, err = k.reload(ctx, s); err != nil {
		return nil, err
	}
	if !s.holds(id) {
		return nil, fmt.Errorf("the ciphertext is damaged, or its key %s is missing in keyset %q", id, k.name)
	}
	return s.aead.Decrypt(sealed, associated)
}

// holds reports whether the copy has the key and can decrypt with it.
func (s *ringState) holds(id string) bool {
	i := s.keyset.key(id)
	return i != nil && i.DestroyedAt.IsZero()
}

// reload reads the keyset again, unless another caller has replaced old already.
func (k *keyring) reload(ctx context.Context, old *ringState) (*ringState, error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	if s := k.current.Load(); s != old {
		return s, nil
	}
	asOf := k.now()
	stored, readAt, err := readKeyset(ctx, k.store, k.name)
	if err != nil {
		return nil, fmt.Errorf("read keyset %q: %w", k.name, err)
	}
	if old != nil && bytes.Equal(old.stored, stored) {
		s := *old
		s.asOf, s.readAt = asOf, readAt
		k.current.Store(&s)
		return &s, nil
	}
	if s := old.rewrapped(stored); s != nil {
		s.asOf, s.readAt = asOf, readAt
		k.current.Store(s)
		return s, nil
	}
	h, parsed, err := unwrapKeyset(ctx, stored, k.name, k.masters)
	if err != nil {
		return nil, err
	}
	s := &ringState{stored: stored, keyset: parsed, handle: h, readAt: readAt, asOf: asOf, primary: shownKeyID(h.KeysetInfo().PrimaryKeyId)}
	if s.aead, err = aead.New(h); err != nil {
		return nil, fmt.Errorf("open vault: keyset %q: %w", k.name, err)
	}
	k.current.Store(s)
	return s, nil
}

// rewrapped returns the state for stored if only the master key has changed, and nil otherwise. So a node without the new master key keeps
// working until the keys themselves change.
func (s *ringState) rewrapped(stored []byte) *ringState {
	if s == nil {
		return nil
	}
	next, err := decodeKeyset(stored)
	if err != nil || !slices.Equal(next.Keys, s.keyset.Keys) {
		return nil
	}
	out := *s
	out.stored, out.keyset = stored, next
	return &out
}

// refresh reads the keyset again.
func (k *keyring) refresh(ctx context.Context) (*ringState, error) {
	return k.reload(ctx, k.current.Load())
}

func readKeyset(ctx context.Context, s Store, name string) (stored []byte, at time.Time, err error) {
	err = s.View(ctx, func(r Reader) error {
		at = r.Now()
		stored, err = r.Keyset(name)
		return err
	})
	return stored, at, err
}

// ErrUnchanged is returned by the function given to change when nothing has to be written.
var ErrUnchanged = errors.New("nothing to change")

// change rewrites the keyset as f says, encrypted with the master key that it names. f runs again when another node has written first.
func (k *keyring) change(ctx context.Context, f func(s *ringState, next *storedKeyset, m *keyset.Manager) error) error {
	for {
		s, err := k.refresh(ctx)
		if err != nil {
			return err
		}
		next := s.keyset
		next.Keys = append([]KeyInfo(nil), s.keyset.Keys...)
		m := keyset.NewManagerFromHandle(s.handle)
		if err := f(s, &next, m); errors.Is(err, ErrUnchanged) {
			return nil
		} else if err != nil {
			return fmt.Errorf("keyset %q: %w", k.name, err)
		}
		h, err := m.Handle()
		if err != nil {
			return fmt.Errorf("keyset %q: %w", k.name, err)
		}
		master := slices.IndexFunc(k.masters, func(m MasterKey) bool { return m.ID() == next.Master })
		if master < 0 {
			return fmt.Errorf("keyset %q: another node moved it to master key %s; start this node with that key: %w", k.name, next.Master, ErrMasterKey)
		}
		stored, err := wrapKeyset(ctx, h, k.name, next.Keys, k.masters[master])
		if err != nil {
			return err
		}
		err = k.store.Update(ctx, func(tx Tx) error { return tx.UpdateKeyset(k.name, s.stored, stored) })
		if errors.Is(err, fault.ErrConflict) {
			continue
		}
		if err == nil {
			_, err = k.refresh(ctx)
		}
		return err
	}
}

// tinkPrefix is the length of the prefix of a Tink ciphertext: a version byte (1) and the key id, big endian.
const tinkPrefix = 5

// sealingKey returns the id of the vault key that sealed, as 8 hex digits. It returns "" if sealed is no ciphertext of a keyset.
func sealingKey(sealed []byte) string {
	if len(sealed) < tinkPrefix || sealed[0] != 1 {
		return ""
	}
	return hex.EncodeToString(sealed[1:tinkPrefix])
}

// tinkKeyID parses an id that shownKeyID has formatted.
func tinkKeyID(id string) (uint32, error) {
	n, err := strconv.ParseUint(id, 16, 32)
	return uint32(n), err
}
