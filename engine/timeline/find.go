package timeline

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
)

// Place is the payment or the customer that an id belongs to.
type Place struct{ PaymentID, RefundID, DisputeID, CustomerID string }

// Find returns what an id names: a payment, an attempt, an operation, a refund, a dispute or a customer of the merchant. found is false for any other
// text.
func (s *Timelines) Find(ctx context.Context, auth account.Auth, id string) (at Place, found bool, err error) {
	if auth.Publishable {
		return at, false, fault.Unauthorized()
	}
	if id == "" || len(id) > 128 {
		return at, false, nil
	}
	m := auth.MerchantID
	err = s.Store.View(ctx, func(r change.Reader) error {
		for _, look := range []func() error{
			func() error {
				p, err := r.Payment(m, id)
				if err == nil {
					at.PaymentID = p.ID
				}
				return err
			},
			func() error {
				a, err := r.Attempt(m, id)
				if err == nil {
					at.PaymentID = a.PaymentID
				}
				return err
			},
			func() error {
				f, err := r.Refund(m, id)
				if err == nil {
					at.PaymentID, at.RefundID = f.PaymentID, f.ID
				}
				return err
			},
			func() error {
				d, err := r.Dispute(m, id)
				if err == nil {
					at.PaymentID, at.DisputeID = d.PaymentID, d.ID
				}
				return err
			},
			func() error {
				op, err := r.Operation(id)
				if err == nil && op.MerchantID != m {
					return fault.ErrNotFound
				}
				if err == nil {
					at.PaymentID = op.PaymentID
				}
				return err
			},
			func() error { return customer(r, m, id, &at) },
		} {
			err := look()
			if err == nil {
				found = true
				return nil
			}
			if !errors.Is(err, fault.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return at, found, fault.FromStore(err, "look for an id")
}

func customer(r method.Reader, merchantID, id string, at *Place) error {
	c, err := r.Customer(merchantID, id)
	if err == nil {
		at.CustomerID = c.ID
	}
	return err
}
