package routing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/routed"
)

// fieldMerchantList is the field of a merchant account that keeps the order of the merchant's default list. Answers do not show it.
const fieldMerchantList = "routing_default_list"

// MerchantDefaults returns the merchant's default list: all its payment processors. Payments use the lists of profiles. Errors: HE_02.
func (s *Rules) MerchantDefaults(ctx context.Context, a account.Auth) (list []routed.Choice, err error) {
	err = s.view(ctx, "read default list", func(r Reader) (err error) { _, list, err = merchantList(r, a); return err })
	return list, err
}

// merchantList returns the merchant's list: the order that the merchant gave, and new accounts at its end.
func merchantList(r Reader, a account.Auth) (*account.Merchant, []routed.Choice, error) {
	m, err := r.Merchant(a.MerchantID)
	if err != nil {
		return nil, nil, fault.IfMissing(err, fault.NotFound("Merchant account"))
	}
	accounts, err := r.Accounts(a.MerchantID)
	if err != nil {
		return nil, nil, err
	}
	var order []string
	if raw := account.DetailsOf(m.Details)[fieldMerchantList]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &order); err != nil {
			return nil, nil, fmt.Errorf("the merchant's default list is damaged: %w", err)
		}
	}
	accounts = slices.DeleteFunc(accounts, func(n *account.Account) bool { return n.Type != account.TypeProcessor })
	for _, n := range accounts {
		if !slices.Contains(order, n.ID) {
			order = append(order, n.ID)
		}
	}
	return m, choicesOf(order, accounts), nil
}

// choicesOf returns the accounts with these ids, in their order.
func choicesOf(order []string, accounts []*account.Account) []routed.Choice {
	list := []routed.Choice{}
	for _, id := range order {
		if i := slices.IndexFunc(accounts, func(n *account.Account) bool { return n.ID == id }); i >= 0 {
			list = append(list, choiceOf(accounts[i]))
		}
	}
	return list
}

// ReorderMerchantDefaults changes the order of the merchant's list. The new list must have the same length (else IR_16) and the same members
// (else IR_06, 422).
func (s *Rules) ReorderMerchantDefaults(ctx context.Context, a account.Auth, order []routed.Choice) ([]routed.Choice, error) {
	err := s.update(ctx, "reorder default list", func(tx Tx) error {
		m, old, err := merchantList(tx, a)
		if err != nil {
			return err
		}
		if err := sameMembers(old, order, func(c routed.Choice) string { return c.Connector + ":" + c.AccountID }); err != nil {
			return err
		}
		if err := setDetail(m, fieldMerchantList, idsOf(order)); err != nil {
			return err
		}
		m.ModifiedAt = tx.Now()
		return tx.UpdateMerchant(m)
	})
	if err != nil {
		return nil, err
	}
	return order, nil
}

// setDetail sets a field of a merchant account that is not private. nil removes it.
func setDetail(m *account.Merchant, field string, v any) error {
	f := account.DetailsOf(m.Details)
	delete(f, field)
	if v != nil {
		raw, err := json.Marshal(v)
		if err != nil {
			return fault.Internal(err, "encode "+field)
		}
		f[field] = raw
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return fault.Internal(err, "encode the merchant account")
	}
	m.Details = raw
	return nil
}

func idsOf(list []routed.Choice) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.AccountID)
	}
	return out
}

// ProfileDefaults returns the default list of a profile. Errors: HE_02 and IR_16 for the profile.
func (s *Rules) ProfileDefaults(ctx context.Context, a account.Auth, profileID string) (list []routed.Choice, err error) {
	err = s.view(ctx, "read default list", func(r Reader) error {
		p, err := ofProfile(r, a, profileID)
		if err != nil {
			return err
		}
		accounts, err := r.Accounts(a.MerchantID)
		list = choicesOf(p.Fallback, accounts)
		return err
	})
	return list, err
}

// ReorderProfileDefaults changes the order of a profile's list, with the conditions of ReorderMerchantDefaults. Errors: also HE_02 and IR_16
// for the profile.
func (s *Rules) ReorderProfileDefaults(ctx context.Context, a account.Auth, profileID string, order []routed.Choice) ([]routed.Choice, error) {
	err := s.update(ctx, "reorder default list", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		accounts, err := tx.Accounts(a.MerchantID)
		if err != nil {
			return err
		}
		err = sameMembers(choicesOf(p.Fallback, accounts), order, func(c routed.Choice) string {
			if c.AccountID == "" {
				return "'" + c.Connector + ":None'"
			}
			return fmt.Sprintf(`'%s:Some(MerchantConnectorAccountId("%s"))'`, c.Connector, c.AccountID)
		})
		if err != nil {
			return err
		}
		p.Fallback, p.ModifiedAt = idsOf(order), tx.Now()
		return tx.UpdateProfile(p)
	})
	if err != nil {
		return nil, err
	}
	return order, nil
}

// sameMembers checks that a list is an order of another one. shown writes a member for the error.
func sameMembers(old, order []routed.Choice, shown func(routed.Choice) string) error {
	if len(old) != len(order) {
		return fault.Refused("current config and updated config have different lengths").WithParam("connector").WithHint("Send each connector of the current list once.")
	}
	var differ []string
	for _, lists := range [][2][]routed.Choice{{old, order}, {order, old}} {
		for _, c := range lists[0] {
			if !slices.Contains(lists[1], c) {
				differ = append(differ, shown(c))
			}
		}
	}
	if len(differ) > 0 {
		return fault.Unprocessable("merchant_connector_id", "connector mismatch between old and new configs ("+strings.Join(differ, ", ")+")").WithHint("Send each connector of the current list once.")
	}
	return nil
}
