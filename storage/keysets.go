package storage

import (
	"errors"
	"fmt"

	"payswitch/engine/fault"
)

// Keyset implements engine.Reader.
func (t *tx) Keyset(name string) ([]byte, error) {
	return one(t, "read keyset", func(row scanner) (b []byte, err error) { return b, row.Scan(&b) },
		`SELECT wrapped FROM keysets WHERE name = $1`+t.s.dialect().lockRow, name)
}

// InsertKeyset implements engine.Tx.
func (t *tx) InsertKeyset(name string, stored []byte) error {
	if len(stored) == 0 {
		return errors.New("insert keyset: the keyset is empty")
	}
	return t.insert("insert keyset", `INSERT INTO keysets (name, wrapped) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, stored)
}

// UpdateKeyset implements engine.Tx.
func (t *tx) UpdateKeyset(name string, old, stored []byte) error {
	if len(stored) == 0 {
		return errors.New("update keyset: the keyset is empty")
	}
	n, err := t.exec("update keyset", `UPDATE keysets SET wrapped = $1 WHERE name = $2 AND wrapped = $3`, stored, name, old)
	if err != nil || n == 1 {
		return err
	}
	if _, err := t.Keyset(name); err != nil {
		return err
	}
	return fmt.Errorf("update keyset: %w", fault.ErrConflict)
}
