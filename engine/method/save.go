package method

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// SaveUsage returns the usage that a payment's card is saved for (on_session, off_session), or "" if the card is not saved. The customer must
// have agreed. A saved method is saved again only if the customer agrees with this very request.
func SaveUsage(p *payment.Payment, in *request.Input, i *Instrument) sdk.CredentialUsage {
	switch {
	case p.Private.Acceptance == nil, p.CustomerID == "":
		return ""
	case i != nil && (i.Method == nil || i.MerchantInitiated || in.Acceptance == nil && in.MandateData == nil):
		return ""
	case p.Details.SetupFutureUsage == sdk.UsageOffSession:
		return sdk.UsageOffSession
	}
	return sdk.UsageOnSession
}

// SaveTries counts failures to save a payment's card. The payment comes first: after saveLimit it settles without saving the card. The zero
// value has counted nothing.
type SaveTries int

const (
	saveLimit   = 100
	saveFailure = 20
)

// Count counts one failure: 1 if another writer was faster, saveFailure for any other error.
func (t *SaveTries) Count(err error) {
	if errors.Is(err, fault.ErrConflict) {
		*t++
		return
	}
	*t += saveFailure
}

func (t SaveTries) exhausted() bool { return t >= saveLimit }

var (
	errSaveLimit = errors.New("the card could not be written")
	// errCardGone says that the number of the card to save was destroyed.
	errCardGone = errors.New("the card number is not kept any more")
)

// SaveInput is the input of DecideSaved: a payment whose operation was judged.
type SaveInput struct {
	// Payment and Attempt are the rows after the verdict. DecideSaved writes the ids of the saved method and of the mandate into them.
	Payment *payment.Payment
	Attempt *payment.Attempt
	// Operation is the row before the verdict, with the sealed card.
	Operation *payment.Operation
	// Number is the card number if this node still has it; zero: DecideSaved opens the operation's card.
	Number secret.Value
	// Tries counts over all decisions about one operation.
	Tries *SaveTries
}

// DecideSaved decides how a verdict changes the card that the customer agreed to save. It records the method as inactive unless the processor
// has refused the payment. The processor's approval activates the method and adds credentials and mandate. DecideSaved writes nothing to the
// store: the caller commits the result with the payment, or decides again on fresh rows.
func (s *Methods) DecideSaved(ctx context.Context, in SaveInput, now time.Time) (*SavedChange, error) {
	p, a := in.Payment, in.Attempt
	switch in.Operation.Kind {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
	default:
		return s.LateReference(ctx, p, a, now)
	}
	c := &SavedChange{usedAt: now}
	if d := a.Details.ConnectorData; d != nil && d.Customer != "" && p.CustomerID != "" && a.Status.Approved() {
		c.account = &CustomerAccount{MerchantID: p.MerchantID, CustomerID: p.CustomerID, AccountID: a.AccountID, Version: d.Version, Data: d.Customer}
	}
	if a.Status.Refused() {
		if a.Details.Mandate != "" && a.Status != payment.IntegrityFailure { // the processor may have taken money in spite of its odd answer
			c.giveBack = &mandateCharge{p.MerchantID, a.Details.Mandate, p.ID}
		}
		return c, nil
	}
	if a.Details.Save == "" {
		return c, nil
	}
	methodID, mandateID := a.Details.MethodID, p.Details.MandateID
	err := errSaveLimit
	if !in.Tries.exhausted() {
		if err = s.saveCard(ctx, in, c, now); err == nil {
			return c, nil
		}
		in.Tries.Count(err)
		if !in.Tries.exhausted() && !errors.Is(err, errCardGone) {
			return nil, err
		}
	}
	s.log.LogAttrs(ctx, slog.LevelError, "card not saved", slog.String("payment_id", p.ID), slog.Any("error", err))
	a.Details.MethodID, p.Details.MandateID = methodID, mandateID
	return &SavedChange{account: c.account, usedAt: now, Alarm: alarm.CardNotSaved}, nil
}

