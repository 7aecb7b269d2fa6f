package engine

import (
	"encoding/json"
	"strconv"
	"time"

	"payswitch/sdk"
)

// Payment is a merchant's intent to be paid. Amounts are minor units of Currency. It is keyed by MerchantID and ID.
type Payment struct {
	MerchantID string
	ID         string
	ProfileID  string
	CustomerID string // "" for a guest
	Status     PaymentStatus
	Currency   sdk.Currency
	Amount     int64 // order amount
	NetAmount  int64 // Amount + shipping cost + tax + surcharge: what is authorized
	Capturable int64 // amount_capturable
	Received   int64 // captured so far
	Refunded   int64 // refunded or being refunded

	AttemptCount  int
	AttemptID     string // the latest attempt
	OpenOperation string // the operation in flight or unknown, "" when none
	// ClientSecretHash is the SHA-256 of the client secret; the secret itself is in Private, for the answers that show it.
	ClientSecretHash []byte
	ExpiresAt        time.Time // the client secret's end
	CreatedAt        time.Time
	ModifiedAt       time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details PaymentDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *PaymentPrivate
}

// PaymentDetails is what the engine keeps of a payment that is neither personal nor searched for. The json names are storage
// format, not wire.
type PaymentDetails struct {
	CaptureMethod      string          `json:"capture_method,omitempty"`
	AuthenticationType string          `json:"authentication_type,omitempty"`
	SetupFutureUsage   string          `json:"setup_future_usage,omitempty"`
	OffSession         *bool           `json:"off_session,omitempty"`
	PaymentType        string          `json:"payment_type,omitempty"`
	External3DS        bool            `json:"external_3ds,omitempty"`
	AmountToCapture    *int64          `json:"amount_to_capture,omitempty"`
	ShippingCost       *int64          `json:"shipping_cost,omitempty"`
	OrderTaxAmount     *int64          `json:"order_tax_amount,omitempty"`
	SurchargeAmount    int64           `json:"surcharge_amount,omitempty"`
	Description        string          `json:"description,omitempty"`
	DescriptorName     string          `json:"descriptor_name,omitempty"`
	DescriptorSuffix   string          `json:"descriptor_suffix,omitempty"`
	ReturnURL          string          `json:"return_url,omitempty"`
	OrderReference     string          `json:"order_reference,omitempty"` // merchant_order_reference_id
	CancellationReason string          `json:"cancellation_reason,omitempty"`
	Metadata           json.RawMessage `json:"metadata,omitempty"`
	Routing            *Routing        `json:"routing,omitempty"`
	// Announced is the latest state that an event was written for.
	Announced string `json:"announced,omitempty"`
	// Token is the payment_token of a card kept for a payment that is not confirmed yet.
	Token string `json:"token,omitempty"`
	// Mandate is the mandate that the payment is to be made with, MandateID its id once it is; or that of the one it charges.
	Mandate   *MandateTerms `json:"mandate,omitempty"`
	MandateID string        `json:"mandate_id,omitempty"`
	// Echo are request fields that are kept and shown as they came: order_details, connector_metadata, feature_metadata …
	Echo map[string]json.RawMessage `json:"echo,omitempty"`
}

// PaymentPrivate is the personal part of a payment.
type PaymentPrivate struct {
	ClientSecret string         `json:"client_secret"`
	Customer     *CustomerInput `json:"customer,omitempty"`
	Billing      *Contact       `json:"billing,omitempty"`
	Shipping     *Contact       `json:"shipping,omitempty"`
	Browser      *sdk.Browser   `json:"browser,omitempty"`
	// MethodBilling is payment_method_data.billing as sent.
	MethodBilling *Contact    `json:"method_billing,omitempty"`
	Acceptance    *Acceptance `json:"acceptance,omitempty"`
}

// Attempt is one try to make a payment at one processor. ID is {payment id}_{number}; it is keyed by merchant and ID.
type Attempt struct {
	MerchantID string
	PaymentID  string
	ID         string
	Number     int
	Status     AttemptStatus
	Connector  string // "" until routed
	AccountID  string
	Amount     int64 // asked for
	Authorized int64
	Captured   int64
	// TransactionID is the processor's id of the payment, "" until told.
	TransactionID string
	CreatedAt     time.Time
	ModifiedAt    time.Time
	Version       int64

	Details AttemptDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *AttemptPrivate
}

