package change

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/sdk"
)

// ReturnView is the payer's next page after payswitch's return URL.
type ReturnView struct {
	View *View
	// URL is the merchant's return URL with status, ids and signature; "" if the payer has another step to make (NextURL).
	URL string
	// Fields are set if the profile returns by HTTP POST. They are the form's fields in order; URL lacks them.
	Fields []sdk.Header
	// NextURL is payswitch's redirect page, if the processor asks for one more action.
	NextURL string
}

// PayerReturn makes the page to which a payer comes back from the processor or the bank: the status page of a payment link, else the merchant's page.
func (s *Changes) PayerReturn(v *View) (*ReturnView, error) {
	l := v.Payment.Details.Link
	switch {
	case l == nil:
		return s.MerchantReturn(v)
	case l.StatusURL != "":
		return &ReturnView{View: v, URL: l.StatusURL}, nil
	}
	return s.LinkReturn(v)
}

// LinkReturn is MerchantReturn for a payment with a link. Everyone with the link can begin that payment and come back from the bank, so the URL has no
// client secret.
func (s *Changes) LinkReturn(v *View) (*ReturnView, error) { return s.merchantReturn(v, false) }

// MerchantReturn makes the merchant's return URL with the result, signed if the profile asks for a signature (contract: redirects).
func (s *Changes) MerchantReturn(v *View) (*ReturnView, error) {
	return s.merchantReturn(v, s.returnsSecret(v))
}

func (s *Changes) merchantReturn(v *View, withSecret bool) (*ReturnView, error) {
	to := v.Payment.Details.ReturnURL
	if to == "" && v.Profile != nil {
		to = v.Profile.Settings.ReturnURL
	}
	if to == "" {
		return nil, fault.Missing("return_url")
	}
	u, err := url.Parse(to)
	if err != nil {
		return nil, fault.InvalidValue("return_url").WithHint("Send an absolute URL with https.")
	}
	post := v.Profile.Settings.RedirectWithPost
	fields := []sdk.Header{{Name: "status", Value: string(v.Payment.Status)}, {Name: "payment_id", Value: v.Payment.ID}}
	if withSecret {
		fields = append(fields, sdk.Header{Name: "payment_intent_client_secret", Value: v.Payment.Private.ClientSecret})
	}
	if !post {
		fields = append(fields, sdk.Header{Name: "amount", Value: strconv.FormatInt(v.Payment.Amount, 10)})
	}
	fields = append(fields, sdk.Header{Name: "manual_retry_allowed", Value: strconv.FormatBool(v.ManualRetryAllowed)})
	if key := v.Profile.ResponseHash.Reveal(); v.Profile.Settings.EnableResponseHash && key != "" {
		fields = append(fields, sdk.Header{Name: "signature", Value: signReturn(fields, key)}, sdk.Header{Name: "signature_algorithm", Value: "HMAC-SHA512"})
	}
	if post {
		return &ReturnView{View: v, URL: to, Fields: fields}, nil
	}
	q := u.Query()
	for _, name := range []string{"payment_intent_client_secret", "signature", "signature_algorithm"} {
		q.Del(name) // the merchant's URL must not bring values of its own
	}
	for _, f := range fields {
		q.Set(f.Name, f.Value)
	}
	u.RawQuery = q.Encode()
	return &ReturnView{View: v, URL: u.String()}, nil
}

// signReturn returns the hex HMAC-SHA512 over the k=v pairs, sorted by key and joined with &.
func signReturn(fields []sdk.Header, key string) string {
	pairs := make([]string, len(fields))
	for i, f := range fields {
		pairs[i] = f.Name + "=" + f.Value
	}
	slices.Sort(pairs)
	h := hmac.New(sha512.New, []byte(key))
	h.Write([]byte(strings.Join(pairs, "&")))
	return hex.EncodeToString(h.Sum(nil))
}

// secretGrace is the time after the end of an attempt in which a returning payer still gets the client secret. It is for payers who reload the
// page.
const secretGrace = 10 * time.Minute

// returnsSecret reports whether the merchant's return URL gets the client secret. Processors, proxies and browsers keep our URLs in their
// logs. So once the payer's part is over, a URL from a log reveals only how the payment ended.
func (s *Changes) returnsSecret(v *View) bool {
	now := s.Now()
	if !now.Before(v.Payment.ExpiresAt) {
		return false // the client secret has expired
	}
	ended := v.Attempt.Details.EndedAt
	return ended.IsZero() || now.Before(ended.Add(secretGrace))
}
