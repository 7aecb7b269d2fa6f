package account

import (
	"encoding/json"
	"time"

	"payswitch/engine/acquirer"
	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// Merchant is a merchant account.
type Merchant struct {
	ID             string
	PublishableKey string
	OrganizationID string
	DefaultProfile string // "" if the account was made with several profiles
	// ResponseHash is payment_response_hash_key, and the default of the webhook signing key. It is part of Private: zero until opened.
	ResponseHash secret.Value
	Details      json.RawMessage // the account's other fields as sent, by API name; a JSON object
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private or ResponseHash.
	Sealed []byte
	// Private holds the personal and secret fields by API name, each as JSON text. It is nil until opened.
	Private    map[string]secret.Value
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64
}

// Profile is a business profile: the settings of its payments.
type Profile struct {
	ID         string
	MerchantID string
	Name       string
	Settings   ProfileSettings
	// Fallback lists the ids of the connector accounts to try, in order, when a payment names none.
	Fallback []string
	// ResponseHash is payment_response_hash_key. It is part of Private: zero until opened.
	ResponseHash secret.Value
	Details      json.RawMessage // the other fields as sent, by API name; a JSON object
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private, ResponseHash or Settings.WebhookHeaders.
	Sealed []byte
	// Private holds the secret fields by API name, each as JSON text. It is nil until opened.
	Private    map[string]secret.Value
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64
}

// ProfileSettings are the profile's settings that the engine uses.
type ProfileSettings struct {
	ReturnURL                 string
	EnableResponseHash        bool
	RedirectWithPost          bool
	SessionExpirySeconds      int64 // default 900, from 60 to 7,890,000
	FulfillmentSeconds        int64 // intent_fulfillment_time: default 900, from 60 to 1,800
	ManualRetry               bool  // is_manual_retry_enabled
	AgnosticMIT               bool  // is_connector_agnostic_mit_enabled
	Force3DSChallenge         bool
	AlwaysOvercapture         *bool // always_enable_overcapture
	AlwaysExtend              *bool // always_request_extended_authorization
	UseBillingAsMethodBilling bool  // use_billing_as_payment_method_billing: the payment's billing fills gaps; default true
	AuthenticationConnectors  []string
	// ExternalThreeDS is external_three_ds_policy; nil: not set. Use ThreeDSPolicy to read it.
	ExternalThreeDS *threeds.Config `json:",omitempty"`
	RequestorURL    string
	RequestorAppURL string
	Acquirers       acquirer.List `json:",omitempty"`
	// ActiveRouting has the id of the active routing configuration by transaction type.
	ActiveRouting map[routed.TransactionType]string `json:",omitempty"`
	Retries       RetrySettings                     `json:",omitzero"`
	Dynamic       DynamicRouting                    `json:",omitzero"`
	// SecondPerson says which decisions about unknown outcomes need two people.
	SecondPerson           SecondPerson `json:",omitzero"`
	WebhookURL             string
	PaymentStatusesEnabled []string
	RefundStatusesEnabled  []string
	WebhookHeaders         map[string]secret.Value `json:"-"` // part of Profile.Private; nil until opened
	// Blocking and Guard follow from Profile.Details; nil until opened, and where the profile never got the field.
	Blocking *CardBlocking `json:"-"`
	Guard    *TestingGuard `json:"-"`
	// CardInfo also follows from Profile.Details; nil while the merchant does not ask for the cards of his payments.
	CardInfo *CardInfo `json:"-"`
}

// DynamicRouting says whether payments are routed by what accounts have achieved. Success, Elimination and Contract are the ids of the configurations in
// force, "" for none. A configuration that is for metrics only routes nothing.
type DynamicRouting struct {
	Success            string `json:",omitempty"`
	MetricsOnly        bool   `json:",omitempty"` // of Success
	Elimination        string `json:",omitempty"`
	EliminationMetrics bool   `json:",omitempty"`
	Contract           string `json:",omitempty"`
	ContractMetrics    bool   `json:",omitempty"`
	Split              *int   `json:",omitempty"` // percent of the payments; nil for all
}

// Share returns Split with its default.
func (d DynamicRouting) Share() int {
	if d.Split == nil {
		return 100
	}
	return *d.Split
}

// RetrySettings say how a payment goes on after a decline, and which accounts it may try.
type RetrySettings struct {
	Auto     bool // is_auto_retries_enabled
	Most     int  // max_auto_retries_enabled, 0 to 255
	ClearPAN bool // is_clear_pan_retries_enabled
	// BudgetMS is auto_retries_time_budget: no retry begins later after the confirm, in milliseconds; 0 for the default.
	BudgetMS int
	// Strict is is_strict_routing_enabled: the default list is not added to the accounts that were chosen.
	Strict bool
	// IgnoreHealth is true if is_account_health_enabled is false: an account that fails too often keeps its place in the order.
	IgnoreHealth bool
	// Limits is scheme_retry_limits, "" where the profile does not say.
	Limits SchemeLimits `json:",omitempty"`
}

// Budget returns the time in which further attempts may begin, because the customer waits for one answer.
func (r RetrySettings) Budget() time.Duration {
	if r.BudgetMS == 0 {
		return 15 * time.Second
	}
	return time.Duration(r.BudgetMS) * time.Millisecond
}

// SchemeLimits is scheme_retry_limits. Without a value, the limits are enforced at processors, and simulators warn.
type SchemeLimits string

const (
	LimitsEnforce SchemeLimits = "enforce" // a retry beyond the limits of the card's scheme is not sent
	LimitsWarn    SchemeLimits = "warn"    // it is sent, and payswitch warns
	LimitsIgnore  SchemeLimits = "ignore"  // nothing is counted
)

// SecondPerson is second_person_for_decisions of a profile. The zero value asks for no second person.
type SecondPerson struct {
	Required bool `json:"required"`
	// Limits are the largest sums that one person decides about alone, in minor units. In a currency without a limit, every decision needs two people.
	Limits map[sdk.Currency]int64 `json:"limits,omitempty"`
}

// Needed reports whether a decision about a sum needs a second person.
func (s SecondPerson) Needed(amount int64, currency sdk.Currency) bool {
	limit, limited := s.Limits[currency]
	return s.Required && (!limited || amount > limit)
}

// ThreeDSPolicy returns the policy for authentications that payswitch runs, or the default policy.
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
	Type       Type
	Connector  string // the connector's name in the API; the simulator may be its adapter
	Label      string
	Disabled   bool
	Active     bool // status "active"
	TestMode   bool
	// AuthType is the auth_type of the credentials.
	AuthType AuthType
	// Environment is the adapter's environment, test or live. Fingerprint is a keyed hash of what decides which processor account payments
	// reach: credentials, address and environment. Both are "" until opened; the store never sees them.
	Environment string
	Fingerprint string
	// Deleted says that the account exists no more. It serves its existing payments, and takes no new ones.
	Deleted bool
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private or Credentials.
	Sealed      []byte
	Credentials map[string]secret.Value // by API key name: api_key, key1 …; nil until opened
	// Private holds the secret fields (credentials, webhook secrets, wallet details …) by API name, each as JSON text. It is nil until
	// opened.
	Private  map[string]secret.Value
	Metadata json.RawMessage // as sent, a JSON object or null
	BaseURL  string          // "": the manifest's base URL; else an operator has set it
	// Hosts are the exact hosts that the operator approved. Empty means the hosts of the manifest at the account's creation.
	Hosts []string
	// Operator are the operator's other decisions about the account.
	Operator approval.OperatorDecisions
	// PaymentMethods is payment_methods_enabled as sent.
	PaymentMethods json.RawMessage
	Details        json.RawMessage // all other fields as sent
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

// Auth is the authenticated caller.
type Auth struct {
	MerchantID string
	// Publishable is true for the publishable key. A request with that key also needs a client secret.
	Publishable bool
	// ProfileID limits the call to one profile (X-Profile-Id); "" means all.
	ProfileID string
	KeyID     string // the id of the API key or ephemeral key; "" for a publishable key
	// CustomerID limits the call to the customer of an ephemeral key. It is "" for other keys.
	CustomerID string
	// SecretOf is the payment or payment method of the client secret that came with a publishable key. Only idempotency.Keys uses it.
	SecretOf string

	// RequestToken is the same for all repetitions of a request; "" without an Idempotency-Key. Repeated is true if an earlier try ended
	// without an answer. The use cases look for the results of other tries first. idempotency.Keys sets both fields.
	RequestToken string
	Repeated     bool
}

// CheckSecret checks a client secret against the payment at the time now. The publishable key needs the secret; the secret key must not send it.
func (a Auth) CheckSecret(p *payment.Payment, secret string, now time.Time) error {
	if !a.Publishable {
		if secret != "" {
			return fault.Unprocessable("client_secret", "client_secret is not a valid parameter").WithHint("Leave the field out, or send the publishable key.")
		}
		return nil
	}
	if secret == "" {
		return fault.Missing("client_secret")
	}
	return payment.MatchSecret(p, secret, now)
}

// SDKToken is what the token of a payer's client (sdk_authorization) says about its payment.
type SDKToken struct {
	PaymentID    string
	ClientSecret string
	// Proven is true if the token carries the payment's current client session. The merchant's server alone gets such a token. CustomerID is the
	// payment's customer; it is set only then.
	Proven     bool
	CustomerID string
}
