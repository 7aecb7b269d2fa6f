package vault

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"

	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// RowSigner signs the rows of a store. A row that decides about money, secrets or identity counts only with a good signature.
// Implementations are safe for concurrent use and do not use the store.
type RowSigner interface {
	// SignRow returns the signature of a row. row is the text that the store encodes the signed columns in.
	SignRow(table string, row []byte) []byte
	// Genuine reports whether signature is the SignRow of this row.
	Genuine(table string, row, signature []byte) bool
	// Altered reports a row with a bad signature. It returns the error for the caller.
	Altered(table string, key []string) error
}

// SignedRow is a row of a signed table, with a good or bad signature.
type SignedRow struct {
	Position  int64
	Key       []string // names the row
	Columns   []SignedColumn
	Row       []byte // the encoded columns that the signature covers
	Signature []byte // nil: no signature
}

// SignedColumn is a column of a SignedRow. Value is a string, a number, a byte slice or nil.
type SignedColumn struct {
	Name  string
	Value any
	Free  bool // the signature does not cover it
}

// ErrAltered matches every AlteredError in errors.Is.
var ErrAltered = errors.New("altered row")

// AlteredError names rows whose signature is bad: another program than payswitch has written them.
type AlteredError struct {
	Rows []AlteredRow
}

// AlteredRow names a row.
type AlteredRow struct {
	Table string
	Key   []string
}

func (r AlteredRow) String() string { return r.Table + " " + strings.Join(r.Key, "/") }

// And returns e together with the rows of more. Both may be nil.
func (e *AlteredError) And(more *AlteredError) *AlteredError {
	if e == nil {
		return more
	}
	return &AlteredError{Rows: append(slices.Clip(e.Rows), more.Rows...)}
}

// Names reports whether e names the row of a table with that id, or any row for "". e may be nil.
func (e *AlteredError) Names(table, id string) bool {
	return e != nil && slices.ContainsFunc(e.Rows, func(r AlteredRow) bool { return r.Table == table && (id == "" || r.Key[len(r.Key)-1] == id) })
}

// Error implements error.
func (e *AlteredError) Error() string {
	var names []string
	for _, r := range e.Rows {
		names = append(names, r.String())
	}
	return "another program than payswitch has changed these rows in the database: " + strings.Join(names, ", ") +
		"; list them with `payswitch vault rows`, and see Altered rows in cmd/payswitch/OPERATIONS.md"
}

// Is implements errors.Is for ErrAltered.
func (e *AlteredError) Is(target error) bool { return target == ErrAltered }

// rowSigner implements RowSigner with a key of the vault (HMAC-SHA-256).
type rowSigner struct {
	macs  sync.Pool // of hash.Hash
	log   *slog.Logger
	now   port.Clock
	alarm atomic.Pointer[func(kind alarm.Kind)]

	mu     sync.Mutex // guards logged
	logged map[string]time.Time
}

// rowVersion begins the signed text. Change it when the encoding of a row changes.
const rowVersion = "row 1"

// SignRow implements RowSigner.
func (s *rowSigner) SignRow(table string, row []byte) []byte {
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	var prefix [64]byte
	in := append(append(prefix[:0], rowVersion...), byte(len(table)))
	mac.Write(append(in, table...))
	mac.Write(row)
	return mac.Sum(nil)
}

// Genuine implements RowSigner.
func (s *rowSigner) Genuine(table string, row, signature []byte) bool {
	return hmac.Equal(s.SignRow(table, row), signature)
}

const (
	alteredLogEvery = time.Minute
	alteredLogged   = 1000
)

// Altered implements RowSigner. It logs a row at most once a minute, because its users ask for it again and again.
func (s *rowSigner) Altered(table string, key []string) error {
	r := AlteredRow{Table: table, Key: key}
	if raise := s.alarm.Load(); raise != nil {
		(*raise)(alarm.AlteredRow)
	}
	s.mu.Lock()
	now := s.now()
	first := now.Sub(s.logged[r.String()]) >= alteredLogEvery
	if first {
		if len(s.logged) >= alteredLogged {
			clear(s.logged)
		}
		s.logged[r.String()] = now
	}
	s.mu.Unlock()
	if first {
		s.log.LogAttrs(context.Background(), slog.LevelError, "another program than payswitch has changed a row in the database; payswitch does not use the row",
			slog.String("table", table), slog.String("row", strings.Join(key, "/")),
			slog.String("remedy", "list changed rows with `payswitch vault rows`; see \"Altered rows\" in cmd/payswitch/OPERATIONS.md"))
	}
	return &AlteredError{Rows: []AlteredRow{r}}
}

// hashKeys returns the keys of the hash keyset. The primary key makes hashes; the other one signs rows. rows is nil in a keyset from before
// rows were signed. signAll adds that key, so its presence proves that all rows are signed. The master key encrypts the keyset, so the
// database alone cannot fake the proof.
func hashKeys(h *keyset.Handle) (hash, rows prf.PRF, err error) {
	set, err := prf.NewPRFSet(h)
	if err != nil {
		return nil, nil, err
	}
	for id, key := range set.PRFs {
		if _, err := key.ComputePRF(nil, hashSize); err != nil { // Hash and SignRow rely on keys that are long enough
			return nil, nil, err
		}
		if id == set.PrimaryID {
			hash = key
		} else {
			rows = key
		}
	}
	if hash == nil || len(set.PRFs) > 2 {
		return nil, nil, fmt.Errorf("the keyset has %d keys; it needs one that makes hashes and one that signs rows", len(set.PRFs))
	}
	return hash, rows, nil
}

