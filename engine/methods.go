package engine

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"time"

	"payswitch/sdk"
)

// MethodInput is a payment method made without a payment.
type MethodInput struct {
	CustomerID string // required
	Method     string // card
	Type       string // credit, debit; "": what the BIN tells
	Issuer     string
	IssuerCode string
	Card       *CardInput      // without CVC; nil: the customer brings it later (SavePaymentMethod)
	Metadata   json.RawMessage // a JSON object
	Billing    *Contact
	// NetworkTransactionID and Credentials (by connector account) come from payments made elsewhere.
	NetworkTransactionID string
	Credentials          map[string]MethodAccount
}

// MethodUpdate changes a saved card; nil was not sent.
type MethodUpdate struct {
	ExpMonth, ExpYear, Holder, Nickname *string
	ClientSecret                        string // with the publishable key
}

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

// methodRounds bounds how often a change that someone else was faster than is computed anew.
const methodRounds = 10

// CreatePaymentMethod keeps a card of a customer without a payment; the customer's record of the same card is brought up to date
// instead of a second one. Errors: HE_02 for a customer or connector account that is not there, IR_16 for a card that has expired.
func (e *Engine) CreatePaymentMethod(ctx context.Context, a Auth, in MethodInput) (*PaymentMethod, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := e.checkCredentialAccounts(ctx, a, in.Credentials); err != nil {
		return nil, err
	}
	if in.Card == nil {
		return e.awaitingMethod(ctx, a, in, now)
	}
	c, err := e.readExpiry(in.Card, now)
	if err != nil {
		return nil, err
	}
	return e.keepMethod(ctx, a.MerchantID, in.CustomerID, in.Card, c, now, func(m *PaymentMethod) {
		in.fill(m, c.methodType(in.Type))
	})
}

// fill takes over what was sent beside the card.
func (in *MethodInput) fill(m *PaymentMethod, kind string) {
	d := &m.Details
	setText(&d.Type, kind)
	setText(&d.Issuer, in.Issuer)
	setText(&d.IssuerCode, in.IssuerCode)
	setText(&d.NetworkTransactionID, in.NetworkTransactionID)
	if len(in.Metadata) > 0 {
		d.Metadata = in.Metadata
	}
	setPtr(&m.Private.Billing, in.Billing)
	for id, c := range in.Credentials {
		if d.Accounts == nil {
			d.Accounts = map[string]MethodAccount{}
		}
		d.Accounts[id] = c
	}
}

func (e *Engine) checkCredentialAccounts(ctx context.Context, a Auth, credentials map[string]MethodAccount) error {
	if len(credentials) == 0 {
		return nil
	}
	accounts, err := e.dir.accounts(ctx, a.MerchantID)
	if err != nil {
		return err
	}
	connectors := map[string]string{}
	for _, n := range accounts {
		connectors[n.ID] = n.Connector
	}
	for id, c := range credentials {
		connector, known := connectors[id]
		if !known {
			return NotFound("Merchant connector account")
		}
		c.Connector = connector
		credentials[id] = c
	}
	return nil
}

// awaitingMethod makes a record whose card the customer brings later.
func (e *Engine) awaitingMethod(ctx context.Context, a Auth, in MethodInput, now time.Time) (*PaymentMethod, error) {
	m := newMethod(a.MerchantID, in.CustomerID, now)
	m.Status, m.Details.Method = MethodAwaitingData, in.Method
	in.fill(m, in.Type)
	if err := e.sealMethod(m); err != nil {
		return nil, err
	}
	err := e.store.Update(ctx, func(tx Tx) error {
		if _, err := e.livingCustomer(tx, a, in.CustomerID); err != nil {
			return err
		}
		row := *m
		return tx.InsertPaymentMethod(&row)
	})
	if err != nil {
		return nil, ours(err, "create payment method")
	}
	return m, nil
}

// keepMethod puts a card among a customer's active methods; change may set more on the record.
func (e *Engine) keepMethod(ctx context.Context, merchantID, customerID string, in *CardInput, c *card, now time.Time,
	change func(m *PaymentMethod)) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		s := &saving{at: now}
		var customer *Customer
		err := e.read(ctx, "read customer", func(r Reader) (err error) {
			customer, err = e.livingCustomer(r, Auth{MerchantID: merchantID}, customerID)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = e.keptCard(ctx, merchantID, cardToKeep{customerID: customerID, number: in.Number, facts: c.facts, holder: in.Holder,
			nickname: in.Nickname, kind: c.methodType("")}, s, now)
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		m := s.method
		m.Status, m.ModifiedAt = MethodActive, now
		change(m)
		if customer.DefaultMethodID == "" {
			customer.DefaultMethodID, customer.ModifiedAt = m.ID, now
			s.customer = customer
		}
		if err := e.sealMethod(m); err != nil {
			return nil, err
		}
		err = e.store.Update(ctx, s.write)
		if errors.Is(err, ErrConflict) && round < methodRounds {
			continue // the same card was saved at the same time
		}
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		m.LastUsedAt = later(m.LastUsedAt, now)
		return m, nil
	}
}

