package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/sdk"
)

// savesAs is the usage a payment's card is to be kept for, "" when it is not: the customer must have agreed, and there must be one. A
// saved method is only kept anew when they agree with this very call.
func savesAs(p *Payment, in *PaymentInput, u *use) string {
	switch {
	case p.Private.Acceptance == nil, p.CustomerID == "":
		return ""
	case u != nil && (u.method == nil || u.mit || in.Acceptance == nil && in.MandateData == nil):
		return ""
	case p.Details.SetupFutureUsage == usageOffSession:
		return usageOffSession
	}
	return usageOnSession
}

// saveLimit bounds how long a payment waits for its card to be kept, money going before: a failure counts for saveFailure, a record that
// someone else changed first for one.
const (
	saveLimit   = 100
	saveFailure = 20
)

// bookMethod works out what a verdict means for the card that the customer agreed to have kept: a record as soon as the processor has
// not refused (inactive until it approves), credentials and mandate with its approval. The booking's payment and attempt get the ids.
// It reads, and writes nothing; what it returns is written with the booking, or thrown away and computed anew from fresher rows.
func (e *Engine) bookMethod(ctx context.Context, w *work, b *booking, now time.Time) (*saving, error) {
	switch b.op.Kind {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
	default:
		return e.lateReference(ctx, b, now)
	}
	s := &saving{payment: b.p, at: now}
	if c := b.a.Details.ConnectorData; c != nil && c.Customer != "" && b.p.CustomerID != "" && approved(b.a.Status) {
		s.account = &CustomerAccount{MerchantID: b.p.MerchantID, CustomerID: b.p.CustomerID, AccountID: b.a.AccountID, Version: c.Version, Data: c.Customer}
	}
	if refused(b.a.Status) {
		if b.a.Details.Mandate != "" {
			s.giveBack = b.a
		}
		return s, nil
	}
	if b.a.Details.Save == "" {
		return s, nil
	}
	err := errSaveLimit
	if w.saveTries < saveLimit {
		if err = e.saveCard(ctx, w, b, s, now); err == nil {
			return s, nil
		}
		w.saveTries += saveFailure
		if w.saveTries < saveLimit && !errors.Is(err, errCardGone) {
			return nil, err
		}
	}
	e.log.LogAttrs(ctx, slog.LevelError, "card not saved", slog.String("payment_id", b.p.ID), slog.Any("error", err))
	b.alarms = append(b.alarms, "card_not_saved")
	b.a.Details.MethodID, b.p.Details.MandateID = w.a.Details.MethodID, w.p.Details.MandateID
	return &saving{payment: b.p, at: now, account: s.account}, nil
}

func (e *Engine) saveCard(ctx context.Context, w *work, b *booking, s *saving, now time.Time) error {
	done := approved(b.a.Status)
	if b.a.Details.MethodID != "" && !done {
		return nil // recorded already, and nothing new to tell
	}
	customer, err := e.customerForSaving(ctx, b.p)
	if customer == nil || err != nil {
		return err // a customer who was deleted meanwhile has nothing saved
	}
	if b.a.Details.MethodID != "" {
		s.method, err = e.readMethod(ctx, b.p.MerchantID, b.a.Details.MethodID)
		if e := new(Error); errors.As(err, &e) && e.Kind == KindNotFound {
			s.method = nil
			return nil // deleted meanwhile
		}
	} else {
		err = e.recordCard(ctx, w, b, s, now)
	}
	if err != nil {
		return err
	}
	m := s.method
	b.a.Details.MethodID = m.ID
	m.ModifiedAt = now
	m.Private.Consent = consentOf(b.p, b.a, now)
	if b.p.Private.MethodBilling != nil {
		m.Private.Billing = b.p.Private.MethodBilling
	} else if b.p.Private.Billing != nil {
		m.Private.Billing = b.p.Private.Billing
	}
	if done {
		m.Status = MethodActive
		m.keepCredentials(b.p, b.a, now)
		if customer.DefaultMethodID == "" {
			customer.DefaultMethodID, customer.ModifiedAt = m.ID, now
			s.customer = customer
		}
	}
	if err := e.bookMandate(ctx, b, s, now); err != nil {
		return err
	}
	return e.sealMethod(m)
}

