package storage_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/storage"
)

// noConnectors has no adapters.
type noConnectors struct{ port.Connectors }

func (noConnectors) Adapter(string) (port.AdapterInfo, bool) { return port.AdapterInfo{}, false }

// TestRevokedKeyAtTwoNodes: a key that one node revokes is refused by the other one, long before the other one would have read it again without a reason.
func TestRevokedKeyAtTwoNodes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payswitch.db")
	for name, open := range map[string]func(t *testing.T) *storage.DB{
		"SQLite": func(t *testing.T) *storage.DB {
			db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			return db
		},
		"PostgreSQL": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var nodes [2]*storage.DB
			if open == nil {
				nodes = twoNodes(t)
			} else {
				nodes = [2]*storage.DB{open(t), open(t)}
			}
			v := listVault(t, filepath.Join(t.TempDir(), "vault.db"))
			var at [2]*account.Registry
			for i, db := range nodes {
				at[i] = account.New(account.Deps{Store: port.Narrow[account.Reader, account.Tx](engine.Store(db)), Vault: v, Connectors: noConnectors{}, Now: time.Now,
					Log: slog.New(slog.DiscardHandler), KeyEnvironment: "dev"})
				ctx, stop := context.WithCancel(context.Background())
				done := make(chan struct{})
				go func() { defer close(done); at[i].Dir.Watch(ctx, account.WatchEvery) }()
				t.Cleanup(func() { stop(); <-done })
			}
			require.NoError(t, nodes[0].Update(t.Context(), func(tx engine.Tx) error { return tx.InsertMerchant(&account.Merchant{ID: "m1"}) }))
			key, text, err := at[0].CreateAPIKey(t.Context(), account.Auth{MerchantID: "m1"}, account.APIKeyInput{Name: new(string), Expiration: new(time.Time)})
			require.NoError(t, err)
			_, err = at[1].Authenticate(t.Context(), text)
			require.NoError(t, err)
			require.NoError(t, at[0].RevokeAPIKey(t.Context(), account.Auth{MerchantID: "m1"}, key.ID))
			_, err = at[0].Authenticate(t.Context(), text)
			require.Error(t, err, "at once on the node that revoked it")
			require.Eventually(t, func() bool { _, err := at[1].Authenticate(t.Context(), text); return err != nil }, 30*time.Second, 50*time.Millisecond)
		})
	}
}
