package engine

import (
	"context"
	"time"

	"payswitch/sdk"
)

// MethodFilter chooses among a customer's methods. Zero values do not filter.
type MethodFilter struct {
	Limit     int
	Recurring *bool // may be charged without the customer
	Networks  []sdk.CardNetwork
}

// MethodItem is a saved method as lists show it, opened.
type MethodItem struct {
	*PaymentMethod
	Token       string // payment_token, good until the profile's fulfilment time is over
	Recurring   bool   // may be charged without the customer under the profile
	RequiresCVC bool
	Default     bool
	Expired     bool // the card's last month is over
}

// CustomerMethods lists a customer's active methods, the most recently used first: with the secret key, or an ephemeral key of that
// customer. Tokens and what may be charged are by the profile of the key, else the merchant's default one. Errors: HE_02, IR_15.
func (e *Engine) CustomerMethods(ctx context.Context, a Auth, customerID string, f MethodFilter) ([]MethodItem, error) {
	if a.CustomerID != "" && a.CustomerID != customerID {
		return nil, notThatCustomer()
	}
	m, err := e.dir.merchant(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	profile := &Profile{}
	if id := orText(a.ProfileID, m.DefaultProfile); id != "" {
		if profile, err = e.dir.profile(ctx, m.ID, id); err != nil {
			return nil, err
		}
	}
	return e.listMethods(ctx, profile, nil, a.MerchantID, customerID, f)
}

// PaymentMethods lists the methods that the customer of a payment may pay it with; nil for a guest. v is what a client secret has shown.
func (e *Engine) PaymentMethods(ctx context.Context, v *PaymentView, f MethodFilter) ([]MethodItem, error) {
	if v.Payment.CustomerID == "" {
		return nil, nil
	}
	return e.listMethods(ctx, v.Profile, v.Payment, v.Payment.MerchantID, v.Payment.CustomerID, f)
}

// listMethods lists what a customer has; p is the payment it is listed for, nil for none.
func (e *Engine) listMethods(ctx context.Context, profile *Profile, p *Payment, merchantID, customerID string, f MethodFilter) ([]MethodItem, error) {
	accounts, err := e.dir.accounts(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var customer *Customer
	var list []*PaymentMethod
	err = e.read(ctx, "list payment methods", func(r Reader) (err error) {
		if customer, err = r.Customer(merchantID, customerID); err != nil {
			return missing(err, NotFound("Customer"))
		}
		limit := f.Limit
		if f.Recurring != nil || len(f.Networks) > 0 || p != nil {
			limit = 0 // what is filtered here does not count
		}
		list, err = r.PaymentMethods(merchantID, customerID, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := e.now()
	seconds := profile.Settings.FulfillmentSeconds
	if seconds == 0 {
		seconds = defaultSession
	}
	end := now.Add(time.Duration(seconds) * time.Second)
	out := make([]MethodItem, 0, len(list))
	for _, m := range list {
		item := MethodItem{PaymentMethod: m, Recurring: m.recurringEnabled(profile, accounts), RequiresCVC: true, Default: customer.DefaultMethodID == m.ID}
		if p != nil && p.Details.SetupFutureUsage == usageOffSession && (m.AtProcessor() || m.viaNetwork(profile)) {
			item.RequiresCVC = false
		}
		if !item.RequiresCVC && !item.Recurring || !f.takes(&item) {
			continue
		}
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if err := e.openMethod(m); err != nil {
			return nil, err
		}
		item.Token = e.newMethodToken(m, end)
		item.Expired = m.Details.Card != nil && m.Details.Card.Expired(now)
		out = append(out, item)
	}
	return out, nil
}

// OffSession says that the customer agreed to charges without them, and that there is something to make them with.
func (m *PaymentMethod) OffSession() bool {
	return m.AtProcessor() || m.Details.NetworkTransactionID != ""
}

// AtProcessor says that some processor keeps a credential of the method.
func (m *PaymentMethod) AtProcessor() bool {
	for _, a := range m.Details.Accounts {
		if a.Credential != nil {
			return true
		}
	}
	return false
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
