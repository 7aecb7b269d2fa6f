package storage

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/storage/pgtest"
)

// A claim takes no more rows than it may, whichever plan the server chooses: with a nested loop it would run the SELECT of an IN for every row.
func TestPostgresClaimKeepsItsLimit(t *testing.T) {
	dsn := pgtest.Empty(t)
	db, err := Open(context.Background(), dsn, Options{Postgres: Postgres{Connections: 2}})
	require.NoError(t, err)
	defer db.Close()
	for _, settings := range []string{"", "SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off; SET enable_material = off"} {
		claimed := 0
		err := db.Update(context.Background(), func(etx engine.Tx) error {
			c := etx.(*tx).s.(*pgConn)
			if err := c.script("SELECT 1; " + settings); err != nil {
				return err
			}
			for _, id := range []string{"a", "b", "c"} {
				if err := etx.InsertOperation(&payment.Operation{ID: id, MerchantID: "m", Status: payment.OperationStarted, LeaseUntil: etx.Now().Add(-1)}); err != nil {
					return err
				}
			}
			ops, err := etx.ClaimOperations("me", etx.Now().Add(1e12), 1)
			claimed = len(ops)
			return errors.Join(err, errUndo)
		})
		require.ErrorIs(t, err, errUndo)
		require.Equal(t, 1, claimed)
	}
}

var errUndo = errors.New("undo")
