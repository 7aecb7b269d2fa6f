package storage

import (
	"encoding/hex"
	"fmt"
	"strings"

	"payswitch/engine/vault"
)

// sealedColumn names the column of a table that holds values sealed by the vault's keys.
type sealedColumn struct {
	table     string // "": the same as the SealedTable
	column    string
	key       []string // columns that the sealed value is bound to
	whole     bool     // the table has few rows and no seq to page by: one window has all rows
	keyID     bool     // the key's id has a column of its own, key_id
	versioned bool
}

var (
	byMerchantAndID = []string{"merchant_id", "id"}

	sealedColumns = map[vault.SealedTable]sealedColumn{
		vault.SealedCards:       {column: "wrapped_key", key: byMerchantAndID, keyID: true, versioned: true},
		vault.SealedShortTerm:   {column: "wrapped_key", key: byMerchantAndID, keyID: true},
		vault.SealedMerchants:   {column: "sealed", key: []string{"id"}, whole: true, versioned: true},
		vault.SealedProfiles:    {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedAccounts:    {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedVersions:    {column: "sealed", key: []string{"merchant_id", "account_id", "fingerprint"}},
		vault.SealedCustomers:   {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedPayments:    {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedAttempts:    {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedOperations:  {column: "request", key: []string{"id"}},
		vault.SealedExchanges:   {column: "sealed", key: []string{"operation_id"}},
		vault.SealedEvents:      {column: "body", key: byMerchantAndID},
		vault.SealedIdempotency: {column: "body", key: []string{"merchant_id", "key"}},
		vault.SealedMethods:     {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedMandates:    {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedJournal:     {column: "sealed", key: []string{"operation_id"}},

		vault.SealedEndpoints:        {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedDeliveryAttempts: {column: "sealed", key: []string{"merchant_id", "event_id", "id"}},

		vault.SealedStaff: {column: "sealed", key: []string{"id"}, versioned: true},

		vault.SealedAuthentications:        {column: "sealed", key: byMerchantAndID, versioned: true},
		vault.SealedAuthenticationRequests: {table: "authentications", column: "request", key: []string{"id"}, versioned: true},
	}

	// notSealed are the other columns of bytes, with the reason why the vault's keys do not open them.
	notSealed = map[string]string{
		"api_keys.hash":               "a keyed hash",
		"ephemeral_keys.hash":         "a keyed hash",
		"staff_users.email_hash":      "a keyed hash",
		"staff_logins.hash":           "a keyed hash",
		"staff_onces.hash":            "a keyed hash",
		"staff_tries.key":             "a keyed hash",
		"keysets.wrapped":             "sealed by the master key",
		"adapter_bundles.bundle":      "a program, in clear",
		"adapter_modules.packed":      "a program, in clear",
		"payments.client_secret_hash": "a hash",
		"cards.sealed":                "sealed by its data key",
		"card_tokens.sealed":          "sealed by its data key",
		"operations.instrument":       "sealed by its data key",
		"authentications.instrument":  "sealed by its data key",
		"operations.seed":             "random",
		"operations.outcome":          "in clear",
		"evidence.outcome":            "in clear",
		"idempotency.request_hash":    "a hash",
		"idempotency.headers":         "not in use",
		"facets.summary":              "in clear",
		"facets.data":                 "in clear",
	}
)

func sealedColumnOf(table vault.SealedTable) (sealedColumn, error) {
	c, ok := sealedColumns[table]
	if !ok {
		return c, fmt.Errorf("table %q has no sealed values", table)
	}
	if c.table == "" {
		c.table = string(table)
	}
	return c, nil
}

// window returns the condition that selects the next rows, and its arguments. last is the position of the last of them, 0 if no row follows.
func (t *tx) window(c sealedColumn, behind int64, rows int) (where string, args []any, last int64, err error) {
	if c.whole {
		return `length(` + c.column + `) > 0`, nil, 0, nil
	}
	last, err = one(t, "read sealed rows", func(row scanner) (last int64, err error) { return last, row.Scan(&last) },
		`SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM `+c.table+` WHERE seq > $1 ORDER BY seq LIMIT $2) AS w`, behind, rows)
	return `seq > $1 AND seq <= $2 AND length(` + c.column + `) > 0`, []any{behind, last}, last, err
}

// SealedRows implements engine.Reader.
func (t *tx) SealedRows(table vault.SealedTable, behind int64, window int, key string) ([]vault.SealedRow, int64, error) {
	c, err := sealedColumnOf(table)
	if err != nil {
		return nil, 0, err
	}
	prefix, err := hex.DecodeString("01" + key)
	if err != nil {
		return nil, 0, fmt.Errorf("read sealed rows: key %q: %w", key, err)
	}
	where, args, last, err := t.window(c, behind, window)
	if err != nil || last == 0 && !c.whole {
		return nil, 0, err
	}
	position := "seq"
	if c.whole {
		position = "0"
	}
	args = append(args, prefix)
	rows, err := all(t, "read sealed rows", func(row scanner) (r vault.SealedRow, err error) {
		r.Key = make([]string, len(c.key))
		dest := []any{&r.Position, &r.Sealed}
		for i := range r.Key {
			dest = append(dest, &r.Key[i])
		}
		return r, row.Scan(dest...)
	}, `SELECT `+position+`, `+c.column+`, `+strings.Join(c.key, ", ")+` FROM `+c.table+` WHERE `+where+`
		AND substr(`+c.column+fmt.Sprintf(`, 1, 5) <> $%d ORDER BY 1`, len(args)), args...)
	return rows, last, err
}

// SealedCounts implements engine.Reader.
func (t *tx) SealedCounts(table vault.SealedTable, behind int64, window int) (map[string]int, int64, error) {
	c, err := sealedColumnOf(table)
	if err != nil {
		return nil, 0, err
	}
	where, args, last, err := t.window(c, behind, window)
	if err != nil || last == 0 && !c.whole {
		return nil, 0, err
	}
	counts := map[string]int{}
	err = t.s.query(`SELECT substr(`+c.column+`, 1, 5), count(*) FROM `+c.table+` WHERE `+where+` GROUP BY 1`, args, func(row scanner) error {
		var prefix []byte
		var n int
		if err := row.Scan(&prefix, &n); err != nil {
			return err
		}
		if len(prefix) == 5 && prefix[0] == 1 {
			counts[hex.EncodeToString(prefix[1:])] += n
		} else {
			counts[""] += n
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("count sealed rows: %w", err)
	}
	return counts, last, nil
}

// Reseal implements engine.Tx.
func (t *tx) Reseal(table vault.SealedTable, r vault.SealedRow, sealed []byte) (bool, error) {
	c, err := sealedColumnOf(table)
	if err != nil {
		return false, err
	}
	if len(sealed) < 5 {
		return false, fmt.Errorf("reseal %s: the sealed value is too short", table)
	}
	args := []any{sealed, r.Sealed}
	bind := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	set, where := c.column+" = $1", c.column+" = $2"
	if c.keyID {
		set += ", key_id = " + bind(hex.EncodeToString(sealed[1:5]))
	}
	if c.versioned {
		set += ", version = version + 1"
	}
	if c.whole {
		for i, column := range c.key {
			where += " AND " + column + " = " + bind(r.Key[i])
		}
	} else {
		where += " AND seq = " + bind(r.Position)
	}
	becomes := func(column string, was any) any {
		version, _ := was.(int64)
		switch {
		case column == c.column:
			return sealed
		case column == "key_id" && c.keyID:
			return hex.EncodeToString(sealed[1:5])
		case column == "version" && c.versioned:
			return version + 1
		}
		return was
	}
	return t.resigned(c.table, vault.SignedRow{Position: r.Position, Key: r.Key}, becomes, func() (bool, error) {
		n, err := t.expect("reseal", 1, `UPDATE `+c.table+` SET `+set+` WHERE `+where, args...)
		return n == 1, err
	})
}