// addRowKey adds the key that signs rows to a hash keyset.
func addRowKey(h *keyset.Handle, at time.Time) (*keyset.Handle, KeyInfo, error) {
	m := keyset.NewManagerFromHandle(h)
	id, err := m.Add(keyTemplate(hashKeyset))
	if err != nil {
		return nil, KeyInfo{}, err
	}
	h, err = m.Handle()
	return h, KeyInfo{ID: shownKeyID(id), CreatedAt: at, PromotedAt: at}, err
}

// signedWindow is the number of rows of one read.
const signedWindow = 1000

// signAll signs every row as it is and adds the signing key to the hash keyset, in one transaction. It runs at the first start after an
// update from a release without signatures. It returns ErrConflict if another node was first.
func (v *Vault) signAll(ctx context.Context, stored []byte, h *keyset.Handle, k storedKeyset, at time.Time) error {
	h, info, err := addRowKey(h, at)
	if err != nil {
		return err
	}
	_, rows, err := hashKeys(h)
	if err != nil {
		return err
	}
	master := slices.IndexFunc(v.masters, func(m MasterKey) bool { return m.ID() == k.Master })
	next, err := wrapKeyset(ctx, h, hashKeyset, append(slices.Clip(k.Keys), info), v.masters[master])
	if err != nil {
		return err
	}
	signer := v.signerWith(rows)
	n := 0
	err = v.store.Update(ctx, func(tx Tx) (err error) {
		n = 0
		if err := tx.UpdateKeyset(hashKeyset, stored, next); err != nil {
			return err
		}
		here := func(_ context.Context, f func(Reader) error) error { return f(tx) }
		return eachSignedRow(ctx, here, func(table string, row SignedRow) error {
			n++
			return tx.PutSignature(table, row, signer.SignRow(table, row.Row))
		})
	})
	if err == nil && n > 0 {
		v.log.LogAttrs(ctx, slog.LevelWarn, "rows signed as they were: from now on an altered row is refused", slog.Int("rows", n))
	}
	return err
}

func (v *Vault) signerWith(key prf.PRF) *rowSigner {
	secret, err := key.ComputePRF([]byte("rows"), hashSize)
	if err != nil {
		panic("vault: " + err.Error()) // hashKeys has ruled this out
	}
	s := &rowSigner{log: v.log, now: v.now, logged: map[string]time.Time{}}
	s.macs.New = func() any { return hmac.New(sha256.New, secret) }
	return s
}

// eachSignedRow calls f for the rows of all signed tables, table by table. Each view reads one window of rows.
func eachSignedRow(ctx context.Context, view func(context.Context, func(Reader) error) error, f func(table string, row SignedRow) error) error {
	var tables []string
	if err := view(ctx, func(r Reader) error { tables = r.SignedTables(); return nil }); err != nil {
		return err
	}
	for _, table := range tables {
		for behind, first := int64(0), true; first || behind > 0; first = false {
			if err := ctx.Err(); err != nil {
				return err
			}
			var rows []SignedRow
			err := view(ctx, func(r Reader) (err error) {
				rows, behind, err = r.SignedRows(table, behind, signedWindow)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
			for _, row := range rows {
				if err := f(table, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// AlteredRows calls found for each row with a bad signature, in all tables. It takes minutes on a large database; payments go on meanwhile.
func (v *Vault) AlteredRows(ctx context.Context, found func(table string, row SignedRow)) error {
	err := eachSignedRow(ctx, v.store.View, func(table string, row SignedRow) error {
		if !v.rows.Genuine(table, row.Row, row.Signature) {
			found(table, row)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for altered rows: %w", err)
	}
	return nil
}

// SignRow signs one row as it is, after an operator has checked it. It returns ErrConflict if the row differs from shown, and ErrNotFound
// if the row is gone.
func (v *Vault) SignRow(ctx context.Context, table string, shown SignedRow) error {
	err := v.store.Update(ctx, func(tx Tx) error {
		rows, _, err := tx.SignedRows(table, shown.Position-1, 1)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(r SignedRow) bool { return r.Position == shown.Position && slices.Equal(r.Key, shown.Key) })
		switch {
		case i < 0:
			return fault.ErrNotFound
		case !bytes.Equal(rows[i].Row, shown.Row):
			return fault.ErrConflict
		}
		return tx.PutSignature(table, rows[i], v.rows.SignRow(table, rows[i].Row))
	})
	if err != nil {
		return fmt.Errorf("sign row %s: %w", AlteredRow{table, shown.Key}, err)
	}
	v.log.LogAttrs(ctx, slog.LevelWarn, "an operator had a row signed as it is", slog.String("table", table), slog.String("row", strings.Join(shown.Key, "/")))
	return nil
}

// OnAlteredRow sets the function that is called with the kind of alarm for each row with a bad signature.
func (v *Vault) OnAlteredRow(raise func(kind alarm.Kind)) { v.rows.alarm.Store(&raise) }
