package account

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

const DefaultProfileName = "default"

// Limits and defaults of a profile's times, in seconds.
const (
	minExpiry, maxExpiry, defaultExpiry                = 60, 7_890_000, 900
	minFulfillment, maxFulfillment, defaultFulfillment = 60, 1_800, 900
)

// ProfileInput is a business profile as sent.
type ProfileInput struct {
	Name string // "": not sent
	// Merge keeps what the objects of Fields do not name, such as the password of webhook_details.
	Merge bool
	// Fields are all other fields that were sent, by API name. The caller has checked their types.
	Fields Fields
}

// privateOfProfile names the fields that are sealed.
var privateOfProfile = []string{fieldResponseHash, fieldWebhook, fieldWebhookHeaders, fieldTokenization, fieldEarlierHeaders}

// authenticators lists the names of 3-D Secure authenticators in the API, whether their adapters are installed or not.
var authenticators = []string{"threedsecureio", "netcetera", "gpayments", "ctp_mastercard", "unified_authentication_service",
	"juspaythreedsserver", "ctp_visa", "cardinal"}

// profileFields are the fields that become ProfileSettings. Details also keeps them as sent, for answers.
type profileFields struct {
	ReturnURL                 *string       `json:"return_url,omitempty"`
	EnableResponseHash        *bool         `json:"enable_payment_response_hash,omitempty"`
	RedirectWithPost          *bool         `json:"redirect_to_merchant_with_http_post,omitempty"`
	SessionExpiry             *int64        `json:"session_expiry,omitempty"`
	Fulfillment               *int64        `json:"intent_fulfillment_time,omitempty"`
	ManualRetry               *bool         `json:"is_manual_retry_enabled,omitempty"`
	AgnosticMIT               *bool         `json:"is_connector_agnostic_mit_enabled,omitempty"`
	Force3DSChallenge         *bool         `json:"force_3ds_challenge,omitempty"`
	AlwaysOvercapture         *bool         `json:"always_enable_overcapture,omitempty"`
	AlwaysExtend              *bool         `json:"always_request_extended_authorization,omitempty"`
	UseBillingAsMethodBilling *bool         `json:"use_billing_as_payment_method_billing,omitempty"`
	AutoRetries               *bool         `json:"is_auto_retries_enabled,omitempty"`
	MostRetries               *int          `json:"max_auto_retries_enabled,omitempty"`
	RetryBudget               *int          `json:"auto_retries_time_budget,omitempty"`
	ClearPANRetries           *bool         `json:"is_clear_pan_retries_enabled,omitempty"`
	SchemeLimits              *SchemeLimits `json:"scheme_retry_limits,omitempty"`
	StrictRouting             *bool         `json:"is_strict_routing_enabled,omitempty"`
	AccountHealth             *bool         `json:"is_account_health_enabled,omitempty"`
	Authentication            *struct {
		Connectors []string `json:"authentication_connectors"`
		URL        string   `json:"three_ds_requestor_url"`
		AppURL     string   `json:"three_ds_requestor_app_url"`
	} `json:"authentication_connector_details,omitempty"`
	ThreeDSPolicy json.RawMessage `json:"external_three_ds_policy,omitempty"`
	SecondPerson  *SecondPerson   `json:"second_person_for_decisions,omitempty"`
	Webhook       *struct {
		URL             string   `json:"webhook_url"`
		PaymentStatuses []string `json:"payment_statuses_enabled"`
		RefundStatuses  []string `json:"refund_statuses_enabled"`
	} `json:"webhook_details,omitempty"`
}

