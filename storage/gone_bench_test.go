package storage

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkFilesInPlace measures what a commit pays to know that the three files of the database are in their place.
func BenchmarkFilesInPlace(b *testing.B) {
	path := filepath.Join(b.TempDir(), "p.db")
	db, err := Open(context.Background(), "sqlite:"+path, Options{})
	require.NoError(b, err)
	defer db.Close()
	files, err := lookAtFiles(path, db.path, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if err := files.check(); err != nil {
			b.Fatal(err)
		}
	}
}
