package litetest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/storage"
	"payswitch/storage/litetest"
)

func TestMain(m *testing.M) { os.Exit(litetest.Run(m)) }

// A copy has every migration, and two copies share nothing.
func TestBegin(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "a.db"), filepath.Join(t.TempDir(), "b.db")
	for _, file := range []string{first, second} {
		litetest.Begin(t, file)
		pending, err := storage.Pending(t.Context(), "sqlite:"+file)
		require.NoError(t, err)
		require.Empty(t, pending)
	}
	require.NoError(t, os.WriteFile(first, []byte("something"), 0o600))
	litetest.Begin(t, first)
	content, err := os.ReadFile(first)
	require.NoError(t, err)
	require.Equal(t, "something", string(content), "Begin leaves a file that is there")
	db, err := storage.Open(t.Context(), "sqlite:"+second, storage.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
