package engine

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
)

// RowSigner signs the rows of a store: what decides about money, secrets and identity is worth nothing without the vault's signature.
// Safe for concurrent use; it does not use the store.
type RowSigner interface {
	// SignRow is the signature of a row, which the store has made one text of.
	SignRow(table string, row []byte) []byte
	// Genuine says whether signature is SignRow's for this row.
	Genuine(table string, row, signature []byte) bool
	// Altered reports a row that is not genuine, and is the error to answer.
	Altered(table string, key []string) error
}

// SignedRow is a row of a table whose rows are signed, whatever its signature.
type SignedRow struct {
	Position  int64
	Key       []string // names the row
	Columns   []SignedColumn
	Row       []byte // what is signed
	Signature []byte // nil: none
}

// SignedColumn is a column of a SignedRow. Value is text, a number, bytes or nil.
type SignedColumn struct {
	Name  string
	Value any
	Free  bool // not signed
}

// ErrAltered is what an AlteredError is.
var ErrAltered = errors.New("altered row")

// AlteredError says that rows are not as the vault signed them.
type AlteredError struct {
	Rows []AlteredRow
}

// AlteredRow names a row.
type AlteredRow struct {
	Table string
	Key   []string
}

func (r AlteredRow) String() string { return r.Table + " " + strings.Join(r.Key, "/") }

// And is e with more rows. Either may be nil.
func (e *AlteredError) And(more *AlteredError) *AlteredError {
	if e == nil {
		return more
	}
	return &AlteredError{Rows: append(slices.Clip(e.Rows), more.Rows...)}
}

// names says whether e has a merchant's row of a table, any for "". e may be nil.
func (e *AlteredError) names(table, id string) bool {
	return e != nil && slices.ContainsFunc(e.Rows, func(r AlteredRow) bool { return r.Table == table && (id == "" || r.Key[len(r.Key)-1] == id) })
}

// Error implements error.
func (e *AlteredError) Error() string {
	var names []string
	for _, r := range e.Rows {
		names = append(names, r.String())
	}
	return "altered in the database by something else than payswitch: " + strings.Join(names, ", ") +
		" (see `payswitch vault rows` and Altered rows in OPERATIONS.md)"
}

// Is implements errors.Is for ErrAltered.
func (e *AlteredError) Is(target error) bool { return target == ErrAltered }

// rowSigner implements RowSigner with a key of the vault's (HMAC-SHA-256).
type rowSigner struct {
	macs  sync.Pool // of hash.Hash
	log   *slog.Logger
	now   Clock
	alarm atomic.Pointer[func(kind string)]

	mu     sync.Mutex // guards logged
	logged map[string]time.Time
}

// rowVersion begins what is signed. Another way to make one text of a row gets another.
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

// Altered implements RowSigner. A row is logged once a minute: whatever uses it, asks for it again and again.
func (s *rowSigner) Altered(table string, key []string) error {
	r := AlteredRow{Table: table, Key: key}
	if alarm := s.alarm.Load(); alarm != nil {
		(*alarm)("altered_row")
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
		s.log.LogAttrs(context.Background(), slog.LevelError, "row altered in the database by something else than payswitch: it is not used",
			slog.String("table", table), slog.String("row", strings.Join(key, "/")),
			slog.String("remedy", "see `payswitch vault rows` and Altered rows in OPERATIONS.md"))
	}
	return &AlteredError{Rows: []AlteredRow{r}}
}

// hashKeys are the keys of the hash keyset: its primary makes hashes, the other signs rows. A keyset without the other is of before rows
// were signed; signing them all adds it. So the keyset, which the master key encrypts, says that rows are signed.
func hashKeys(h *keyset.Handle) (hash, rows prf.PRF, err error) {
	set, err := prf.NewPRFSet(h)
	if err != nil {
		return nil, nil, err
	}
	for id, key := range set.PRFs {
		if _, err := key.ComputePRF(nil, hashSize); err != nil { // each is long enough: Hash and SignRow rely on it
			return nil, nil, err
		}
		if id == set.PrimaryID {
			hash = key
		} else {
			rows = key
		}
	}
	if hash == nil || len(set.PRFs) > 2 {
		return nil, nil, fmt.Errorf("it has %d keys, where one makes hashes and one signs rows", len(set.PRFs))
	}
	return hash, rows, nil
}

// addRowKey gives a hash keyset the key that signs rows.
func addRowKey(h *keyset.Handle, at time.Time) (*keyset.Handle, KeyInfo, error) {
	m := keyset.NewManagerFromHandle(h)
	id, err := m.Add(keyTemplate(hashKeyset))
	if err != nil {
		return nil, KeyInfo{}, err
	}
	h, err = m.Handle()
	return h, KeyInfo{ID: shownKeyID(id), CreatedAt: at, PromotedAt: at}, err
}

// signedWindow is how many rows one reading takes.
const signedWindow = 1000

// signAll signs every row as it is, and gives the hash keyset the key for it, in one transaction: the first start after an update from a
// release that did not sign. ErrConflict when another node was faster.
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
	err = v.store.Update(ctx, func(tx VaultTx) (err error) {
		n = 0
		if err := tx.UpdateKeyset(hashKeyset, stored, next); err != nil {
			return err
		}
		here := func(_ context.Context, f func(VaultReader) error) error { return f(tx) }
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
		panic("vault: " + err.Error()) // ruled out by hashKeys
	}
	s := &rowSigner{log: v.log, now: v.now, logged: map[string]time.Time{}}
	s.macs.New = func() any { return hmac.New(sha256.New, secret) }
	return s
}

// eachSignedRow goes through the rows of all signed tables, one table after the other, a window in each view.
func eachSignedRow(ctx context.Context, view func(context.Context, func(VaultReader) error) error, f func(table string, row SignedRow) error) error {
	var tables []string
	if err := view(ctx, func(r VaultReader) error { tables = r.SignedTables(); return nil }); err != nil {
		return err
	}
	for _, table := range tables {
		for behind, first := int64(0), true; first || behind > 0; first = false {
			if err := ctx.Err(); err != nil {
				return err
			}
			var rows []SignedRow
			err := view(ctx, func(r VaultReader) (err error) {
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

// AlteredRows finds the rows that are not as the vault signed them, in all tables: minutes on a large database, without holding up others.
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

// SignRow signs one row as it is: an operator has looked at it, and takes it for right. It must still read as it was shown, else
// ErrConflict; ErrNotFound when it is gone.
func (v *Vault) SignRow(ctx context.Context, table string, shown SignedRow) error {
	err := v.store.Update(ctx, func(tx VaultTx) error {
		rows, _, err := tx.SignedRows(table, shown.Position-1, 1)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(r SignedRow) bool { return r.Position == shown.Position && slices.Equal(r.Key, shown.Key) })
		switch {
		case i < 0:
			return ErrNotFound
		case !bytes.Equal(rows[i].Row, shown.Row):
			return ErrConflict
		}
		return tx.PutSignature(table, rows[i], v.rows.SignRow(table, rows[i].Row))
	})
	if err != nil {
		return fmt.Errorf("sign row %s: %w", AlteredRow{table, shown.Key}, err)
	}
	v.log.LogAttrs(ctx, slog.LevelWarn, "row signed as it is, by an operator", slog.String("table", table), slog.String("row", strings.Join(shown.Key, "/")))
	return nil
}

// onAlteredRow has alarm called with the kind of alarm when a row is not genuine.
func (v *Vault) onAlteredRow(alarm func(kind string)) { v.rows.alarm.Store(&alarm) }
