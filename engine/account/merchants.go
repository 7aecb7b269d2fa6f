package account

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// MerchantInput is a merchant account as sent. A zero value means that the field was not sent.
type MerchantInput struct {
	ID             string
	OrganizationID string     // at creation; default: a new id
	DefaultProfile string     // at update: the id of one of the merchant's profiles
	Business       []Business // primary_business_details; nil: not sent
	// Fields are all other fields that were sent, by API name. The caller has checked their types. Profiles inherit return_url,
	// webhook_details and the fields for response hash and redirect.
	Fields Fields
}

// Business is an entry of primary_business_details. It names a profile.
type Business struct {
	Country string `json:"country"` // ISO 3166 alpha-2
	Name    string `json:"business"`
}

// privateOfMerchant names the fields that are sealed because they are personal or secret.
var privateOfMerchant = []string{fieldResponseHash, "merchant_name", "merchant_details", fieldWebhook, fieldTokenization}

// inherited names the fields that profiles inherit from the account.
var inherited = []string{fieldReturnURL, fieldEnableHash, fieldResponseHash, fieldRedirectPost, fieldWebhook}

// CreateMerchant makes a merchant account with its first profiles: one profile "default", or one per business detail. Errors: HE_01 if the
// id is taken, also if payments or customers of a deleted account have it.
func (s *Registry) CreateMerchant(ctx context.Context, in MerchantInput) (*Merchant, error) {
	names := make([]string, 0, len(in.Business))
	for _, b := range in.Business {
		names = append(names, b.profileName())
	}
	if len(names) == 0 {
		names = []string{DefaultProfileName}
	}
	var m *Merchant
	err := s.change(ctx, "create merchant account", func(tx Tx) error {
		now := tx.Now()
		m = &Merchant{ID: in.ID, OrganizationID: in.OrganizationID, PublishableKey: s.newPublishableKey(), CreatedAt: now, ModifiedAt: now}
		if m.OrganizationID == "" {
			m.OrganizationID = ids.New("org_")
		}
		fields := Fields{fieldEnableHash: json.RawMessage("true"), fieldRedirectPost: json.RawMessage("false"),
			fieldResponseHash: json.RawMessage(secret.JSONOf(ids.Random(64)).Reveal())}
		fields.put(in.Fields)
		if err := fields.putBusiness(in.Business); err != nil {
			return err
		}
		profiles := make([]*Profile, len(names))
		for i, name := range names {
			profiles[i] = s.newProfile(m.ID, name, now)
		}
		if len(profiles) == 1 {
			m.DefaultProfile = profiles[0].ID
		}
		if err := sealMerchant(s.Vault, m, fields); err != nil {
			return err
		}
		if err := tx.InsertMerchant(m); err != nil {
			return fault.IfConflict(err, fault.Duplicate("The merchant account with the specified details already exists in our records").WithHint("Choose another merchant_id.").WithParam("merchant_id"))
		}
		if err := neverUsed(tx, m.ID); err != nil {
			return err
		}
		for _, p := range profiles {
			if err := s.applyProfile(p, ProfileInput{Fields: fields.only(inherited)}); err != nil {
				return err
			}
			if err := tx.InsertProfile(p); err != nil {
				return fault.IfConflict(err, profileExists(p.Name))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// neverUsed refuses the id of a deleted merchant whose payments or customers remain, because the new account would show them.
func neverUsed(r Reader, id string) error {
	payments, err := r.Payments(id, "", request.ListInput{Limit: 1})
	if err != nil {
		return err
	}
	var customers []*Customer
	if len(payments) == 0 {
		if customers, err = r.Customers(id, 1, 0); err != nil {
			return err
		}
	}
	if len(payments)+len(customers) > 0 {
		return fault.Duplicate("A deleted merchant account had the merchant_id " + id + ", and its payments or customers are kept; choose another merchant_id").WithHint("Choose another merchant_id.").WithParam("merchant_id")
	}
	return nil
}

// UpdateMerchant changes the fields that were sent. Inherited fields change in all profiles, and each new business detail gets a profile.
// Errors: HE_02 for the merchant or the default profile.
func (s *Registry) UpdateMerchant(ctx context.Context, in MerchantInput) (*Merchant, error) {
	var m *Merchant
	err := s.change(ctx, "update merchant account", func(tx Tx) (err error) {
		if m, err = tx.Merchant(in.ID); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		fields, err := merchantFields(s.Vault, m)
		if err != nil {
			return err
		}
		fields.put(in.Fields)
		profiles, err := tx.Profiles(m.ID)
		if err != nil {
			return err
		}
		if in.DefaultProfile != "" {
			if profileBy(profiles, func(p *Profile) bool { return p.ID == in.DefaultProfile }) == nil {
				return ProfileNotFound(in.DefaultProfile).WithParam("default_profile")
			}
			m.DefaultProfile = in.DefaultProfile
		}
		if in.Business != nil {
			if err := fields.putBusiness(in.Business); err != nil {
				return err
			}
		}
		m.ModifiedAt = tx.Now()
		if err := sealMerchant(s.Vault, m, fields); err != nil {
			return err
		}
		if err := tx.UpdateMerchant(m); err != nil {
			return err
		}
		return s.updateProfiles(tx, m, fields, profiles, in)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// updateProfiles applies a merchant's change to its profiles.
func (s *Registry) updateProfiles(tx Tx, m *Merchant, fields Fields, profiles []*Profile, in MerchantInput) error {
	if passed := in.Fields.only(inherited); len(passed) > 0 {
		for _, p := range profiles {
			if err := openProfile(s.Vault, p); err != nil {
				return err
			}
			p.ModifiedAt = m.ModifiedAt
			if err := s.applyProfile(p, ProfileInput{Fields: passed}); err != nil {
				return err
			}
			if err := tx.UpdateProfile(p); err != nil {
				return err
			}
		}
	}
	for _, b := range in.Business {
		name := b.profileName()
		if profileBy(profiles, func(p *Profile) bool { return p.Name == name }) != nil {
			continue
		}
		p := s.newProfile(m.ID, name, m.ModifiedAt)
		if err := s.applyProfile(p, ProfileInput{Fields: fields.only(inherited)}); err != nil {
			return err
		}
		if err := tx.InsertProfile(p); err != nil {
			return fault.IfConflict(err, profileExists(name))
		}
	}
	return nil
}

// DeleteMerchant removes the account with its profiles, connector accounts, API keys and kept cards with their data keys. Payments and
// customers stay. Errors: HE_02; IR_16 while operations of its payments are open.
func (s *Registry) DeleteMerchant(ctx context.Context, id string) error {
	return s.change(ctx, "delete merchant account", func(tx Tx) error {
		if err := tx.DeleteMerchant(id); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		open, err := tx.OpenOperations(id, "")
		if err == nil && open > 0 {
			return stillOpen("Merchant account "+id, open, "Disable its connector accounts (disabled: true)")
		}
		return err
	})
}

// Merchant reads a merchant account and opens its sealed part. Errors: HE_02.
func (s *Registry) Merchant(ctx context.Context, id string) (m *Merchant, err error) {
	err = s.read(ctx, "read merchant account", func(r Reader) (err error) {
		m, err = r.Merchant(id)
		return fault.IfMissing(err, merchantNotFound())
	})
	if err != nil {
		return nil, err
	}
	return m, openMerchant(s.Vault, m)
}

// Merchants lists the merchants of an organization by id, opened; "" means all organizations.
func (s *Registry) Merchants(ctx context.Context, organizationID string) (list []*Merchant, err error) {
	err = s.read(ctx, "list merchant accounts", func(r Reader) (err error) {
		list, err = r.Merchants(organizationID)
		return err
	})
	for _, m := range list {
		if err == nil {
			err = openMerchant(s.Vault, m)
		}
	}
	return list, err
}

// Fields returns the fields of an opened merchant as answers show them, with secrets masked.
func (m *Merchant) Fields() Fields {
	f := DetailsOf(m.Details)
	for name, s := range m.Private {
		f[name] = shown(name, s)
	}
	return f
}

// merchantFields returns all fields of a stored merchant, secrets included.
func merchantFields(v *vault.Vault, m *Merchant) (Fields, error) {
	if err := openMerchant(v, m); err != nil {
		return nil, err
	}
	return allFields(m.Details, m.Private), nil
}

// sealMerchant stores fields in m and seals the private ones.
func sealMerchant(v *vault.Vault, m *Merchant, fields Fields) (err error) {
	if m.Details, m.Private, err = fields.split(privateOfMerchant); err != nil {
		return err
	}
	m.ResponseHash = secret.TextOf(m.Private[fieldResponseHash])
	m.Sealed, err = sealPrivate(v, m.Private, vault.MerchantAD(m.ID))
	return err
}

func (b Business) profileName() string { return b.Country + "_" + b.Name }

// newPublishableKey makes a key of the form pk_{env}_{32 hex digits}.
func (s *Registry) newPublishableKey() string {
	var b [16]byte
	rand.Read(b[:])
	return publishablePrefix + s.KeyEnvironment + "_" + hex.EncodeToString(b[:])
}

func profileExists(name string) *fault.Error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "IR_38", Param: "profile_name",
		Message: fmt.Sprintf("Business profile with the given profile_name %q already exists; choose another profile_name", name), Hint: "Choose another profile_name."}
}
