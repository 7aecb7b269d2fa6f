package compress

import (
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// TestFilesDamaged: Files returns an error for what is no compressed zip file. The test of the command shrink opens good ones.
func TestFilesDamaged(t *testing.T) {
	t.Parallel()
	e, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for _, packed := range [][]byte{nil, []byte("damaged"), e.EncodeAll([]byte("no zip file"), nil)} {
		_, err := Files(packed)
		require.ErrorContains(t, err, "open packed files", "%x", packed)
	}
}