func (s *Methods) saveCard(ctx context.Context, in SaveInput, c *SavedChange, now time.Time) error {
	p, a := in.Payment, in.Attempt
	done := a.Status.Approved()
	if a.Details.MethodID != "" && !done {
		return nil // the method is recorded already, and the approval is still open
	}
	customer, err := s.customerForSaving(ctx, p.MerchantID, p.CustomerID)
	if customer == nil || err != nil {
		return err // nothing is saved for a customer who was deleted meanwhile
	}
	if a.Details.MethodID != "" {
		c.Method, err = s.ReadMethod(ctx, p.MerchantID, a.Details.MethodID)
		if fault.IsNotFound(err) { // deleted meanwhile
			c.Method = nil
			return nil
		}
	} else {
		err = s.recordCard(ctx, in, c, now)
	}
	if err != nil {
		return err
	}
	m := c.Method
	a.Details.MethodID = m.ID
	m.ModifiedAt = now
	m.Private.Consent = consentOf(p, a, now)
	if p.Private.MethodBilling != nil {
		m.Private.Billing = p.Private.MethodBilling
	} else if p.Private.Billing != nil {
		m.Private.Billing = p.Private.Billing
	}
	if done {
		m.Status = MethodActive
		m.addCredentials(p, a, now)
		c.offerFirst(customer, now)
	}
	if err := s.saveMandate(ctx, p, a, c, now); err != nil {
		return err
	}
	return s.sealMethod(m)
}

// offerFirst makes the saved method the customer's default if the customer has none.
func (c *SavedChange) offerFirst(customer *account.Customer, now time.Time) {
	if customer.DefaultMethodID == "" {
		customer.DefaultMethodID, customer.ModifiedAt = c.Method.ID, now
		c.customer = customer
	}
}

