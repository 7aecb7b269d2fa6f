package storage

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/vault"
)

// TestSealedColumns compares the lists of sealed columns with the schema. A column of bytes in neither list is lost when the key that sealed
// it is destroyed. List such a column in sealedColumns of both packages, engine and storage, or in notSealed with the reason.
func TestSealedColumns(t *testing.T) {
	listed := map[string]bool{}
	for table := range sealedColumns {
		c, err := sealedColumnOf(table)
		require.NoError(t, err)
		listed[c.table+"."+c.column] = true
	}
	require.ElementsMatch(t, vault.SealedTables(), slices.Collect(maps.Keys(sealedColumns)), "engine and storage must list the same tables")
	for column := range notSealed {
		require.False(t, listed[column], column)
		listed[column] = true
	}
	for table := range signedTables {
		listed[table+".signature"] = true
	}
	var found []string
	db := openTest(t, Options{})
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).query(`SELECT m.name || '.' || c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
			WHERE m.type = 'table' AND c.type = 'BLOB'`, nil, func(row scanner) error {
			var name string
			err := row.Scan(&name)
			found = append(found, name)
			return err
		})
	}))
	require.ElementsMatch(t, found, slices.Collect(maps.Keys(listed)))
}
