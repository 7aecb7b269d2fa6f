package engine

import (
	"context"
	"time"
)

// mandateFor reads a mandate and holds a payment against it. What could have changed by then is checked again by claimMandate.
func (e *Engine) mandateFor(ctx context.Context, p *Payment, id string, now time.Time) (*Mandate, error) {
	var m *Mandate
	err := e.read(ctx, "read mandate", func(r Reader) (err error) {
		m, err = r.Mandate(p.MerchantID, id)
		return missing(err, NotFound("Mandate"))
	})
	if err != nil {
		return nil, err
	}
	if p.CustomerID != "" && m.CustomerID != p.CustomerID {
		return nil, NotFound("Mandate")
	}
	return m, m.allows(p, now)
}

// allows says whether a mandate lets a payment be charged; nil when it does.
func (m *Mandate) allows(p *Payment, now time.Time) error {
	t := m.Details.Terms
	invalid := func(reason string) error {
		return &Error{Kind: KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: reason}
	}
	switch {
	case m.Status != MandateActive, t.SingleUse && m.UsedBy != "" && m.UsedBy != p.ID:
		return Refused("mandate is not active")
	case t.Start != nil && now.Before(*t.Start):
		return invalid("the mandate has not started yet")
	case t.End != nil && !now.Before(*t.End):
		return invalid("the mandate has expired")
	case t.Currency == "":
		return nil
	case t.Currency != p.Currency:
		return invalid("cross currency mandates not supported")
	case p.NetAmount > t.Amount:
		return invalid("request amount is greater than mandate amount")
	}
	return nil
}

// claimMandate checks a mandate in the transaction of the intent and takes the one charge of a single-use mandate.
func claimMandate(tx Tx, p *Payment, id string, now time.Time) error {
	m, err := tx.Mandate(p.MerchantID, id)
	if err != nil {
		return missing(err, NotFound("Mandate"))
	}
	if err := m.allows(p, now); err != nil {
		return err
	}
	if !m.Details.Terms.SingleUse {
		return nil
	}
	m.UsedBy, m.ModifiedAt = p.ID, now
	return conflict(tx.UpdateMandate(m), Refused("mandate is not active")) // another charge was faster
}

// giveBackMandate lets a single-use mandate be charged again after a charge that was refused.
func giveBackMandate(tx Tx, p *Payment, a *Attempt, now time.Time) error {
	m, err := tx.Mandate(p.MerchantID, a.Details.Mandate)
	if err != nil {
		return err
	}
	if m.UsedBy != p.ID {
		return nil
	}
	m.UsedBy, m.ModifiedAt = "", now
	return tx.UpdateMandate(m)
}
