package sdk

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMillis(t *testing.T) {
	for text, want := range map[string]string{
		"2026-02-13T10:20:30Z":           "2026-02-13T10:20:30Z",
		"2026-02-13 10:20:30":            "2026-02-13T10:20:30Z",
		"2026-02-13T10:20:30":            "2026-02-13T10:20:30Z",
		"2026-02-13":                     "2026-02-13T00:00:00Z",
		"2024-02-29T23:59:59.999Z":       "2024-02-29T23:59:59.999Z",
		"2024-03-01T00:00:00.123456789Z": "2024-03-01T00:00:00.123Z",
		"2026-01-01T01:30:00.5+02:00":    "2025-12-31T23:30:00.5Z",
		"2026-01-01T01:30:00-08:30":      "2026-01-01T10:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339Nano, want)
		require.NoError(t, err)
		require.Equal(t, at.UnixMilli(), Millis(text), text)
	}
	for _, text := range []string{"", "now", "2026", "2026-02", "2026-2-13", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-01", "2026-02-00", "1969-12-31",
		"2026-02-13T", "2026-02-13T10:20", "2026-02-13T24:00:00Z", "2026-02-13T10:60:00Z", "2026-02-13T10:20:60Z", "2026-02-13T10:20:30X", "2026-02-13T10:20:30+2",
		"2026-02-13T10:20:30+0200", "2026-02-13T10:20:30+24:00", "2026-02-13T10:20:30.Z", "2026-02-13T10:20:30Z ", "2026-02-13T1o:20:30Z", "-026-02-13"} {
		require.Zero(t, Millis(text), text)
	}
	for range 2000 {
		at := time.UnixMilli(rand.Int64N(7_000_000_000_000)).UTC()
		require.Equal(t, at.UnixMilli(), Millis(at.Format("2006-01-02T15:04:05.000Z07:00")), at)
		require.Equal(t, at.Format(time.RFC3339), Stamp(at.In(time.FixedZone("", 3600))))
	}
}
