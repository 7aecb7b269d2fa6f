package session

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// sessionPrefix begins the id of a client session, sessionLength counts the characters after it.
const (
	sessionPrefix = "client_sess_"
	sessionLength = 20
	// maxSDKToken is the largest number of characters of a token. Each part is an id of at most 64 characters, or a key or secret of at most 128.
	maxSDKToken = 2048
)

// Sessions are the client sessions of payments. Safe for concurrent use.
type Sessions struct {
	Deps
}

// Deps are the parts that Sessions needs. All are required.
type Deps struct {
	Vault    *vault.Vault
	Registry *account.Registry
	Changes  *change.Changes
	// Switch returns the value of a merchant's switch, "" without one. prefix is one of account.Switches.
	Switch func(ctx context.Context, merchantID, prefix string) (string, error)
	Now    func() time.Time
}

// ClientSession returns the id of the payment's client session. It is the vault's keyed hash of the client secret and of the number of updates. So a
// session costs no row and no commit. An update voids the sessions before it, and the client secret alone does not show the id.
func (s *Sessions) ClientSession(p *payment.Payment) string {
	hash := s.Vault.Hash("client session", []byte(p.MerchantID+"\x00"+p.ID+"\x00"+strconv.Itoa(p.Details.Session)+"\x00"+string(p.ClientSecretHash)))
	text := new(big.Int).SetBytes(hash[:16]).Text(62) // 22 digits at most
	return sessionPrefix + strings.Repeat("0", max(0, sessionLength-len(text))) + text[max(0, len(text)-sessionLength):]
}

// SDKAuthorization returns the token with which the payer's client calls the API for one payment. Only answers to the merchant's server about a new
// or changed payment carry the session: withSession.
func (s *Sessions) SDKAuthorization(v *change.View, withSession bool) string {
	p := v.Payment
	if p.Private == nil || p.Private.ClientSecret == "" || v.Merchant == nil {
		return ""
	}
	text := "profile_id=" + p.ProfileID + ",publishable_key=" + v.Merchant.PublishableKey + ",client_secret=" + p.Private.ClientSecret
	if p.CustomerID != "" {
		text += ",customer_id=" + p.CustomerID
	}
	if withSession {
		text += ",client_session_id=" + s.ClientSession(p)
	}
	return base64.StdEncoding.EncodeToString([]byte(text + ",payment_id=" + p.ID))
}

// AuthenticateSDK returns the caller that a token of SDKAuthorization belongs to. Error: Unauthorized for a token that lacks a part, that names an
// unknown key or profile, or whose session is unknown, replaced or over. A token without a session proves nothing yet: the use case checks its client
// secret.
func (s *Sessions) AuthenticateSDK(ctx context.Context, token secret.Value) (account.Auth, *account.SDKToken, error) {
	parts, ok := sdkParts(token.Reveal())
	if !ok {
		return account.Auth{}, nil, fault.Unauthorized()
	}
	a, err := s.Registry.Authenticate(ctx, secret.New(parts["publishable_key"]))
	if err != nil {
		return account.Auth{}, nil, err
	}
	if !a.Publishable {
		return account.Auth{}, nil, fault.Unauthorized()
	}
	if _, err := s.Registry.Dir.Profile(ctx, a.MerchantID, parts["profile_id"]); err != nil {
		return account.Auth{}, nil, orUnauthorized(err)
	}
	a.ProfileID = parts["profile_id"]
	t := &account.SDKToken{PaymentID: parts["payment_id"], ClientSecret: parts["client_secret"]}
	session, given := parts["client_session_id"]
	if !given {
		return a, t, nil
	}
	err = s.proveSession(ctx, a, t, session)
	if denied := (*fault.Error)(nil); errors.As(err, &denied) && denied.Kind == fault.KindUnauthorized {
		if v, failed := s.Switch(ctx, a.MerchantID, account.SwitchClientSession); failed == nil && v == "false" {
			return a, t, nil // the merchant has switched the check off: the ordinary rules of the client secret decide
		}
	}
	if err != nil {
		return account.Auth{}, nil, err
	}
	return a, t, nil
}

// proveSession marks a token that carries the payment's current client session. Error: Unauthorized for another session, and for one that is over.
func (s *Sessions) proveSession(ctx context.Context, a account.Auth, t *account.SDKToken, session string) error {
	w, err := s.Changes.Load(ctx, a.MerchantID, t.PaymentID)
	if err != nil {
		return orUnauthorized(err)
	}
	p := w.Payment
	hash := sha256.Sum256([]byte(t.ClientSecret))
	right := subtle.ConstantTimeCompare(hash[:], p.ClientSecretHash) & subtle.ConstantTimeCompare([]byte(session), []byte(s.ClientSession(p)))
	if right != 1 || p.ProfileID != a.ProfileID || !s.Now().Before(p.ExpiresAt) {
		return fault.Unauthorized()
	}
	t.Proven, t.CustomerID = true, p.CustomerID
	return nil
}

// orUnauthorized answers what does not exist as a wrong key is answered, so that a token does not show which ids exist.
func orUnauthorized(err error) error {
	if fault.IsNotFound(err) {
		return fault.Unauthorized()
	}
	return err
}

// sdkParts splits a token into its parts. Each part stands once. customer_id, client_session_id and
// platform_publishable_key may be missing.
func sdkParts(token string) (map[string]string, bool) {
	if token == "" || len(token) > maxSDKToken {
		return nil, false
	}
	text, err := base64.StdEncoding.Strict().DecodeString(token)
	if err != nil {
		return nil, false
	}
	parts := map[string]string{}
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, found := strings.Cut(part, "=")
		if _, twice := parts[name]; !found || twice {
			return nil, false
		}
		parts[name] = value
	}
	for _, name := range []string{"profile_id", "publishable_key", "client_secret", "payment_id"} {
		if parts[name] == "" {
			return nil, false
		}
	}
	return parts, true
}
