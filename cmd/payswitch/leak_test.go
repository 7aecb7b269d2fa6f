package main

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// TestStolenFiles has what a thief of the disk has, and no key: the database, its log, what the program logged and wrote elsewhere. Cards are
// saved, payments are open, a card waits for confirmation. There is no card number, CVC or holder's name in the files. The
// fingerprints do not betray a number even to somebody who knows its first six and last four digits and tries all the others.
func TestStolenFiles(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	env := append(testEnv(t, dir), "PAYSWITCH_LOG__LEVEL=debug", "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+newCache(t, filepath.Join(dir, "cache")))
	p := startProcess(t, env, "serve")
	key := p.shop("shop")
	publishable, _ := p.must(testAdminKey, "/accounts/shop", nil)["publishable_key"].(string)
	p.must(key, "/payments", cardPayment("pay_paid"))
	o := cardPayment("pay_unknown")
	o["amount"] = 900000030
	p.must(key, "/payments", o)
	o = cardPayment("pay_waits")
	o["confirm"] = false
	p.must(key, "/payments", o)
	ids := saveCards(t, env, 200)
	require.NoError(t, p.cmd.Process.Kill())
	p.exit()

	files := map[string]string{"log": p.stderr.String()}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			files[path] = string(b)
			return err
		}
		return err
	}))
	secrets := []string{"4242424242424242", "Ada Lovelace", "Lovelace", `"737"`}
	for i := range ids {
		secrets = append(secrets, testNumber(i))
	}
	for name, text := range files {
		for _, s := range secrets {
			require.NotContains(t, text, s, name)
			require.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte(s)), name)
			require.NotContains(t, text, hex.EncodeToString([]byte(s)), name)
		}
	}

	db, _ := openVaultOf(t, env)
	defer db.Close()
	g := guesser{merchant: "shop", keys: [][]byte{nil, make([]byte, 32), []byte("shop"), []byte(publishable), []byte(demoMasterKey)}}
	require.NoError(t, db.View(t.Context(), func(r engine.Reader) error {
		for _, id := range ids {
			c, err := r.Card("shop", id)
			if err != nil {
				return err
			}
			g.add(c.Fingerprint)
		}
		for _, name := range []string{"cards", "data", "hash"} { // files in the data's folder, such as keys
			k, err := r.Keyset(name)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(k)
			g.keys = append(g.keys, k, sum[:])
		}
		return nil
	}))
	require.Len(t, g.known, len(ids))
	number := testNumber(7)
	require.Empty(t, g.try(number[:6], number[len(number)-4:]))

	weak := guesser{merchant: "shop", known: map[string]bool{}} // the search does find what can be found
	sum := sha256.Sum256([]byte("shop" + number))
	weak.add(hex.EncodeToString(sum[:]))
	require.Equal(t, number, weak.try(number[:6], number[len(number)-4:]))
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write(prfInput("card fingerprint/shop", number))
	weak = guesser{merchant: "shop", keys: [][]byte{[]byte("key")}}
	weak.add(hex.EncodeToString(mac.Sum(nil)[:16]))
	require.Equal(t, number, weak.try(number[:6], number[len(number)-4:]), "the vault's own way, with a key that was found")
}

// guesser looks for the number behind fingerprints.
type guesser struct {
	merchant string
	keys     [][]byte        // that may be the fingerprints' key
	known    map[string]bool // the first 8 bytes of fingerprints
}

func (g *guesser) add(fingerprint string) {
	if g.known == nil {
		g.known = map[string]bool{}
	}
	b, err := hex.DecodeString(fingerprint)
	if err != nil || len(b) < 8 {
		panic("no fingerprint: " + fingerprint)
	}
	g.known[string(b[:8])] = true
}

// try goes through all 16-digit numbers with these first and last digits, and returns the one that a fingerprint fits.
func (g *guesser) try(first, last string) string {
	for i := range 1_000_000 {
		number := first + zeros(i, 6) + last
		if withLuhn(number[:15]) != number {
			continue
		}
		for _, text := range []string{number, g.merchant + number, g.merchant + "/" + number, number + g.merchant} {
			b := []byte(text)
			s1, s256, s512, m := sha1.Sum(b), sha256.Sum256(b), sha512.Sum512(b), md5.Sum(b)
			for _, sum := range [][]byte{s1[:], s256[:], s512[:], m[:]} {
				if g.known[string(sum[:8])] {
					return number
				}
			}
		}
		in := prfInput("card fingerprint/"+g.merchant, number)
		for _, key := range g.keys {
			for _, text := range [][]byte{in, []byte(number)} {
				mac := hmac.New(sha256.New, key)
				mac.Write(text)
				if g.known[string(mac.Sum(nil)[:8])] {
					return number
				}
			}
		}
	}
	return ""
}

// prfInput returns what Vault.Hash makes of a purpose and data.
func prfInput(purpose, data string) []byte {
	return append([]byte{0, 0, 0, byte(len(purpose))}, purpose+data...)
}

// TestProfilesShowNothing takes payments and looks at what profiles tell: places in the code, and nothing of what was in the memory.
func TestProfilesShowNothing(t *testing.T) {
	t.Parallel()
	r := start(t, testEnv(t, t.TempDir()), "serve", "--config", writeConfig(t, ""))
	key := r.shop("shop")
	for _, id := range []string{"pay_1", "pay_2", "pay_3"} {
		r.must(key, "/payments", cardPayment(id))
	}
	for _, name := range []string{"heap", "allocs", "goroutine"} {
		for _, form := range []int{0, 1, 2} {
			var b bytes.Buffer
			require.NoError(t, pprof.Lookup(name).WriteTo(&b, form))
			text := b.String()
			if z, err := gzip.NewReader(&b); err == nil {
				plain, err := io.ReadAll(z)
				require.NoError(t, err)
				text = string(plain)
			}
			require.True(t, strings.Contains(text, "payswitch"), name)
			for _, s := range []string{"4242424242424242", "Ada Lovelace", key, testMasterKey} {
				require.NotContains(t, text, s, name)
			}
		}
	}
}
