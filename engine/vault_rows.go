package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

func (v *Vault) sealJSON(x any, associated string) ([]byte, error) {
	b, err := json.Marshal(x)
	if err != nil {
		return nil, Internal(err, "encode "+associated)
	}
	s, err := v.Seal(b, associated)
	if err != nil {
		return nil, Internal(err, "seal "+associated)
	}
	return s, nil
}

func (v *Vault) openJSON(sealed []byte, associated string, x any) error {
	b, err := v.Open(sealed, associated)
	if err != nil {
		return Internal(err, "open "+associated)
	}
	if err := json.Unmarshal(b, x); err != nil {
		return Internal(err, "decode "+associated)
	}
	return nil
}

func (v *Vault) sealPayment(p *Payment) (err error) {
	p.Sealed, err = v.sealJSON(p.Private, paymentAD(p.MerchantID, p.ID))
	return err
}

func (v *Vault) openPayment(p *Payment) error {
	p.Private = &PaymentPrivate{}
	return v.openJSON(p.Sealed, paymentAD(p.MerchantID, p.ID), p.Private)
}

func (v *Vault) sealAttempt(a *Attempt) (err error) {
	a.Sealed, err = v.sealJSON(a.Private, attemptAD(a.MerchantID, a.ID))
	return err
}

func (v *Vault) openAttempt(a *Attempt) error {
	a.Private = &AttemptPrivate{}
	if len(a.Sealed) == 0 {
		return nil
	}
	return v.openJSON(a.Sealed, attemptAD(a.MerchantID, a.ID), a.Private)
}

// sealSecrets seals s for the record that id names (see ShortTermID). The store destroys the key when the authorization has ended, at the
// latest at until. The result is nil if s is empty.
func (v *Vault) sealSecrets(s InstrumentSecrets, merchantID, id string, until time.Time) ([]byte, *ShortTermKey, error) {
	if s.Number.IsZero() && s.CVC.IsZero() && s.CAVV.IsZero() {
		return nil, nil, nil
	}
	return v.sealShortTerm(&sealedCard{Number: s.Number.Reveal(), CVC: s.CVC.Reveal(), CAVV: s.CAVV.Reveal()}, merchantID, id, until)
}

// openSecrets opens a result of sealSecrets. It returns no secrets if sealed is empty, and errShredded if their key is destroyed.
func (v *Vault) openSecrets(ctx context.Context, sealed []byte, merchantID, id string) (s InstrumentSecrets, err error) {
	if len(sealed) == 0 {
		return s, nil
	}
	var k *ShortTermKey
	err = v.store.View(ctx, func(r VaultReader) (err error) { k, err = r.ShortTermKey(merchantID, id); return err })
	if errors.Is(err, ErrNotFound) {
		return s, errShredded
	}
	if err != nil {
		return s, Internal(err, "read short-term key")
	}
	c, err := v.openShortTerm(sealed, k, merchantID, id)
	if err != nil {
		return s, err
	}
	return InstrumentSecrets{Number: NewSecret(c.Number), CVC: NewSecret(c.CVC), CAVV: NewSecret(c.CAVV)}, nil
}

func (v *Vault) sealAuthentication(a *Authentication) (err error) {
	a.Sealed, err = v.sealJSON(a.Private, authenticationAD(a.MerchantID, a.ID))
	return err
}

func (v *Vault) openAuthentication(a *Authentication) error {
	a.Private = &AuthenticationPrivate{}
	return v.openJSON(a.Sealed, authenticationAD(a.MerchantID, a.ID), a.Private)
}
