package main

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage"
)

// A node that starts with the clock of another time says so in its log: years behind after a boot without a time service, or years ahead.
func TestWrongClockAtBoot(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "p.db"), storage.Options{Clock: clock})
	require.NoError(t, err)
	defer db.Close()
	logged := func(away time.Duration) string {
		var out bytes.Buffer
		ran := now
		now = now.Add(away)
		require.NoError(t, noticeClock(t.Context(), db, slog.New(slog.NewTextHandler(&out, nil))))
		now = ran
		return out.String()
	}
	require.Empty(t, logged(0), "a database without a node yet")
	require.NoError(t, db.NoteNode(t.Context(), storage.Running{Name: "node_1"}))
	require.Empty(t, logged(0))
	require.Empty(t, logged(-10*time.Second))
	require.Empty(t, logged(29*24*time.Hour), "a switch that was off over the holidays")
	require.Contains(t, logged(-25*365*24*time.Hour), "level=ERROR msg=\"the clock is wrong: it is behind the time at which a node ran last")
	require.Contains(t, logged(73*365*24*time.Hour), "level=WARN msg=\"by the clock no node ran for 30 days")
}
