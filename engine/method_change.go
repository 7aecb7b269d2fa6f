package engine

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"
)

// MethodUpdate is a change of a saved card. A nil field was not sent and changes nothing.
type MethodUpdate struct {
	ExpMonth, ExpYear, Holder, Nickname *string
	ClientSecret                        string // required with the publishable key
}

// methodSecretTime is how long after its creation a method's client secret lets a customer's device bring or change the card.
const methodSecretTime = 15 * time.Minute

// checkMethodSecret checks the method's client secret, which a call with the publishable key needs.
func (s *Methods) checkMethodSecret(a Auth, m *PaymentMethod, secret string) error {
	if !a.Publishable {
		return nil
	}
	switch {
	case secret == "":
		return Missing("client_secret")
	case subtle.ConstantTimeCompare([]byte(secret), []byte(m.Private.ClientSecret)) != 1:
		return &Error{Kind: KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment method", Param: "client_secret"}
	case !s.now().Before(m.CreatedAt.Add(methodSecretTime)):
		return &Error{Kind: KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret"}
	}
	return nil
}

// UpdatePaymentMethod changes expiry and names of a saved card. The caller has the secret key, or the publishable key and the method's client
// secret. Errors: HE_02, IR_08, IR_09, IR_16 for an expiry that is past or a method without a card.
func (s *Methods) UpdatePaymentMethod(ctx context.Context, a Auth, id string, in MethodUpdate) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		m, err := s.readMethod(ctx, a.MerchantID, id)
		if err == nil {
			err = s.checkMethodSecret(a, m, in.ClientSecret)
		}
		if err != nil {
			return nil, err
		}
		if !m.HasCard {
			return nil, Refused("You cannot update this payment method because it has status " + string(m.Status))
		}
		now := s.now().UTC().Truncate(time.Millisecond)
		c := &SavedChange{Method: m}
		if err := s.applyUpdate(ctx, m, in, c, now); err != nil {
			return nil, err
		}
		err = s.store.Update(ctx, func(tx MethodTx) error {
			card, row := *c.card, *m // c.apply would also move LastUsedAt
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

// applyUpdate changes an opened method, seals it, and puts its card into c.
func (s *Methods) applyUpdate(ctx context.Context, m *PaymentMethod, in MethodUpdate, c *SavedChange, now time.Time) error {
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
	err := s.read(ctx, "read card", func(r MethodReader) (err error) {
		old, err = r.Card(m.MerchantID, m.ID)
		return missing(err, NotFound("Payment method"))
	})
	if err != nil {
		return err
	}
	data, err := s.vault.OpenCard(old)
	if err != nil {
		return Internal(err, "open card")
	}
	if err := s.sealCard(m, data.Number, old, c, now); err != nil {
		return err
	}
	return s.sealMethod(m)
}

// SavePaymentMethod brings the card of a method that was made without one. The caller has the publishable key and the method's client secret. Where
// the customer has the card already, its record is brought up to date and returned, and the empty record is deleted. Errors: HE_02, IR_08, IR_09,
// IR_16 for a method that does not wait for a card.
func (s *Methods) SavePaymentMethod(ctx context.Context, a Auth, id, clientSecret string, in *CardInput) (*PaymentMethod, error) {
	m, err := s.readMethod(ctx, a.MerchantID, id)
	if err == nil {
		err = s.checkMethodSecret(a, m, clientSecret)
	}
	if err != nil {
		return nil, err
	}
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	card, err := s.bins.readExpiry(in, now)
	if err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		kept, err := s.fillAwaiting(ctx, m, in, card, now)
		if errors.Is(err, ErrConflict) && round < methodRounds {
			if m, err = s.readMethod(ctx, a.MerchantID, id); err != nil {
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

// fillAwaiting gives a method that waits for a card this card.
func (s *Methods) fillAwaiting(ctx context.Context, m *PaymentMethod, in *CardInput, card *card, now time.Time) (*PaymentMethod, error) {
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	customer, err := s.customerForSaving(ctx, m.MerchantID, m.CustomerID)
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return nil, NotFound("Customer")
	}
	c := &SavedChange{usedAt: now}
	err = s.putCard(ctx, m.MerchantID, cardToSave{customerID: m.CustomerID, number: in.Number, facts: card.facts, holder: in.Holder,
		nickname: in.Nickname, kind: card.methodType(m.Details.Type)}, c, now)
	if err != nil {
		return nil, err
	}
	var empty *PaymentMethod
	if c.newMethod { // the waiting record takes the card
		kept := c.Method
		m.Fingerprint, m.HasCard, m.Details.Card, m.Details.Method, m.Details.Type = kept.Fingerprint, true, kept.Details.Card, kept.Details.Method, kept.Details.Type
		m.Private.Holder, m.Private.Nickname = kept.Private.Holder, kept.Private.Nickname
		c.Method, c.newMethod = m, false
		if err := s.sealCard(m, in.Number, nil, c, now); err != nil {
			return nil, err
		}
	} else {
		row := *m
		empty = &row
		empty.bury(MethodInactive, now)
	}
	c.Method.Status, c.Method.ModifiedAt = MethodActive, now
	c.offerFirst(customer, now)
	if err := s.sealMethod(c.Method); err != nil {
		return nil, err
	}
	return c.Method, s.store.Update(ctx, func(tx MethodTx) error {
		if empty != nil {
			row := *empty
			if err := tx.UpdatePaymentMethod(&row); err != nil {
				return err
			}
		}
		return c.apply(tx)
	})
}
