package engine

import (
	"time"
)

// saving is what a settled operation changes beside its payment: written in the same transaction.
type saving struct {
	method     *PaymentMethod // with the payment's view of it; nil when nothing is saved
	newMethod  bool
	card       *StoredCard // nil: the vault is left as it is
	newCard    bool
	customer   *Customer // nil: left as it is
	mandate    *Mandate
	newMandate bool
	account    *CustomerAccount
	giveBack   *Attempt // whose single-use mandate may be charged again
	payment    *Payment
	at         time.Time
}

// write writes what is to be saved. It may run more than once: it works on copies.
func (s *saving) write(tx Tx) error {
	if s == nil {
		return nil
	}
	if s.card != nil {
		c := *s.card
		write := tx.UpdateCard
		if s.newCard {
			write = tx.InsertCard
		}
		if err := write(&c); err != nil {
			return err
		}
	}
	if s.method != nil {
		m := *s.method
		write := tx.UpdatePaymentMethod
		if s.newMethod {
			write = tx.InsertPaymentMethod
		}
		if err := write(&m); err != nil {
			return err
		}
		if !s.newMethod {
			if err := tx.TouchPaymentMethod(m.MerchantID, m.ID, s.at); err != nil {
				return err
			}
		}
	}
	if s.customer != nil {
		c := *s.customer
		if err := tx.UpdateCustomer(&c); err != nil {
			return err
		}
	}
	if s.mandate != nil {
		m := *s.mandate
		write := tx.UpdateMandate
		if s.newMandate {
			write = tx.InsertMandate
		}
		if err := write(&m); err != nil {
			return err
		}
	}
	if s.account != nil {
		if err := tx.PutCustomerAccount(s.account); err != nil {
			return err
		}
	}
	if s.giveBack != nil {
		return giveBackMandate(tx, s.payment, s.giveBack, s.at)
	}
	return nil
}

func (e *Engine) sealMethod(m *PaymentMethod) (err error) {
	m.Sealed, err = e.vault.sealJSON(m.Private, methodAD(m.MerchantID, m.ID))
	return err
}

func (e *Engine) openMethod(m *PaymentMethod) error {
	m.Private = &MethodPrivate{}
	if len(m.Sealed) == 0 {
		return nil
	}
	return e.vault.openJSON(m.Sealed, methodAD(m.MerchantID, m.ID), m.Private)
}

func (e *Engine) openMandate(m *Mandate) error {
	m.Private = &MandatePrivate{}
	if len(m.Sealed) == 0 {
		return nil
	}
	return e.vault.openJSON(m.Sealed, mandateAD(m.MerchantID, m.ID), m.Private)
}