// AttemptDetails is what is kept of an attempt that is neither personal nor searched for. The json names are storage format.
type AttemptDetails struct {
	PaymentMethod     string     `json:"payment_method,omitempty"`
	PaymentMethodType string     `json:"payment_method_type,omitempty"`
	Card              *CardFacts `json:"card,omitempty"`
	// Environment of the account when it was routed: "test" or "live".
	Environment string `json:"environment,omitempty"`
	// Reference is ours at the processor.
	Reference            string                `json:"reference,omitempty"`
	ProcessorReference   string                `json:"processor_reference,omitempty"`
	AuthCode             string                `json:"auth_code,omitempty"`
	NetworkTransactionID string                `json:"network_transaction_id,omitempty"`
	StoredCredential     *sdk.StoredCredential `json:"stored_credential,omitempty"`
	ConnectorData        *sdk.ConnectorData    `json:"connector_data,omitempty"`
	NextAction           *sdk.NextAction       `json:"next_action,omitempty"`
	Checks               *sdk.Checks           `json:"checks,omitempty"`
	// Error is why the latest operation was refused; kept on an authorized payment after a refused capture or void too.
	Error         *AttemptError `json:"error,omitempty"`
	CardDiscovery string        `json:"card_discovery,omitempty"` // manual, saved_card
	CancelReason  string        `json:"cancel_reason,omitempty"`
	// Released says that the rest of a partial capture is known to be released at the processor.
	Released bool `json:"released,omitempty"`
	// Authentication is that of external 3-D Secure, nil without.
	Authentication *AttemptAuthentication `json:"authentication,omitempty"`
	// Exemption is what was decided about an exemption from strong customer authentication, nil where none was wanted.
	Exemption *AttemptExemption `json:"exemption,omitempty"`
	// Captures are the captures made of this attempt, in order.
	Captures []CaptureRecord `json:"captures,omitempty"`
	// EndedAt is when the payer's part in the attempt was over; zero before. What merchants do later leaves it.
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Confirmed says that the attempt was confirmed with an instrument: only then do answers show Card.
	Confirmed bool `json:"confirmed,omitempty"`
	// Save says what the card is to be kept for when the processor has taken it: on_session or off_session; "" when it is not.
	Save string `json:"save,omitempty"`
	// MethodID is the saved payment method that is charged, or that the card was kept as.
	MethodID string `json:"method_id,omitempty"`
	// Token is the payment_token that named the method, as sent.
	Token string `json:"token,omitempty"`
	// MerchantInitiated says that the merchant charges without the customer (MIT).
	MerchantInitiated bool `json:"merchant_initiated,omitempty"`
	// Mandate is the single-use mandate whose charge this attempt takes.
	Mandate string `json:"mandate,omitempty"`
}

// AttemptPrivate is the personal part of an attempt.
type AttemptPrivate struct {
	Holder   string `json:"holder,omitempty"`
	Nickname string `json:"nickname,omitempty"` // of a card that is to be kept
	// Invoke is set while the payer's browser is to run an authentication.
	Invoke *AttemptInvoke `json:"invoke,omitempty"`
}

// AttemptError is a refusal as merchants see it.
type AttemptError struct {
	Operation      sdk.Operation     `json:"operation"`
	Code           string            `json:"code"`
	Message        string            `json:"message"`
	Reason         sdk.DeclineReason `json:"reason,omitempty"`
	NetworkCode    string            `json:"network_code,omitempty"`
	AdviceCode     string            `json:"advice_code,omitempty"`
	RetryElsewhere bool              `json:"retry_elsewhere,omitempty"`
}

// CaptureRecord is one capture of an attempt.
type CaptureRecord struct {
	ID          string    `json:"id"` // {attempt id}_{sequence}
	Sequence    int       `json:"sequence"`
	OperationID string    `json:"operation_id"`
	Amount      int64     `json:"amount"`
	Status      string    `json:"status"` // started, charged, pending, failed
	ProcessorID string    `json:"processor_id,omitempty"`
	ErrorCode   string    `json:"error_code,omitempty"`
	ErrorText   string    `json:"error_text,omitempty"`
	At          time.Time `json:"at"`
}

// Operation is one adapter call for a payment: its durable intent, and what came of it.
type Operation struct {
	ID         string
	MerchantID string
	PaymentID  string
	AttemptID  string
	AccountID  string
	Kind       sdk.Operation
	Status     OperationStatus
	Amount     int64 // what it is about, minor units; 0 where it has no amount

	// Owner is the node that drives it, and LeaseUntil the end of its right to, on the database's clock.
	Owner      string
	LeaseUntil time.Time

	Connector   string // adapter name
	AdapterHash string // pinned until the operation ends; "" until first driven
	Seed        []byte // 32 bytes
	StartedAt   time.Time
	LastSendAt  time.Time // the latest moment something may have left; zero: nothing yet
	ClosedAt    time.Time

	// ResolveTries and ResolveAt schedule the resolution of an unknown (and the sync of a pending one).
	ResolveTries int
	ResolveAt    time.Time

	// Request is the sdk.Request without stand-ins, sealed; Instrument the card, CVC and cryptogram, sealed by a key of its own, cleared when
	// the operation closes. Request never changes: UpdateOperation leaves it alone.
	Request    []byte
	Instrument []byte
	// Key opens Instrument. It is stored at insertion; afterwards Reader.ShortTermKey reads it.
	Key *ShortTermKey
	// Outcome is the sdk.Outcome it closed with, as JSON; ErrorText why it failed or is unknown.
	Outcome   []byte
	ErrorText string
}

// Event is an entry of the outbox: a change that the merchant is to be told of.
type Event struct {
	ID         string // evt_…
	MerchantID string
	ProfileID  string
	ObjectID   string
	Class      string // payments, refunds …
	Type       string // payment_succeeded …
	Body       []byte // sealed: the delivery's exact body
	CreatedAt  time.Time
}

// CardToken is a card kept for a payment that is not confirmed yet: encrypted, for a few minutes.
type CardToken struct {
	Token      string // token_…
	MerchantID string
	PaymentID  string
	Sealed     []byte
	Key        *ShortTermKey // opens Sealed
	ExpiresAt  time.Time
}

// ShortTermID names the operation's instrument among those kept for a short time.
func (o *Operation) ShortTermID() string { return "operation/" + o.ID }

// ShortTermID names the token's card among those kept for a short time.
func (c *CardToken) ShortTermID() string { return "card_token/" + c.Token }

func newAttempt(p *Payment, number int, now time.Time) *Attempt {
	return &Attempt{MerchantID: p.MerchantID, PaymentID: p.ID, ID: attemptID(p.ID, number), Number: number, Status: PaymentMethodAwaited,
		Amount: p.NetAmount, CreatedAt: now, ModifiedAt: now, Private: &AttemptPrivate{}}
}

func attemptID(paymentID string, number int) string { return paymentID + "_" + strconv.Itoa(number) }
