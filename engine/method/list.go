package method

import (
	"context"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// MethodFilter selects some of a customer's methods. Zero values do not filter.
type MethodFilter struct {
	Limit     int
	Recurring *bool // the profile can charge it without the customer
	Networks  []sdk.CardNetwork
}

// MethodItem is a saved method as a list shows it, opened.
type MethodItem struct {
	*PaymentMethod
	Token       string // payment_token, good for the profile's fulfilment time
	Recurring   bool   // the profile can charge it without the customer
	RequiresCVC bool
	Default     bool
	Expired     bool // the card's last month is over
}

// CustomerMethods lists a customer's active methods, the most recently used first. The caller has the secret key, or an ephemeral key of that
// customer. The profile of the call, else the merchant's default profile, decides how long tokens are good and what can be charged. Errors: HE_02,
// IR_15.
func (s *Methods) CustomerMethods(ctx context.Context, a account.Auth, customerID string, f MethodFilter) ([]MethodItem, error) {
	if a.CustomerID != "" && a.CustomerID != customerID {
		return nil, otherCustomer()
	}
	m, err := s.directory.Merchant(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	profile := &account.Profile{}
	if id := orText(a.ProfileID, m.DefaultProfile); id != "" {
		if profile, err = s.directory.Profile(ctx, m.ID, id); err != nil {
			return nil, err
		}
	}
	return s.listMethods(ctx, profile, nil, a.MerchantID, customerID, f)
}

// PaymentMethods lists the saved methods that can pay p, a payment made under profile; nil for a payment without a customer. The caller has shown
// p's client secret. Errors: HE_02 for a customer that is gone.
func (s *Methods) PaymentMethods(ctx context.Context, p *payment.Payment, profile *account.Profile, f MethodFilter) ([]MethodItem, error) {
	if p.CustomerID == "" {
		return nil, nil
	}
	return s.listMethods(ctx, profile, p, p.MerchantID, p.CustomerID, f)
}

// listMethods lists a customer's active methods that f takes; p is the payment that they are listed for, nil without a payment.
func (s *Methods) listMethods(ctx context.Context, profile *account.Profile, p *payment.Payment, merchantID, customerID string, f MethodFilter) ([]MethodItem, error) {
	accounts, err := s.directory.Accounts(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var customer *account.Customer
	var list []*PaymentMethod
	err = s.read(ctx, "list payment methods", func(r Reader) (err error) {
		if customer, err = r.Customer(merchantID, customerID); err != nil {
			return fault.IfMissing(err, fault.NotFound("Customer"))
		}
		limit := f.Limit
		if f.Recurring != nil || len(f.Networks) > 0 || p != nil {
			limit = 0 // the filters below leave methods out, and only what remains counts
		}
		list, err = r.PaymentMethods(merchantID, customerID, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := s.now()
	seconds := profile.Settings.FulfillmentSeconds
	if seconds == 0 {
		seconds = payment.DefaultSession
	}
	withoutCVC := p != nil && chargesWithoutCVC(profile, accounts)
	end := now.Add(time.Duration(seconds) * time.Second)
	out := make([]MethodItem, 0, len(list))
	for _, m := range list {
		item := MethodItem{PaymentMethod: m, Recurring: m.recurringEnabled(profile, accounts), RequiresCVC: true, Default: customer.DefaultMethodID == m.ID}
		if p != nil && p.Details.SetupFutureUsage == sdk.UsageOffSession && (m.AtProcessor() || m.viaNetwork(profile)) {
			item.RequiresCVC = false
		}
		if !item.RequiresCVC && !item.Recurring || !f.takes(&item) {
			continue
		}
		item.RequiresCVC = item.RequiresCVC && !withoutCVC
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if err := s.openMethod(m); err != nil {
			return nil, err
		}
		item.Token = s.newMethodToken(m, end)
		item.Expired = m.Details.Card != nil && m.Details.Card.Expired(now)
		out = append(out, item)
	}
	return out, nil
}

// chargesWithoutCVC reports whether every account that may charge a payment of the profile takes saved cards without a CVC.
func chargesWithoutCVC(profile *account.Profile, accounts []*account.Account) bool {
	some := false
	for _, a := range accounts {
		if a.ProfileID != profile.ID || a.Type != account.TypeProcessor || a.Disabled || !a.Active {
			continue
		}
		if !a.TakesSavedCardsWithoutCVC() {
			return false
		}
		some = true
	}
	return some
}

// OffSession reports whether the method can be charged without the customer: the customer has agreed, and there is a credential or a network
// transaction id.
func (m *PaymentMethod) OffSession() bool {
	return m.AtProcessor() || m.Details.NetworkTransactionID != ""
}

// AtProcessor reports whether a processor keeps a credential of the method.
func (m *PaymentMethod) AtProcessor() bool {
	for _, a := range m.Details.Accounts {
		if a.Credential != nil {
			return true
		}
	}
	return false
}

// viaNetwork reports whether any connector may get the card with the network's transaction id.
func (m *PaymentMethod) viaNetwork(profile *account.Profile) bool {
	return profile.Settings.AgnosticMIT && m.HasCard && m.Details.NetworkTransactionID != ""
}

// recurringEnabled reports whether a profile can charge a method without the customer. It can if an account of the profile has a reference to the
// method. It also can if any connector may get the card with the network's transaction id.
func (m *PaymentMethod) recurringEnabled(profile *account.Profile, accounts []*account.Account) bool {
	for _, a := range accounts {
		if r, ok := m.Details.Accounts[a.ID]; ok && r.Credential != nil && a.ProfileID == profile.ID {
			return true
		}
	}
	return m.viaNetwork(profile)
}

func (f MethodFilter) takes(i *MethodItem) bool {
	if f.Recurring != nil && *f.Recurring != i.Recurring {
		return false
	}
	if len(f.Networks) == 0 {
		return true
	}
	for _, n := range f.Networks {
		if i.Details.Card != nil && i.Details.Card.Network == n {
			return true
		}
	}
	return false
}

func orText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
