package port

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"
)

// TestRecordingDictionaryStays: a changed dictionary would make stored recordings unreadable.
func TestRecordingDictionaryStays(t *testing.T) {
	sum := sha256.Sum256(recording1)
	require.Equal(t, "1e4bbc0b3063971b0017ca1373c77739e4896ba8f7a1e40fb6b8202df6a65f4c", hex.EncodeToString(sum[:]), "add another dictionary instead")
}

// TestOlderRecordings: a recording that an older version compressed can still be read.
func TestOlderRecordings(t *testing.T) {
	got, err := unpackRecording(s2.Encode(nil, recording1))
	require.NoError(t, err)
	require.Equal(t, recording1, got)
}
