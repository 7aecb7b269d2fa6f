package staff

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash"
	"net/url"
	"strings"
	"time"

	"payswitch/engine/ids"
)

// Codes of authenticator apps (RFC 6238): SHA-1, 30 seconds, six digits, which is what the apps have in common.
const (
	totpPeriod = 30
	totpDigits = 6
	// totpDrift is how many steps a phone's clock may be ahead or behind.
	totpDrift = 1
)

// totpCode returns the code of a time step (RFC 4226, section 5.3).
func totpCode(h func() hash.Hash, key []byte, step int64, digits int) string {
	mac := hmac.New(h, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	n := uint64(binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff)
	limit := uint64(1)
	for range digits {
		limit *= 10
	}
	return fmt.Sprintf("%0*d", digits, n%limit)
}

// totpStep finds the time step that a code belongs to. Steps up to used are not looked at: their codes are used up. It returns 0 for a wrong code.
func totpStep(key []byte, code string, now time.Time, used int64) (step int64) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	present := now.Unix() / totpPeriod
	for s := present - totpDrift; s <= present+totpDrift; s++ {
		if subtle.ConstantTimeCompare([]byte(totpCode(sha1.New, key, s, totpDigits)), []byte(code)) == 1 && s > used {
			step = s
		}
	}
	return step
}

func newTOTPKey() []byte {
	b := make([]byte, 20)
	rand.Read(b)
	return b
}

// totpText returns a key as people type it.
func totpText(key []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(key)
}

// totpURL returns what the QR code of an enrolment holds.
func totpURL(key []byte, issuer, email string) string {
	q := url.Values{"secret": {totpText(key)}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {fmt.Sprint(totpDigits)},
		"period": {fmt.Sprint(totpPeriod)}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// recoveryCodes is the number of recovery codes of a user.
const recoveryCodes = 10

// newRecoveryCodes returns new codes as they are shown, such as 7KQ2M-XW9PD: 50 bits each.
func newRecoveryCodes() (shown []string) {
	for range recoveryCodes {
		b := make([]byte, 10)
		rand.Read(b)
		for i := range b {
			b[i] = recoveryAlphabet[b[i]%32]
		}
		shown = append(shown, string(b[:5])+"-"+string(b[5:]))
	}
	return shown
}

// recoveryAlphabet has no letters that look like digits.
const recoveryAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// plainRecovery returns a code without what people add or drop when they type it.
func plainRecovery(code string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(ids.Alphabet, r) {
			return r
		}
		return -1
	}, strings.ToUpper(code))
}