// CreateProfile makes a business profile. A field that was not sent comes from the merchant account, or else is the default. Errors: HE_02
// for the merchant; IR_38 if the name is taken; IR_06 (422) for a time beyond its limits.
func (s *Registry) CreateProfile(ctx context.Context, a Auth, in ProfileInput) (*Profile, error) {
	var p *Profile
	err := s.change(ctx, "create business profile", func(tx Tx) error {
		m, err := tx.Merchant(a.MerchantID)
		if err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		fields, err := merchantFields(s.Vault, m)
		if err != nil {
			return err
		}
		fields = fields.only(inherited)
		fields.put(in.Fields)
		p = s.newProfile(m.ID, DefaultProfileName, tx.Now())
		if err := s.applyProfile(p, ProfileInput{Name: in.Name, Fields: fields}); err != nil {
			return err
		}
		return fault.IfConflict(tx.InsertProfile(p), profileExists(p.Name))
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// UpdateProfile changes the fields that were sent. Errors: HE_02; IR_38 if the new name is taken; IR_06 (422) for a time beyond its limits.
func (s *Registry) UpdateProfile(ctx context.Context, a Auth, id string, in ProfileInput) (*Profile, error) {
	var p *Profile
	err := s.change(ctx, "update business profile", func(tx Tx) (err error) {
		if p, err = profileOf(tx, a, id); err != nil {
			return err
		}
		if err := openProfile(s.Vault, p); err != nil {
			return err
		}
		p.ModifiedAt = tx.Now()
		if err := s.applyProfile(p, in); err != nil {
			return err
		}
		if others, err := tx.Profiles(a.MerchantID); err != nil {
			return err
		} else if profileBy(others, func(o *Profile) bool { return o.Name == p.Name && o.ID != p.ID }) != nil {
			return profileExists(p.Name)
		}
		return tx.UpdateProfile(p)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// DeleteProfile removes a profile, but not the last one, because payments need a profile (IR_16). Errors: HE_02.
func (s *Registry) DeleteProfile(ctx context.Context, a Auth, id string) error {
	return s.change(ctx, "delete business profile", func(tx Tx) error {
		if _, err := profileOf(tx, a, id); err != nil {
			return err
		}
		all, err := tx.Profiles(a.MerchantID)
		if err != nil {
			return err
		}
		if len(all) == 1 {
			return fault.Refused("The last business profile of a merchant account cannot be deleted; create another one first").WithParam("profile_id").WithHint("Create another profile first.")
		}
		m, err := tx.Merchant(a.MerchantID)
		if err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		if m.DefaultProfile == id {
			m.DefaultProfile, m.ModifiedAt = "", tx.Now()
			if err := tx.UpdateMerchant(m); err != nil {
				return err
			}
		}
		return tx.DeleteProfile(a.MerchantID, id)
	})
}

// Profile reads a profile and opens its sealed part. Errors: HE_02.
func (s *Registry) Profile(ctx context.Context, a Auth, id string) (p *Profile, err error) {
	err = s.read(ctx, "read business profile", func(r Reader) (err error) {
		p, err = profileOf(r, a, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, openProfile(s.Vault, p)
}

// Profiles lists the merchant's profiles by creation, opened. Errors: HE_02 for the merchant.
func (s *Registry) Profiles(ctx context.Context, a Auth) (list []*Profile, err error) {
	err = s.read(ctx, "list business profiles", func(r Reader) (err error) {
		if _, err = r.Merchant(a.MerchantID); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		list, err = r.Profiles(a.MerchantID)
		return err
	})
	if a.ProfileID != "" {
		list = slices.DeleteFunc(list, func(p *Profile) bool { return p.ID != a.ProfileID })
	}
	for _, p := range list {
		if err == nil {
			err = openProfile(s.Vault, p)
		}
	}
	return list, err
}

// profileOf reads a profile that the caller may see.
func profileOf(r Reader, a Auth, id string) (*Profile, error) {
	if a.ProfileID != "" && a.ProfileID != id {
		return nil, ProfileNotFound(id)
	}
	p, err := r.Profile(a.MerchantID, id)
	return p, fault.IfMissing(err, ProfileNotFound(id))
}

func profileBy(list []*Profile, is func(*Profile) bool) *Profile {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// newProfile returns a profile with the default settings.
func (s *Registry) newProfile(merchantID, name string, now time.Time) *Profile {
	return &Profile{ID: ids.New("pro_"), MerchantID: merchantID, Name: name, CreatedAt: now, ModifiedAt: now,
		Settings: ProfileSettings{EnableResponseHash: true, SessionExpirySeconds: defaultExpiry, FulfillmentSeconds: defaultFulfillment,
			UseBillingAsMethodBilling: true},
		Private: map[string]secret.Value{fieldResponseHash: secret.JSONOf(ids.Random(64))}}
}

// applyProfile applies the fields that were sent to an opened profile, and seals it.
func (e *Registry) applyProfile(p *Profile, in ProfileInput) error {
	if in.Name != "" {
		p.Name = in.Name
	}
	fields, err := allFields(p.Details, p.Private), error(nil)
	if in.Merge {
		if in.Fields, err = fields.merged(in.Fields); err != nil {
			return err
		}
	}
	var f profileFields
	if err := in.Fields.into(&f); err != nil {
		return err
	}
	if err := e.checkProfile(p.Name, &f); err != nil {
		return err
	}
	policy, err := e.threeDSPolicy(f.ThreeDSPolicy)
	if err != nil {
		return err
	}
	s := &p.Settings
	optional.SetValue(&s.ReturnURL, f.ReturnURL)
	optional.SetValue(&s.EnableResponseHash, f.EnableResponseHash)
	optional.SetValue(&s.RedirectWithPost, f.RedirectWithPost)
	optional.SetValue(&s.SessionExpirySeconds, f.SessionExpiry)
	optional.SetValue(&s.FulfillmentSeconds, f.Fulfillment)
	optional.SetValue(&s.ManualRetry, f.ManualRetry)
	optional.SetValue(&s.AgnosticMIT, f.AgnosticMIT)
	optional.SetValue(&s.Force3DSChallenge, f.Force3DSChallenge)
	if f.AlwaysOvercapture != nil {
		s.AlwaysOvercapture = f.AlwaysOvercapture
	}
	if f.AlwaysExtend != nil {
		s.AlwaysExtend = f.AlwaysExtend
	}
	optional.SetValue(&s.UseBillingAsMethodBilling, f.UseBillingAsMethodBilling)
	optional.SetValue(&s.SecondPerson, f.SecondPerson)
	optional.SetValue(&s.Retries.Auto, f.AutoRetries)
	optional.SetValue(&s.Retries.Most, f.MostRetries)
	optional.SetValue(&s.Retries.BudgetMS, f.RetryBudget)
	optional.SetValue(&s.Retries.ClearPAN, f.ClearPANRetries)
	optional.SetValue(&s.Retries.Strict, f.StrictRouting)
	optional.SetValue(&s.Retries.Limits, f.SchemeLimits)
	if f.AccountHealth != nil {
		s.Retries.IgnoreHealth = !*f.AccountHealth
	}
	if d := f.Authentication; d != nil {
		s.AuthenticationConnectors, s.RequestorURL, s.RequestorAppURL = d.Connectors, d.URL, d.AppURL
	}
	if d := f.Webhook; d != nil {
		s.WebhookURL, s.PaymentStatusesEnabled, s.RefundStatusesEnabled = d.URL, d.PaymentStatuses, d.RefundStatuses
	}
	if policy != nil {
		s.ExternalThreeDS = policy
	}
	fields.put(in.Fields)
	before := p.Private
	if p.Details, p.Private, err = fields.split(privateOfProfile); err != nil {
		return err
	}
	if err := p.rememberHeaders(before); err != nil {
		return err
	}
	if p.Sealed, err = sealPrivate(e.Vault, p.Private, vault.ProfileAD(p.MerchantID, p.ID)); err != nil {
		return err
	}
	p.takePrivate()
	return p.takeRisk()
}

func (s *Registry) checkProfile(name string, f *profileFields) error {
	if err := fault.CheckLength("profile_name", name, 64); err != nil {
		return err
	}
	if f.Authentication != nil {
		for _, name := range f.Authentication.Connectors {
			if !s.isAuthenticator(name) {
				return fault.Malformed("authentication_connectors", unknownVariant(name, authenticators)).WithHint("Send one of the values that the message lists.")
			}
		}
	}
	if t := f.SessionExpiry; t != nil && (*t < minExpiry || *t > maxExpiry) {
		return fault.Unprocessable("session_expiry", "session_expiry should be between 60(1 min) to 7890000(3 months).").WithHint("Send a whole number of seconds from 60 to 7890000.")
	}
	if t := f.Fulfillment; t != nil && (*t < minFulfillment || *t > maxFulfillment) {
		return fault.Unprocessable("intent_fulfillment_time", "intent_fulfillment_time should be between 60(1 min) to 1800(30 mins).").WithHint("Send a whole number of seconds from 60 to 1800.")
	}
	return nil
}

// isAuthenticator reports whether a connector name belongs to a 3-D Secure authenticator, installed or not.
func (s *Registry) isAuthenticator(name string) bool {
	info, loaded := s.Connectors.Adapter(name)
	return slices.Contains(authenticators, name) || loaded && info.Manifest.Kind == sdk.KindAuthenticator
}

// threeDSPolicy reads external_three_ds_policy. It returns nil if the field was not sent. Errors: IR_06 (422), which names the setting.
func (s *Registry) threeDSPolicy(raw json.RawMessage) (*threeds.Config, error) {
	if raw == nil {
		return nil, nil
	}
	c, err := threeds.ParseConfig(raw)
	if bad := (*threeds.ConfigError)(nil); errors.As(err, &bad) {
		field := fieldThreeDSPolicy
		if bad.Field != "" {
			field += "." + bad.Field
		}
		return nil, fault.Unprocessable(field, field+" "+bad.Message).WithHint(bad.Hint())
	} else if err != nil {
		return nil, fault.Internal(err, "read "+fieldThreeDSPolicy)
	}
	if name := c.FallbackAuthenticator; name != "" && !s.isAuthenticator(name) {
		field := fieldThreeDSPolicy + ".fallback_authenticator"
		return nil, fault.Unprocessable(field, field+" "+unknownVariant(name, authenticators)).WithHint("Send the name of an installed authenticator.")
	}
	return &c, nil
}

// Fields returns the fields of an opened profile as answers show them: settings included, secrets masked. The 3-D Secure policy shows the
// value in force of every setting.
func (p *Profile) Fields() Fields {
	f := DetailsOf(p.Details)
	if raw, err := json.Marshal(p.Settings.ThreeDSPolicy()); err == nil {
		f[fieldThreeDSPolicy] = raw
	}
	for name, v := range p.Settings.Acquirers.Shown(p.ID) {
		if raw, err := json.Marshal(v); err == nil { // texts and checked numbers always encode
			f[name] = raw
		}
	}
	for name, s := range p.Private {
		if name != fieldEarlierHeaders {
			f[name] = shown(name, s)
		}
	}
	return f
}

// takePrivate sets the fields that the engine reads from Private.
func (p *Profile) takePrivate() {
	p.ResponseHash = secret.TextOf(p.Private[fieldResponseHash])
	p.Settings.WebhookHeaders = secret.Leaves(p.Private[fieldWebhookHeaders])
}

// ToggleExtendedCardInfo switches a profile's extended card information on or off. Errors: HE_02.
func (s *Registry) ToggleExtendedCardInfo(ctx context.Context, a Auth, id string, on bool) error {
	return s.toggle(ctx, a, id, "is_extended_card_info_enabled", on)
}

// ToggleAgnosticMIT switches the use of stored credentials at other connectors on or off. Errors: HE_02.
func (s *Registry) ToggleAgnosticMIT(ctx context.Context, a Auth, id string, on bool) error {
	return s.toggle(ctx, a, id, "is_connector_agnostic_mit_enabled", on)
}

func (s *Registry) toggle(ctx context.Context, a Auth, id, field string, on bool) error {
	v, err := json.Marshal(on)
	if err != nil {
		return fault.Internal(err, "encode "+field)
	}
	_, err = s.UpdateProfile(ctx, a, id, ProfileInput{Fields: Fields{field: v}})
	return err
}
