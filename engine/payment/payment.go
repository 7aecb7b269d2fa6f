package payment

import (
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/routed"
	"payswitch/engine/scheme"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Payment is a merchant's intent to be paid. Amounts are minor units of Currency. MerchantID and ID are the key.
type Payment struct {
	MerchantID string
	ID         string
	ProfileID  string
	CustomerID string // "" for a guest
	Status     Status
	Currency   sdk.Currency
	Amount     int64 // order amount
	NetAmount  int64 // Amount + shipping cost + tax + surcharge + installment interest: the amount to authorize
	Capturable int64 // amount_capturable
	Received   int64 // captured so far
	Refunded   int64 // refunded or being refunded

	AttemptCount  int
	AttemptID     string // the latest attempt
	OpenOperation string // the operation in flight or unknown, "" if there is no such operation
	// ClientSecretHash is the SHA-256 of the client secret. Private holds the secret itself, for the answers that show it.
	ClientSecretHash []byte
	ExpiresAt        time.Time // end of the client secret's validity
	CreatedAt        time.Time
	ModifiedAt       time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details Details
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private.
	Sealed  []byte
	Private *Private
}

// Details are the fields of a payment that are neither personal nor searched for. The json names are storage format, not wire.
type Details struct {
	CaptureMethod      CaptureMethod       `json:"capture_method,omitempty"`
	AuthenticationType AuthenticationType  `json:"authentication_type,omitempty"`
	SetupFutureUsage   sdk.CredentialUsage `json:"setup_future_usage,omitempty"`
	OffSession         *bool               `json:"off_session,omitempty"`
	PaymentType        string              `json:"payment_type,omitempty"`
	External3DS        bool                `json:"external_3ds,omitempty"`
	AmountToCapture    *int64              `json:"amount_to_capture,omitempty"`
	ShippingCost       *int64              `json:"shipping_cost,omitempty"`
	OrderTaxAmount     *int64              `json:"order_tax_amount,omitempty"`
	SurchargeAmount    int64               `json:"surcharge_amount,omitempty"`
	SurchargeRuled     bool                `json:"surcharge_ruled,omitempty"` // the merchant's rules set SurchargeAmount at the latest confirm
	SurchargeNamed     bool                `json:"surcharge_named,omitempty"` // a request named SurchargeAmount, which may be zero: rules do not change it
	Description        string              `json:"description,omitempty"`
	DescriptorName     string              `json:"descriptor_name,omitempty"`
	DescriptorSuffix   string              `json:"descriptor_suffix,omitempty"`
	ReturnURL          string              `json:"return_url,omitempty"`
	OrderReference     string              `json:"order_reference,omitempty"` // merchant_order_reference_id
	CancellationReason string              `json:"cancellation_reason,omitempty"`
	Metadata           json.RawMessage     `json:"metadata,omitempty"`
	Routing            *routed.Preference  `json:"routing,omitempty"`
	// RequestToken is the token of the request with an Idempotency-Key that made the payment; "" for a request without a key.
	RequestToken string `json:"request,omitempty"`
	// Session counts the updates of the payment. Each update begins a new client session.
	Session int `json:"session,omitempty"`
	// Announced is the latest state that has an event.
	Announced string `json:"announced,omitempty"`
	// Events counts the events about the payment and its refunds. It numbers them.
	Events int `json:"events,omitempty"`
	// Token is the payment_token of a card that waits for the payment's confirmation.
	Token string `json:"token,omitempty"`
	// Mandate holds the terms of the mandate that the payment sets up. MandateID is the id of that mandate once it exists, or of the mandate
	// that the payment charges.
	Mandate   *MandateTerms `json:"mandate,omitempty"`
	MandateID string        `json:"mandate_id,omitempty"`
	// RefundedTotal is the sum of the refunds that have succeeded, RefundCount the number of all refunds.
	RefundedTotal int64 `json:"refunded_total,omitempty"`
	RefundCount   int   `json:"refund_count,omitempty"`
	// Disputes are what disputes claim, by verified messages, in their order.
	Disputes []Claim `json:"disputes,omitempty"`
	// MITCategory is the reason of a charge without the customer; "" if the merchant named none.
	MITCategory sdk.MITCategory `json:"mit_category,omitempty"`
	// Partner is partner_merchant_identifier_details; nil if it was not sent.
	Partner *sdk.Partner `json:"partner,omitempty"`
	// SCAExemption is the exemption that the merchant asks for (psd2_sca_exemption_type); "" for none.
	SCAExemption sdk.Exemption `json:"sca_exemption,omitempty"`
	// IFrameRedirect is is_iframe_redirection_enabled: the payer's redirect runs inside the shop's page; nil: as the profile says.
	IFrameRedirect *bool `json:"iframe_redirect,omitempty"`
	// StoredCredential is is_stored_credential; nil if it was not sent.
	StoredCredential *bool `json:"is_stored_credential,omitempty"`
	// Force3DSChallenge asks for a challenge; nil if it was not sent.
	Force3DSChallenge *bool `json:"force_3ds_challenge,omitempty"`
	// Incremental is request_incremental_authorization, Partial is enable_partial_authorization; nil if it was not sent.
	Incremental *bool `json:"request_incremental,omitempty"`
	Partial     *bool `json:"enable_partial,omitempty"`
	// Extended is request_extended_authorization, Overcapture is enable_overcapture; nil if it was not sent. From the confirm on they include what the
	// profile says, and Overcapture is nil where it cannot be.
	Extended    *bool `json:"request_extended,omitempty"`
	Overcapture *bool `json:"enable_overcapture,omitempty"`
	// RiskAccepted is the result of the merchant's own risk analysis; nil without frm_metadata.
	RiskAccepted *bool `json:"risk_accepted,omitempty"`
	// ProfileAcquirerID names an acquirer of the profile; nil and "" leave the choice to the account and the profile.
	ProfileAcquirerID *string `json:"profile_acquirer_id,omitempty"`
	// Link names the payment's hosted page; nil without one.
	Link *LinkRef `json:"link,omitempty"`
	// MerchantDecision is rejected once a rule of the merchant has stopped the payment; "" otherwise.
	MerchantDecision string `json:"merchant_decision,omitempty"`
	// Fingerprint is that of the card that the block list has let pass; "" where no list looked at the card.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Plans are the ways to pay in installments that the merchant offers. Installment is the one that the payer chose in the latest confirm; nil if
	// the payer pays at once.
	Plans       []InstallmentPlan `json:"plans,omitempty"`
	Installment *Installment      `json:"installment,omitempty"`
	// BusinessCountry and BusinessLabel are what rules compare; "" if they were not sent.
	BusinessCountry string `json:"business_country,omitempty"`
	BusinessLabel   string `json:"business_label,omitempty"`
	// SkipTax is skip_external_tax_calculation; nil if it was not sent.
	SkipTax *bool `json:"skip_tax,omitempty"`
	// EarlierAuthentication has the authentication types of attempts by their numbers, for a payment whose type has changed since.
	EarlierAuthentication map[int]AuthenticationType `json:"earlier_authentication,omitempty"`

	// Echo are request fields that are kept and shown as they came: order_details, connector_metadata, feature_metadata … They decide
	// nothing: a field that decides has a typed field, too.
	Echo map[string]json.RawMessage `json:"echo,omitempty"`
}

// LinkRef names the hosted page of a payment (package paylink). The json names are storage format.
type LinkRef struct {
	ID        string `json:"id"` // plink_…
	URL       string `json:"url"`
	SecureURL string `json:"secure_url,omitempty"` // the page for frames; "" without allowed domains
	Saved     bool   `json:"saved,omitempty"`      // the page for frames offers the customer's saved cards
	// StatusURL is where a payer who comes back from the processor or the bank sees the result; "" for the merchant's return URL.
	StatusURL string `json:"status_url,omitempty"`
}

// FillFromEcho sets the typed fields that a payment lacks because an older version stored it: these versions kept the values in Echo alone. A
// field that is set stays.
func (d *Details) FillFromEcho() {
	if len(d.Echo) == 0 {
		return
	}
	text := func(key string) (s string) {
		_ = json.Unmarshal(d.Echo[key], &s) // the API accepts only texts in these fields
		return s
	}
	if d.MITCategory == "" {
		d.MITCategory = sdk.MITCategory(text("mit_category"))
	}
	if d.SCAExemption == "" {
		d.SCAExemption = sdk.Exemption(text("psd2_sca_exemption_type"))
	}
	if id := text("profile_acquirer_id"); d.ProfileAcquirerID == nil && id != "" {
		d.ProfileAcquirerID = &id
	}
	d.BusinessCountry = cmp.Or(d.BusinessCountry, text("business_country"))
	d.BusinessLabel = cmp.Or(d.BusinessLabel, text("business_label"))
	if raw := d.Echo["surcharge_details"]; !d.SurchargeRuled && len(raw) > 0 && string(raw) != "null" {
		d.SurchargeNamed = true
	}
	if raw := d.Echo["frm_metadata"]; d.RiskAccepted == nil && len(raw) > 0 {
		accepted := RiskAccepted(raw)
		d.RiskAccepted = &accepted
	}
	for _, f := range []struct {
		to  **bool
		key string
	}{{&d.StoredCredential, "is_stored_credential"}, {&d.Force3DSChallenge, "force_3ds_challenge"}, {&d.Incremental, "request_incremental_authorization"},
		{&d.Partial, "enable_partial_authorization"}, {&d.SkipTax, "skip_external_tax_calculation"}} {
		if raw := string(d.Echo[f.key]); *f.to == nil && (raw == "true" || raw == "false") {
			value := raw == "true"
			*f.to = &value
		}
	}
}

// SetEcho keeps a field as JSON text, for answers. The caller must own the map Echo.
func (d *Details) SetEcho(field, text string) {
	if d.Echo == nil {
		d.Echo = map[string]json.RawMessage{}
	}
	d.Echo[field] = json.RawMessage(text)
}

// DropRuledSurcharge takes the surcharge of an earlier confirm from a payment. The caller sums up the net amount again.
func (d *Details) DropRuledSurcharge() {
	if !d.SurchargeRuled {
		return
	}
	d.Echo = maps.Clone(d.Echo)
	delete(d.Echo, "surcharge_details")
	d.SurchargeAmount, d.SurchargeRuled = 0, false
}

// RiskAccepted reports whether a payment's frm_metadata says that the merchant's own risk analysis (PSD2 RTS, article 18) found nothing against
// the payment: its field risk_accepted is true.
func RiskAccepted(frmMetadata json.RawMessage) bool {
	var analysis struct {
		Accepted bool `json:"risk_accepted"`
	}
	return len(frmMetadata) > 0 && json.Unmarshal(frmMetadata, &analysis) == nil && analysis.Accepted
}

// CaptureMethod says when the money of a payment is captured. Its constants are the API's values.
type CaptureMethod string

// ShownAuthentication returns the authentication type in answers and lists. A payment for which nothing asked for 3-D Secure stores no type, and is
// shown as no_three_ds.
func (d *Details) ShownAuthentication() AuthenticationType {
	return cmp.Or(d.AuthenticationType, AuthenticationNoThreeDS)
}

// AuthenticationOf returns the authentication type of the attempt with that number.
func (d *Details) AuthenticationOf(attempt int) AuthenticationType {
	return cmp.Or(d.EarlierAuthentication[attempt], d.ShownAuthentication())
}

// KeepAuthentication notes the type was for the attempts up to last that have no type noted yet, before a further attempt gets another type.
func (d *Details) KeepAuthentication(last int, was AuthenticationType) {
	types := make(map[int]AuthenticationType, last)
	for n := 1; n <= last; n++ {
		types[n] = cmp.Or(d.EarlierAuthentication[n], was)
	}
	d.EarlierAuthentication = types
}

// AuthenticationType says whether a payment asks for 3-D Secure. Its constants are the API's values.
type AuthenticationType string

// Private is the personal part of a payment.
type Private struct {
	ClientSecret string            `json:"client_secret"`
	Customer     *contact.Customer `json:"customer,omitempty"`
	Billing      *contact.Contact  `json:"billing,omitempty"`
	Shipping     *contact.Contact  `json:"shipping,omitempty"`
	Browser      *contact.Browser  `json:"browser,omitempty"`
	// MethodBilling is payment_method_data.billing as the caller sent it.
	MethodBilling *contact.Contact `json:"method_billing,omitempty"`
	Acceptance    *Acceptance      `json:"acceptance,omitempty"`
}

// Attempt is one try to make a payment at one processor. MerchantID and ID are the key; ID is {payment id}_{number}.
type Attempt struct {
	MerchantID string
	PaymentID  string
	ID         string
	Number     int
	Status     AttemptStatus
	Connector  string // "" until the engine has routed the attempt
	AccountID  string
	// AccountVersion is that of the attempt's operations (see Operation).
	AccountVersion string
	Amount         int64 // the requested amount
	Authorized     int64
	Captured       int64
	// TransactionID is the processor's id of the payment, "" until the processor has named it.
	TransactionID string
	CreatedAt     time.Time
	ModifiedAt    time.Time
	Version       int64

	Details AttemptDetails
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private.
	Sealed  []byte
	Private *AttemptPrivate
	// Relayed are the captures that relays have made or may have made of the transaction. The store keeps them with the relays.
	Relayed []CaptureRecord
	// RelayedAt is when a relay has last captured, raised or voided, zero for never.
	RelayedAt time.Time
	// RelayWrites names the state of the relays that Relayed and RelayedAt show: each write of one of them raises the number. It is nil if nothing has read them.
	RelayWrites *int64
}

// AttemptDetails are the fields of an attempt that are neither personal nor searched for. The json names are storage format.
type AttemptDetails struct {
	PaymentMethod     string      `json:"payment_method,omitempty"`
	PaymentMethodType string      `json:"payment_method_type,omitempty"`
	Card              *card.Facts `json:"card,omitempty"`
	// Environment is that of the account when the engine routed the attempt: "test" or "live".
	Environment string `json:"environment,omitempty"`
	// Reference is our reference at the processor. The store keeps it in a column of its own, where messages find it.
	Reference            string                `json:"-"`
	ProcessorReference   string                `json:"processor_reference,omitempty"`
	AuthCode             string                `json:"auth_code,omitempty"`
	NetworkTransactionID string                `json:"network_transaction_id,omitempty"`
	StoredCredential     *sdk.StoredCredential `json:"stored_credential,omitempty"`
	ConnectorData        *sdk.ConnectorData    `json:"connector_data,omitempty"`
	NextAction           *sdk.NextAction       `json:"next_action,omitempty"`
	Checks               *sdk.Checks           `json:"checks,omitempty"`
	// Error says why the latest operation was refused. An authorized payment keeps it after a refused capture or void.
	Error         *AttemptError `json:"error,omitempty"`
	CardDiscovery string        `json:"card_discovery,omitempty"` // manual, saved_card
	CancelReason  string        `json:"cancel_reason,omitempty"`
	// CancelWanted is true once the merchant has asked to cancel and the processor has not answered, or the customer has gone: payswitch cancels as
	// soon as it can.
	CancelWanted bool `json:"cancel_wanted,omitempty"`
	// FoundDeclined is true if the attempt failed by an operator's word that the processor had refused it, and not by the processor's own.
	FoundDeclined bool `json:"said_declined,omitempty"`
	// LateVoid is the operation that voids funds which the processor held although the attempt had ended without money; "" for none.
	LateVoid string `json:"late_void,omitempty"`
	// CapturedVoid is the latest void of the captured payment, nil without one.
	CapturedVoid *CapturedVoid `json:"captured_void,omitempty"`
	// Released is true once the processor has released the rest of a partial capture.
	Released bool `json:"released,omitempty"`
	// Authentication summarises the external 3-D Secure authentication, nil without one.
	Authentication *authentication.Summary `json:"authentication,omitempty"`
	// Exemption is the decision about an exemption from strong customer authentication, nil if neither payment nor profile wanted one.
	Exemption *AttemptExemption `json:"exemption,omitempty"`
	// Captures are the captures of this attempt, in order.
	Captures []CaptureRecord `json:"captures,omitempty"`
	// Increments are the tries to raise the held amount, in order.
	Increments []IncrementRecord `json:"increments,omitempty"`
	// Hold is what the processor says of the held funds, nil if it has said nothing.
	Hold *sdk.Hold `json:"hold,omitempty"`
	// ExtendedAt is the time of the last successful extension of the hold, zero without one.
	ExtendedAt time.Time `json:"extended_at,omitzero"`
	// EndedAt is the time when the payer's part in the attempt ended, zero before. Later acts of the merchant do not change it.
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Confirmed is true if the attempt was confirmed with an instrument. Answers show Card only then.
	Confirmed bool `json:"confirmed,omitempty"`
	// Save is the usage for which payswitch saves the card after the processor has accepted it, on_session or off_session; "" to not save it.
	Save sdk.CredentialUsage `json:"save,omitempty"`
	// Routed says how the attempt came to its account, nil for an attempt that was never routed.
	Routed *routed.Trace `json:"routed,omitempty"`
	// MethodID is the saved payment method that the attempt charges, or that payswitch saved the card as.
	MethodID string `json:"method_id,omitempty"`
	// Token is the payment_token that named the method, as the caller sent it.
	Token string `json:"token,omitempty"`
	// MerchantInitiated is true if the merchant charges without the customer (MIT).
	MerchantInitiated bool `json:"merchant_initiated,omitempty"`
	// Mandate is the mandate that this attempt charges, "" for none. Of a single-use mandate, the attempt takes the one charge.
	Mandate string `json:"mandate,omitempty"`
	// Guard names the counters at which a failure of the attempt counts, nil where the profile counts none.
	Guard *AttemptGuard `json:"guard,omitempty"`
	// Scheme says how the attempt counts at the limits of its card's scheme, nil where it does not.
	Scheme *scheme.Attempt `json:"sch,omitempty"`
}

// AttemptGuard are the counters of an attempt in its profile's guard against card testing.
type AttemptGuard struct {
	Counters []string `json:"counters"` // keyed hashes
	Seconds  int64    `json:"seconds"`  // how long a failure counts
	// HeldUntil is the time until which the attempt holds a place at each counter; zero: it holds none.
	HeldUntil time.Time `json:"held_until,omitzero"`
	Counted   bool      `json:"counted,omitempty"` // the failure was counted
}

// AttemptPrivate holds the personal fields of an attempt.
type AttemptPrivate struct {
	Holder   string `json:"holder,omitempty"`
	Nickname string `json:"nickname,omitempty"` // nickname of a card that is to be saved
	// Invoke is set while the payer's browser has to run an authentication.
	Invoke *authentication.Invocation `json:"invoke,omitempty"`
}

// AttemptError is a refusal in the form that merchants see.
type AttemptError struct {
	Operation      sdk.Operation     `json:"operation"`
	Code           string            `json:"code"`
	Message        string            `json:"message"`
	Reason         sdk.DeclineReason `json:"reason,omitempty"`
	NetworkCode    string            `json:"network_code,omitempty"`
	AdviceCode     string            `json:"advice_code,omitempty"`
	RetryElsewhere bool              `json:"retry_elsewhere,omitempty"`
	// UnifiedCode and UnifiedMessage come from the operator's error rule, "" without one.
	UnifiedCode    string `json:"unified_code,omitempty"`
	UnifiedMessage string `json:"unified_message,omitempty"`
	Said           string `json:"said,omitempty"` // an operator's reason
}

// Operation is one adapter call for a payment: its durable intent, and its result.
type Operation struct {
	ID         string
	MerchantID string
	PaymentID  string
	AttemptID  string
	AccountID  string
	// AccountVersion is the fingerprint of the account's credentials, address and environment that the operation was begun with. Only an account with
	// this fingerprint may send the operation, ask about it, or act on its money. "" is the account's original version.
	AccountVersion string
	Kind           sdk.Operation
	Status         OperationStatus
	Amount         int64 // amount of the operation in minor units, 0 if it has none

	// Owner is the node that drives the operation. LeaseUntil is the end of the node's right to do so, on the database's clock.
	Owner      string
	LeaseUntil time.Time

	Connector   string // adapter name
	AdapterHash string // pinned until the operation ends; "" before the first drive
	Seed        []byte // 32 bytes
	StartedAt   time.Time
	LastSendAt  time.Time // the latest time at which something may have left the host; zero: nothing has left
	ClosedAt    time.Time

	// ResolveTries and ResolveAt schedule the resolution of an unknown operation and the sync of a pending one.
	ResolveTries int
	// ResendAnswers counts the answers without a decision to the operation when it was sent again.
	ResendAnswers int
	ResolveAt     time.Time

	// Request is the sdk.Request without stand-ins, sealed. It never changes: UpdateOperation leaves it alone. Instrument holds the card, CVC
	// and cryptogram, sealed by a key of its own; it is cleared when the operation closes.
	Request    []byte
	Instrument []byte
	// Key opens Instrument. The store keeps it at insertion; afterwards Reader.ShortTermKey reads it.
	Key *secret.Key
	// Outcome is the sdk.Outcome that closed the operation, as JSON. ErrorText says why the operation failed or is unknown.
	Outcome   []byte
	ErrorText string
	// Resolution is the operator's word that ended the operation, nil for an operation that ended in another way. It never changes.
	Resolution *Resolution
}

// Leased reports whether a run holds the operation at the time now of the database's clock.
func (o *Operation) Leased(now time.Time) bool { return o.Owner != "" && now.Before(o.LeaseUntil) }

// Event is an entry of the outbox: a change that the merchant is notified of.
type Event struct {
	ID         string // evt_…
	MerchantID string
	ProfileID  string
	ObjectID   string
	PaymentID  string // the payment that the object belongs to; "" if the object is the payment
	Number     int    // counts the events of the payment, those of its refunds too; 0 for an event of an older version
	Class      string // payments, refunds …
	Type       string // payment_succeeded …
	Body       []byte // the exact body of the delivery, packed (vault.PackEvent) and sealed
	CreatedAt  time.Time
}

// Payment returns the id of the payment that the event is about.
func (e *Event) Payment() string {
	if e.PaymentID != "" {
		return e.PaymentID
	}
	return e.ObjectID
}

// CardToken is a card that waits, encrypted and for a few minutes, for its payment's confirmation. The row for the merchant's
// own key (extended_card_info) holds the card of a confirmed payment.
type CardToken struct {
	Token      string // token_…
	MerchantID string
	PaymentID  string
	Sealed     []byte
	Key        *secret.Key // opens Sealed; nil where Sealed is encrypted for the merchant's key
	ExpiresAt  time.Time
}

// ShortTermID names the operation's instrument among the secrets with a short-term key.
func (o *Operation) ShortTermID() string { return "operation/" + o.ID }

// ShortTermID names the token's card among the secrets with a short-term key.
func (c *CardToken) ShortTermID() string { return "card_token/" + c.Token }

func NewAttempt(p *Payment, number int, now time.Time) *Attempt {
	return &Attempt{MerchantID: p.MerchantID, PaymentID: p.ID, ID: numbered(p.ID, number), Number: number, Status: PaymentMethodAwaited,
		Amount: p.NetAmount, CreatedAt: now, ModifiedAt: now, Private: &AttemptPrivate{}}
}

// numbered returns the id of an attempt of a payment, and of a capture of an attempt.
func numbered(id string, number int) string { return id + "_" + strconv.Itoa(number) }
