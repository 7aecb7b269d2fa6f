package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// What a ciphertext is bound to: rows cannot be swapped, within a merchant or between merchants.
func paymentAD(merchantID, id string) string { return "payment/" + merchantID + "/" + id }
func attemptAD(merchantID, id string) string { return "attempt/" + merchantID + "/" + id }
func requestAD(operationID string) string    { return "operation/" + operationID + "/request" }
func exchangeAD(operationID string) string   { return "operation/" + operationID + "/exchange" }
func eventAD(merchantID, id string) string   { return "event/" + merchantID + "/" + id }

func (e *Engine) sealJSON(v any, associated string) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, Internal(err, "encode "+associated)
	}
	s, err := e.vault.Seal(b, associated)
	if err != nil {
		return nil, Internal(err, "seal "+associated)
	}
	return s, nil
}

func (e *Engine) openJSON(sealed []byte, associated string, v any) error {
	b, err := e.vault.Open(sealed, associated)
	if err != nil {
		return Internal(err, "open "+associated)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return Internal(err, "decode "+associated)
	}
	return nil
}

func (e *Engine) sealPayment(p *Payment) (err error) {
	p.Sealed, err = e.sealJSON(p.Private, paymentAD(p.MerchantID, p.ID))
	return err
}

func (e *Engine) openPayment(p *Payment) error {
	p.Private = &PaymentPrivate{}
	return e.openJSON(p.Sealed, paymentAD(p.MerchantID, p.ID), p.Private)
}

func (e *Engine) sealAttempt(a *Attempt) (err error) {
	a.Sealed, err = e.sealJSON(a.Private, attemptAD(a.MerchantID, a.ID))
	return err
}

func (e *Engine) openAttempt(a *Attempt) error {
	a.Private = &AttemptPrivate{}
	if len(a.Sealed) == 0 {
		return nil
	}
	return e.openJSON(a.Sealed, attemptAD(a.MerchantID, a.ID), a.Private)
}

// sealSecrets seals the secrets of what id names (ShortTermID), until its authorization has ended or until has come; nil without any.
func (e *Engine) sealSecrets(s InstrumentSecrets, merchantID, id string, until time.Time) ([]byte, *ShortTermKey, error) {
	if s.Number.IsZero() && s.CVC.IsZero() && s.CAVV.IsZero() {
		return nil, nil, nil
	}
	return e.vault.sealShortTerm(&sealedCard{Number: s.Number.Reveal(), CVC: s.CVC.Reveal(), CAVV: s.CAVV.Reveal()}, merchantID, id, until)
}

// openSecrets opens what sealSecrets made. There are none where nothing is sealed; errShredded when their time is over.
func (e *Engine) openSecrets(ctx context.Context, sealed []byte, merchantID, id string) (s InstrumentSecrets, err error) {
	if len(sealed) == 0 {
		return s, nil
	}
	var k *ShortTermKey
	err = e.store.View(ctx, func(r Reader) (err error) { k, err = r.ShortTermKey(merchantID, id); return err })
	if errors.Is(err, ErrNotFound) {
		return s, errShredded
	}
	if err != nil {
		return s, Internal(err, "read short-term key")
	}
	c, err := e.vault.openShortTerm(sealed, k, merchantID, id)
	if err != nil {
		return s, err
	}
	return InstrumentSecrets{Number: NewSecret(c.Number), CVC: NewSecret(c.CVC), CAVV: NewSecret(c.CAVV)}, nil
}

func (e *Engine) sealCustomer(c *Customer) (err error) {
	c.Sealed, err = e.sealJSON(c.Personal, customerAD(c.MerchantID, c.ID))
	return err
}
