package engine

import "context"

// MandateView is a mandate with the saved method it charges, both opened; Method is nil when it was deleted.
type MandateView struct {
	*Mandate
	Method *PaymentMethod
}

// Mandate reads one. Errors: HE_02.
func (e *Engine) Mandate(ctx context.Context, a Auth, id string) (*MandateView, error) {
	v := &MandateView{}
	err := e.read(ctx, "read mandate", func(r Reader) (err error) {
		if v.Mandate, err = r.Mandate(a.MerchantID, id); err != nil {
			return missing(err, NotFound("Mandate"))
		}
		v.Method, err = mandateMethod(r, v.Mandate)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, e.openMandateView(v)
}

// Mandates lists a merchant's mandates by a filter, newest first. Errors: HE_02 for a customer that is not there.
func (e *Engine) Mandates(ctx context.Context, a Auth, f MandateFilter) (list []*MandateView, err error) {
	err = e.read(ctx, "list mandates", func(r Reader) error {
		list = nil
		if f.CustomerID != "" {
			if _, err := r.Customer(a.MerchantID, f.CustomerID); err != nil {
				return missing(err, NotFound("Customer"))
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
			err = e.openMandateView(v)
		}
	}
	return list, err
}

func mandateMethod(r Reader, m *Mandate) (*PaymentMethod, error) {
	method, err := methodOf(r, &Attempt{MerchantID: m.MerchantID, Details: AttemptDetails{MethodID: m.MethodID}})
	if method != nil && method.Deleted {
		return nil, err
	}
	return method, err
}

func (e *Engine) openMandateView(v *MandateView) error {
	if v.Method != nil {
		if err := e.openMethod(v.Method); err != nil {
			return err
		}
	}
	return e.openMandate(v.Mandate)
}

// RevokeMandate ends a mandate for good. Errors: HE_02, HE_03 when it is revoked already.
func (e *Engine) RevokeMandate(ctx context.Context, a Auth, id string) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		m, err := tx.Mandate(a.MerchantID, id)
		if err != nil {
			return missing(err, NotFound("Mandate"))
		}
		if m.Status == MandateRevoked {
			return &Error{Kind: KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Mandate has already been revoked"}
		}
		m.Status, m.ModifiedAt = MandateRevoked, tx.Now()
		return tx.UpdateMandate(m)
	})
	return ours(err, "revoke mandate")
}
