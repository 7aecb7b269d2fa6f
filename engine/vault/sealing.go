package vault

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
)

func (v *Vault) SealJSON(x any, associated string) ([]byte, error) {
	b, err := json.Marshal(x)
	if err != nil {
		return nil, fault.Internal(err, "encode "+associated)
	}
	s, err := v.Seal(packDocument(b), associated)
	if err != nil {
		return nil, fault.Internal(err, "seal "+associated)
	}
	return s, nil
}

func (v *Vault) OpenJSON(sealed []byte, associated string, x any) error {
	b, err := v.Open(sealed, associated)
	if err != nil {
		return fault.Internal(err, "open "+associated)
	}
	if b, err = Unpack(b); err != nil {
		return fault.Internal(err, "open "+associated)
	}
	if err := jsonv1.Unmarshal(b, x); err != nil {
		return fault.Internal(err, "decode "+associated)
	}
	return nil
}

func (v *Vault) SealPayment(p *payment.Payment) (err error) {
	p.Sealed, err = v.SealJSON(p.Private, paymentAD(p.MerchantID, p.ID))
	return err
}

func (v *Vault) OpenPayment(p *payment.Payment) error {
	p.Details.FillFromEcho()
	p.Private = &payment.Private{}
	return v.OpenJSON(p.Sealed, paymentAD(p.MerchantID, p.ID), p.Private)
}

func (v *Vault) SealAttempt(a *payment.Attempt) (err error) {
	a.Sealed, err = v.SealJSON(a.Private, attemptAD(a.MerchantID, a.ID))
	return err
}

func (v *Vault) OpenAttempt(a *payment.Attempt) error {
	a.Private = &payment.AttemptPrivate{}
	if len(a.Sealed) == 0 {
		return nil
	}
	return v.OpenJSON(a.Sealed, attemptAD(a.MerchantID, a.ID), a.Private)
}

// SealSecrets seals s for the record that id names (see ShortTermID). The store destroys the key when the authorization has ended, at the
// latest at until. The result is nil if s is empty.
func (v *Vault) SealSecrets(s card.Secrets, merchantID, id string, until time.Time) ([]byte, *secret.Key, error) {
	if s.Number.IsZero() && s.CVC.IsZero() && s.CAVV.IsZero() {
		return nil, nil, nil
	}
	return v.SealShortTerm(&card.Sealed{Number: s.Number.Reveal(), CVC: s.CVC.Reveal(), CAVV: s.CAVV.Reveal()}, merchantID, id, until)
}

// OpenSecrets opens a result of SealSecrets. It returns no secrets if sealed is empty, and ErrShredded if their key is destroyed.
func (v *Vault) OpenSecrets(ctx context.Context, sealed []byte, merchantID, id string) (s card.Secrets, err error) {
	if len(sealed) == 0 {
		return s, nil
	}
	var k *secret.Key
	err = v.store.View(ctx, func(r Reader) (err error) { k, err = r.ShortTermKey(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return s, ErrShredded
	}
	if err != nil {
		return s, fault.Internal(err, "read short-term key")
	}
	c, err := v.OpenShortTerm(sealed, k, merchantID, id)
	if err != nil {
		return s, err
	}
	return card.Secrets{Number: secret.New(c.Number), CVC: secret.New(c.CVC), CAVV: secret.New(c.CAVV)}, nil
}

func (v *Vault) SealAuthentication(a *authentication.Record) (err error) {
	a.Sealed, err = v.SealJSON(a.Private, authenticationAD(a.MerchantID, a.ID))
	return err
}

func (v *Vault) OpenAuthentication(a *authentication.Record) error {
	a.Private = &authentication.Private{}
	return v.OpenJSON(a.Sealed, authenticationAD(a.MerchantID, a.ID), a.Private)
}
