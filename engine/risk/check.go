package risk

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"log/slog"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Texts for payers.
const (
	textListed  = "We're unable to accept this card, please try another card or a different payment method"
	textSubtype = "This card is not accepted for this transaction, please try a different card"
	textCountry = "Cards issued in your region aren't supported for this transaction, please try a different card"
	textIssuer  = "We can't process payments from this bank, please try another card or a different payment method"
)

// code is the error_code of a payment that was stopped.
const code = "HE-03"

// refusal is why a card is not accepted.
type refusal struct {
	cause string // for metrics: list, country, type, subtype, issuer or unknown_bin
	text  string // for the payer
}

// canonical returns the number as rules compare it. No issuer's number begins with 0 (ISO/IEC 7812-1), and zeros pass the Luhn check. So a number
// with zeros in front is the number behind them.
func canonical(number secret.Value) string { return strings.TrimLeft(number.Reveal(), "0") }

// fingerprint names a card number within a merchant, as 128 hex digits: HMAC-SHA512 with a key that the vault derives for the merchant. Without the vault
// no number can be tried against it, and two merchants' fingerprints of a number cannot be compared.
func (s *Risk) fingerprint(merchantID, number string) string {
	m := hmac.New(sha512.New, s.Vault.Hash("block list fingerprint/"+merchantID, nil))
	m.Write([]byte(number))
	return hex.EncodeToString(m.Sum(nil))
}

// beginning returns the first n digits, "" for a shorter number.
func beginning(number string, n int) string {
	if len(number) < n {
		return ""
	}
	return number[:n]
}

// Lookup holds the entries of the merchant's block list and of the register of issuers about one card number.
type Lookup struct {
	merchantID  string
	number      string // canonical
	fingerprint string
	issuer      string // folded name; "" where the profile blocks no issuer
	ask         bool   // the list may have the number: the store decides
	listed      bool
	issuers     []*Issuer
}

// newLookup prepares the look-up of a number. It is nil while the merchant's guard is off.
func (s *Risk) newLookup(ctx context.Context, merchantID string, p *account.Profile, number secret.Value) (*Lookup, error) {
	value, err := s.Registry.Dir.Switch(ctx, merchantID, account.SwitchBlocklist)
	if value != "true" || err != nil {
		return nil, err
	}
	l := &Lookup{merchantID: merchantID, number: canonical(number)}
	l.fingerprint = s.fingerprint(merchantID, l.number)
	l.ask = s.mayHave(ctx, merchantID, l.data())
	if b := p.Settings.Blocking; b != nil && len(b.Issuers) > 0 {
		record, _ := s.BINTable.Record(l.number)
		l.issuer = foldIssuer(record.Issuer)
	}
	return l, nil
}

// data returns what entries may have of the number.
func (l *Lookup) data() [3]string {
	return [3]string{l.fingerprint, beginning(l.number, 6), beginning(l.number, 8)}
}

// reads reports whether read has anything to read. It is false for nil.
func (l *Lookup) reads() bool { return l != nil && (l.ask || l.issuer != "") }

// read reads the entries and the issuers. It does nothing for nil.
func (l *Lookup) read(r Reader) (err error) {
	if !l.reads() {
		return nil
	}
	if l.ask {
		found, err := r.BlockedAny(l.merchantID, l.data())
		if l.listed = len(found) > 0; l.listed || err != nil {
			return err
		}
	}
	if l.issuer != "" {
		l.issuers, err = r.IssuersNamed(l.issuer)
	}
	return err
}

// refusal compares the number with the merchant's list and then with the profile's card blocking.
func (s *Risk) refusal(l *Lookup, p *account.Profile) *refusal {
	if l.listed {
		return &refusal{"list", textListed}
	}
	return s.blocking(p.Settings.Blocking, l.number, l.issuers)
}

// lookUp reads and compares a number. The Lookup is nil while the merchant's guard is off.
func (s *Risk) lookUp(ctx context.Context, merchantID string, p *account.Profile, number secret.Value) (*refusal, *Lookup, error) {
	l, err := s.newLookup(ctx, merchantID, p, number)
	if l == nil || err != nil {
		return nil, nil, err
	}
	if l.reads() {
		if err := s.Store.View(ctx, l.read); err != nil {
			return nil, nil, fault.FromStore(err, "look up the block list")
		}
	}
	return s.refusal(l, p), l, nil
}

// blocking compares the facts of a number's issuer with a profile's card blocking. issuers are the entries of the register with the name of that issuer.
func (s *Risk) blocking(b *account.CardBlocking, number string, issuers []*Issuer) *refusal {
	if b == nil {
		return nil
	}
	facts, known := s.BINTable.Record(number)
	kind := strings.ToLower(facts.Type)
	switch {
	case !known && b.UnknownBIN:
		return &refusal{"unknown_bin", textListed}
	case facts.CountryCode != "" && slices.Contains(b.Countries, facts.CountryCode):
		return &refusal{"country", textCountry}
	case kind != "" && slices.Contains(b.Types, kind):
		return &refusal{"type", strings.ToUpper(kind[:1]) + kind[1:] + " cards are not accepted for this transaction, please try a different card"}
	case facts.Subtype != "" && slices.Contains(b.Subtypes, strings.ToLower(facts.Subtype)):
		return &refusal{"subtype", textSubtype}
	case slices.ContainsFunc(issuers, func(i *Issuer) bool { return slices.Contains(b.Issuers, i.ID) }):
		return &refusal{"issuer", textIssuer}
	}
	return nil
}

