package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/storage"
)

func masterKey(fill byte) secret.Value {
	return secret.New(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(fill), 32))))
}

func openStore(t testing.TB) (*storage.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := storage.Open(context.Background(), "sqlite:"+path, storage.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, path
}

func TestVault(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := openStore(t)
	v, err := engine.OpenVault(ctx, db, masterKey('a'))
	require.NoError(t, err)

	sealed, err := v.Seal([]byte("sk_live_1"), "account/m/1")
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "sk_live_1")
	again, err := v.Seal([]byte("sk_live_1"), "account/m/1")
	require.NoError(t, err)
	require.NotEqual(t, sealed, again)

	t.Run("opens after a restart", func(t *testing.T) {
		w, err := engine.OpenVault(ctx, db, masterKey('a'))
		require.NoError(t, err)
		plain, err := w.Open(sealed, "account/m/1")
		require.NoError(t, err)
		require.Equal(t, "sk_live_1", string(plain))
		require.Equal(t, v.Hash("api_key", []byte("x")), w.Hash("api_key", []byte("x")))
	})
	t.Run("is bound to its record", func(t *testing.T) {
		_, err := v.Open(sealed, "account/m/2")
		require.ErrorContains(t, err, "belongs to another record")
	})
	t.Run("notices a changed byte anywhere", func(t *testing.T) {
		for i := range sealed {
			bad := append([]byte(nil), sealed...)
			bad[i] ^= 1
			_, err := v.Open(bad, "account/m/1")
			require.Error(t, err, "byte %d", i)
		}
		for n := range sealed {
			_, err := v.Open(sealed[:n], "account/m/1")
			require.Error(t, err, "length %d", n)
		}
	})
	t.Run("hashes by purpose", func(t *testing.T) {
		h := v.Hash("ab", []byte("c"))
		require.Len(t, h, 32)
		require.NotEqual(t, h, v.Hash("a", []byte("bc")))
		require.Equal(t, h, v.Hash("ab", []byte("c")))
	})
	t.Run("refuses another key and changes nothing", func(t *testing.T) {
		before := keysets(t, db)
		_, err := engine.OpenVault(ctx, db, masterKey('b'))
		require.ErrorContains(t, err, "is not the key this database was set up with")
		require.Equal(t, before, keysets(t, db))
	})
	for name, key := range map[string]secret.Value{"missing": {}, "not base64": secret.New("?"), "short": secret.New("YWJj")} {
		t.Run(name, func(t *testing.T) {
			_, err := engine.OpenVault(ctx, db, key)
			require.ErrorContains(t, err, "master key")
			require.ErrorContains(t, err, "openssl rand -base64 32")
		})
	}
}

func TestVaultMissingKeyWritesNothing(t *testing.T) {
	t.Parallel()
	db, _ := openStore(t)
	_, err := engine.OpenVault(context.Background(), db, secret.Value{})
	require.ErrorContains(t, err, "no master key is configured")
	err = db.View(context.Background(), func(r engine.Reader) error { _, err := r.Keyset("data"); return err })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func TestVaultFirstStartsAgree(t *testing.T) {
	t.Parallel()
	db, _ := openStore(t)
	vaults := make([]*vault.Vault, 8)
	var wg sync.WaitGroup
	for i := range vaults {
		wg.Go(func() {
			var err error
			vaults[i], err = engine.OpenVault(context.Background(), db, masterKey('a'))
			require.NoError(t, err)
		})
	}
	wg.Wait()
	for _, v := range vaults {
		sealed, err := v.Seal([]byte("x"), "a")
		require.NoError(t, err)
		_, err = vaults[0].Open(sealed, "a")
		require.NoError(t, err)
		require.Equal(t, vaults[0].Hash("p", nil), v.Hash("p", nil))
	}
}

// late is a store in which another node writes between a caller's read and write.
type late struct {
	engine.Store
	first func()
}

func (l *late) Update(ctx context.Context, f func(engine.Tx) error) error {
	l.first()
	return l.Store.Update(ctx, f)
}

func TestVaultSecondOfTwoFirstStarts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := openStore(t)
	var first *vault.Vault
	second, err := engine.OpenVault(ctx, &late{db, func() {
		var err error
		first, err = engine.OpenVault(ctx, db, masterKey('a'))
		require.NoError(t, err)
	}}, masterKey('a'))
	require.NoError(t, err)
	sealed, err := second.Seal([]byte("x"), "a")
	require.NoError(t, err)
	_, err = first.Open(sealed, "a")
	require.NoError(t, err)
	require.Equal(t, first.Hash("p", nil), second.Hash("p", nil))

	db, _ = openStore(t)
	_, err = engine.OpenVault(ctx, &late{db, func() {
		_, err := engine.OpenVault(ctx, db, masterKey('b'))
		require.NoError(t, err)
	}}, masterKey('a'))
	require.ErrorContains(t, err, "is not the key this database was set up with", "set up meanwhile, with another key")
}

