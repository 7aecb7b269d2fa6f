package engine

import (
	"encoding/json"
	"time"

	"payswitch/sdk"
)

// MethodStatus is how a saved payment method stands. The constants are the wire values.
type MethodStatus string

const (
	MethodAwaitingData MethodStatus = "awaiting_data" // made without a card
	MethodActive       MethodStatus = "active"        // may be used, and is listed
	MethodInactive     MethodStatus = "inactive"      // the payment that saved it has not been approved (yet), or it was deleted
	MethodRedacted     MethodStatus = "redacted"      // its customer was deleted
)

// PaymentMethod is a card that a customer agreed to have kept. It is keyed by MerchantID and ID; a customer has one for each card.
// The card itself is in the vault, under the same id.
type PaymentMethod struct {
	MerchantID string
	ID         string // pm_…
	CustomerID string
	Status     MethodStatus
	// Deleted is a row that is only kept so that nobody takes its id for unknown or for another's: card, key and personal data are
	// gone.
	Deleted bool
	// Fingerprint is the vault's keyed fingerprint of the card, unique within the customer; "" without a card.
	Fingerprint string
	// HasCard says that the vault holds the card.
	HasCard    bool
	LastUsedAt time.Time // at first when it was made
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64

	Details MethodDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *MethodPrivate
}

// MethodDetails is what is kept of a saved method that is neither personal nor searched for. The json names are storage format.
type MethodDetails struct {
	Method string     `json:"method,omitempty"` // card
	Type   string     `json:"type,omitempty"`   // credit, debit
	Card   *CardFacts `json:"card,omitempty"`
	// Issuer and IssuerCode are as sent when the method was made without a payment.
	Issuer     string          `json:"issuer,omitempty"`
	IssuerCode string          `json:"issuer_code,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	// NetworkTransactionID is the network's id of the payment with which the customer agreed to later charges; "" where they did
	// not.
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
	// Accounts are the processors' own references to the method, by connector account.
	Accounts map[string]MethodAccount `json:"accounts,omitempty"`
	// Initial is how the customer was authenticated when the method was saved; nil when they were not.
	Initial *InitialAuthentication `json:"initial_authentication,omitempty"`
}

// MethodAccount is what one connector account knows a saved method by.
type MethodAccount struct {
	Connector string `json:"connector,omitempty"`
	// Credential is what to send to charge the method again; nil where the processor keeps none.
	Credential *sdk.StoredCredential `json:"credential,omitempty"`
	// DataVersion and Data are sdk.ConnectorData's Version and Method.
	DataVersion int    `json:"data_version,omitempty"`
	Data        string `json:"data,omitempty"`
	// CustomerData is sdk.ConnectorData.Customer as it was when the credential was made: the customer it belongs to.
	CustomerData string `json:"customer_data,omitempty"`
	// Currency of the payment the credential was made with: it is good for charges in no other.
	Currency sdk.Currency `json:"currency,omitempty"`
	// PaymentID is that payment.
	PaymentID string    `json:"payment_id,omitempty"`
	At        time.Time `json:"at"`
}

// InitialAuthentication is the first 3-D Secure authentication of a saved method. Later authentications without the customer (3RI)
// refer to it. Source: EMV 3-D Secure, threeDSRequestorPriorAuthenticationInfo.
type InitialAuthentication struct {
	ACSTransID           string       `json:"acs_trans_id,omitempty"`
	DSTransID            string       `json:"ds_trans_id,omitempty"`
	At                   time.Time    `json:"at"`
	Method               string       `json:"method,omitempty"` // 01 frictionless, 02 challenge …
	Amount               int64        `json:"amount,omitempty"` // minor units
	Currency             sdk.Currency `json:"currency,omitempty"`
	NetworkTransactionID string       `json:"network_transaction_id,omitempty"`
	Acquirer             string       `json:"acquirer,omitempty"`
}

// MethodPrivate is the personal part of a saved method, and its client secret.
type MethodPrivate struct {
	ClientSecret string   `json:"client_secret,omitempty"`
	Holder       string   `json:"holder,omitempty"`
	Nickname     string   `json:"nickname,omitempty"`
	Billing      *Contact `json:"billing,omitempty"`
	Consent      *Consent `json:"consent,omitempty"`
}

// Consent is the customer's agreement to have the card kept, as evidence: what they agreed to, when, from where, and what for.
type Consent struct {
	Acceptance
	// At is when we were told; Acceptance.AcceptedAt is what the merchant says.
	At        time.Time `json:"at"`
	PaymentID string    `json:"payment_id,omitempty"`
	// Usage is what it was given for: on_session or off_session.
	Usage string `json:"usage,omitempty"`
	// Amount (minor units of Currency), Description and Descriptor are what the payment asked for when the customer agreed.
	Amount      int64        `json:"amount,omitempty"`
	Currency    sdk.Currency `json:"currency,omitempty"`
	Description string       `json:"description,omitempty"`
	Descriptor  string       `json:"descriptor,omitempty"`
	// Mandate is the mandate agreed to with it, nil without one.
	Mandate *MandateTerms `json:"mandate,omitempty"`
}

// MandateStatus is how a mandate stands. The constants are the wire values.
type MandateStatus string

const (
	MandateActive   MandateStatus = "active"
	MandateInactive MandateStatus = "inactive" // the payment it was agreed with has not been approved (yet)
	MandateRevoked  MandateStatus = "revoked"
)

// Mandate is a customer's agreement to later charges within limits, made by a payment with mandate_data. Keyed by MerchantID and ID.
type Mandate struct {
	MerchantID string
	ID         string // man_…
	CustomerID string
	MethodID   string // the saved method it charges
	PaymentID  string // the payment it was made with
	Status     MandateStatus
	// UsedBy is the payment that takes the one charge of a single-use mandate, or has taken it; "" while there is none. A charge that
	// is refused gives it back.
	UsedBy     string
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64

	Details MandateDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *MandatePrivate
}

// MandateDetails is what is kept of a mandate that is neither personal nor searched for. The json names are storage format.
type MandateDetails struct {
	Terms MandateTerms `json:"terms"`
}

// MandatePrivate is the personal part of a mandate.
type MandatePrivate struct {
	Acceptance *Acceptance `json:"acceptance,omitempty"`
}

// EphemeralKey lets a customer's device act for that customer for an hour. The key itself is shown once and never stored.
type EphemeralKey struct {
	ID         string // eki_…
	MerchantID string
	CustomerID string
	Hash       []byte // keyed hash of the key
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// CustomerAccount is what an adapter wants to be told again of a customer at one connector account (sdk.ConnectorData.Customer).
type CustomerAccount struct {
	MerchantID string
	CustomerID string
	AccountID  string
	Version    int // the adapter's own
	Data       string
}
