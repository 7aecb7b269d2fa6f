package storage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
)

// TestShredded searches the database's files for the bytes of short-term keys. The files hold the keys while they are stored. Once the keys
// are destroyed, in each possible way and by the thousand, no file holds them: neither freed pages nor the log.
func TestShredded(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := Open(ctx, "sqlite:"+path, Options{LogAge: time.Millisecond})
	require.NoError(t, err)
	defer db.Close()
	const n = 3000
	mark := func(i int) []byte { return fmt.Appendf(nil, "the data key no. %08d", i) }
	files := func() (all []byte) {
		for _, name := range []string{path + "-wal", path} { // the log first, because a checkpoint moves data from the log to the file
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			all = append(all, b...)
		}
		return all
	}
	operation := func(i int) *payment.Operation {
		return &payment.Operation{ID: fmt.Sprint("op_", i), MerchantID: "m", Status: payment.OperationStarted, Instrument: []byte("x"),
			Key: &secret.Key{WrappedKey: mark(i), ExpiresAt: time.Now().Add(time.Hour)}}
	}
	update := func(f func(tx engine.Tx) error) { require.NoError(t, db.Update(ctx, f)) }
	update(func(tx engine.Tx) error {
		for i := range n {
			var err error
			if i%3 == 0 {
				err = tx.PutCardToken(&payment.CardToken{MerchantID: "m", Token: fmt.Sprint(i), Key: operation(i).Key})
			} else {
				err = tx.InsertOperation(operation(i))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	before := files()
	for i := range n {
		require.True(t, bytes.Contains(before, mark(i)), i)
	}
	for first := 0; first < n; first += 100 {
		update(func(tx engine.Tx) error {
			for i := first; i < first+100; i++ {
				o := operation(i)
				o.Instrument = nil
				var err error
				if i%3 == 0 {
					err = tx.DeleteCardToken("m", fmt.Sprint(i))
				} else {
					err = tx.UpdateOperation(o)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.Eventually(t, func() bool { // the writer empties the log after one of its next commits
		update(func(tx engine.Tx) error { return tx.InsertKeyset(fmt.Sprint(time.Now().UnixNano()), []byte("x")) })
		return !bytes.Contains(files(), []byte("the data key no. "))
	}, 20*time.Second, 20*time.Millisecond)
	kept := 0
	update(func(tx engine.Tx) error { // the rows of the keys still exist, except for the tokens
		for i := range n {
			if _, err := tx.Operation(fmt.Sprint("op_", i)); err == nil {
				kept++
			}
		}
		return nil
	})
	require.Equal(t, n/3*2, kept)
}
