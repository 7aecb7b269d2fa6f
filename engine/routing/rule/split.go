package rule

import (
	"encoding/binary"
	"math/bits"

	"crypto/sha256"
)

// Draw chooses one entry of a volume split with the probability of its weight. seed, the payment's id, decides: a retry draws the same entry.
// salt, the id of the configuration, makes the draws of two configurations independent. Draw returns -1 if all weights are zero.
func Draw(weights []int, seed, salt string) int {
	var sum uint64
	for _, w := range weights {
		sum += uint64(max(w, 0))
	}
	if sum == 0 {
		return -1
	}
	if len(weights) == 1 {
		return 0
	}
	var buffer [160]byte
	h := sha256.Sum256(append(append(append(buffer[:0], salt...), 0), seed...))
	at, _ := bits.Mul64(binary.BigEndian.Uint64(h[:8]), sum)
	for i, w := range weights {
		if n := uint64(max(w, 0)); at < n {
			return i
		} else {
			at -= n
		}
	}
	return len(weights) - 1
}
