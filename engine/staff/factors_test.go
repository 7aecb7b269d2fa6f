package staff

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
)

// TestTOTPVectors are those of RFC 6238, appendix B.
func TestTOTPVectors(t *testing.T) {
	t.Parallel()
	const seed = "12345678901234567890"
	keys := []struct {
		h   func() hash.Hash
		key string
	}{{sha1.New, seed}, {sha256.New, seed + seed[:12]}, {sha512.New, seed + seed + seed + seed[:4]}}
	for at, want := range map[int64][3]string{
		59:          {"94287082", "46119246", "90693936"},
		1111111109:  {"07081804", "68084774", "25091201"},
		1111111111:  {"14050471", "67062674", "99943326"},
		1234567890:  {"89005924", "91819424", "93441116"},
		2000000000:  {"69279037", "90698825", "38618901"},
		20000000000: {"65353130", "77737706", "47863826"},
	} {
		for i, k := range keys {
			require.Equal(t, want[i], totpCode(k.h, []byte(k.key), at/totpPeriod, 8))
		}
	}
}

func TestTOTPSteps(t *testing.T) {
	t.Parallel()
	key := []byte("12345678901234567890")
	now := time.Unix(1111111109, 0)
	step := now.Unix() / totpPeriod
	code := func(s int64) string { return totpCode(sha1.New, key, s, totpDigits) }
	require.Equal(t, step, totpStep(key, code(step), now, 0))
	require.Equal(t, step-1, totpStep(key, code(step-1), now, 0))
	require.Equal(t, step+1, totpStep(key, code(step+1), now, 0))
	require.Zero(t, totpStep(key, code(step-2), now, 0))
	require.Zero(t, totpStep(key, code(step+2), now, 0))
	require.Zero(t, totpStep(key, code(step), now, step), "used")
	require.Zero(t, totpStep(key, code(step-1), now, step), "older than the last one used")
	require.Zero(t, totpStep(key, "", now, 0))
	require.Zero(t, totpStep(nil, "", now, 0))
	require.Equal(t,
		"otpauth://totp/payswitch:ada@example.com?algorithm=SHA1&digits=6&issuer=payswitch&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		strings.ReplaceAll(totpURL(key, "payswitch", "ada@example.com"), "%3A", ":"))
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"short", "12345678901", "password1234", "Passw0rd1234!", "123456789012", "qwertyuiop123", "aaaaaaaaaaaaaaaa",
		"welcome2026!!", "letmeinletmein",
		"ada.lovelace1815", "adalovelace2026", "payswitchpayswitch", "Summer2026Summer", "abcabcabcabcabc", "admin_admin_1", "P@ssw0rdP@ssw0rd", "2026-05-03-12", strings.Repeat("long ", 60), "\xff\xfe not text at all"} {
		require.Error(t, CheckPassword(secret.New(bad), "ada@example.com", "Ada Lovelace"), bad)
	}
	for _, good := range []string{"seven green kettles sing", "correct horse battery", "xK9#mQ2vLp7w", "das Pferd frißt keinen Gurkensalat",
		"正确的马电池订书钉在这里吃饭"} {
		require.NoError(t, CheckPassword(secret.New(good), "ada@example.com", "Ada Lovelace"), good)
	}
}

func TestPasswordHash(t *testing.T) {
	t.Parallel()
	h := newHasher()
	ctx := context.Background()
	made, err := h.make(ctx, secret.New("seven green kettles"))
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, made)
	again, err := h.make(ctx, secret.New("seven green kettles"))
	require.NoError(t, err)
	require.NotEqual(t, made, again, "salted")
	for text, want := range map[string]bool{"seven green kettles": true, "seven green kettle": false, "": false} {
		ok, err := h.matches(ctx, secret.New(text), made)
		require.NoError(t, err)
		require.Equal(t, want, ok, text)
	}
	// A hash of other parameters, made by the reference implementation, still works.
	ok, err := h.matches(ctx, secret.New("password"), "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = h.matches(ctx, secret.New(""), "")
	require.NoError(t, err)
	require.False(t, ok, "no password is no login")
}

// TestHashesAtOnce: four hashes run, and a fifth waits for its turn or its caller's end.
func TestHashesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hasher{turns: make(chan struct{}, 4)}
		release := make(chan struct{})
		for range 4 {
			go h.turn(t.Context(), func() { <-release })
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- h.turn(ctx, func() { t.Error("a fifth hash runs") }) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		close(release)
		synctest.Wait()
		require.NoError(t, h.turn(t.Context(), func() {}))
	})
}

// TestUnknownUserCostsTheSame: an unknown user is hashed with the same parameters as a known one.
func TestUnknownUserCostsTheSame(t *testing.T) {
	t.Parallel()
	h := newHasher()
	made, err := h.make(context.Background(), secret.New("seven green kettles"))
	require.NoError(t, err)
	require.Equal(t, strings.Split(made, "$")[:4], strings.Split(h.dummy, "$")[:4])
	require.Len(t, h.dummy, len(made))
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "odd": "odd"} {
		require.Equal(t, want, network(address))
	}
}
