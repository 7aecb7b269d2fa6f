package search

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"

	"payswitch/engine/account"
	"payswitch/engine/facet"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// Emails returns the number of a payment's e-mail address in columns (facet.Deps.Email). A payment that was altered has none: lists show the alarm
// when they read it.
func Emails(v *vault.Vault) func(p *payment.Payment) (int64, error) {
	return func(p *payment.Payment) (int64, error) {
		if len(p.Sealed) == 0 {
			return 0, nil
		}
		opened := *p
		var altered *vault.AlteredError
		switch err := v.OpenPayment(&opened); {
		case errors.Is(err, vault.ErrShredded) || errors.As(err, &altered):
			return 0, nil
		case err != nil:
			return 0, err
		}
		c := opened.Private.Customer
		if c == nil || c.Email == "" {
			return 0, nil
		}
		return emailHash(v, p.MerchantID, c.Email), nil
	}
}

// emailHash returns the number of an address's keyed hash. Addresses that differ in capitals alone have the same number.
func emailHash(v *vault.Vault, merchantID, email string) int64 {
	return facet.Hash(v.Hash("e-mail address/"+merchantID, []byte(foldCase(email))))
}

// sealedWord begins a word of a filter that SealWord has sealed.
const sealedWord = "~"

// SealWord encrypts a word of a filter, such as an e-mail address, for the address of a page. Browsers and proxies keep such addresses. OpenWord alone
// reads the word.
func (s *Search) SealWord(a account.Auth, word string) string {
	sealed, err := s.Vault.Seal([]byte(word), "filter/"+a.MerchantID)
	if err != nil {
		return sealedWord // finds nothing
	}
	return sealedWord + base64.RawURLEncoding.EncodeToString(sealed)
}

// OpenWord returns the word that SealWord has sealed for the merchant. It returns any other text unchanged.
func (s *Search) OpenWord(a account.Auth, text string) string {
	sealed, is := strings.CutPrefix(text, sealedWord)
	if !is {
		return text
	}
	b, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		b, err = s.Vault.Open(b, "filter/"+a.MerchantID)
	}
	if err != nil {
		return text
	}
	return string(b)
}

// foldCase replaces each letter by the least of its forms, so that texts are equal where strings.EqualFold says so.
func foldCase(s string) string {
	out := []rune(s)
	for i, r := range out {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			out[i] = min(out[i], f)
		}
	}
	return string(out)
}
