package sha256

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSum(t *testing.T) {
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	for n := range len(data) {
		require.Equal(t, sha256.Sum256(data[:n]), Sum(data[:n]), n)
	}
}
