package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

func Open(t testing.TB) *vault.Vault {
	t.Helper()
	db, _ := openStore(t)
	v, err := engine.OpenVault(context.Background(), db, masterKey('a'))
	require.NoError(t, err)
	return v
}

func testCard() *card.Input {
	return &card.Input{Number: secret.New("4111111111111111"), ExpMonth: "03", ExpYear: "2030", Holder: secret.New("Ada Lovelace")}
}

func TestCards(t *testing.T) {
	t.Parallel()
	v := Open(t)
	c, err := v.SealCard("m1", "card_1", testCard())
	require.NoError(t, err)
	require.Len(t, c.KeyID, 8)

	got, err := v.OpenCard(c)
	require.NoError(t, err)
	require.Equal(t, testCard(), got)

	bare := &card.Input{Number: secret.New("4111111111111111"), ExpMonth: "3", ExpYear: "30"}
	other, err := v.SealCard("m1", "card_2", bare)
	require.NoError(t, err)
	got, err = v.OpenCard(other)
	require.NoError(t, err)
	require.Equal(t, bare, got)

	t.Run("shows nothing", func(t *testing.T) {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("card", "data", testCard())
		shown := fmt.Sprintf("%v %+v %#v %s %s", testCard(), testCard(), testCard(), text, log.String())
		require.NotContains(t, shown, "4111")
		require.NotContains(t, shown, "Lovelace")
		require.NotContains(t, string(c.Sealed)+string(c.WrappedKey), "4111")
	})
	t.Run("rows cannot be swapped", func(t *testing.T) {
		for name, change := range map[string]func(c *vault.StoredCard){
			"another merchant":       func(c *vault.StoredCard) { c.MerchantID = "m2" },
			"another record":         func(c *vault.StoredCard) { c.ID = "card_2" },
			"another record's key":   func(c *vault.StoredCard) { c.WrappedKey = other.WrappedKey },
			"another record's text":  func(c *vault.StoredCard) { c.Sealed = other.Sealed },
			"another record's whole": func(c *vault.StoredCard) { c.WrappedKey, c.Sealed = other.WrappedKey, other.Sealed },
			"merchant and id moved":  func(c *vault.StoredCard) { c.MerchantID, c.ID = "m1/card_1", "" },
			"no key":                 func(c *vault.StoredCard) { c.WrappedKey = nil },
			"no text":                func(c *vault.StoredCard) { c.Sealed = nil },
		} {
			swapped := *c
			change(&swapped)
			_, err := v.OpenCard(&swapped)
			require.Error(t, err, name)
		}
	})
	t.Run("fingerprints", func(t *testing.T) {
		number := testCard().Number
		require.Equal(t, c.Fingerprint, other.Fingerprint, "the same number")
		require.Equal(t, c.Fingerprint, v.Fingerprint("m1", number))
		require.Len(t, c.Fingerprint, 32)
		require.NotEqual(t, c.Fingerprint, v.Fingerprint("m2", number), "another merchant")
		require.NotEqual(t, c.Fingerprint, v.Fingerprint("m1", secret.New("4111111111111129")), "another number")
		require.NotEqual(t, c.Fingerprint, Open(t).Fingerprint("m1", number), "another installation")
	})
}

// BenchmarkCard measures the vault's time for one card, without the database. The limit is 20 µs per operation at the median.
func BenchmarkCard(b *testing.B) {
	v := Open(b)
	data := testCard()
	c, err := v.SealCard("merchant_1", "card_1", data)
	require.NoError(b, err)
	for name, f := range map[string]func() error{
		"encrypt":     func() error { _, err := v.SealCard("merchant_1", "card_1", data); return err },
		"decrypt":     func() error { _, err := v.OpenCard(c); return err },
		"fingerprint": func() error { v.Fingerprint("merchant_1", data.Number); return nil },
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				err := f()
				took = append(took, time.Since(start))
				require.NoError(b, err)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs-median")
		})
	}
}
