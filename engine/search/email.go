package search

import (
	"errors"
	"unicode"

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