// PaymentMethod reads one, opened. Errors: HE_02.
func (e *Engine) PaymentMethod(ctx context.Context, a Auth, id string) (*PaymentMethod, error) {
	return e.readMethod(ctx, a.MerchantID, id)
}

// methodSecretTime is how long a customer's device may bring or change a card with the method's client secret.
const methodSecretTime = 15 * time.Minute

// checkMethodSecret holds a client secret against a method where the publishable key needs one.
func (e *Engine) checkMethodSecret(a Auth, m *PaymentMethod, secret string) error {
	if !a.Publishable {
		return nil
	}
	switch {
	case secret == "":
		return Missing("client_secret")
	case subtle.ConstantTimeCompare([]byte(secret), []byte(m.Private.ClientSecret)) != 1:
		return &Error{Kind: KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment method", Param: "client_secret"}
	case !e.now().Before(m.CreatedAt.Add(methodSecretTime)):
		return &Error{Kind: KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret"}
	}
	return nil
}

// UpdatePaymentMethod changes expiry and names of a saved card: with the secret key, or the publishable key and the method's client
// secret. Errors: HE_02, IR_08, IR_09, IR_16 for an expiry that is past or a method without a card.
func (e *Engine) UpdatePaymentMethod(ctx context.Context, a Auth, id string, in MethodUpdate) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		m, err := e.readMethod(ctx, a.MerchantID, id)
		if err == nil {
			err = e.checkMethodSecret(a, m, in.ClientSecret)
		}
		if err != nil {
			return nil, err
		}
		if !m.HasCard {
			return nil, Refused("You cannot update this payment method because it has status " + string(m.Status))
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		s := &saving{method: m, at: now}
		if err := e.applyUpdate(ctx, m, in, s, now); err != nil {
			return nil, err
		}
		err = e.store.Update(ctx, func(tx Tx) error {
			card, row := *s.card, *m
			return errors.Join(tx.UpdateCard(&card), tx.UpdatePaymentMethod(&row))
		})
		if errors.Is(err, ErrConflict) && round < methodRounds {
			continue
		}
		if err != nil {
			return nil, ours(err, "update payment method")
		}
		return m, nil
	}
}

func (e *Engine) applyUpdate(ctx context.Context, m *PaymentMethod, in MethodUpdate, s *saving, now time.Time) error {
	facts := *m.Details.Card
	assign(&facts.ExpMonth, in.ExpMonth)
	assign(&facts.ExpYear, in.ExpYear)
	if in.ExpMonth != nil || in.ExpYear != nil {
		if _, _, err := checkExpiry(facts.ExpMonth, facts.ExpYear, now); err != nil {
			return err
		}
	}
	m.Details.Card, m.ModifiedAt = &facts, now
	assign(&m.Private.Holder, in.Holder)
	assign(&m.Private.Nickname, in.Nickname)
	var old *StoredCard
	err := e.read(ctx, "read card", func(r Reader) (err error) {
		old, err = r.Card(m.MerchantID, m.ID)
		return missing(err, NotFound("Payment method"))
	})
	if err != nil {
		return err
	}
	data, err := e.vault.OpenCard(old)
	if err != nil {
		return Internal(err, "open card")
	}
	if err := e.vaultCard(m, data.Number, old, s, now); err != nil {
		return err
	}
	return e.sealMethod(m)
}

// SavePaymentMethod brings the card of a method that waits for one: with the publishable key and the method's client secret. Where the
// customer has a record of that card already, it is that record that is brought up to date and returned, and the empty one goes. Errors:
// HE_02, IR_08, IR_09, IR_16 for a method that waits for no card.
func (e *Engine) SavePaymentMethod(ctx context.Context, a Auth, id, clientSecret string, in *CardInput) (*PaymentMethod, error) {
	m, err := e.readMethod(ctx, a.MerchantID, id)
	if err == nil {
		err = e.checkMethodSecret(a, m, clientSecret)
	}
	if err != nil {
		return nil, err
	}
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	c, err := e.readExpiry(in, now)
	if err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		kept, err := e.fillAwaiting(ctx, m, in, c, now)
		if errors.Is(err, ErrConflict) && round < methodRounds {
			if m, err = e.readMethod(ctx, a.MerchantID, id); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		return kept, nil
	}
}

// fillAwaiting gives a method that waits for a card this one.
func (e *Engine) fillAwaiting(ctx context.Context, m *PaymentMethod, in *CardInput, c *card, now time.Time) (*PaymentMethod, error) {
	if m.Status != MethodAwaitingData {
		return nil, Refused("You cannot save this payment method because it has status " + string(m.Status))
	}
	customer, err := e.customerForSaving(ctx, &Payment{MerchantID: m.MerchantID, CustomerID: m.CustomerID})
	if err != nil {
		return nil, err
	}
	if customer == nil {
		return nil, NotFound("Customer")
	}
	s := &saving{at: now}
	err = e.keptCard(ctx, m.MerchantID, cardToKeep{customerID: m.CustomerID, number: in.Number, facts: c.facts, holder: in.Holder,
		nickname: in.Nickname, kind: c.methodType(m.Details.Type)}, s, now)
	if err != nil {
		return nil, err
	}
	var empty *PaymentMethod
	if s.newMethod { // it becomes this record's card
		kept := s.method
		m.Fingerprint, m.HasCard, m.Details.Card, m.Details.Method, m.Details.Type = kept.Fingerprint, true, kept.Details.Card, kept.Details.Method, kept.Details.Type
		m.Private.Holder, m.Private.Nickname = kept.Private.Holder, kept.Private.Nickname
		s.method, s.newMethod = m, false
		if err := e.vaultCard(m, in.Number, nil, s, now); err != nil {
			return nil, err
		}
	} else {
		row := *m
		empty = &row
		empty.bury(MethodInactive, now)
	}
	s.method.Status, s.method.ModifiedAt = MethodActive, now
	if customer.DefaultMethodID == "" {
		customer.DefaultMethodID, customer.ModifiedAt = s.method.ID, now
		s.customer = customer
	}
	if err := e.sealMethod(s.method); err != nil {
		return nil, err
	}
	return s.method, e.store.Update(ctx, func(tx Tx) error {
		if empty != nil {
			row := *empty
			if err := tx.UpdatePaymentMethod(&row); err != nil {
				return err
			}
		}
		return s.write(tx)
	})
}

// bury empties a method for good; its card goes with DeleteCard.
func (m *PaymentMethod) bury(s MethodStatus, now time.Time) {
	m.Status, m.Deleted, m.Fingerprint, m.HasCard, m.ModifiedAt = s, true, "", false, now
	m.Details = MethodDetails{Method: m.Details.Method, Type: m.Details.Type}
	m.Sealed, m.Private = nil, nil
}

// DeletePaymentMethod destroys a saved card with its key, and revokes its mandates. It is final; a second time changes nothing and is
// no error. With an ephemeral key only its customer's. Errors: HE_02.
func (e *Engine) DeletePaymentMethod(ctx context.Context, a Auth, id string) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		m, err := tx.PaymentMethod(a.MerchantID, id)
		if err != nil {
			return missing(err, NotFound("Payment method"))
		}
		switch {
		case m.Status == MethodRedacted, a.CustomerID != "" && a.CustomerID != m.CustomerID:
			return NotFound("Payment method")
		case m.Deleted:
			return nil
		}
		if err := deleteMethod(tx, m, MethodInactive); err != nil {
			return err
		}
		c, err := tx.Customer(m.MerchantID, m.CustomerID)
		if errors.Is(err, ErrNotFound) || err == nil && c.DefaultMethodID != m.ID {
			return nil
		}
		if err != nil {
			return err
		}
		c.DefaultMethodID, c.ModifiedAt = "", tx.Now()
		return tx.UpdateCustomer(c)
	})
	return ours(err, "delete payment method")
}

