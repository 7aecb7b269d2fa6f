package vault

import (
	"context"
	"fmt"
	"slices"
)

// KeyState is the stage of a vault key's life.
type KeyState string

const (
	KeyWaiting   KeyState = "waiting"   // made, but not in use until every node has it; it stays so if Rotate was interrupted
	KeyPrimary   KeyState = "primary"   // seals new records
	KeyRetired   KeyState = "retired"   // opens the records that it sealed
	KeyDestroyed KeyState = "destroyed" // removed for good
	KeyUnknown   KeyState = "unknown"   // records name it, but the vault lacks it
)

// KeyStatus is a key and the number of records sealed with it.
type KeyStatus struct {
	KeyInfo
	State   KeyState
	Records int
}

// KeysetStatus is a keyset and its keys.
type KeysetStatus struct {
	Name    string
	Master  string // MasterKey.ID of the key that encrypts the keyset
	Encrypt bool   // true: its keys seal records and are rotated; false: its keys make hashes or sign rows, and stay
	Keys    []KeyStatus
}

// Status returns all keysets and counts the records of each key. It reads every sealed value, which takes minutes on a large database.
// Payments go on meanwhile.
func (v *Vault) Status(ctx context.Context) ([]KeysetStatus, error) {
	var out []KeysetStatus
	rows := KeysetStatus{Name: "rows"} // the signing key is stored in the hash keyset
	for _, name := range []string{cardKeyset, dataKeyset, hashKeyset} {
		stored, _, err := readKeyset(ctx, v.store, name)
		if err != nil {
			return nil, fmt.Errorf("vault status: read keyset %q: %w", name, err)
		}
		h, k, err := unwrapKeyset(ctx, stored, name, v.masters)
		if err != nil {
			return nil, fmt.Errorf("vault status: %w", err)
		}
		s := KeysetStatus{Name: name, Master: k.Master, Encrypt: name != hashKeyset}
		primary := shownKeyID(h.KeysetInfo().PrimaryKeyId)
		for _, i := range k.Keys {
			if name == hashKeyset && i.ID != primary {
				rows.Master, rows.Keys = k.Master, []KeyStatus{{KeyInfo: i, State: KeyPrimary}}
				continue
			}
			s.Keys = append(s.Keys, KeyStatus{KeyInfo: i, State: i.state(primary)})
		}
		counts, err := v.countRecords(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("vault status: %w", err)
		}
		s.count(counts)
		out = append(out, s)
	}
	return append(out, rows), nil
}

func (i KeyInfo) state(primary string) KeyState {
	switch {
	case i.ID == primary:
		return KeyPrimary
	case !i.DestroyedAt.IsZero():
		return KeyDestroyed
	case i.waits(primary):
		return KeyWaiting
	}
	return KeyRetired
}

// count sets the number of records of each key. A key id that the keyset lacks is added as KeyUnknown.
func (s *KeysetStatus) count(counts map[string]int) {
	for i := range s.Keys {
		s.Keys[i].Records = counts[s.Keys[i].ID]
		delete(counts, s.Keys[i].ID)
	}
	for id, n := range counts {
		s.Keys = append(s.Keys, KeyStatus{KeyInfo: KeyInfo{ID: id}, State: KeyUnknown, Records: n})
	}
	slices.SortStableFunc(s.Keys, func(a, b KeyStatus) int { return a.CreatedAt.Compare(b.CreatedAt) })
}

func (v *Vault) countRecords(ctx context.Context, keysetName string) (map[string]int, error) {
	total := map[string]int{}
	for _, c := range sealedColumns {
		if c.keyset != keysetName {
			continue
		}
		for behind, first := int64(0), true; first || behind > 0; first = false {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			err := v.store.View(ctx, func(r Reader) error {
				counts, next, err := r.SealedCounts(c.table, behind, sealedWindow)
				for id, n := range counts {
					total[id] += n
				}
				behind = next
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("count %s: %w", c.table, err)
			}
		}
	}
	return total, nil
}
