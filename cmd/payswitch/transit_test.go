package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// transitServer answers as the transit engine does, for the key payswitch at transit/.
func transitServer(t *testing.T, token string) *httptest.Server {
	t.Helper()
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	require.NoError(t, err)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	require.NoError(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Plaintext  []byte `json:"plaintext"`
			Ciphertext string `json:"ciphertext"`
			Associated []byte `json:"associated_data"`
		}
		answer := func(status int, v any) {
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(v)
		}
		bad := func(status int, text string) { answer(status, map[string]any{"errors": []string{text}}) }
		data := map[string]any{}
		switch err := json.NewDecoder(r.Body).Decode(&body); {
		case err != nil:
			bad(http.StatusBadRequest, err.Error())
			return
		case r.Header.Get("X-Vault-Token") != token:
			bad(http.StatusForbidden, "permission denied")
			return
		case r.Method == http.MethodPost && r.URL.Path == "/v1/transit/encrypt/payswitch":
			data["ciphertext"] = "vault:v1:" + base64.StdEncoding.EncodeToString(aead.Seal(nil, nil, body.Plaintext, body.Associated))
		case r.Method == http.MethodPost && r.URL.Path == "/v1/transit/decrypt/payswitch":
			sealed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(body.Ciphertext, "vault:v1:"))
			if err == nil {
				data["plaintext"], err = aead.Open(nil, nil, sealed, body.Associated)
			}
			if err != nil {
				bad(http.StatusBadRequest, "cipher: message authentication failed")
				return
			}
		default:
			bad(http.StatusNotFound, "no handler for route")
			return
		}
		answer(http.StatusOK, map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return s
}

func TestTransitKey(t *testing.T) {
	ctx := context.Background()
	s := transitServer(t, "token")
	uri := "hcvault+" + s.URL + "/transit/keys/payswitch"
	open := func(uri, token string) vault.MasterKey {
		at, err := parseTransit(uri)
		require.NoError(t, err)
		return newTransitKey(at, secret.New(token))
	}
	k := open(uri, "token")
	require.Equal(t, "hcvault:transit/keys/payswitch", k.ID())
	sealed, err := k.EncryptWithContext(ctx, []byte("keyset"), []byte("keyset/data"))
	require.NoError(t, err)
	plain, err := k.DecryptWithContext(ctx, sealed, []byte("keyset/data"))
	require.NoError(t, err)
	require.Equal(t, "keyset", string(plain))
	_, err = k.DecryptWithContext(ctx, sealed, []byte("keyset/hash"))
	require.ErrorContains(t, err, "message authentication failed")

	_, err = open(uri, "other").EncryptWithContext(ctx, []byte("x"), nil)
	require.ErrorContains(t, err, "403 Forbidden: permission denied")
	require.NotContains(t, err.Error(), "other")
	_, err = open(strings.Replace(uri, "keys/payswitch", "keys/nobody", 1), "token").EncryptWithContext(ctx, []byte("x"), nil)
	require.ErrorContains(t, err, "404")
	s.Close()
	_, err = k.DecryptWithContext(ctx, sealed, nil)
	require.ErrorContains(t, err, "key service: ")
}

func TestTransitAddress(t *testing.T) {
	at, err := parseTransit("hcvault://vault.example:8200/team/transit/keys/payswitch")
	require.NoError(t, err)
	require.Equal(t, transitAddress{base: "https://vault.example:8200", mount: "team/transit", name: "payswitch"}, at)
	for uri, want := range map[string]string{
		"":                                            "is not the address of a key",
		"hcvault://vault.example":                     "names no key",
		"hcvault://vault/transit/keys/":               "names no key",
		"hcvault://vault/../keys/x":                   "names no key",
		"hcvault://u:p@vault/transit/keys/x":          "is not the address of a key",
		"aws-kms://arn:aws:kms:eu-west-1:1:key/a":     "is not",
		"gcp-kms://projects/p/locations/l/keyRings":   "is not supported",
		"hcvault+http://vault.example/transit/keys/x": "in clear",
	} {
		_, err := parseTransit(uri)
		require.ErrorContains(t, err, want, uri)
	}
}