// keepCardOf records the card that a node which died was to keep, while it can still be read: evidence of the payment may come when card
// and CVC have been destroyed.
func (e *Engine) keepCardOf(ctx context.Context, w *work) {
	if w.a.Details.Save == "" || w.a.Details.MethodID != "" || len(w.op.Instrument) == 0 || refused(w.a.Status) || approved(w.a.Status) {
		return
	}
	if w.op.Status == OperationUnknown && w.op.LastSendAt.IsZero() {
		return // it is about to be sent, with the card in hand
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	b := booking{p: w.p.clone(), a: w.a.clone(), op: w.op}
	s, err := e.bookMethod(ctx, w, &b, now)
	if err == nil && s != nil && s.method != nil {
		if err = e.commit(ctx, &Change{Payment: b.p, Attempt: b.a, Saved: s}); err == nil {
			w.p, w.a, w.method = b.p, b.a, s.method
		}
	}
	if err != nil { // the next try, or the settling itself, does it
		e.log.LogAttrs(ctx, slog.LevelWarn, "card not kept yet", slog.String("operation_id", w.op.ID), slog.Any("error", err))
	}
}

// customerForSaving is the customer whose card is kept, nil when they were deleted.
func (e *Engine) customerForSaving(ctx context.Context, p *Payment) (c *Customer, err error) {
	err = e.read(ctx, "read customer", func(r Reader) (err error) { c, err = r.Customer(p.MerchantID, p.CustomerID); return err })
	if errors.Is(err, ErrNotFound) || err == nil && c.Redacted {
		return nil, nil
	}
	return c, err
}

// recordCard finds the customer's record of the card, with what is newer on it, or makes one.
func (e *Engine) recordCard(ctx context.Context, w *work, b *booking, s *saving, now time.Time) error {
	number := w.secrets.Number
	if number.IsZero() { // a node that died left the operation to us
		secrets, err := e.vault.openSecrets(ctx, w.op.Instrument, w.op.MerchantID, w.op.ShortTermID())
		if err != nil && !errors.Is(err, errShredded) {
			return err
		}
		number = secrets.Number
	}
	if b.a.Details.Card == nil {
		return errCardGone
	}
	facts := *b.a.Details.Card
	if number.IsZero() { // it was destroyed before there was evidence: what is left is the processor's own credential
		if b.a.Details.StoredCredential == nil || b.a.Details.Save != usageOffSession {
			return errCardGone
		}
		s.newMethod = true
		s.method = newMethod(b.p.MerchantID, b.p.CustomerID, now)
		s.method.Details.Card, s.method.Details.Method, s.method.Details.Type = &facts, methodCard, b.a.Details.PaymentMethodType
		if b.a.Private != nil {
			s.method.Private.Holder, s.method.Private.Nickname = b.a.Private.Holder, b.a.Private.Nickname
		}
		return nil
	}
	in := cardToKeep{customerID: b.p.CustomerID, number: number, facts: facts, kind: b.a.Details.PaymentMethodType}
	if b.a.Private != nil {
		in.holder, in.nickname = b.a.Private.Holder, b.a.Private.Nickname
	}
	return e.keptCard(ctx, b.p.MerchantID, in, s, now)
}

var errSaveLimit = errors.New("it could not be written")

// errCardGone says that a card that was to be kept is not there any more.
var errCardGone = errors.New("the card is not known any more")

// newMethod is an inactive record without a card.
func newMethod(merchantID, customerID string, now time.Time) *PaymentMethod {
	id := idAt(methodPrefix, now)
	return &PaymentMethod{MerchantID: merchantID, ID: id, CustomerID: customerID, Status: MethodInactive, LastUsedAt: now, CreatedAt: now,
		ModifiedAt: now, Private: &MethodPrivate{ClientSecret: id + "_secret_" + randomText(20)}}
}

// cardToKeep is a card with what belongs on its record.
type cardToKeep struct {
	customerID       string
	number           Secret
	facts            CardFacts
	holder, nickname string
	kind             string // credit, debit
}

// keptCard puts a customer's card into s: the record there is, with expiry and names of the newer entry, or a new one that is
// inactive.
func (e *Engine) keptCard(ctx context.Context, merchantID string, in cardToKeep, s *saving, now time.Time) error {
	fingerprint := e.vault.Fingerprint(merchantID, in.number)
	var old *StoredCard
	err := e.read(ctx, "read payment method", func(r Reader) (err error) {
		if s.method, err = r.PaymentMethodByFingerprint(merchantID, in.customerID, fingerprint); err != nil || !s.method.HasCard {
			return err
		}
		if old, err = r.Card(merchantID, s.method.ID); errors.Is(err, ErrNotFound) {
			old, err = nil, nil // it is put back
		}
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound):
		s.newMethod = true
		s.method = newMethod(merchantID, in.customerID, now)
		s.method.Fingerprint = fingerprint
	case err != nil:
		return err
	default:
		if err := e.openMethod(s.method); err != nil {
			return err
		}
	}
	m := s.method
	m.HasCard, m.Details.Card, m.Details.Method = true, &in.facts, methodCard
	setText(&m.Details.Type, in.kind)
	setText(&m.Private.Holder, in.holder)
	setText(&m.Private.Nickname, in.nickname)
	return e.vaultCard(m, in.number, old, s, now)
}

// vaultCard seals a method's card as its record says it is now.
func (e *Engine) vaultCard(m *PaymentMethod, number Secret, old *StoredCard, s *saving, now time.Time) (err error) {
	s.card, err = e.vault.SealCard(m.MerchantID, m.ID, CardData{Number: number, ExpMonth: m.Details.Card.ExpMonth, ExpYear: m.Details.Card.ExpYear,
		Holder: NewSecret(m.Private.Holder)})
	if err != nil {
		return Internal(err, "seal card")
	}
	s.card.CreatedAt, s.card.ModifiedAt = now, now
	if s.newCard = old == nil; !s.newCard {
		s.card.CreatedAt, s.card.Version = old.CreatedAt, old.Version
	}
	return nil
}

// keepCredentials notes by what the method can be charged again: where the customer agreed to charges without them.
func (m *PaymentMethod) keepCredentials(p *Payment, a *Attempt, now time.Time) {
	if i := initialAuthentication(a, p, now); i != nil {
		m.Details.Initial = i
	}
	if a.Details.Save != usageOffSession {
		return
	}
	setText(&m.Details.NetworkTransactionID, a.Details.NetworkTransactionID)
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

// consentOf is the evidence of the customer's agreement.
func consentOf(p *Payment, a *Attempt, now time.Time) *Consent {
	d := &p.Details
	c := &Consent{At: now, PaymentID: p.ID, Usage: a.Details.Save, Amount: p.NetAmount, Currency: p.Currency, Description: d.Description,
		Descriptor: d.DescriptorName, Mandate: d.Mandate}
	if p.Private.Acceptance != nil {
		c.Acceptance = *p.Private.Acceptance
	}
	return c
}

// bookMandate makes the mandate that the payment was made with, or activates it.
func (e *Engine) bookMandate(ctx context.Context, b *booking, s *saving, now time.Time) (err error) {
	terms := b.p.Details.Mandate
	if terms == nil {
		return nil
	}
	status := MandateInactive
	if approved(b.a.Status) {
		status = MandateActive
	}
	if b.p.Details.MandateID != "" {
		err = e.read(ctx, "read mandate", func(r Reader) (err error) {
			s.mandate, err = r.Mandate(b.p.MerchantID, b.p.Details.MandateID)
			return err
		})
		if err != nil {
			return err
		}
		if s.mandate.Status == MandateInactive {
			s.mandate.Status = status
		}
		s.mandate.MethodID, s.mandate.ModifiedAt = s.method.ID, now
		return nil
	}
	s.newMandate = true
	s.mandate = &Mandate{MerchantID: b.p.MerchantID, ID: idAt("man_", now), CustomerID: b.p.CustomerID, MethodID: s.method.ID, PaymentID: b.p.ID,
		Status: status, CreatedAt: now, ModifiedAt: now, Details: MandateDetails{Terms: *terms}, Private: &MandatePrivate{Acceptance: b.p.Private.Acceptance}}
	b.p.Details.MandateID = s.mandate.ID
	s.mandate.Sealed, err = e.vault.sealJSON(s.mandate.Private, mandateAD(s.mandate.MerchantID, s.mandate.ID))
	return err
}

// initialAuthentication is the authentication that later charges of a saved method refer to; nil when the customer was not authenticated
// by us.
func initialAuthentication(a *Attempt, p *Payment, now time.Time) *InitialAuthentication {
	s := a.Details.Authentication
	if s == nil || s.Status != "success" || s.ACSTransID == "" {
		return nil
	}
	i := &InitialAuthentication{ACSTransID: s.ACSTransID, DSTransID: s.DSTransID, At: now, Method: "01", Amount: a.Amount, Currency: p.Currency,
		NetworkTransactionID: a.Details.NetworkTransactionID, Acquirer: a.AccountID}
	if s.Flow == "challenge" {
		i.Method = "02"
	}
	return i
}
