package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// sealedWindow is how many rows one reading looks at, resealBatch how many one transaction changes: the writer is everybody's.
	sealedWindow = 1000
	resealBatch  = 100
	// maxUnreadable is how many rows that do not open are named.
	maxUnreadable = 20
)

// ReencryptReport is what came of Reencrypt.
type ReencryptReport struct {
	Moved      map[SealedTable]int // rows sealed anew, those that passes found again counted again
	Unreadable []string            // rows that do not open, the first of them: their keys are kept
	Destroyed  []KeyInfo
	// Waiting are retired keys that nothing is under, to be destroyed from WaitUntil on.
	Waiting   []KeyInfo
	WaitUntil time.Time // zero: nothing waits
	Kept      []KeyInfo // retired keys that unreadable rows are under
}

// Reencrypt seals everything that is under a retired key under the primary one, and then destroys the keys that nothing is under. It goes
// through the tables in small steps while payments go on, compares before it sets, and may be interrupted at any point and run again.
// A retired key is destroyed when a whole pass that began long enough after its end (see VaultOptions.Refresh) has found nothing under it;
// wait makes Reencrypt sleep until then. progress, unless nil, is told of every table that had something to move.
func (v *Vault) Reencrypt(ctx context.Context, wait bool, progress func(table SealedTable, moved int)) (*ReencryptReport, error) {
	r := &ReencryptReport{Moved: map[SealedTable]int{}}
	for {
		found, left, began, err := v.reencryptPass(ctx, r, progress)
		if err != nil {
			return r, fmt.Errorf("re-encrypt: %w", err)
		}
		if found > 0 {
			continue // until a pass finds nothing
		}
		if err := v.destroyUnused(ctx, r, left, began); err != nil {
			return r, fmt.Errorf("re-encrypt: %w", err)
		}
		if r.WaitUntil.IsZero() || !wait {
			return r, nil
		}
		if err := sleep(ctx, r.WaitUntil.Sub(began)+time.Millisecond); err != nil {
			return r, err
		}
	}
}

// destroyUnused destroys the retired keys that a pass begun at began has found nothing under.
func (v *Vault) destroyUnused(ctx context.Context, r *ReencryptReport, left map[string]int, began time.Time) error {
	r.Waiting, r.Kept, r.WaitUntil = nil, nil, time.Time{}
	for _, k := range v.rings() {
		for _, key := range k.current.Load().keyset.Keys {
			free := key.RetiredAt.Add(retireWait * v.refresh)
			switch {
			case key.RetiredAt.IsZero() || !key.DestroyedAt.IsZero():
			case left[key.ID] > 0:
				r.Kept = append(r.Kept, key)
			case began.Before(free):
				r.Waiting = append(r.Waiting, key)
				if free.After(r.WaitUntil) {
					r.WaitUntil = free
				}
			default:
				gone, err := k.destroy(ctx, key.ID)
				if err != nil {
					return err
				}
				if gone.ID != "" {
					r.Destroyed = append(r.Destroyed, gone)
				}
			}
		}
	}
	return nil
}

// reencryptPass goes through all tables once. found counts the rows that were to be moved, also those that somebody else has changed
// meanwhile; left what does not open, by key; began is when the pass did, on the database's clock.
func (v *Vault) reencryptPass(ctx context.Context, r *ReencryptReport, progress func(SealedTable, int)) (found int, left map[string]int, began time.Time, err error) {
	for _, k := range v.rings() {
		s, err := k.refresh(ctx)
		if err != nil {
			return 0, nil, began, err
		}
		if began.IsZero() || s.readAt.Before(began) {
			began = s.readAt
		}
	}
	r.Unreadable, left = nil, map[string]int{}
	for _, c := range sealedColumns {
		before := r.Moved[c.table]
		n, err := v.reencryptTable(ctx, c, r, left)
		found += n
		if err != nil {
			return found, left, began, fmt.Errorf("%s: %w", c.table, err)
		}
		if moved := r.Moved[c.table] - before; progress != nil && moved > 0 {
			progress(c.table, moved)
		}
	}
	return found, left, began, nil
}

func (v *Vault) ring(name string) *keyring {
	if name == cardKeyset {
		return v.cards
	}
	return v.data
}

// reencryptTable seals anew what is not under the primary key, window by window, and returns how much of that opens.
func (v *Vault) reencryptTable(ctx context.Context, c sealedColumn, r *ReencryptReport, left map[string]int) (found int, err error) {
	ring := v.ring(c.keyset)
	for behind := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		var rows []SealedRow
		primary := ring.current.Load().primary
		err := v.store.View(ctx, func(s VaultReader) (err error) {
			rows, behind, err = s.SealedRows(c.table, behind, sealedWindow, primary)
			return err
		})
		if err != nil {
			return found, err
		}
		for len(rows) > 0 {
			n := min(len(rows), resealBatch)
			did, err := v.resealBatch(ctx, ring, c, rows[:n], r, left)
			found += did
			if err != nil {
				return found, err
			}
			rows = rows[n:]
		}
		if behind == 0 {
			return found, nil
		}
	}
}

// unreadable notes a row that stays under its key.
func (r *ReencryptReport) unreadable(c sealedColumn, row SealedRow, err error, left map[string]int) {
	left[sealingKey(row.Sealed)]++
	if len(r.Unreadable) < maxUnreadable {
		r.Unreadable = append(r.Unreadable, fmt.Sprintf("%s %v: %v", c.table, row.Key, err))
	}
}

// resealBatch seals rows anew, in one transaction, and returns how many of them open.
func (v *Vault) resealBatch(ctx context.Context, ring *keyring, c sealedColumn, rows []SealedRow, r *ReencryptReport, left map[string]int) (found int, err error) {
	var from []SealedRow
	var to [][]byte
	for _, row := range rows {
		associated := []byte(c.associated(row.Key))
		plain, err := ring.decrypt(row.Sealed, associated)
		if err != nil {
			r.unreadable(c, row, err, left)
			continue
		}
		sealed, err := ring.encrypt(plain, associated)
		clear(plain)
		if err != nil {
			return 0, err
		}
		from, to = append(from, row), append(to, sealed)
	}
	if len(from) == 0 {
		return 0, nil
	}
	moved := 0
	var altered []SealedRow // nobody signs them again by the way; their keys are kept
	err = v.store.Update(ctx, func(tx VaultTx) error {
		moved, altered = 0, nil
		for i, row := range from {
			did, err := tx.Reseal(c.table, row, to[i])
			if errors.Is(err, ErrAltered) {
				altered = append(altered, row)
				continue
			}
			if err != nil {
				return err
			}
			if did {
				moved++
			}
		}
		return nil
	})
	if err == nil {
		r.Moved[c.table] += moved
		for _, row := range altered {
			r.unreadable(c, row, ErrAltered, left)
		}
	}
	return len(from) - len(altered), err
}