// checksCard reports whether rules look at the card of a payment: one that was typed, or one that a payment_token names.
func checksCard(w *change.Confirming) bool { return w.Instrument == nil || w.Instrument.Token != "" }

// numberOf returns the number of the card that a confirm charges, zero where payswitch does not have it.
func (s *Risk) numberOf(ctx context.Context, w *change.Confirming, c *card.Card) (secret.Value, error) {
	if !c.Secrets.Number.IsZero() || w.Instrument == nil || w.Instrument.Method == nil || !w.Instrument.Method.HasCard {
		return c.Secrets.Number, nil
	}
	var vaulted card.Card // a stored credential is charged without the number, so that c must not get it
	err := s.Methods.TakeNumber(ctx, w.Instrument.Method, &vaulted)
	return vaulted.Secrets.Number, err
}

// FailBlocked returns the change that fails a payment whose card the merchant does not accept, nil for a card that may go on. Nothing is sent. The effect of
// the change is the caller's answer (HE_03). l is what CheckTesting has read; nil: FailBlocked reads.
func (s *Risk) FailBlocked(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card, l *Lookup, now time.Time) (*change.Change, error) {
	d := &w.Payment.Details
	d.MerchantDecision, d.Fingerprint = "", ""
	if !checksCard(w) {
		return nil, nil
	}
	r, l, err := s.compareLists(ctx, w, c, l)
	if err != nil || l == nil {
		return nil, err
	}
	if r == nil {
		d.Fingerprint = l.fingerprint
		return nil, nil
	}
	if err := s.CheckFailures(ctx, w); err != nil { // the guard comes first
		return nil, err
	}
	a := w.Attempt
	facts := c.Facts
	optional.SetText(&a.Details.PaymentMethodType, c.MethodType(in.PaymentMethodType))
	a.Details.PaymentMethod, a.Details.Card, a.Details.Confirmed, a.Details.Routed = payment.MethodCard, &facts, true, nil
	a.Details.CardDiscovery = payment.DiscoveredManual
	a.Private = &payment.AttemptPrivate{Holder: contact.HolderOf(c.Holder, w.Payment.Private.MethodBilling, w.Payment.Private.Billing)}
	ch := &change.Change{Payment: w.Payment, Attempt: a, DropCard: d.Token}
	d.Token = ""
	if err := s.fail(ctx, w.Loaded, r, now); err != nil {
		return nil, err
	}
	ch.Guard = change.CountGuard(a, now)
	ch.Effects = append(ch.Effects, func(context.Context) error { return fault.Blocked(r.text) })
	return s.Changes.Announce(ctx, w.Loaded, ch.KeepCustomer(w.Loaded), now)
}

// compareLists compares the card that a confirm charges with the lists. It reads them if l is nil. The Lookup is nil if nothing is compared.
func (s *Risk) compareLists(ctx context.Context, w *change.Confirming, c *card.Card, l *Lookup) (*refusal, *Lookup, error) {
	if l != nil {
		return s.refusal(l, w.Profile), l, nil
	}
	value, err := s.Registry.Dir.Switch(ctx, w.Payment.MerchantID, account.SwitchBlocklist)
	if err != nil || value != "true" {
		return nil, nil, err
	}
	number, err := s.numberOf(ctx, w, c)
	if err != nil || number.IsZero() {
		return nil, nil, err
	}
	return s.lookUp(ctx, w.Payment.MerchantID, w.Profile, number)
}

// fail moves the payment to failed.
func (s *Risk) fail(ctx context.Context, w *change.Loaded, r *refusal, now time.Time) error {
	w.Payment.Details.MerchantDecision = "rejected"
	w.Attempt.Details.Error = &payment.AttemptError{Operation: sdk.OpAuthorize, Code: code, Message: r.text}
	w.Payment.ModifiedAt, w.Attempt.ModifiedAt = now, now
	s.Metrics.RiskRefused(r.cause)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "a rule of the merchant stopped a payment", slog.String("payment_id", w.Payment.ID), slog.String("cause", r.cause))
	if err := payment.Move(w.Payment, w.Attempt, payment.TriggerBlocked, now); err != nil {
		return fault.Internal(err, "fail a payment with a blocked card")
	}
	return nil
}

// RecheckCard looks again at the card of a payment whose authentication has ended well. It moves a payment whose card is blocked meanwhile to failed, and
// reports whether it did.
func (s *Risk) RecheckCard(ctx context.Context, w *change.Loaded, number secret.Value, now time.Time) (bool, error) {
	if w.Payment.Details.Fingerprint == "" || number.IsZero() { // no list looked at the card in the confirm, and none does now
		return false, nil
	}
	r, _, err := s.lookUp(ctx, w.Payment.MerchantID, w.Profile, number)
	if err != nil || r == nil {
		return false, err
	}
	w.Attempt.Connector, w.Attempt.AccountID, w.Attempt.AccountVersion = "", "", ""
	return true, s.fail(ctx, w, r, now)
}
