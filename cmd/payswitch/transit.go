package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"

	"payswitch/engine/secret"
)

// transitKey is a master key in the transit engine of HashiCorp Vault or OpenBao. The service encrypts and decrypts; the key never leaves
// it. Source: https://developer.hashicorp.com/vault/api-docs/secret/transit, encrypt and decrypt with associated_data, which needs a
// key of an AEAD type (aes256-gcm96, the default, or chacha20-poly1305). It implements vault.MasterKey.
type transitKey struct {
	at     transitAddress
	token  secret.Value
	client *http.Client
}

// transitAddress is a parsed hcvault://host[:port]/{mount}/keys/{name}.
type transitAddress struct {
	base  string // scheme, host and port
	mount string // may hold slashes
	name  string
}

const transitForm = "write hcvault://HOST[:PORT]/MOUNT/keys/NAME, as hcvault://vault.example:8200/transit/keys/payswitch"

// parseTransit reads the address of a key. The scheme hcvault is HTTPS. hcvault+http, for tests and agents, reaches this machine alone.
func parseTransit(uri string) (transitAddress, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return transitAddress{}, fmt.Errorf("%q is not the address of a key: %s", uri, transitForm)
	}
	scheme := "https"
	switch u.Scheme {
	case "hcvault":
	case "hcvault+http":
		if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
			return transitAddress{}, fmt.Errorf("%q would send the token and the keys in clear: hcvault+http is for this machine alone: use hcvault", uri)
		}
		scheme = "http"
	default:
		return transitAddress{}, fmt.Errorf("the key service %q is not supported: %s", u.Scheme, transitForm)
	}
	mount, name, found := strings.Cut(strings.Trim(u.Path, "/"), "/keys/")
	if !found || mount == "" || name == "" || strings.Contains(name, "/") || path.Clean("/"+mount) != "/"+mount {
		return transitAddress{}, fmt.Errorf("%q names no key: %s", uri, transitForm)
	}
	return transitAddress{base: scheme + "://" + u.Host, mount: mount, name: name}, nil
}

const (
	transitTimeout  = 10 * time.Second
	transitResponse = 1 << 20 // bytes
)

func newTransitKey(at transitAddress, token secret.Value) *transitKey {
	return &transitKey{at: at, token: token, client: &http.Client{
		Timeout:       transitTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") },
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: transitTimeout,
			DialContext: (&net.Dialer{Timeout: transitTimeout}).DialContext},
	}}
}

// ID implements vault.MasterKey. It leaves out the host: the service may move.
func (k *transitKey) ID() string { return "hcvault:" + k.at.mount + "/keys/" + k.at.name }

type transitRequest struct {
	Plaintext  []byte `json:"plaintext,omitempty"` // JSON makes it base64, as the service wants it
	Ciphertext string `json:"ciphertext,omitempty"`
	Associated []byte `json:"associated_data"`
}

type transitAnswer struct {
	Data struct {
		Plaintext  []byte `json:"plaintext"`
		Ciphertext string `json:"ciphertext"`
	} `json:"data"`
	Errors []string `json:"errors"`
}

// EncryptWithContext implements vault.MasterKey.
func (k *transitKey) EncryptWithContext(ctx context.Context, plain, associated []byte) ([]byte, error) {
	a, err := k.call(ctx, "encrypt", transitRequest{Plaintext: plain, Associated: associated})
	if err == nil && a.Data.Ciphertext == "" {
		err = errors.New("key service: no ciphertext in the answer")
	}
	return []byte(a.Data.Ciphertext), err
}

// DecryptWithContext implements vault.MasterKey.
func (k *transitKey) DecryptWithContext(ctx context.Context, sealed, associated []byte) ([]byte, error) {
	a, err := k.call(ctx, "decrypt", transitRequest{Ciphertext: string(sealed), Associated: associated})
	if err == nil && len(a.Data.Plaintext) == 0 {
		err = errors.New("key service: no plaintext in the answer")
	}
	return a.Data.Plaintext, err
}

func (k *transitKey) call(ctx context.Context, operation string, body transitRequest) (a transitAnswer, err error) {
	b, err := json.Marshal(body)
	if err != nil {
		return a, err
	}
	target := k.at.base + "/v1/" + k.at.mount + "/" + operation + "/" + url.PathEscape(k.at.name)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(b))
	if err != nil {
		return a, fmt.Errorf("key service: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Vault-Token", k.token.Reveal())
	req.Header.Set("X-Vault-Request", "true")
	resp, err := k.client.Do(req)
	if err != nil {
		return a, fmt.Errorf("key service: %w", err)
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, transitResponse)).Decode(&a)
	if resp.StatusCode != http.StatusOK {
		return a, fmt.Errorf("key service: %s %s answered %s: %s", operation, k.ID(), resp.Status, strings.Join(a.Errors, "; "))
	}
	if err != nil {
		return a, fmt.Errorf("key service: read answer: %w", err)
	}
	return a, nil
}
