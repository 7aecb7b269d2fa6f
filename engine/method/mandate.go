package method

import (
	"context"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// MandateStatus is the state of a mandate. The constants are the wire values.
type MandateStatus string

const (
	MandateActive   MandateStatus = "active"
	MandateInactive MandateStatus = "inactive" // the payment that made the mandate has not been approved (yet)
	MandateRevoked  MandateStatus = "revoked"
)

// Mandate is a customer's agreement to later charges within limits, made by a payment with mandate_data. Keyed by MerchantID and ID.
type Mandate struct {
	MerchantID string
	ID         string // man_…
	CustomerID string
	MethodID   string // the saved method that the mandate charges
	PaymentID  string // the payment that made the mandate
	Status     MandateStatus
	// UsedBy is the payment that takes or has taken the one charge of a single-use mandate; "" before that charge. A payment that is refused
	// gives the charge back.
	UsedBy     string
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64

	Details MandateDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *MandatePrivate
}

// MandateDetails is the part of a mandate that is neither personal nor searched for. The json names are storage format.
type MandateDetails struct {
	Terms payment.MandateTerms `json:"terms"`
}

// MandatePrivate is the personal part of a mandate.
type MandatePrivate struct {
	Acceptance *payment.Acceptance `json:"acceptance,omitempty"`
}

// MandateView is a mandate with the saved method that the mandate charges, both opened. Method is nil when the method was deleted.
type MandateView struct {
	*Mandate
	Method *PaymentMethod
}

// Mandate reads and opens a mandate with its method. Errors: HE_02.
func (s *Methods) Mandate(ctx context.Context, a account.Auth, id string) (*MandateView, error) {
	v := &MandateView{}
	err := s.read(ctx, "read mandate", func(r Reader) (err error) {
		if v.Mandate, err = r.Mandate(a.MerchantID, id); err != nil {
			return fault.IfMissing(err, fault.NotFound("Mandate"))
		}
		v.Method, err = mandateMethod(r, v.Mandate)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, s.openMandateView(v)
}

// Mandates lists a merchant's mandates by a filter, newest first. Errors: HE_02 for a customer that the merchant does not have.
func (s *Methods) Mandates(ctx context.Context, a account.Auth, f MandateFilter) (list []*MandateView, err error) {
	err = s.read(ctx, "list mandates", func(r Reader) error {
		list = nil
		if f.CustomerID != "" {
			if _, err := r.Customer(a.MerchantID, f.CustomerID); err != nil {
				return fault.IfMissing(err, fault.NotFound("Customer"))
			}
		}
		rows, err := r.Mandates(a.MerchantID, f)
		if err != nil {
			return err
		}
		for _, m := range rows {
			v := &MandateView{Mandate: m}
			if v.Method, err = mandateMethod(r, m); err != nil {
				return err
			}
			list = append(list, v)
		}
		return nil
	})
	for _, v := range list {
		if err == nil {
			err = s.openMandateView(v)
		}
	}
	return list, err
}

// mandateMethod reads the saved method that a mandate charges; nil when the method was deleted.
func mandateMethod(r Reader, m *Mandate) (*PaymentMethod, error) {
	saved, err := Of(r, m.MerchantID, m.MethodID)
	if saved != nil && saved.Deleted {
		return nil, err
	}
	return saved, err
}

func (s *Methods) openMandateView(v *MandateView) error {
	if v.Method != nil {
		if err := s.openMethod(v.Method); err != nil {
			return err
		}
	}
	return s.openMandate(v.Mandate)
}

// RevokeMandate ends a mandate for good. Errors: HE_02, HE_03 when the mandate is revoked already.
func (s *Methods) RevokeMandate(ctx context.Context, a account.Auth, id string) error {
	err := s.store.Update(ctx, func(tx Tx) error {
		m, err := tx.Mandate(a.MerchantID, id)
		if err == nil && a.CustomerID != "" && a.CustomerID != m.CustomerID {
			err = fault.ErrNotFound
		}
		if err != nil {
			return fault.IfMissing(err, fault.NotFound("Mandate"))
		}
		if m.Status == MandateRevoked {
			return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Mandate has already been revoked", Param: "mandate_id", Hint: "List the customer's mandates."}
		}
		m.Status, m.ModifiedAt = MandateRevoked, tx.Now()
		return tx.UpdateMandate(m)
	})
	return fault.FromStore(err, "revoke mandate")
}

// mandateFor reads a mandate and checks that the payment may be charged under it. claimMandate checks again when the charge becomes durable.
func (s *Methods) mandateFor(ctx context.Context, p *payment.Payment, id string, now time.Time) (*Mandate, error) {
	var m *Mandate
	err := s.read(ctx, "read mandate", func(r Reader) (err error) {
		m, err = r.Mandate(p.MerchantID, id)
		return fault.IfMissing(err, fault.NotFound("Mandate"))
	})
	if err != nil {
		return nil, err
	}
	if p.CustomerID != "" && m.CustomerID != p.CustomerID {
		return nil, fault.NotFound("Mandate")
	}
	return m, m.allows(p, p.NetAmount, now)
}

// MandateAllows checks a new total of a payment against the mandate that its attempt has charged: a raise of the held amount, or a capture of more than what is
// held. It returns nil for an attempt that charges no mandate. Errors: HE_03 for a total above the mandate's amount or after its end, IR_16 for a mandate that
// was revoked.
func (s *Methods) MandateAllows(ctx context.Context, p *payment.Payment, a *payment.Attempt, total int64) error {
	if a.Details.Mandate == "" {
		return nil
	}
	var m *Mandate
	err := s.read(ctx, "read mandate", func(r Reader) (err error) {
		m, err = r.Mandate(p.MerchantID, a.Details.Mandate)
		return fault.IfMissing(err, fault.NotFound("Mandate"))
	})
	if err != nil {
		return err
	}
	return m.allows(p, total, s.now())
}

// StillCharges checks again what an attempt charges, before its authorization: the mandate, and the saved method. The payer's authentication, or the issuer's,
// lies between the confirm and the authorization. Errors: those of MandateAllows; HE_02 for a method that was deleted meanwhile.
func (s *Methods) StillCharges(ctx context.Context, p *payment.Payment, a *payment.Attempt) error {
	if err := s.MandateAllows(ctx, p, a, a.Amount); err != nil || a.Details.CardDiscovery != request.DiscoveredSaved {
		return err
	}
	m, err := s.ReadMethod(ctx, a.MerchantID, a.Details.MethodID)
	if err == nil && m.Status != MethodActive {
		err = fault.NotFound("Payment method")
	}
	return err
}

// allows checks a total of a payment against the mandate's state and terms. It returns nil when the mandate lets that total be charged.
func (m *Mandate) allows(p *payment.Payment, total int64, now time.Time) error {
	t := m.Details.Terms
	invalid := func(reason string) error {
		return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: reason, Param: "mandate_id", Hint: "Charge within the mandate's terms, or ask the customer for a new mandate."}
	}
	switch {
	case m.Status != MandateActive, t.SingleUse && m.UsedBy != "" && m.UsedBy != p.ID:
		return fault.Refused("mandate is not active").WithParam("mandate_id").WithHint("Ask the customer for a new mandate.")
	case t.Start != nil && now.Before(*t.Start):
		return invalid("the mandate has not started yet")
	case t.End != nil && !now.Before(*t.End):
		return invalid("the mandate has expired")
	case t.Currency == "":
		return nil
	case t.Currency != p.Currency:
		return invalid("cross currency mandates not supported")
	case total > t.Amount:
		return invalid("request amount is greater than mandate amount")
	}
	return nil
}

// claimMandate checks a mandate in the transaction that makes the charge durable. It takes the one charge of a single-use mandate.
func claimMandate(tx Tx, p *payment.Payment, id string, now time.Time) error {
	m, err := tx.Mandate(p.MerchantID, id)
	if err != nil {
		return fault.IfMissing(err, fault.NotFound("Mandate"))
	}
	if err := m.allows(p, p.NetAmount, now); err != nil {
		return err
	}
	if !m.Details.Terms.SingleUse {
		return nil
	}
	m.UsedBy, m.ModifiedAt = p.ID, now
	return fault.IfConflict(tx.UpdateMandate(m), fault.Refused("mandate is not active").WithParam("mandate_id").WithHint("Ask the customer for a new mandate.")) // another charge was faster
}

// giveBackMandate lets a single-use mandate be charged again after its payment was refused.
func giveBackMandate(tx Tx, merchantID, id, paymentID string, now time.Time) error {
	m, err := tx.Mandate(merchantID, id)
	if err != nil {
		return err
	}
	if m.UsedBy != paymentID {
		return nil
	}
	m.UsedBy, m.ModifiedAt = "", now
	return tx.UpdateMandate(m)
}
