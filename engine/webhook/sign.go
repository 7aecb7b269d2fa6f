package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Headers of a delivery. The latter three are those of Standard Webhooks.
const (
	headerHash      = "X-Webhook-Signature-512"
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"

	secretPrefix = "whsec_"
	secretBytes  = 32
)

// newSecret returns a secret as merchants get it: whsec_ and base64 of 32 random bytes.
func newSecret() secret.Value {
	b := make([]byte, secretBytes)
	rand.Read(b)
	return secret.New(secretPrefix + base64.StdEncoding.EncodeToString(b))
}

// SecretOfHash returns the Standard Webhooks secret of a profile's webhook_url: the bytes of payment_response_hash_key.
func SecretOfHash(key secret.Value) secret.Value {
	return secret.New(secretPrefix + base64.StdEncoding.EncodeToString([]byte(key.Reveal())))
}

// hash512 returns the value of X-Webhook-Signature-512: hex HMAC-SHA512 of the body.
func hash512(key secret.Value, body []byte) string {
	h := hmac.New(sha512.New, []byte(key.Reveal()))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// sign is one signature of Standard Webhooks: v1, and base64 HMAC-SHA256 of "id.timestamp.body".
func sign(key secret.Value, id string, at time.Time, body []byte) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key.Reveal(), secretPrefix))
	if err != nil {
		return "", fault.Internal(errBadSecret, "sign webhook")
	}
	h := hmac.New(sha256.New, raw)
	h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

// headers returns the headers of one request: the merchant's own, then ours, which the merchant's cannot replace. Those of the first attempt stay in its
// repeats, except the timestamp and its signature.
func (t *target) headers(id string, at time.Time) (http.Header, error) {
	h := http.Header{}
	for name, v := range t.custom {
		if mayCarry(name, v.Reveal()) {
			h.Set(name, v.Reveal())
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "payswitch")
	if !t.hash.IsZero() {
		h.Set(headerHash, hash512(t.hash, t.body))
	}
	var all []string
	for _, s := range t.secrets {
		if !s.Until.IsZero() && !at.Before(s.Until) {
			continue
		}
		one, err := sign(s.Key, id, at, t.body)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	h.Set(headerID, id)
	h.Set(headerTimestamp, strconv.FormatInt(at.Unix(), 10))
	if len(all) > 0 {
		h.Set(headerSignature, strings.Join(all, " "))
	}
	return h, nil
}

// ourHeaders are those that a merchant's own headers cannot set. The connection's headers are among them.
var ourHeaders = map[string]bool{"Content-Type": true, "User-Agent": true, headerHash: true, headerID: true, headerTimestamp: true, headerSignature: true,
	"Host": true, "Content-Length": true, "Content-Encoding": true, "Transfer-Encoding": true, "Connection": true, "Keep-Alive": true, "Proxy-Connection": true,
	"Proxy-Authorization": true, "Te": true, "Trailer": true, "Upgrade": true, "Expect": true, "Accept-Encoding": true}

// mayCarry reports whether a merchant's header can be sent: a name of letters, digits and dashes, and a value without control characters.
func mayCarry(name, value string) bool {
	if name == "" || len(name) > 128 || len(value) > 4096 || ourHeaders[http.CanonicalHeaderKey(name)] {
		return false
	}
	for _, c := range []byte(name) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
