package engine

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"
)

// MethodUpdate changes a saved card; nil was not sent.
type MethodUpdate struct {
	ExpMonth, ExpYear, Holder, Nickname *string
	ClientSecret                        string // with the publishable key
}

// methodSecretTime is how long a customer's device may bring or change a card with the method's client secret.
const methodSecretTime = 15 * time.Minute

// checkMethodSecret holds a client secret against a method where the publishable key needs one.
func (e *Engine) checkMethodSecret(a Auth, m *PaymentMethod, secret string) error {
	if !a.Publishable {
		return nil
	}
	switch {
	case secret == "":
		return Missing("client_secret")
	case subtle.ConstantTimeCompare([]byte(secret), []byte(m.Private.ClientSecret)) != 1:
		return &Error{Kind: KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment method", Param: "client_secret"}
	case !e.now().Before(m.CreatedAt.Add(methodSecretTime)):
		return &Error{Kind: KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret"}
	}
	return nil
}

// UpdatePaymentMethod changes expiry and names of a saved card: with the secret key, or the publishable key and the method's client
// secret. Errors: HE_02, IR_08, IR_09, IR_16 for an expiry that is past or a method without a card.
func (e *Engine) UpdatePaymentMethod(ctx context.Context, a Auth, id string, in MethodUpdate) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		m, err := e.readMethod(ctx, a.MerchantID, id)
		if err == nil {
			err = e.checkMethodSecret(a, m, in.ClientSecret)
		}
		if err != nil {
			return nil, err
		}
		if !m.HasCard {
			return nil, Refused("You cannot update this payment method because it has status " + string(m.Status))
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		s := &saving{method: m, at: now}
		if err := e.applyUpdate(ctx, m, in, s, now); err != nil {
			return nil, err
		}
		err = e.store.Update(ctx, func(tx Tx) error {
			card, row := *s.card, *m
			return errors.Join(tx.UpdateCard(&card), tx.UpdatePaymentMethod(&row))
		})
		if errors.Is(err, ErrConflict) && round < methodRounds {
			continue
		}
		if err != nil {
			return nil, ours(err, "update payment method")
		}
		return m, nil
	}
}

func (e *Engine) applyUpdate(ctx context.Context, m *PaymentMethod, in MethodUpdate, s *saving, now time.Time) error {
	facts := *m.Details.Card
	assign(&facts.ExpMonth, in.ExpMonth)
	assign(&facts.ExpYear, in.ExpYear)
	if in.ExpMonth != nil || in.ExpYear != nil {
		if err := checkExpiry(facts.ExpMonth, facts.ExpYear, now); err != nil {
			return err
		}
	}
	m.Details.Card, m.ModifiedAt = &facts, now
	assign(&m.Private.Holder, in.Holder)
	assign(&m.Private.Nickname, in.Nickname)
	var old *StoredCard
	err := e.read(ctx, "read card", func(r Reader) (err error) {
		old, err = r.Card(m.MerchantID, m.ID)
		return missing(err, NotFound("Payment method"))
	})
	if err != nil {
		return err
	}
	data, err := e.vault.OpenCard(old)
	if err != nil {
		return Internal(err, "open card")
	}
	if err := e.vaultCard(m, data.Number, old, s, now); err != nil {
		return err
	}
	return e.sealMethod(m)
}

// SavePaymentMethod brings the card of a method that waits for one: with the publishable key and the method's client secret. Where the
// customer has a record of that card already, it is that record that is brought up to date and returned, and the empty one goes. Errors:
// HE_02, IR_08, IR_09, IR_16 for a method that waits for no card.
func (e *Engine) SavePaymentMethod(ctx context.Context, a Auth, id, clientSecret string, in *CardInput) (*PaymentMethod, error) {
	m, err := e.readMethod(ctx, a.MerchantID, id)
	if err == nil {
		err = e.checkMethodSecret(a, m, clientSecret)
	}
	if err != nil {
		return nil, err
	}
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	c, err := e.opts.BINTable.readExpiry(in, now)
	if err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		kept, err := e.fillAwaiting(ctx, m, in, c, now)
		if errors.Is(err, ErrConflict) && round < methodRounds {
			if m, err = e.readMethod(ctx, a.MerchantID, id); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		return kept, nil
	}
}

// fillAwaiting gives a method that waits for a card this one.
func (e *Engine) fillAwaiting(ctx context.Context, m *PaymentMethod, in *CardInput, c *card, now time.Time) (*PaymentMethod, error) {
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	customer, err := e.customerForSaving(ctx, &Payment{MerchantID: m.MerchantID, CustomerID: m.CustomerID})
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return nil, NotFound("Customer")
	}
	s := &saving{at: now}
	err = e.keptCard(ctx, m.MerchantID, cardToKeep{customerID: m.CustomerID, number: in.Number, facts: c.facts, holder: in.Holder,
		nickname: in.Nickname, kind: c.methodType(m.Details.Type)}, s, now)
	if err != nil {
		return nil, err
	}
	var empty *PaymentMethod
	if s.newMethod { // it becomes this record's card
		kept := s.method
		m.Fingerprint, m.HasCard, m.Details.Card, m.Details.Method, m.Details.Type = kept.Fingerprint, true, kept.Details.Card, kept.Details.Method, kept.Details.Type
		m.Private.Holder, m.Private.Nickname = kept.Private.Holder, kept.Private.Nickname
		s.method, s.newMethod = m, false
		if err := e.vaultCard(m, in.Number, nil, s, now); err != nil {
			return nil, err
		}
	} else {
		row := *m
		empty = &row
		empty.bury(MethodInactive, now)
	}
	s.method.Status, s.method.ModifiedAt = MethodActive, now
	if customer.DefaultMethodID == "" {
		customer.DefaultMethodID, customer.ModifiedAt = s.method.ID, now
		s.customer = customer
	}
	if err := e.sealMethod(s.method); err != nil {
		return nil, err
	}
	return s.method, e.store.Update(ctx, func(tx Tx) error {
		if empty != nil {
			row := *empty
			if err := tx.UpdatePaymentMethod(&row); err != nil {
				return err
			}
		}
		return s.write(tx)
	})
}
