package method

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
)

// MethodUpdate is a change of a saved card. A nil field was not sent and changes nothing.
type MethodUpdate struct {
	ExpMonth, ExpYear, Holder, Nickname *string
	ClientSecret                        string // required with the publishable key
}

// methodSecretTime is how long after its creation a method's client secret lets a customer's device enter or change the card.
const methodSecretTime = 15 * time.Minute

// CheckMethodSecret checks the method's client secret, which a call with the publishable key needs.
func (s *Methods) CheckMethodSecret(a account.Auth, m *PaymentMethod, secret string) error {
	if !a.Publishable {
		return nil
	}
	switch {
	case secret == "":
		return fault.Missing("client_secret")
	case subtle.ConstantTimeCompare([]byte(secret), []byte(m.Private.ClientSecret)) != 1:
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment method", Param: "client_secret", Hint: "Send the client_secret of the answer that created the payment method."}
	case !s.now().Before(m.CreatedAt.Add(methodSecretTime)):
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret", Hint: "Create the payment method again."}
	}
	return nil
}

// UpdatePaymentMethod changes expiry and names of a saved card. The caller has the secret key, or the publishable key and the method's client
// secret. Errors: HE_02, IR_08, IR_09, IR_16 for a past expiry or a method without a card.
func (s *Methods) UpdatePaymentMethod(ctx context.Context, a account.Auth, id string, in MethodUpdate) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		m, err := s.ReadMethod(ctx, a.MerchantID, id)
		if err == nil {
			err = s.CheckMethodSecret(a, m, in.ClientSecret)
		}
		if err != nil {
			return nil, err
		}
		if !m.HasCard {
			return nil, fault.Refused("You cannot update this payment method because it has status " + string(m.Status)).WithParam("status").WithHint("Create the payment method again.")
		}
		now := s.now().UTC().Truncate(time.Millisecond)
		c := &SavedChange{Method: m}
		if err := s.applyUpdate(ctx, m, in, c, now); err != nil {
			return nil, err
		}
		err = s.store.Update(ctx, func(tx Tx) error {
			card, row := *c.card, *m // c.apply would also move LastUsedAt
			return errors.Join(tx.UpdateCard(&card), tx.UpdatePaymentMethod(&row))
		})
		if errors.Is(err, fault.ErrConflict) && round < methodRounds {
			continue
		}
		if err != nil {
			return nil, fault.FromStore(err, "update payment method")
		}
		return m, nil
	}
}

// applyUpdate changes an opened method, seals it, and puts its card into c.
func (s *Methods) applyUpdate(ctx context.Context, m *PaymentMethod, in MethodUpdate, c *SavedChange, now time.Time) error {
	facts := *m.Details.Card
	optional.SetValue(&facts.ExpMonth, in.ExpMonth)
	optional.SetValue(&facts.ExpYear, in.ExpYear)
	if in.ExpMonth != nil || in.ExpYear != nil {
		if err := card.CheckExpiry(facts.ExpMonth, facts.ExpYear, now); err != nil {
			return err
		}
	}
	m.Details.Card, m.ModifiedAt = &facts, now
	optional.SetValue(&m.Private.Holder, in.Holder)
	optional.SetValue(&m.Private.Nickname, in.Nickname)
	old, data, err := s.vaultedCard(ctx, m)
	if err != nil {
		return err
	}
	if err := s.sealCard(m, data.Number, old, c, now); err != nil {
		return err
	}
	return s.sealMethod(m)
}

// SavePaymentMethod adds the card to a method that was made without one. The caller has the publishable key and the method's client secret. If
// the customer has already saved the card, it updates and returns that record, and deletes the empty one. Errors: HE_02, IR_08, IR_09, IR_16
// for a method that does not wait for a card.
func (s *Methods) SavePaymentMethod(ctx context.Context, a account.Auth, id, clientSecret string, in *card.Input) (*PaymentMethod, error) {
	m, err := s.ReadMethod(ctx, a.MerchantID, id)
	if err == nil {
		err = s.CheckMethodSecret(a, m, clientSecret)
	}
	if err != nil {
		return nil, err
	}
	if m.Status != MethodAwaitingData {
		return nil, fault.Refused("You cannot save this payment method because it has status " + string(m.Status)).WithParam("status").WithHint("Create the payment method again.")
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	card, err := s.bins.ReadWithoutCVC(in, now)
	if err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		kept, err := s.fillAwaiting(ctx, m, in, card, now)
		if errors.Is(err, fault.ErrConflict) && round < methodRounds {
			if m, err = s.ReadMethod(ctx, a.MerchantID, id); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, fault.FromStore(err, "save payment method")
		}
		return kept, nil
	}
}

// fillAwaiting adds this card to a method that waits for one.
func (s *Methods) fillAwaiting(ctx context.Context, m *PaymentMethod, in *card.Input, card *card.Card, now time.Time) (*PaymentMethod, error) {
	if m.Status != MethodAwaitingData {
		return nil, fault.Refused("You cannot save this payment method because it has status " + string(m.Status)).WithParam("status").WithHint("Create the payment method again.")
	}
	customer, err := s.customerForSaving(ctx, m.MerchantID, m.CustomerID)
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return nil, fault.NotFound("Customer")
	}
	c := &SavedChange{usedAt: now}
	err = s.putCard(ctx, m.MerchantID, cardToSave{customerID: m.CustomerID, number: in.Number, facts: card.Facts, holder: in.Holder.Reveal(),
		nickname: in.Nickname, kind: card.MethodType(m.Details.Type)}, c, now)
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
		empty.markDeleted(MethodInactive, now)
	}
	c.Method.Status, c.Method.ModifiedAt = MethodActive, now
	c.offerFirst(customer, now)
	if err := s.sealMethod(c.Method); err != nil {
		return nil, err
	}
	return c.Method, s.store.Update(ctx, func(tx Tx) error {
		if empty != nil {
			row := *empty
			if err := tx.UpdatePaymentMethod(&row); err != nil {
				return err
			}
		}
		return c.Apply(tx)
	})
}
