package method

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/vault"
)

// SavedChange holds a decision's changes of a customer's saved methods and mandates. A nil field changes nothing. The zero value, and a nil
// SavedChange, change nothing at all.
type SavedChange struct {
	// Method is the saved method after the change, opened.
	Method     *PaymentMethod
	newMethod  bool
	card       *vault.StoredCard
	newCard    bool
	customer   *account.Customer
	mandate    *Mandate
	newMandate bool
	account    *CustomerAccount
	giveBack   *mandateCharge
	usedAt     time.Time // new value of LastUsedAt
	// Alarm is counted after the commit; "" for none.
	Alarm alarm.Kind
}

// mandateCharge is the one charge of a single-use mandate, taken by a payment.
type mandateCharge struct{ merchantID, mandateID, paymentID string }

// Apply writes the change in a transaction. It may run more than once: it works on copies, so an undone transaction raises no version.
func (c *SavedChange) Apply(tx Tx) error {
	if c == nil {
		return nil
	}
	if c.card != nil {
		card := *c.card
		write := tx.UpdateCard
		if c.newCard {
			write = tx.InsertCard
		}
		if err := write(&card); err != nil {
			return err
		}
	}
	if c.Method != nil {
		if err := c.writeMethod(tx); err != nil {
			return err
		}
	}
	if c.customer != nil {
		customer := *c.customer
		if err := tx.UpdateCustomer(&customer); err != nil {
			return err
		}
	}
	if c.mandate != nil {
		mandate := *c.mandate
		write := tx.UpdateMandate
		if c.newMandate {
			write = tx.InsertMandate
		}
		if err := write(&mandate); err != nil {
			return err
		}
	}
	if c.account != nil {
		if err := tx.PutCustomerAccount(c.account); err != nil {
			return err
		}
	}
	if g := c.giveBack; g != nil {
		return giveBackMandate(tx, g.merchantID, g.mandateID, g.paymentID, c.usedAt)
	}
	return nil
}

func (c *SavedChange) writeMethod(tx Tx) error {
	m := *c.Method
	if c.newMethod {
		return tx.InsertPaymentMethod(&m)
	}
	if err := tx.UpdatePaymentMethod(&m); err != nil {
		return err
	}
	return tx.TouchPaymentMethod(m.MerchantID, m.ID, c.usedAt)
}

func (s *Methods) sealMethod(m *PaymentMethod) (err error) {
	m.Sealed, err = s.vault.SealJSON(m.Private, vault.MethodAD(m.MerchantID, m.ID))
	return err
}

func (s *Methods) openMethod(m *PaymentMethod) error {
	m.Private = &Private{}
	if len(m.Sealed) == 0 {
		return nil
	}
	return s.vault.OpenJSON(m.Sealed, vault.MethodAD(m.MerchantID, m.ID), m.Private)
}

func (s *Methods) openMandate(m *Mandate) error {
	m.Private = &MandatePrivate{}
	if len(m.Sealed) == 0 {
		return nil
	}
	return s.vault.OpenJSON(m.Sealed, vault.MandateAD(m.MerchantID, m.ID), m.Private)
}
