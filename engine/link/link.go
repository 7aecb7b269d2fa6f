package link

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"

	"payswitch/engine/authentication"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// URL is the parsed path of a public URL. Parts that the path lacks are "".
type URL struct {
	Use        authentication.URLUse
	MerchantID string
	PaymentID  string
	AttemptID  string
	Connector  string
	Token      string
}

// Links makes the URLs that payers' browsers open, and checks their tokens. Safe for concurrent use.
type Links struct {
	vault     *vault.Vault
	publicURL string
}

// New makes URLs under publicURL, which has no trailing slash.
func New(v *vault.Vault, publicURL string) *Links { return &Links{v, publicURL} }

// OpensURL reports whether a public URL carries the right token. It reads nothing but the URL, so the time it takes does not reveal whether
// an id exists.
func (s *Links) OpensURL(u URL) bool {
	switch u.Use {
	case authentication.URLRedirect:
		return sameText(u.Token, s.redirectToken(u.MerchantID, u.PaymentID, u.AttemptID))
	case authentication.URLReturn:
		_, ok := s.ReturnAttempt(u)
		return ok
	case authentication.URLAuthorize:
		_, ok := s.AuthenticationOfToken(u.Use, u.Token, u.MerchantID, u.PaymentID)
		return ok
	}
	_, ok := s.AuthenticationOfToken(u.Use, u.Token)
	return ok
}

// urlSecret returns the unguessable part of a public URL: 128 bits of the vault's keyed hash over the values that the URL is bound to.
func (e *Links) urlSecret(use authentication.URLUse, bound ...string) string {
	var b []byte
	for _, s := range bound {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return base64.RawURLEncoding.EncodeToString(e.vault.Hash("public url "+string(use), b)[:16])
}

func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *Links) redirectToken(merchantID, paymentID, attemptID string) string {
	return s.urlSecret(authentication.URLRedirect, merchantID, paymentID, attemptID)
}

// ResponseURL returns the URL to which a payer comes back without completing anything: payswitch then asks the processor.
func (s *Links) ResponseURL(p *payment.Payment, a *payment.Attempt) string {
	return strings.Replace(s.ReturnURL(p, a), "/redirect/complete/", "/redirect/response/", 1)
}

// RedirectURL returns the URL of payswitch's page that sends the payer to the processor.
func (s *Links) RedirectURL(p *payment.Payment, a *payment.Attempt) string {
	return s.publicURL + "/payments/redirect/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/" + url.PathEscape(a.ID) +
		"/" + s.redirectToken(p.MerchantID, p.ID, a.ID)
}

// returnToken returns the secret, followed by the attempt's number: the URL alone names the attempt that the payer comes back from.
func (s *Links) returnToken(p *payment.Payment, a *payment.Attempt) string {
	return s.urlSecret(authentication.URLReturn, p.MerchantID, p.ID, a.ID, a.Connector) + strconv.Itoa(a.Number)
}

// ReturnAttempt returns the id of the attempt that a return URL belongs to. ok is false for a wrong token.
func (s *Links) ReturnAttempt(u URL) (attempt string, ok bool) {
	if len(u.Token) <= secretLength {
		return "", false
	}
	attempt = u.PaymentID + "_" + u.Token[secretLength:]
	return attempt, sameText(u.Token[:secretLength], s.urlSecret(authentication.URLReturn, u.MerchantID, u.PaymentID, attempt, u.Connector))
}

func (s *Links) ReturnURL(p *payment.Payment, a *payment.Attempt) string {
	return s.publicURL + "/payments/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/redirect/complete/" + url.PathEscape(a.Connector) +
		"/" + s.returnToken(p, a)
}

// NewToken makes the token of one of an authentication's URLs. The token names the authentication, so that the store needs no index of
// secrets.
func (s *Links) NewToken(a *authentication.Record, use authentication.URLUse) string {
	id := strings.TrimPrefix(a.ID, AuthenticationPrefix)
	if use == authentication.URLAuthorize { // the path of this URL names the payment too
		return id + s.urlSecret(use, id, a.MerchantID, a.PaymentID)
	}
	return id + s.urlSecret(use, id)
}

// AuthenticationOfToken returns the id of the authentication whose URL has this token. ok is false for a wrong token.
func (s *Links) AuthenticationOfToken(use authentication.URLUse, token string, also ...string) (id string, ok bool) {
	if len(token) != IDLength+secretLength {
		return "", false
	}
	bound := append([]string{token[:IDLength]}, also...)
	return AuthenticationPrefix + token[:IDLength], sameText(token[IDLength:], s.urlSecret(use, bound...))
}

const AuthenticationPrefix = "auth_"

// IDLength is the length of an id without its prefix. secretLength is the length of a token's secret.
const IDLength, secretLength = 20, 22
