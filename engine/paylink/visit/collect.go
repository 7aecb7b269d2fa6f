package visit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
)

// accountCollect is pm_collect_link_config of an account.
type accountCollect struct {
	Domain  string          `json:"domain_name"`
	Framers *[]string       `json:"allowed_domains"`
	Logo    string          `json:"logo"`
	Name    string          `json:"merchant_name"`
	Theme   string          `json:"theme"`
	Methods json.RawMessage `json:"enabled_payment_methods"`
}

// everyMethod lists the methods that a collect link takes if neither request nor account names any.
const everyMethod = `[{"payment_method":"card","payment_method_types":["credit","debit"]},{"payment_method":"bank_transfer","payment_method_types":["ach","bacs","sepa"]},` +
	`{"payment_method":"wallet","payment_method_types":["paypal","pix","venmo"]}]`

// CreateCollect makes a collect link. Errors: IR_06 (422) for an unknown customer, IR_38 for an id that is taken.
func (s *Links) CreateCollect(ctx context.Context, a account.Auth, in paylink.Collect) (*paylink.Link, error) {
	m, err := s.Registry.Dir.Merchant(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	var own accountCollect
	if raw := account.DetailsOf(m.Details)["pm_collect_link_config"]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &own); err != nil {
			return nil, fault.Internal(err, "read pm_collect_link_config")
		}
	}
	if err := s.customer(ctx, a, in.CustomerID); fault.IsNotFound(err) {
		return nil, fault.Unprocessable("customer_id", fmt.Sprintf("customer [%s] not found for merchant [MerchantId(%q)]", in.CustomerID, a.MerchantID)).WithHint("Send the id of a customer of this merchant.")
	} else if err != nil {
		return nil, err
	}
	l := &paylink.Link{MerchantID: a.MerchantID, Kind: paylink.ForCollect, ID: in.ID, Subject: in.CustomerID, Status: paylink.Initiated,
		CreatedAt: s.Now().UTC().Truncate(time.Millisecond)}
	if l.ID == "" {
		l.ID = "pm_collect_link_" + ids.Random(20)
	}
	l.ExpiresAt = l.CreatedAt.Add(in.Expiry())
	base := s.PublicURL
	if own.Domain != "" {
		base = "https://" + own.Domain
	}
	d := &l.Details
	d.URL, d.ReturnURL, d.Config = base+"/payment_methods/collect/"+a.MerchantID+"/"+l.ID, in.ReturnURL, in.Config
	for _, f := range []struct {
		to   *string
		from string
	}{{&d.Config.Logo, own.Logo}, {&d.Config.SellerName, own.Name}, {&d.Config.Theme, own.Theme}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	d.Config.AllowedDomains = own.Framers
	for _, methods := range []json.RawMessage{in.Methods, own.Methods, json.RawMessage(everyMethod)} {
		if len(d.Methods) == 0 {
			d.Methods = methods
		}
	}
	err = s.Store.Update(ctx, func(tx change.Tx) error { return tx.InsertLink(l) })
	if errors.Is(err, fault.ErrConflict) {
		return nil, (&fault.Error{Kind: fault.KindInvalid, Code: "IR_38", Message: "payment method collect link already exists", Hint: "Choose another pm_collect_link_id, or leave it out."}).WithParam("pm_collect_link_id")
	}
	return l, fault.FromStore(err, "store collect link")
}

// CollectPage is a collect link for a page.
type CollectPage struct {
	Link     *paylink.Link
	Merchant string // the account's name, "" without one
	Key      string // the merchant's publishable key
	Expired  bool
	Form     bool // the customer can save a card
}

// CollectPage reads what a collect link's page shows. Errors: IR_01 for an unknown merchant, IR_37 for an unknown link, IR_06 (422) for a customer who
// is gone.
func (s *Links) CollectPage(ctx context.Context, merchantID, id string) (*CollectPage, error) {
	m, name, err := s.merchant(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	l, err := s.read(ctx, merchantID, paylink.ForCollect, id,
		&fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "payment method collect link not found", Param: "collect_id", Hint: fault.CheckID})
	if err != nil {
		return nil, err
	}
	if err := s.customer(ctx, account.Auth{MerchantID: merchantID}, l.Subject); fault.IsNotFound(err) {
		return nil, fault.Unprocessable("collect_id", fmt.Sprintf("Customer [%s] not found for link_id - %s", l.Subject, l.ID)).WithHint("Create a collect link for another customer.")
	} else if err != nil {
		return nil, err
	}
	p := &CollectPage{Link: l, Merchant: name, Key: m.PublishableKey}
	if l.Status == paylink.Initiated {
		p.Expired = l.Expired(s.Now())
		p.Form = !p.Expired
	}
	return p, nil
}

// SaveCollected saves the card of a collect link's form, and ends the link. The card comes first: a link that says so has a saved card. Two forms that
// are sent at the same moment may both save their card.
func (s *Links) SaveCollected(ctx context.Context, p *CollectPage, in *card.Input) error {
	if !p.Form {
		return fault.Refused("This link has ended").WithParam("collect_id").WithHint("Create a new collect link.")
	}
	_, err := s.Methods.CreatePaymentMethod(ctx, account.Auth{MerchantID: p.Link.MerchantID}, method.MethodInput{CustomerID: p.Link.Subject, Method: "card", Card: in})
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx change.Tx) error {
		l, err := tx.Link(p.Link.MerchantID, paylink.ForCollect, p.Link.ID)
		if err != nil || l.Status != paylink.Initiated {
			return err
		}
		l.Status = paylink.Submitted
		return tx.UpdateLinkStatus(l)
	})
	if errors.Is(err, fault.ErrConflict) {
		return nil // another form has ended the link
	}
	return fault.FromStore(err, "end collect link")
}

// customer looks for a customer who is not deleted. Error: HE_02.
func (s *Links) customer(ctx context.Context, a account.Auth, id string) error {
	c, err := s.Methods.Customer(ctx, a, id)
	if err == nil && c.Redacted {
		return fault.NotFound("Customer")
	}
	return err
}
