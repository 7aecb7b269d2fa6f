package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/idempotency"
)

// A merchant makes an Idempotency-Key of the card's number and the amount. The key works as any other, and the database does not hold the number.
func TestIdempotencyKeyWithACardNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	for _, publishable := range []bool{false, true} {
		for _, key := range []string{visa + "-1000", "4242-4242-4242-4242:7"} {
			auth := w.auth
			auth.Publishable, auth.SecretOf = publishable, "pay_1"
			_, finish, _, err := w.BeginIdempotent(t.Context(), &auth, key, []byte("body"))
			require.NoError(t, err)
			require.NoError(t, finish(t.Context(), idempotency.Answer{Status: 200, Body: []byte(`{}`)}))
			stored, _, _, err := w.BeginIdempotent(t.Context(), &auth, key, []byte("body"))
			require.NoError(t, err)
			require.Equal(t, 200, stored.Status)
			_, _, _, err = w.BeginIdempotent(t.Context(), &auth, key, []byte("another"))
			require.Equal(t, "IR_38", code(t, err))
		}
	}
	const old = "5555555555554444-1" // of a version that stored keys as they came
	now := time.Now().UTC().Truncate(time.Millisecond)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		return tx.InsertIdempotency(&idempotency.Record{MerchantID: "m1", Key: old, RequestHash: []byte("hash"), Owner: "pay_1@n", CreatedAt: now, ExpiresAt: now.Add(time.Hour)})
	}))
	auth := w.auth
	_, _, _, err := w.BeginIdempotent(t.Context(), &auth, old, []byte("another"))
	require.Equal(t, "IR_38", code(t, err), "a repetition finds its first request")
	files, err := filepath.Glob(w.file + "*")
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.False(t, bytes.Contains(b, []byte(visa)) || bytes.Contains(b, []byte("4242-4242")), filepath.Base(f))
	}
}
