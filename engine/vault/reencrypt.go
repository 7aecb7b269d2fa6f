package vault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// sealedWindow is the number of rows of one read. resealBatch is the number of rows of one transaction; it is small because payments
	// wait for the one writer.
	sealedWindow = 1000
	resealBatch  = 100
	// maxUnreadable limits the list of rows that do not open.
	maxUnreadable = 20
)

// ReencryptReport is the result of Reencrypt.
type ReencryptReport struct {
	Moved      map[SealedTable]int // rows sealed again; a row that two passes moved counts twice
	Unreadable []string            // the first rows that do not open; their keys are kept
	Destroyed  []KeyInfo
	// Waiting are retired keys without records. They can be destroyed from WaitUntil on.
	Waiting   []KeyInfo
	WaitUntil time.Time // zero: no key waits
	Kept      []KeyInfo // retired keys of unreadable rows
}

// Reencrypt moves every record of a retired key to the primary key, and then destroys retired keys without records. It works in small
// transactions while payments go on. It may be interrupted at any point and called again. A retired key is destroyed after a whole pass has
// found no record of it. That pass must begin long enough after the key's end (see Options.Refresh). With wait, Reencrypt sleeps until
// then. If progress is not nil, Reencrypt calls it after each table with moved rows.
func (v *Vault) Reencrypt(ctx context.Context, wait bool, progress func(table SealedTable, moved int)) (*ReencryptReport, error) {
	r := &ReencryptReport{Moved: map[SealedTable]int{}}
	for {
		found, left, began, err := v.reencryptPass(ctx, r, progress)
		if err != nil {
			return r, fmt.Errorf("re-encrypt: %w", err)
		}
		if found > 0 {
			continue // repeat until a pass finds nothing
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

// destroyUnused destroys the retired keys without records. left counts the records of each key that the pass begun at began could not move.
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

// reencryptPass goes through all tables once. found counts the rows to move, including rows that another writer changed meanwhile. left
// counts the rows that do not open, by key. began is the pass's start on the database's clock.
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

// reencryptTable seals the rows of older keys again, window by window. It returns how many of them open.
func (v *Vault) reencryptTable(ctx context.Context, c sealedColumn, r *ReencryptReport, left map[string]int) (found int, err error) {
	ring := v.ring(c.keyset)
	for behind := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		var rows []SealedRow
		primary := ring.current.Load().primary
		err := v.store.View(ctx, func(s Reader) (err error) {
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

// unreadable records a row that stays with its key.
func (r *ReencryptReport) unreadable(c sealedColumn, row SealedRow, err error, left map[string]int) {
	left[sealingKey(row.Sealed)]++
	if len(r.Unreadable) < maxUnreadable {
		r.Unreadable = append(r.Unreadable, fmt.Sprintf("%s %v: %v", c.table, row.Key, err))
	}
}

// resealBatch seals rows again in one transaction. It returns how many of them open.
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
	var altered []SealedRow // rows with a bad signature must not get a good one; their keys are kept
	err = v.store.Update(ctx, func(tx Tx) error {
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
