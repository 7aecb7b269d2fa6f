package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// AccountInput is a connector account as sent. A zero value means that the field was not sent.
type AccountInput struct {
	ID        string // merchant_connector_id, at creation; default: a new id
	Type      Type   // connector_type
	Connector string // connector_name, at creation
	ProfileID string // at creation; default: the merchant's default profile
	Label     string // connector_label; default: {connector}_{profile name}
	// Credentials is connector_account_details: a JSON object with auth_type.
	Credentials    secret.Value
	Metadata       json.RawMessage // a JSON object
	PaymentMethods json.RawMessage // payment_methods_enabled
	TestMode       *bool
	Disabled       *bool
	Active         *bool // status
	// Merge keeps what Credentials and the objects of Fields do not name: a form that shows no secret sends only those that a person typed.
	// auth_type then follows from the keys, unless it was sent.
	Merge bool
	// Rotated is credentials_rotated: the new credentials belong to the same account at the processor, so existing payments use them too.
	Rotated bool
	// Fields are all other fields that were sent, by API name. The caller has checked their types.
	Fields Fields
}

// privateOfAccount names the fields that are sealed.
var privateOfAccount = []string{fieldCredentials, fieldWebhookSecrets, fieldWallets, fieldMerchantData}

// CreateAccount makes a connector account. A payment processor is added at the end of its profile's fallback list. Errors: HE_02 for the
// merchant or profile; IR_06 (400) for a connector without an adapter; IR_05 or IR_06 (422) for credentials that do not fit the adapter;
// HE_01 if profile and label are taken.
func (s *Registry) CreateAccount(ctx context.Context, a Auth, in AccountInput) (*Account, error) {
	var n *Account
	err := s.change(ctx, "create connector account", func(tx Tx) error {
		m, err := tx.Merchant(a.MerchantID)
		if err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		p, err := accountProfile(tx, a, m, in.ProfileID)
		if err != nil {
			return err
		}
		n = &Account{ID: in.ID, MerchantID: m.ID, ProfileID: p.ID, Connector: in.Connector, Label: in.Connector + "_" + p.Name, Active: true,
			CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
		if n.ID == "" {
			n.ID = ids.New("mca_")
		}
		if in.Credentials.IsZero() {
			in.Credentials = secret.New(`{"auth_type":"` + string(authNoKey) + `"}`)
		}
		if err := s.applyAccount(n, in); err != nil {
			return err
		}
		info, err := s.adapter(n.Connector)
		if err != nil {
			return err
		}
		n.Operator.Approve(info.Hash, info.Manifest, approval.ApprovedAtCreation, false, tx.Now())
		all, err := tx.Accounts(m.ID)
		if err != nil {
			return err
		}
		if err := labelFree(all, n); err != nil {
			return err
		}
		if err := fault.IfConflict(tx.InsertAccount(n), fault.Duplicate("The merchant connector account with the specified merchant_connector_id '"+n.ID+
			"' already exists in our records").WithHint("Choose another merchant_connector_id, or leave it out.").WithParam("merchant_connector_id")); err != nil {
			return err
		}
		return keepFallback(tx, n, n.Type == TypeProcessor)
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// UpdateAccount changes the fields that were sent. With other credentials, existing payments keep those that they were made with, unless
// in.Rotated. Errors: those of CreateAccount, and HE_02 for the account.
func (s *Registry) UpdateAccount(ctx context.Context, a Auth, id string, in AccountInput) (*Account, error) {
	var n *Account
	err := s.change(ctx, "update connector account", func(tx Tx) (err error) {
		if n, err = accountOf(tx, a, id); err != nil {
			return err
		}
		if err := s.Dir.open(n); err != nil {
			return err
		}
		was := *n
		if err := s.applyAccount(n, in); err != nil {
			return err
		}
		if err := s.moveOn(tx, &was, n, in.Rotated); err != nil {
			return err
		}
		all, err := tx.Accounts(a.MerchantID)
		if err != nil {
			return err
		}
		if err := labelFree(all, n); err != nil {
			return err
		}
		n.ModifiedAt = tx.Now()
		if err := tx.UpdateAccount(n); err != nil || was.Type == n.Type {
			return err
		}
		return keepFallback(tx, n, n.Type == TypeProcessor)
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// DeleteAccount removes a connector account, also from its profile's fallback list. What its existing payments need is kept. Errors: HE_02; IR_16 while operations on the account
// are open.
func (s *Registry) DeleteAccount(ctx context.Context, a Auth, id string) error {
	return s.change(ctx, "delete connector account", func(tx Tx) error {
		n, err := accountOf(tx, a, id)
		if err != nil {
			return err
		}
		open, err := tx.OpenOperations(a.MerchantID, id)
		if err != nil {
			return err
		}
		if open > 0 {
			return stillOpen("Connector account "+id, open, "Disable the account (disabled: true)")
		}
		if err := s.Dir.open(n); err != nil {
			return err
		}
		if err := s.supersede(tx, n); err != nil {
			return err
		}
		if err := keepFallback(tx, n, false); err != nil {
			return err
		}
		return tx.DeleteAccount(a.MerchantID, id)
	})
}

// stillOpen refuses a deletion while operations are open: without the account, payswitch could not ask for their outcome. first is the
// first step of the remedy.
func stillOpen(what string, open int, first string) *fault.Error {
	return fault.Refused(fmt.Sprintf("%s cannot be deleted while operations on it are open (%d): payswitch needs it to ask for their outcome. "+
		"%s, wait until they have ended, then delete it", what, open, first)).WithParam("merchant_connector_id").WithHint("Resolve the open operations, or wait until they have ended.")
}

// Account reads a connector account and opens its sealed part. Errors: HE_02.
func (s *Registry) Account(ctx context.Context, a Auth, id string) (n *Account, err error) {
	err = s.read(ctx, "read connector account", func(r Reader) (err error) {
		n, err = accountOf(r, a, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return n, s.Dir.open(n)
}

// Accounts lists the merchant's connector accounts by creation, with their sealed parts opened. Errors: HE_02 for the merchant.
func (s *Registry) Accounts(ctx context.Context, a Auth) (list []*Account, err error) {
	err = s.read(ctx, "list connector accounts", func(r Reader) (err error) {
		if _, err = r.Merchant(a.MerchantID); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		list, err = r.Accounts(a.MerchantID)
		return err
	})
	if a.ProfileID != "" {
		list = slices.DeleteFunc(list, func(n *Account) bool { return n.ProfileID != a.ProfileID })
	}
	for _, n := range list {
		if err == nil {
			err = s.Dir.open(n)
		}
	}
	return list, err
}

// accountOf reads a connector account that the caller may see.
func accountOf(r Reader, a Auth, id string) (*Account, error) {
	none := fault.NotFound("Merchant connector account")
	none.Reason = "merchant_connector_id " + id
	n, err := r.Account(a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(err, none)
	}
	if a.ProfileID != "" && a.ProfileID != n.ProfileID {
		return nil, none
	}
	return n, nil
}

// accountProfile returns the profile of a new connector account: the profile with the id, else the caller's profile, else the merchant's
// default profile.
func accountProfile(tx Tx, a Auth, m *Merchant, id string) (*Profile, error) {
	if id == "" {
		id = a.ProfileID
	}
	if id == "" {
		id = m.DefaultProfile
	}
	if id == "" {
		return nil, fault.Missing("profile_id")
	}
	return profileOf(tx, a, id)
}

func labelFree(all []*Account, n *Account) error {
	if slices.ContainsFunc(all, func(o *Account) bool { return o.ProfileID == n.ProfileID && o.Label == n.Label && o.ID != n.ID }) {
		return fault.Duplicate(fmt.Sprintf("The merchant connector account with the specified profile_id '%s' and connector_label '%s' already exists in our records",
			n.ProfileID, n.Label)).WithHint("Choose another connector_label.").WithParam("connector_label")
	}
	return nil
}

// keepFallback adds the account to the end of its profile's fallback list, or removes it from the list, as on says.
func keepFallback(tx Tx, n *Account, on bool) error {
	p, err := tx.Profile(n.MerchantID, n.ProfileID)
	if errors.Is(err, fault.ErrNotFound) && !on {
		return nil // the list was deleted with its profile
	}
	if err != nil {
		return fault.IfMissing(err, ProfileNotFound(n.ProfileID))
	}
	if slices.Contains(p.Fallback, n.ID) == on {
		return nil
	}
	if on {
		p.Fallback = append(p.Fallback, n.ID)
	} else {
		p.Fallback = slices.DeleteFunc(p.Fallback, func(id string) bool { return id == n.ID })
	}
	p.ModifiedAt = tx.Now()
	return tx.UpdateProfile(p)
}

// applyAccount applies the fields that were sent to an opened account, checks the account as a whole and seals it.
func (s *Registry) applyAccount(n *Account, in AccountInput) error {
	if in.Type != "" {
		n.Type = in.Type
	}
	if in.Label != "" {
		n.Label = in.Label
	}
	if len(in.Metadata) > 0 {
		n.Metadata = in.Metadata
	}
	if len(in.PaymentMethods) > 0 {
		n.PaymentMethods = in.PaymentMethods
	}
	optional.SetValue(&n.TestMode, in.TestMode)
	sent := Fields{}
	sent.put(in.Fields)
	if !in.Credentials.IsZero() {
		sent[fieldCredentials] = json.RawMessage(in.Credentials.Reveal())
	}
	fields := allFields(n.Details, n.Private)
	var err error
	if in.Merge {
		if sent, err = fields.merged(sent); err != nil {
			return err
		}
	}
	fields.put(sent)
	if n.Details, n.Private, err = fields.split(privateOfAccount); err != nil {
		return err
	}
	n.takePrivate()
	if !in.Credentials.IsZero() || len(in.Metadata) > 0 || in.Type != "" {
		if err := s.checkAccount(n); err != nil {
			return err
		}
	}
	if err := n.applyStatus(in); err != nil {
		return err
	}
	n.Sealed, err = sealPrivate(s.Vault, n.Private, vault.AccountAD(n.MerchantID, n.ID))
	return err
}

// applyStatus keeps status and disabled consistent: an inactive account is disabled, and temporary credentials make an account inactive.
func (n *Account) applyStatus(in AccountInput) error {
	temporary := n.AuthType == authTemporary
	if in.Active != nil && *in.Active && temporary {
		return fault.Unprocessable("status", "Connector status cannot be active when using TemporaryAuth").WithHint("Send status inactive, or another auth_type.")
	}
	was := n.Active
	optional.SetValue(&n.Active, in.Active)
	n.Active = n.Active && !temporary
	switch {
	case in.Disabled != nil && !*in.Disabled && !n.Active:
		return fault.Unprocessable("disabled", "Connector cannot be enabled when connector_status is inactive or when using TemporaryAuth").WithHint("Send status active, too, and other credentials than TemporaryAuth.")
	case in.Disabled != nil:
		n.Disabled = *in.Disabled
	case !n.Active:
		n.Disabled = true
	case !was:
		n.Disabled = false
	}
	return nil
}

// Fields returns the fields of an opened account as answers show them, with secrets masked.
func (n *Account) Fields() Fields {
	f := DetailsOf(n.Details)
	for name, s := range n.Private {
		f[name] = shown(name, s)
	}
	return f
}

// takePrivate sets the fields that the engine reads from Private.
func (n *Account) takePrivate() {
	n.Credentials = secret.Leaves(n.Private[fieldCredentials])
	n.AuthType = AuthType(n.Credentials["auth_type"].Reveal())
	delete(n.Credentials, "auth_type")
}

// Type is the connector_type of an account. Its constants are those that payswitch uses.
type Type string

const (
	TypeProcessor     Type = "payment_processor"
	TypeAuthenticator Type = "authentication_processor" // 3-D Secure
)

// WithWebhookSecrets returns the account's credentials with its webhook secrets added.
func (a *Account) WithWebhookSecrets() map[string]secret.Value {
	secrets := secret.Leaves(a.Private[fieldWebhookSecrets])
	if len(secrets) == 0 {
		return a.Credentials
	}
	all := maps.Clone(a.Credentials)
	if all == nil {
		all = map[string]secret.Value{}
	}
	for name, from := range map[string]string{webhookSecretCredential: "merchant_secret", webhookSecondCredential: "additional_secret"} {
		if s := secrets[from]; !s.IsZero() {
			all[name] = s
		}
	}
	return all
}

// Names of an account's webhook secrets among its credentials. They come from connector_webhook_details.merchant_secret and
// additional_secret.
const (
	webhookSecretCredential = "webhook_secret"
	webhookSecondCredential = "webhook_additional_secret"
)

// fieldWithoutCVC is the metadata field of a connector account that allows charges of saved cards without a CVC.
const fieldWithoutCVC = "saved_cards_without_cvc"

// TakesSavedCardsWithoutCVC reports whether the account charges a saved card that the customer chose without typing its CVC. The merchant says so in
// the account's metadata, because it is a matter of the contract with the processor.
func (a *Account) TakesSavedCardsWithoutCVC() bool {
	return string(DetailsOf(a.Metadata)[fieldWithoutCVC]) == "true"
}

// OfDefaultProfile returns the accounts of a list that belong to the merchant's default profile, or all of them if that profile has none.
func (s *Registry) OfDefaultProfile(ctx context.Context, merchantID string, list []*Account) ([]*Account, error) {
	m, err := s.Merchant(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var own []*Account
	for _, a := range list {
		if a.ProfileID == m.DefaultProfile {
			own = append(own, a)
		}
	}
	if len(own) == 0 {
		return list, nil
	}
	return own, nil
}
