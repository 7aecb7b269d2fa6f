package visit

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
)

// Standing is a link and how it stands, for people who look after links.
type Standing struct {
	*Record
	Payment payment.Status // "" for a collect link
}

// Open reports whether a payer or a customer can still use the link.
func (s *Standing) Open() bool {
	if s.Kind == paylink.ForCollect {
		return s.Status == paylink.Initiated && !s.Expired
	}
	return (s.Payment == payment.RequiresPaymentMethod || s.Payment == payment.RequiresConfirmation) && !s.Expired
}

// stand looks up the payment of a link.
func (s *Links) stand(r change.Reader, l *paylink.Link) (*Standing, error) {
	out := &Standing{Record: s.record(l)}
	if l.Kind != paylink.ForPayment {
		return out, nil
	}
	p, err := r.Payment(l.MerchantID, l.Subject)
	if err != nil {
		return nil, err
	}
	out.Payment = p.Status
	return out, nil
}

// StandingLinks lists the merchant's links of a kind, newest first, each with its payment's status.
func (s *Links) StandingLinks(ctx context.Context, a account.Auth, kind paylink.Kind, f paylink.Filter) (all []*Standing, err error) {
	if a.Publishable {
		return nil, fault.Unauthorized()
	}
	err = s.Store.View(ctx, func(r change.Reader) error {
		list, err := r.Links(a.MerchantID, a.ProfileID, kind, f)
		if err != nil {
			return err
		}
		all = make([]*Standing, len(list))
		for i, l := range list {
			if all[i], err = s.stand(r, l); err != nil {
				return err
			}
		}
		return nil
	})
	return all, fault.FromStore(err, "list links")
}

// StandingLink reads one link with its payment's status. Error: HE_02.
func (s *Links) StandingLink(ctx context.Context, a account.Auth, kind paylink.Kind, id string) (out *Standing, err error) {
	if a.Publishable {
		return nil, fault.Unauthorized()
	}
	err = s.Store.View(ctx, func(r change.Reader) error {
		l, err := r.Link(a.MerchantID, kind, id)
		if err != nil {
			return err
		}
		out, err = s.stand(r, l)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) || err == nil && a.ProfileID != "" && a.ProfileID != out.ProfileID {
		return nil, noLink()
	}
	return out, fault.FromStore(err, "read link")
}

// EndCollect ends a collect link: its page takes no card any more. A card that a customer sends at the same moment may still be saved. Errors: HE_02;
// IR_16 for a link that has ended.
func (s *Links) EndCollect(ctx context.Context, a account.Auth, id string) error {
	if a.Publishable {
		return fault.Unauthorized()
	}
	var ended bool
	err := s.Store.Update(ctx, func(tx change.Tx) error {
		l, err := tx.Link(a.MerchantID, paylink.ForCollect, id)
		if err != nil {
			return err
		}
		if ended = l.Status != paylink.Initiated; ended {
			return nil
		}
		l.Status = paylink.Invalidated
		return tx.UpdateLinkStatus(l)
	})
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return noLink()
	case errors.Is(err, fault.ErrConflict) || err == nil && ended:
		return fault.Refused("This link has ended").WithParam("payment_id").WithHint("Create a new payment link.")
	}
	return fault.FromStore(err, "end collect link")
}
