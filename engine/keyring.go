package engine

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
)

// keyring is one AEAD keyset as a node holds it: a copy of what the store has, read again every VaultOptions.Refresh, and at once when
// something was sealed by a key it does not know. It encrypts only while the copy is fresh: a key that was retired is not used by
// anybody any more once every copy is older than stale. Safe for concurrent use.
type keyring struct {
	name    string
	store   VaultStore
	masters []MasterKey
	stale   time.Duration
	now     Clock

	loading sync.Mutex // one reading at a time
	current atomic.Pointer[ringState]
}

// ringState is one copy. It is never changed.
type ringState struct {
	stored  []byte // as read: what a change compares with
	keyset  storedKeyset
	handle  *keyset.Handle
	aead    tink.AEAD
	primary string
	readAt  time.Time // on the database's clock
	asOf    time.Time // on ours, before the reading began
}

// reloadTimeout bounds a reading that a payment waits for.
const reloadTimeout = 5 * time.Second

func (k *keyring) encrypt(plain, associated []byte) ([]byte, error) {
	s := k.current.Load()
	if k.now().Sub(s.asOf) >= k.stale {
		ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
		defer cancel()
		var err error
		if s, err = k.reload(ctx, s); err != nil {
			return nil, fmt.Errorf("keyset %q may be out of date: %w", k.name, err)
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
		return nil, errors.New("it is damaged, or belongs to another record") // Tink does not say which
	}
	ctx, cancel := context.WithTimeout(context.Background(), reloadTimeout)
	defer cancel()
	if s, err = k.reload(ctx, s); err != nil {
		return nil, err
	}
	if !s.holds(id) {
		return nil, fmt.Errorf("it is damaged, or its key %s is not in the vault (keyset %q)", id, k.name)
	}
	return s.aead.Decrypt(sealed, associated)
}

// holds says whether a key can decrypt.
func (s *ringState) holds(id string) bool {
	i := s.keyset.key(id)
	return i != nil && i.DestroyedAt.IsZero()
}

// reload reads the keyset again, unless another caller has done it since old.
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

// rewrapped is the state after stored where nothing but the master key has changed: a node that does not know the new one runs on with the
// keys it has, until there are others. nil where more has changed.
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

func readKeyset(ctx context.Context, s VaultStore, name string) (stored []byte, at time.Time, err error) {
	err = s.View(ctx, func(r VaultReader) error {
		at = r.Now()
		stored, err = r.Keyset(name)
		return err
	})
	return stored, at, err
}

// errUnchanged is what a change answers that finds nothing to do.
var errUnchanged = errors.New("nothing to change")

// change rewrites the keyset as f says, under the master key that it has. f runs again when another node was faster.
func (k *keyring) change(ctx context.Context, f func(s *ringState, next *storedKeyset, m *keyset.Manager) error) error {
	for {
		s, err := k.refresh(ctx)
		if err != nil {
			return err
		}
		next := s.keyset
		next.Keys = append([]KeyInfo(nil), s.keyset.Keys...)
		m := keyset.NewManagerFromHandle(s.handle)
		if err := f(s, &next, m); errors.Is(err, errUnchanged) {
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
			return fmt.Errorf("keyset %q: its master key is now %s: %w", k.name, next.Master, ErrMasterKey)
		}
		stored, err := wrapKeyset(ctx, h, k.name, next.Keys, k.masters[master])
		if err != nil {
			return err
		}
		err = k.store.Update(ctx, func(tx VaultTx) error { return tx.UpdateKeyset(k.name, s.stored, stored) })
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err == nil {
			_, err = k.refresh(ctx)
		}
		return err
	}
}

// tinkPrefix begins what a Tink keyset has sealed: a version (1) and the key's id, big endian.
const tinkPrefix = 5

// sealingKey is the id of the vault's key that sealed, 8 hex digits; "" where it is no ciphertext of a keyset.
func sealingKey(sealed []byte) string {
	if len(sealed) < tinkPrefix || sealed[0] != 1 {
		return ""
	}
	return hex.EncodeToString(sealed[1:tinkPrefix])
}

// tinkKeyID is the reverse of shownKeyID.
func tinkKeyID(id string) (uint32, error) {
	n, err := strconv.ParseUint(id, 16, 32)
	return uint32(n), err
}
