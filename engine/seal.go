package engine

import "encoding/json"

// What a ciphertext is bound to: rows cannot be swapped, within a merchant or between merchants.
func paymentAD(merchantID, id string) string { return "payment/" + merchantID + "/" + id }
func attemptAD(merchantID, id string) string { return "attempt/" + merchantID + "/" + id }
func requestAD(operationID string) string    { return "operation/" + operationID + "/request" }
func instrumentAD(operationID string) string { return "operation/" + operationID + "/instrument" }
func exchangeAD(operationID string) string   { return "operation/" + operationID + "/exchange" }
func eventAD(merchantID, id string) string   { return "event/" + merchantID + "/" + id }
func tokenAD(merchantID, token string) string {
	return "card_token/" + merchantID + "/" + token
}

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

func (e *Engine) sealSecrets(s InstrumentSecrets, operationID string) ([]byte, error) {
	if s.Number.IsZero() && s.CVC.IsZero() && s.CAVV.IsZero() {
		return nil, nil
	}
	return e.sealJSON(sealedCard{Number: s.Number.Reveal(), CVC: s.CVC.Reveal(), CAVV: s.CAVV.Reveal()}, instrumentAD(operationID))
}

func (e *Engine) openSecrets(sealed []byte, operationID string) (s InstrumentSecrets, err error) {
	if len(sealed) == 0 {
		return s, nil
	}
	var c sealedCard
	if err := e.openJSON(sealed, instrumentAD(operationID), &c); err != nil {
		return s, err
	}
	return InstrumentSecrets{Number: NewSecret(c.Number), CVC: NewSecret(c.CVC), CAVV: NewSecret(c.CAVV)}, nil
}

func (e *Engine) sealCustomer(c *Customer) (err error) {
	c.Sealed, err = e.sealJSON(c.Personal, customerAD(c.MerchantID, c.ID))
	return err
}
