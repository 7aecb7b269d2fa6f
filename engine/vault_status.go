package engine

import (
	"context"
	"fmt"
	"slices"
)

// KeyState is where a key of the vault stands in its life.
type KeyState string

const (
	KeyWaiting   KeyState = "waiting"   // made, and used once every node has it: a Rotate that was interrupted
	KeyPrimary   KeyState = "primary"   // seals
	KeyRetired   KeyState = "retired"   // opens what it sealed
	KeyDestroyed KeyState = "destroyed" // gone
	KeyUnknown   KeyState = "unknown"   // records name it, and the vault has not heard of it
)

// KeyStatus is a key and what is under it.
type KeyStatus struct {
	KeyInfo
	State   KeyState
	Records int
}

// KeysetStatus is a keyset.
type KeysetStatus struct {
	Name    string
	Master  string // MasterKey.ID of the key that encrypts it
	Encrypt bool   // its keys seal records, and are rotated; those of the other make hashes and stay
	Keys    []KeyStatus
}

// Status tells of the keys and counts the records under them, which reads all that is sealed: minutes on a large database, without holding
// up others.
func (v *Vault) Status(ctx context.Context) ([]KeysetStatus, error) {
	var out []KeysetStatus
	rows := KeysetStatus{Name: "rows"} // kept with the hash key
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

// count enters the numbers of records by key.
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
			err := v.store.View(ctx, func(r VaultReader) error {
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