func putKeysets(t *testing.T, db *storage.DB, data, hash string) {
	t.Helper()
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return errors.Join(tx.InsertKeyset("data", []byte(data)), tx.InsertKeyset("hash", []byte(hash)))
	}))
}

func TestVaultKeysetsCannotBeSwapped(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	from, _ := openStore(t)
	_, err := engine.OpenVault(ctx, from, masterKey('a'))
	require.NoError(t, err)
	k := keysets(t, from)
	for _, swapped := range [][2]string{{k[1], k[0]}, {k[0], k[0]}, {k[1], k[1]}, {k[0], "x"}} {
		db, _ := openStore(t)
		putKeysets(t, db, swapped[0], swapped[1])
		_, err = engine.OpenVault(ctx, db, masterKey('a'))
		require.ErrorContains(t, err, "open vault: ")
	}
}

// Stored keysets, values and hashes stay readable. The data keyset was rotated between the two sealed values.
func TestVaultReadsWhatIsStored(t *testing.T) {
	t.Parallel()
	stored := storedVault(t)
	db, _ := openStore(t)
	putKeysets(t, db, string(stored.Data), string(stored.Hash))
	v, err := engine.OpenVault(context.Background(), db, masterKey('a'))
	require.NoError(t, err)
	for _, sealed := range stored.Sealed {
		plain, err := v.Open(sealed, "account/m/1")
		require.NoError(t, err)
		require.Equal(t, "sk_live_1", string(plain))
	}
	sealed, err := v.Seal(nil, "")
	require.NoError(t, err)
	require.Equal(t, stored.Sealed[1][:5], sealed[:5], "version and id of the new key")
	require.Equal(t, stored.Hashed, v.Hash("api_key", []byte("key")))
}

type storedVaultData struct {
	Data, Hash, Hashed []byte
	Sealed             [2][]byte
}

func storedVault(t *testing.T) (stored storedVaultData) {
	file, err := os.ReadFile("testdata/vault.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(file, &stored))
	return stored
}

func keysets(t *testing.T, db *storage.DB) (out [2]string) {
	t.Helper()
	require.NoError(t, db.View(context.Background(), func(r engine.Reader) error {
		for i, name := range []string{"data", "hash"} {
			b, err := r.Keyset(name)
			if err != nil {
				return err
			}
			out[i] = string(b)
		}
		return nil
	}))
	return out
}

func BenchmarkVault(b *testing.B) {
	db, _ := openStore(b)
	v, err := engine.OpenVault(context.Background(), db, masterKey('a'))
	require.NoError(b, err)
	plain := []byte(strings.Repeat("x", 512))
	sealed, err := v.Seal(plain, "payment/m/1")
	require.NoError(b, err)
	b.Run("seal", func(b *testing.B) {
		for b.Loop() {
			v.Seal(plain, "payment/m/1")
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			v.Open(sealed, "payment/m/1")
		}
	})
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			v.Hash("api_key", plain[:68])
		}
	})
}
