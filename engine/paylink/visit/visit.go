package visit

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Links are the use cases of links. Safe for concurrent use.
type Links struct {
	Deps
}

// Deps are the parts that Links needs. All are required.
type Deps struct {
	Store     change.Store
	Registry  *account.Registry
	Changes   *change.Changes
	Methods   *method.Methods
	Vault     *vault.Vault
	Now       port.Clock
	PublicURL string // without a trailing slash
}

// Record is a link as the API shows it.
type Record struct {
	*paylink.Link
	Expired   bool
	SecureURL string // the page for frames, "" without one
}

func (s *Links) record(l *paylink.Link) *Record {
	ref := &payment.LinkRef{ID: l.ID, SecureURL: l.Details.SecureURL, Saved: l.OffersSaved()}
	return &Record{l, l.Expired(s.Now()), paylink.SecureURL(s.Vault.Hash, l.MerchantID, ref)}
}

// PaymentPage is a payment link with its payment, for a page.
type PaymentPage struct {
	Link     *paylink.Link
	View     *change.View
	Merchant string // the account's name, "" without one
	Expired  bool
	// Form is true while the payer can pay. Otherwise the page shows how the payment stands.
	Form bool
	At   time.Time
}

func noLink() *fault.Error { return fault.NotFound("Payment Link") }

// read reads a link of a merchant. Error: missing for a link that the merchant does not have.
func (s *Links) read(ctx context.Context, merchantID string, kind paylink.Kind, id string, missing *fault.Error) (l *paylink.Link, err error) {
	err = s.Store.View(ctx, func(r change.Reader) (err error) { l, err = r.Link(merchantID, kind, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil, missing
	}
	return l, fault.FromStore(err, "read link")
}

// PaymentLink reads the record of a payment link. A publishable key needs the client secret of the payment. Errors: HE_02; IR_04, IR_08 and IR_09 for
// the client secret.
func (s *Links) PaymentLink(ctx context.Context, a account.Auth, id, clientSecret string) (*Record, error) {
	l, err := s.read(ctx, a.MerchantID, paylink.ForPayment, id, noLink())
	if err != nil {
		return nil, err
	}
	if a.ProfileID != "" && a.ProfileID != l.ProfileID {
		return nil, noLink()
	}
	record := s.record(l)
	if !a.Publishable {
		return record, nil
	}
	if clientSecret == "" {
		return nil, fault.Missing("client_secret")
	}
	w, err := s.Changes.Load(ctx, a.MerchantID, l.Subject)
	if err != nil {
		return nil, err
	}
	return record, payment.MatchSecret(w.Payment, clientSecret, s.Now())
}

// PaymentLinks lists the merchant's payment links, newest first.
func (s *Links) PaymentLinks(ctx context.Context, a account.Auth, f paylink.Filter) (records []*Record, err error) {
	if a.Publishable {
		return nil, fault.Unauthorized()
	}
	var list []*paylink.Link
	err = s.Store.View(ctx, func(r change.Reader) (err error) {
		list, err = r.Links(a.MerchantID, a.ProfileID, paylink.ForPayment, f)
		return err
	})
	for _, l := range list {
		records = append(records, s.record(l))
	}
	return records, fault.FromStore(err, "list links")
}

// merchant reads the merchant of a page. Error: IR_01 for an unknown one.
func (s *Links) merchant(ctx context.Context, id string) (*account.Merchant, string, error) {
	m, err := s.Registry.Dir.Merchant(ctx, id)
	if errors.Is(err, fault.ErrNotFound) || fault.IsNotFound(err) {
		return nil, "", fault.Unauthorized()
	}
	if err != nil {
		return nil, "", err
	}
	var name string
	_ = json.Unmarshal([]byte(m.Private["merchant_name"].Reveal()), &name) // "" without a name
	return m, name, nil
}

// PaymentPage reads what a payment link's page shows. Errors: IR_01 for an unknown merchant, HE_02 for an unknown payment and for one without a link,
// IR_04 for a payment that has no return URL.
func (s *Links) PaymentPage(ctx context.Context, merchantID, paymentID string) (*PaymentPage, error) {
	_, name, err := s.merchant(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	w, err := s.Changes.Load(ctx, merchantID, paymentID)
	if err != nil {
		return nil, err
	}
	ref := w.Payment.Details.Link
	if ref == nil {
		return nil, noLink()
	}
	l, err := s.read(ctx, merchantID, paylink.ForPayment, ref.ID, noLink())
	if err != nil {
		return nil, err
	}
	switch {
	case w.Payment.Details.ReturnURL == "" && w.Profile.Settings.ReturnURL == "":
		return nil, fault.Missing("return_url")
	case w.Payment.Private.ClientSecret == "":
		return nil, fault.Missing("client_secret")
	}
	now := s.Now()
	p := &PaymentPage{Link: l, View: s.Changes.View(w), Merchant: name, At: now, Expired: l.Expired(now) || !now.Before(w.Payment.ExpiresAt)}
	open := w.Payment.Status == payment.RequiresPaymentMethod || w.Payment.Status == payment.RequiresConfirmation
	p.Form = open && !p.Expired
	p.Expired = open && p.Expired
	return p, nil
}

// Return makes the merchant's page to which the payer goes from the status page of a link.
func (s *Links) Return(p *PaymentPage) (*change.ReturnView, error) {
	return s.Changes.LinkReturn(p.View)
}

// SavedMethods lists the customer's saved cards for the page of a link: none, unless the page for frames offers them and key is its proof.
func (s *Links) SavedMethods(ctx context.Context, p *PaymentPage, key string) ([]method.MethodItem, error) {
	if !s.ProvesSaved(p, key) {
		return nil, nil
	}
	return s.Methods.PaymentMethods(ctx, p.View.Payment, p.View.Profile, method.MethodFilter{})
}

// ProvesSaved reports whether key is the proof that a link's page may use the customer's saved cards.
func (s *Links) ProvesSaved(p *PaymentPage, key string) bool {
	right := paylink.SavedKey(s.Vault.Hash, p.Link.MerchantID, p.Link.ID)
	return p.Link.OffersSaved() && subtle.ConstantTimeCompare([]byte(key), []byte(right)) == 1
}