// customerForSaving reads the customer whose card is saved. It returns nil if the customer was deleted.
func (s *Methods) customerForSaving(ctx context.Context, merchantID, id string) (c *account.Customer, err error) {
	err = s.read(ctx, "read customer", func(r Reader) (err error) { c, err = r.Customer(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) || err == nil && c.Redacted {
		return nil, nil
	}
	return c, err
}

// recordCard puts a payment's card into c: on the customer's record of that card, or on a new record.
func (s *Methods) recordCard(ctx context.Context, in SaveInput, c *SavedChange, now time.Time) error {
	p, a, op := in.Payment, in.Attempt, in.Operation
	number := in.Number
	if number.IsZero() { // this node took the operation over from another
		secrets, err := s.vault.OpenSecrets(ctx, op.Instrument, op.MerchantID, op.ShortTermID())
		if err != nil && !errors.Is(err, vault.ErrShredded) {
			return err
		}
		number = secrets.Number
	}
	if a.Details.Card == nil {
		return errCardGone
	}
	card := cardToSave{customerID: p.CustomerID, number: number, facts: *a.Details.Card, kind: a.Details.PaymentMethodType}
	if a.Private != nil {
		card.holder, card.nickname = a.Private.Holder, a.Private.Nickname
	}
	if !number.IsZero() {
		return s.putCard(ctx, p.MerchantID, card, c, now)
	}
	// The number was destroyed before there was evidence of the payment. The processor's own credential can still be charged.
	if a.Details.StoredCredential == nil || a.Details.Save != sdk.UsageOffSession {
		return errCardGone
	}
	c.newMethod = true
	c.Method = newMethod(p.MerchantID, p.CustomerID, now)
	c.Method.Details.Card, c.Method.Details.Method, c.Method.Details.Type = &card.facts, payment.MethodCard, card.kind
	c.Method.Private.Holder, c.Method.Private.Nickname = card.holder, card.nickname
	return nil
}

// newMethod returns an inactive record without a card.
func newMethod(merchantID, customerID string, now time.Time) *PaymentMethod {
	id := ids.At(methodPrefix, now)
	return &PaymentMethod{MerchantID: merchantID, ID: id, CustomerID: customerID, Status: MethodInactive, LastUsedAt: now, CreatedAt: now,
		ModifiedAt: now, Private: &Private{ClientSecret: id + "_secret_" + ids.Random(20)}}
}

// cardToSave is a card with the texts for its record.
type cardToSave struct {
	customerID       string
	number           secret.Value
	facts            card.Facts
	holder, nickname string
	kind             string // credit, debit
}

// putCard puts a customer's card into c: on the record of that card with the new expiry and names, or on a new record that is inactive.
func (s *Methods) putCard(ctx context.Context, merchantID string, in cardToSave, c *SavedChange, now time.Time) error {
	fingerprint := s.vault.Fingerprint(merchantID, in.number)
	var old *vault.StoredCard
	err := s.read(ctx, "read payment method", func(r Reader) (err error) {
		if c.Method, err = r.PaymentMethodByFingerprint(merchantID, in.customerID, fingerprint); err != nil || !c.Method.HasCard {
			return err
		}
		if old, err = r.Card(merchantID, c.Method.ID); errors.Is(err, fault.ErrNotFound) {
			old, err = nil, nil // sealCard inserts it again
		}
		return err
	})
	switch {
	case errors.Is(err, fault.ErrNotFound):
		c.newMethod = true
		c.Method = newMethod(merchantID, in.customerID, now)
		c.Method.Fingerprint = fingerprint
	case err != nil:
		return err
	default:
		if err := s.openMethod(c.Method); err != nil {
			return err
		}
	}
	m := c.Method
	m.HasCard, m.Details.Card, m.Details.Method = true, &in.facts, payment.MethodCard
	optional.SetText(&m.Details.Type, in.kind)
	optional.SetText(&m.Private.Holder, in.holder)
	optional.SetText(&m.Private.Nickname, in.nickname)
	return s.sealCard(m, in.number, old, c, now)
}

// sealCard seals a method's card for the vault, with expiry and holder from the method's record. old is the row to replace, or nil.
func (s *Methods) sealCard(m *PaymentMethod, number secret.Value, old *vault.StoredCard, c *SavedChange, now time.Time) (err error) {
	c.card, err = s.vault.SealCard(m.MerchantID, m.ID, &card.Input{Number: number, ExpMonth: m.Details.Card.ExpMonth, ExpYear: m.Details.Card.ExpYear,
		Holder: secret.New(m.Private.Holder)})
	if err != nil {
		return fault.Internal(err, "seal card")
	}
	c.card.CreatedAt, c.card.ModifiedAt = now, now
	if c.newCard = old == nil; !c.newCard {
		c.card.CreatedAt, c.card.Version = old.CreatedAt, old.Version
	}
	return nil
}

// addCredentials records what later charges of the method refer to: the customer's authentication. If the customer agreed to charges without
// the customer, it also records the network's transaction id and the processor's reference.
func (m *PaymentMethod) addCredentials(p *payment.Payment, a *payment.Attempt, now time.Time) {
	if i := initialAuthentication(a, p, now); i != nil {
		m.Details.Initial = i
	}
	if a.Details.Save != sdk.UsageOffSession {
		return
	}
	optional.SetText(&m.Details.NetworkTransactionID, a.Details.NetworkTransactionID)
	at := MethodAccount{Connector: a.Connector, Credential: a.Details.StoredCredential, Currency: p.Currency, PaymentID: p.ID, At: now}
	if c := a.Details.ConnectorData; c != nil {
		at.DataVersion, at.Data, at.CustomerData = c.Version, c.Method, c.Customer
	}
	if at.Credential == nil && at.Data == "" {
		return
	}
	if m.Details.Accounts == nil {
		m.Details.Accounts = map[string]MethodAccount{}
	}
	m.Details.Accounts[a.AccountID] = at
}

// LateReference decides how a reference that the processor made after its approval changes the saved method. It returns nil if nothing changes:
// the card is not saved for charges without the customer; the method was deleted; or the account already has this payment's reference or that
// of a later payment.
func (s *Methods) LateReference(ctx context.Context, p *payment.Payment, a *payment.Attempt, now time.Time) (*SavedChange, error) {
	if a.Details.StoredCredential == nil || a.Details.Save != sdk.UsageOffSession || a.Details.MethodID == "" || !a.Status.Approved() {
		return nil, nil
	}
	m, err := s.ReadMethod(ctx, a.MerchantID, a.Details.MethodID)
	if fault.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch known := m.Details.Accounts[a.AccountID]; {
	case known.PaymentID == p.ID && known.Credential != nil, known.PaymentID != p.ID && known.At.After(a.CreatedAt):
		return nil, nil
	}
	m.addCredentials(p, a, now)
	m.ModifiedAt = now
	if err := s.sealMethod(m); err != nil {
		return nil, err
	}
	return &SavedChange{Method: m, usedAt: a.CreatedAt}, nil // the reference is new; the last use is the payment's
}

// consentOf returns the evidence of the customer's agreement.
func consentOf(p *payment.Payment, a *payment.Attempt, now time.Time) *Consent {
	d := &p.Details
	c := &Consent{At: now, PaymentID: p.ID, Usage: a.Details.Save, Amount: p.NetAmount, Currency: p.Currency, Description: d.Description,
		Descriptor: d.DescriptorName, Mandate: d.Mandate}
	if p.Private.Acceptance != nil {
		c.Acceptance = *p.Private.Acceptance
	}
	return c
}

// saveMandate puts the payment's mandate into c: a new one, or the existing one, which the approval activates.
func (s *Methods) saveMandate(ctx context.Context, p *payment.Payment, a *payment.Attempt, c *SavedChange, now time.Time) (err error) {
	terms := p.Details.Mandate
	if terms == nil {
		return nil
	}
	status := MandateInactive
	if a.Status.Approved() {
		status = MandateActive
	}
	if p.Details.MandateID != "" {
		err = s.read(ctx, "read mandate", func(r Reader) (err error) {
			c.mandate, err = r.Mandate(p.MerchantID, p.Details.MandateID)
			return err
		})
		if err != nil {
			return err
		}
		if c.mandate.Status == MandateInactive {
			c.mandate.Status = status
		}
		c.mandate.MethodID, c.mandate.ModifiedAt = c.Method.ID, now
		return nil
	}
	c.newMandate = true
	c.mandate = &Mandate{MerchantID: p.MerchantID, ID: ids.At("man_", now), CustomerID: p.CustomerID, MethodID: c.Method.ID, PaymentID: p.ID,
		Status: status, CreatedAt: now, ModifiedAt: now, Details: MandateDetails{Terms: *terms}, Private: &MandatePrivate{Acceptance: p.Private.Acceptance}}
	p.Details.MandateID = c.mandate.ID
	c.mandate.Sealed, err = s.vault.SealJSON(c.mandate.Private, vault.MandateAD(c.mandate.MerchantID, c.mandate.ID))
	return err
}

// initialAuthentication returns the authentication that later charges of a saved method refer to. It returns nil if this switch did not
// authenticate the customer.
func initialAuthentication(a *payment.Attempt, p *payment.Payment, now time.Time) *InitialAuthentication {
	s := a.Details.Authentication
	if s == nil || s.Status != authentication.StatusSuccess || s.ACSTransID == "" {
		return nil
	}
	i := &InitialAuthentication{ACSTransID: s.ACSTransID, DSTransID: s.DSTransID, At: now, Method: "01", Amount: a.Amount, Currency: p.Currency,
		NetworkTransactionID: a.Details.NetworkTransactionID, Acquirer: a.AccountID}
	if s.Flow == authentication.FlowChallenge {
		i.Method = "02"
	}
	return i
}
