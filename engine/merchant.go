package engine

import (
	"encoding/json"
	"time"

	"payswitch/engine/threeds"
)

// Merchant is a merchant account.
type Merchant struct {
	ID             string
	PublishableKey string
	OrganizationID string
	DefaultProfile string // "" when several profiles were made at creation
	// ResponseHash is payment_response_hash_key, also the webhook signing key's default: part of Private, absent until opened.
	ResponseHash Secret
	Details      json.RawMessage // the account's other fields as sent, by API name; a JSON object
	// Sealed is Private, encrypted; the store keeps this and never sees Private or ResponseHash.
	Sealed []byte
	// Private are the fields that are personal or secret, by API name, each as JSON text; nil until opened.
	Private    map[string]Secret
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64
}

// Profile is a business profile: the settings payments are made under.
type Profile struct {
	ID         string
	MerchantID string
	Name       string
	Settings   ProfileSettings
	// Fallback is the ordered list of connector account ids tried when a payment names none.
	Fallback []string
	// ResponseHash is payment_response_hash_key: part of Private, absent until opened.
	ResponseHash Secret
	Details      json.RawMessage // the other fields as sent, by API name; a JSON object
	// Sealed is Private, encrypted; the store keeps this and never sees Private, ResponseHash or Settings.WebhookHeaders.
	Sealed []byte
	// Private are the fields that are secret, by API name, each as JSON text; nil until opened.
	Private    map[string]Secret
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64
}

// ProfileSettings are a profile's settings that the engine reads by name. AlwaysOvercapture, UseBillingAsMethodBilling, PaymentStatusesEnabled and
// RefundStatusesEnabled are stored and shown; the engine does not act on them yet.
type ProfileSettings struct {
	ReturnURL                 string
	EnableResponseHash        bool
	RedirectWithPost          bool
	SessionExpirySeconds      int64 // default 900, 60–7,890,000
	FulfillmentSeconds        int64 // intent_fulfillment_time: default 900, 60–1,800
	ManualRetry               bool  // is_manual_retry_enabled
	AgnosticMIT               bool  // is_connector_agnostic_mit_enabled
	Force3DSChallenge         bool
	AlwaysOvercapture         bool
	UseBillingAsMethodBilling bool // default true
	AuthenticationConnectors  []string
	// ExternalThreeDS is external_three_ds_policy, nil when none was set: read ThreeDSPolicy.
	ExternalThreeDS *threeds.Config `json:",omitempty"`
	RequestorURL    string
	RequestorAppURL string
	// Acquirers are those made with /profile_acquirer, by creation.
	Acquirers              []Acquirer `json:",omitempty"`
	WebhookURL             string
	PaymentStatusesEnabled []string
	RefundStatusesEnabled  []string
	WebhookHeaders         map[string]Secret `json:"-"` // part of Profile.Private; nil until opened
}

// ThreeDSPolicy is what authentications that we run lead to.
func (s *ProfileSettings) ThreeDSPolicy() threeds.Config {
	if s.ExternalThreeDS == nil {
		return threeds.Default()
	}
	return *s.ExternalThreeDS
}

// Account is a connector account: a merchant's account at a processor or authenticator.
type Account struct {
	ID         string // mca_…
	MerchantID string
	ProfileID  string
	Type       string // payment_processor, authentication_processor …
	Connector  string // the name the merchant knows it by; the adapter may be another (the simulator)
	Label      string
	Disabled   bool
	Active     bool // status "active"
	TestMode   bool
	// AuthType is the shape of the credentials as the API names it: HeaderKey, BodyKey, SignatureKey …
	AuthType string
	// Sealed is Private, encrypted; the store keeps this and never sees Private or Credentials.
	Sealed      []byte
	Credentials map[string]Secret // by API key name: api_key, key1 …; nil until opened
	// Private are the fields that are secret (credentials, webhook secrets, wallet details …), by API name, each as JSON text; nil
	// until opened.
	Private  map[string]Secret
	Metadata json.RawMessage // as sent, a JSON object or null
	BaseURL  string          // "" unless an operator set another than the manifest's
	// Hosts are the hosts the operator approved, exact; empty means the manifest's at creation.
	Hosts []string
	// Operator are the operator's other decisions about it.
	Operator OperatorDecisions
	// PaymentMethods is payment_methods_enabled as sent.
	PaymentMethods json.RawMessage
	Details        json.RawMessage // everything else as sent
	CreatedAt      time.Time
	ModifiedAt     time.Time
	Version        int64
}

// APIKey is a merchant's secret key. The key itself is shown once and never stored.
type APIKey struct {
	ID          string
	MerchantID  string
	Name        string
	Description string
	Prefix      string // the first 12 characters
	Hash        []byte // keyed hash of the key
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked
}

// Auth is who calls: the result of checking a key.
type Auth struct {
	MerchantID string
	// Publishable is true for the publishable key, which needs a client secret beside it.
	Publishable bool
	// ProfileID restricts the call to one profile (X-Profile-Id), "" for all.
	ProfileID string
	KeyID     string // the API key's id, "" for a publishable key
	// CustomerID restricts the call to one customer: that of an ephemeral key. "" for other keys.
	CustomerID string
	// SecretOf is the payment or the payment method whose client secret came with the publishable key. BeginIdempotent alone needs it.
	SecretOf string

	// RequestToken identifies the request across its repetitions, "" without an Idempotency-Key. Repeated says that an earlier try
	// of it ended without an answer: what it did is looked for before anything is done. BeginIdempotent sets both.
	RequestToken string
	Repeated     bool
}
