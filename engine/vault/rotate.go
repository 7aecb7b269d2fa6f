package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tink-crypto/tink-go/v2/keyset"

	"payswitch/engine/fault"
)

// Rotate gives the keysets that encrypt a new primary key while payments go on. It makes the key, waits until every node has read it, and
// then makes it primary. It returns the new keys by keyset. After an interruption, call Rotate again: it promotes the key that the
// interrupted call made. The old keys open older records until Reencrypt destroys them.
func (v *Vault) Rotate(ctx context.Context) (map[string]KeyInfo, error) {
	made := map[string]KeyInfo{}
	for _, k := range v.rings() {
		key, err := k.prepareKey(ctx)
		if err != nil {
			return nil, fmt.Errorf("rotate: %w", err)
		}
		made[k.name] = key
	}
	for _, k := range v.rings() {
		key := made[k.name]
		s, err := k.refresh(ctx)
		if err == nil {
			err = sleep(ctx, key.CreatedAt.Add(promoteWait*v.refresh).Sub(s.readAt))
		}
		if err == nil {
			made[k.name], err = k.promote(ctx, key.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("rotate: %w", err)
		}
	}
	return made, nil
}

// prepareKey adds a key that is not in use yet, or finds such a key.
func (k *keyring) prepareKey(ctx context.Context) (key KeyInfo, err error) {
	err = k.change(ctx, func(s *ringState, next *storedKeyset, m *keyset.Manager) error {
		for _, i := range next.Keys {
			if i.waits(s.primary) {
				key = i
				return ErrUnchanged
			}
		}
		id, err := m.Add(keyTemplate(k.name))
		if err != nil {
			return err
		}
		key = KeyInfo{ID: shownKeyID(id), CreatedAt: s.readAt}
		next.Keys = append(next.Keys, key)
		return nil
	})
	return key, err
}

// waits reports whether the key was made and never used.
func (i KeyInfo) waits(primary string) bool {
	return i.ID != primary && !i.CreatedAt.IsZero() && i.PromotedAt.IsZero() && i.DestroyedAt.IsZero()
}

// promote makes the key primary, unless another node has done so.
func (k *keyring) promote(ctx context.Context, id string) (key KeyInfo, err error) {
	err = k.change(ctx, func(s *ringState, next *storedKeyset, m *keyset.Manager) error {
		i := next.key(id)
		if i == nil {
			return fmt.Errorf("key %s is missing; run the rotation again", id)
		}
		key = *i
		if !i.waits(s.primary) {
			return ErrUnchanged
		}
		number, err := tinkKeyID(id)
		if err == nil {
			err = m.SetPrimary(number)
		}
		if err != nil {
			return err
		}
		for n := range next.Keys { // the primary key, and keys whose end the first releases did not record
			if old := &next.Keys[n]; old.RetiredAt.IsZero() && !old.waits(s.primary) {
				old.RetiredAt = s.readAt
			}
		}
		i.PromotedAt = s.readAt
		key = *i
		return nil
	})
	return key, err
}

// destroy removes a retired key for good. Records that it sealed cannot be opened any more.
func (k *keyring) destroy(ctx context.Context, id string) (key KeyInfo, err error) {
	err = k.change(ctx, func(s *ringState, next *storedKeyset, m *keyset.Manager) error {
		i := next.key(id)
		if i == nil || i.RetiredAt.IsZero() || !i.DestroyedAt.IsZero() {
			return ErrUnchanged
		}
		number, err := tinkKeyID(id)
		if err == nil {
			err = m.Delete(number)
		}
		if err != nil {
			return err
		}
		i.DestroyedAt = s.readAt
		key = *i
		return nil
	})
	return key, err
}

// RotateMaster encrypts all keysets with Options.Next and returns the names of the keysets that it moved. Nodes that know both master
// keys keep working. Afterwards only Next opens the vault. After an interruption, call RotateMaster again.
func (v *Vault) RotateMaster(ctx context.Context) (moved []string, err error) {
	if len(v.masters) < 2 {
		return nil, errors.New("rotate master key: VaultOptions.Next is not set: give the new master key")
	}
	for _, name := range []string{cardKeyset, dataKeyset, hashKeyset} {
		did, err := v.rewrap(ctx, name, v.masters[1])
		if err != nil {
			return moved, fmt.Errorf("rotate master key: %w", err)
		}
		if did {
			moved = append(moved, name)
		}
	}
	return moved, nil
}

// rewrap encrypts one keyset with another master key. It returns false if the keyset has that key already.
func (v *Vault) rewrap(ctx context.Context, name string, master MasterKey) (bool, error) {
	for {
		stored, _, err := readKeyset(ctx, v.store, name)
		if err != nil {
			return false, fmt.Errorf("read keyset %q: %w", name, err)
		}
		h, k, err := unwrapKeyset(ctx, stored, name, v.masters)
		if err != nil || k.Master == master.ID() {
			return false, err
		}
		next, err := wrapKeyset(ctx, h, name, k.Keys, master)
		if err != nil {
			return false, err
		}
		err = v.store.Update(ctx, func(tx Tx) error { return tx.UpdateKeyset(name, stored, next) })
		if !errors.Is(err, fault.ErrConflict) { // on a conflict another node has changed the keyset: read it again
			return err == nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
