package method

import (
	"encoding/json"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Status is the state of a saved payment method. The constants are the wire values.
type Status string

const (
	MethodAwaitingData Status = "awaiting_data" // the customer has not entered the card yet
	MethodActive       Status = "active"        // can be charged, and is listed
	MethodInactive     Status = "inactive"      // the payment that saved it has not been approved (yet), or it was deleted
	MethodRedacted     Status = "redacted"      // its customer was deleted
)

// PaymentMethod is a card that a customer has agreed to save. It is keyed by MerchantID and ID; a customer has one for each card. The vault holds
// the card itself under the same id.
type PaymentMethod struct {
	MerchantID string
	ID         string // pm_…
	CustomerID string
	Status     Status
	// Deleted is true if card, key and personal data are gone. The row stays, so that the id is not given to another method.
	Deleted bool
	// Fingerprint is the vault's keyed fingerprint of the card, unique within the customer; "" without a card.
	Fingerprint string
	// HasCard is true if the vault holds the card number.
	HasCard    bool
	LastUsedAt time.Time // CreatedAt until the first use
	CreatedAt  time.Time
	ModifiedAt time.Time
	Version    int64

	Details Details
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *Private
}

// Details is the part of a saved method that is neither personal nor searched for. The json names are storage format.
type Details struct {
	Method string      `json:"method,omitempty"` // card
	Type   string      `json:"type,omitempty"`   // credit, debit
	Card   *card.Facts `json:"card,omitempty"`
	// Issuer and IssuerCode are as the merchant sent them for a method made without a payment.
	Issuer     string          `json:"issuer,omitempty"`
	IssuerCode string          `json:"issuer_code,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	// NetworkTransactionID is the network's id of the payment with which the customer agreed to later charges; "" without such an agreement.
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
	// Accounts are the processors' own references to the method, by connector account.
	Accounts map[string]MethodAccount `json:"accounts,omitempty"`
	// Initial is the customer's authentication when the method was saved; nil without one.
	Initial *InitialAuthentication `json:"initial_authentication,omitempty"`
}

// MethodAccount is the reference of one connector account to a saved method.
type MethodAccount struct {
	Connector string `json:"connector,omitempty"`
	// Credential is sent to charge the method again; nil where the processor keeps no credential.
	Credential *sdk.StoredCredential `json:"credential,omitempty"`
	// DataVersion and Data are sdk.ConnectorData's Version and Method.
	DataVersion int    `json:"data_version,omitempty"`
	Data        string `json:"data,omitempty"`
	// CustomerData is sdk.ConnectorData.Customer when the credential was made. It names the customer that the credential belongs to.
	CustomerData string `json:"customer_data,omitempty"`
	// Currency is that of the payment that made the credential. The credential is good for charges in this currency only; "": in any.
	Currency sdk.Currency `json:"currency,omitempty"`
	// PaymentID is the payment that made the credential.
	PaymentID string    `json:"payment_id,omitempty"`
	At        time.Time `json:"at"`
}

// InitialAuthentication is the 3-D Secure authentication with which a method was saved. Later authentications without the customer (3RI) refer
// to it. Source: EMV 3-D Secure, threeDSRequestorPriorAuthenticationInfo.
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

// Private is the personal part of a saved method, and its client secret.
type Private struct {
	ClientSecret string           `json:"client_secret,omitempty"`
	Holder       string           `json:"holder,omitempty"`
	Nickname     string           `json:"nickname,omitempty"`
	Billing      *contact.Contact `json:"billing,omitempty"`
	Consent      *Consent         `json:"consent,omitempty"`
}

// Consent is evidence of the customer's agreement to save the card: what the customer agreed to, when, from where, and for which use.
type Consent struct {
	payment.Acceptance
	// At is when the engine recorded the agreement; Acceptance.AcceptedAt is the time that the merchant states.
	At        time.Time `json:"at"`
	PaymentID string    `json:"payment_id,omitempty"`
	// Usage is the use that the customer agreed to.
	Usage sdk.CredentialUsage `json:"usage,omitempty"`
	// Amount (minor units of Currency), Description and Descriptor are what the payment asked for when the customer agreed.
	Amount      int64        `json:"amount,omitempty"`
	Currency    sdk.Currency `json:"currency,omitempty"`
	Description string       `json:"description,omitempty"`
	Descriptor  string       `json:"descriptor,omitempty"`
	// Mandate holds the terms of the mandate that the customer agreed to; nil without a mandate.
	Mandate *payment.MandateTerms `json:"mandate,omitempty"`
}
