package account

import (
	"context"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// Fallback is a profile's ordered list of connectors, which payments try when they name none.
type Fallback struct {
	ProfileID string
	Choices   []payment.RoutingChoice // connector and account, in order
}

// ProfileFallback reads the list of a profile; "" means the caller's profile or the merchant's default profile. Errors: HE_02; IR_04 if
// there is no default profile.
func (s *Registry) ProfileFallback(ctx context.Context, a Auth, profileID string) (f *Fallback, err error) {
	err = s.read(ctx, "read fallback list", func(r Reader) error {
		p, err := fallbackProfile(r, a, profileID)
		if err != nil {
			return err
		}
		accounts, err := r.Accounts(a.MerchantID)
		f = fallbackOf(p, accounts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Fallbacks reads the lists of all profiles that the caller may see, by creation.
func (s *Registry) Fallbacks(ctx context.Context, a Auth) (list []*Fallback, err error) {
	err = s.read(ctx, "read fallback lists", func(r Reader) error {
		profiles, err := r.Profiles(a.MerchantID)
		if err != nil {
			return err
		}
		accounts, err := r.Accounts(a.MerchantID)
		list = nil
		for _, p := range profiles {
			if a.ProfileID == "" || a.ProfileID == p.ID {
				list = append(list, fallbackOf(p, accounts))
			}
		}
		return err
	})
	return list, err
}

// ReorderFallback changes the order of the list. The new list must have the same length (else IR_16) and the same members (else IR_06,
// 422). Further errors: those of ProfileFallback.
func (s *Registry) ReorderFallback(ctx context.Context, a Auth, profileID string, order []payment.RoutingChoice) (f *Fallback, err error) {
	err = s.change(ctx, "reorder fallback list", func(tx Tx) error {
		p, err := fallbackProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		accounts, err := tx.Accounts(a.MerchantID)
		if err != nil {
			return err
		}
		f = fallbackOf(p, accounts)
		if len(order) != len(f.Choices) {
			return fault.Refused("current config and updated config have different lengths")
		}
		ids := make([]string, 0, len(order))
		for _, c := range order {
			if !slices.Contains(f.Choices, c) || slices.Contains(ids, c.AccountID) {
				return fault.Unprocessable("merchant_connector_id", "connector mismatch between old and new configs: "+c.Connector+" "+c.AccountID)
			}
			ids = append(ids, c.AccountID)
		}
		p.Fallback, p.ModifiedAt = ids, tx.Now()
		f.Choices = order
		return tx.UpdateProfile(p)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func fallbackProfile(r Reader, a Auth, id string) (*Profile, error) {
	if id == "" {
		id = a.ProfileID
	}
	if id == "" {
		m, err := r.Merchant(a.MerchantID)
		if err != nil {
			return nil, fault.IfMissing(err, noMerchant())
		}
		if id = m.DefaultProfile; id == "" {
			return nil, fault.Missing("profile_id")
		}
	}
	return profileOf(r, a, id)
}

func fallbackOf(p *Profile, accounts []*Account) *Fallback {
	f := &Fallback{ProfileID: p.ID}
	for _, id := range p.Fallback {
		if i := slices.IndexFunc(accounts, func(n *Account) bool { return n.ID == id }); i >= 0 {
			f.Choices = append(f.Choices, payment.RoutingChoice{Connector: accounts[i].Connector, AccountID: id})
		}
	}
	return f
}
