package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDictionariesStay: a changed dictionary would make stored events and documents unreadable.
func TestDictionariesStay(t *testing.T) {
	for want, file := range map[string][]byte{
		"60ac37cc7f6d855de0f5c962a66eb42f98b5577e867334da72979231fdfdfe06": events1,
		"154e70bac8ed63e0d427174903b8ae9302eb60263457ab936d3a024f80ff865f": events2,
		"b51ab6fde624d29bace3e741903272e6e1f209ee67634a7bcae1ea2ca9dda612": documents1,
	} {
		sum := sha256.Sum256(file)
		require.Equal(t, want, hex.EncodeToString(sum[:]), "add another dictionary instead")
	}
}

func TestPack(t *testing.T) {
	for _, text := range []string{"", "{}", "null", `{"a":1}`, strings.Repeat(`{"payment_id":"x"}`, 1000), string(events1), string(events2), string(documents1)} {
		for _, packed := range [][]byte{packDocument([]byte(text)), PackEvent([]byte(text)), []byte(text)} {
			got, err := Unpack(packed)
			require.NoError(t, err)
			require.Equal(t, text, string(got))
		}
	}
}

func BenchmarkPackEvent(b *testing.B) {
	body := events1[len(events1)-4200:]
	for b.Loop() {
		PackEvent(body)
	}
}