// deleteMethod destroys a method's card and revokes its mandates.
func deleteMethod(tx Tx, m *PaymentMethod, s MethodStatus) error {
	now := tx.Now()
	if m.HasCard {
		if err := tx.DeleteCard(m.MerchantID, m.ID); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	list, err := tx.Mandates(m.MerchantID, MandateFilter{CustomerID: m.CustomerID, MethodID: m.ID})
	if err != nil {
		return err
	}
	for _, n := range list {
		if n.Status == MandateRevoked {
			continue
		}
		n.Status, n.ModifiedAt = MandateRevoked, now
		if err := tx.UpdateMandate(n); err != nil {
			return err
		}
	}
	m.bury(s, now)
	return tx.UpdatePaymentMethod(m)
}

// SetDefaultPaymentMethod makes one of a customer's active methods the one that is offered first. Errors: HE_02 and IR_11 for the
// customer, IR_15 for an ephemeral key of another, IR_16 for a method that is not theirs or is the default already.
func (e *Engine) SetDefaultPaymentMethod(ctx context.Context, a Auth, customerID, id string) (*PaymentMethod, error) {
	if a.CustomerID != "" && a.CustomerID != customerID {
		return nil, notThatCustomer()
	}
	var m *PaymentMethod
	err := e.store.Update(ctx, func(tx Tx) error {
		c, err := e.livingCustomer(tx, a, customerID)
		if err != nil {
			return err
		}
		if m, err = tx.PaymentMethod(a.MerchantID, id); err != nil {
			return missing(err, Refused("The payment_method_id is not valid"))
		}
		switch {
		case m.CustomerID != customerID, m.Deleted, m.Status != MethodActive:
			return Refused("The payment_method_id is not valid")
		case c.DefaultMethodID == id:
			return Refused("Payment Method is already set as default")
		}
		c.DefaultMethodID, c.ModifiedAt = id, tx.Now()
		return tx.UpdateCustomer(c)
	})
	if err != nil {
		return nil, ours(err, "set default payment method")
	}
	return m, nil
}

func notThatCustomer() *Error {
	return &Error{Kind: KindUnauthorized, Code: "IR_15", Message: "Invalid Ephemeral Key for the customer"}
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
