package engine

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"
)

// PublicURL is the parsed path of a public URL. Parts that the path lacks are "".
type PublicURL struct {
	Use        URLUse
	MerchantID string
	PaymentID  string
	AttemptID  string
	Connector  string
	Token      string
}

// Links makes the URLs that payers' browsers open, and knows them again. Safe for concurrent use.
type Links struct {
	vault     *Vault
	publicURL string
}

// NewLinks makes URLs under publicURL, which has no trailing slash.
func NewLinks(v *Vault, publicURL string) *Links { return &Links{v, publicURL} }

// OpensURL says whether a public URL carries its right token. It reads nothing but the URL: an id that exists costs the same time as one
// that does not.
func (s *Links) OpensURL(u PublicURL) bool {
	switch u.Use {
	case URLRedirect:
		return sameText(u.Token, s.redirectToken(u.MerchantID, u.PaymentID, u.AttemptID))
	case URLReturn:
		_, ok := s.returnAttempt(u)
		return ok
	case URLAuthorize:
		_, ok := s.authenticationOfToken(u.Use, u.Token, u.MerchantID, u.PaymentID)
		return ok
	}
	_, ok := s.authenticationOfToken(u.Use, u.Token)
	return ok
}

// urlSecret returns the unguessable part of a public URL: 128 bits of the vault's keyed hash over the values that the URL is bound to.
func (e *Links) urlSecret(use URLUse, bound ...string) string {
	var b []byte
	for _, s := range bound {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return base64.RawURLEncoding.EncodeToString(e.vault.Hash("public url "+string(use), b)[:16])
}

func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *Links) redirectToken(merchantID, paymentID, attemptID string) string {
	return s.urlSecret(URLRedirect, merchantID, paymentID, attemptID)
}

// redirectURL returns the URL of our page that sends the payer on to the processor.
func (s *Links) redirectURL(p *Payment, a *Attempt) string {
	return s.publicURL + "/payments/redirect/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/" + url.PathEscape(a.ID) +
		"/" + s.redirectToken(p.MerchantID, p.ID, a.ID)
}

// returnToken returns the secret, followed by the attempt's number: the URL alone names the attempt that the payer comes back from.
func (s *Links) returnToken(p *Payment, a *Attempt) string {
	return s.urlSecret(URLReturn, p.MerchantID, p.ID, a.ID, a.Connector) + strconv.Itoa(a.Number)
}

// returnAttempt returns the id of the attempt that a return URL belongs to. ok is false for a wrong token.
func (s *Links) returnAttempt(u PublicURL) (attempt string, ok bool) {
	if len(u.Token) <= secretLength {
		return "", false
	}
	attempt = u.PaymentID + "_" + u.Token[secretLength:]
	return attempt, sameText(u.Token[:secretLength], s.urlSecret(URLReturn, u.MerchantID, u.PaymentID, attempt, u.Connector))
}

func (s *Links) returnURL(p *Payment, a *Attempt) string {
	return s.publicURL + "/payments/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/redirect/complete/" + url.PathEscape(a.Connector) +
		"/" + s.returnToken(p, a)
}

// newToken makes the token of one of an authentication's URLs. The token names the authentication, so that the store needs no index of
// secrets.
func (s *Links) newToken(a *Authentication, use URLUse) string {
	id := strings.TrimPrefix(a.ID, authenticationPrefix)
	if use == URLAuthorize { // the path of this URL names the payment too
		return id + s.urlSecret(use, id, a.MerchantID, a.PaymentID)
	}
	return id + s.urlSecret(use, id)
}

// authenticationOfToken returns the id of the authentication whose URL has this token. ok is false for a wrong token.
func (s *Links) authenticationOfToken(use URLUse, token string, also ...string) (id string, ok bool) {
	if len(token) != idLength+secretLength {
		return "", false
	}
	bound := append([]string{token[:idLength]}, also...)
	return authenticationPrefix + token[:idLength], sameText(token[idLength:], s.urlSecret(use, bound...))
}

const authenticationPrefix = "auth_"

// idLength is the length of an id without its prefix. secretLength is the length of a token's secret.
const idLength, secretLength = 20, 22
