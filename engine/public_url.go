package engine

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// PublicURL is what the path of a public URL holds. Parts that the path does not have are "".
type PublicURL struct {
	Use        URLUse
	MerchantID string
	PaymentID  string
	AttemptID  string
	Connector  string
	Token      string
}

// OpensURL says whether a public URL carries its right token. It reads nothing but the URL: an id that exists costs the same time as one
// that does not.
func (e *Engine) OpensURL(u PublicURL) bool {
	switch u.Use {
	case URLRedirect:
		return sameText(u.Token, e.redirectToken(u.MerchantID, u.PaymentID, u.AttemptID))
	case URLReturn:
		_, ok := e.returnAttempt(u)
		return ok
	case URLAuthorize:
		_, ok := e.authenticationOfToken(u.Use, u.Token, u.MerchantID, u.PaymentID)
		return ok
	}
	_, ok := e.authenticationOfToken(u.Use, u.Token)
	return ok
}

// urlSecret is the unguessable part of a public URL: 128 bits of the vault's keyed hash over what the URL is bound to.
func (e *Engine) urlSecret(use URLUse, bound ...string) string {
	var b []byte
	for _, s := range bound {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return base64.RawURLEncoding.EncodeToString(e.vault.Hash("public url "+string(use), b)[:16])
}

func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (e *Engine) redirectToken(merchantID, paymentID, attemptID string) string {
	return e.urlSecret(URLRedirect, merchantID, paymentID, attemptID)
}

// redirectURL is our page that sends the payer on to the processor.
func (e *Engine) redirectURL(p *Payment, a *Attempt) string {
	return e.opts.PublicURL + "/payments/redirect/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/" + url.PathEscape(a.ID) +
		"/" + e.redirectToken(p.MerchantID, p.ID, a.ID)
}

// returnToken is the secret and, after it, the attempt's number: the URL alone says which attempt the payer comes back from.
func (e *Engine) returnToken(p *Payment, a *Attempt) string {
	return e.urlSecret(URLReturn, p.MerchantID, p.ID, a.ID, a.Connector) + strconv.Itoa(a.Number)
}

// returnAttempt is the attempt that a return URL belongs to; false for a URL whose token is wrong.
func (e *Engine) returnAttempt(u PublicURL) (attempt string, ok bool) {
	if len(u.Token) <= secretLength {
		return "", false
	}
	attempt = u.PaymentID + "_" + u.Token[secretLength:]
	return attempt, sameText(u.Token[:secretLength], e.urlSecret(URLReturn, u.MerchantID, u.PaymentID, attempt, u.Connector))
}

func (e *Engine) returnURL(p *Payment, a *Attempt) string {
	return e.opts.PublicURL + "/payments/" + url.PathEscape(p.ID) + "/" + url.PathEscape(p.MerchantID) + "/redirect/complete/" + url.PathEscape(a.Connector) +
		"/" + e.returnToken(p, a)
}

// newToken makes the token of one of an authentication's URLs. It names the authentication, so that no index of secrets is needed.
func (e *Engine) newToken(a *Authentication, use URLUse) string {
	id := strings.TrimPrefix(a.ID, authenticationPrefix)
	if use == URLAuthorize { // its path names the payment, too
		return id + e.urlSecret(use, id, a.MerchantID, a.PaymentID)
	}
	return id + e.urlSecret(use, id)
}

// authenticationOfToken is the id of the authentication whose URL has this token; false for a wrong token.
func (e *Engine) authenticationOfToken(use URLUse, token string, also ...string) (id string, ok bool) {
	if len(token) != idLength+secretLength {
		return "", false
	}
	bound := append([]string{token[:idLength]}, also...)
	return authenticationPrefix + token[:idLength], sameText(token[idLength:], e.urlSecret(use, bound...))
}

// secretGrace is how long after the end of an attempt a payer who comes back still gets the client secret: for those who reload.
const secretGrace = 10 * time.Minute

// returnsSecret says whether the merchant's return URL gets the client secret. Processors, proxies and browsers keep our URLs in their logs: once
// the payer's part is over for good, a URL from a log says no more than how the payment ended.
func (e *Engine) returnsSecret(v *PaymentView) bool {
	now := e.now()
	if !now.Before(v.Payment.ExpiresAt) {
		return false // nothing takes the client secret any more
	}
	ended := v.Attempt.Details.EndedAt
	return ended.IsZero() || now.Before(ended.Add(secretGrace))
}
