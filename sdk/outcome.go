package sdk

// Outcome is the normalized result of an operation. A decline and "we do not know" are outcomes, not errors.
type Outcome struct {
	Status OutcomeStatus `json:"status"`

	TransactionID string `json:"transaction_id,omitempty"` // the processor's id of the payment
	RefundID      string `json:"refund_id,omitempty"`      // the processor's id of the refund
	CaptureID     string `json:"capture_id,omitempty"`     // the processor's id of this capture
	Reference     string `json:"reference,omitempty"`      // the processor's own reference shown to the merchant
	AuthCode      string `json:"auth_code,omitempty"`

	// NetworkTransactionID is the card network's id, to which later merchant-initiated payments refer.
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
	// StoredCredential is what the processor stored with this payment.
	StoredCredential *StoredCredential `json:"stored_credential,omitempty"`

	// Amount is what the status is about: approved for authorized, taken for captured, given back for refunded. nil: the amount
	// asked for. The host refuses a currency or an amount that does not fit.
	Amount *Money `json:"amount,omitempty"`
	// Totals, where the processor told them (sync, webhook): what is authorized, captured and refunded altogether.
	Totals *Totals `json:"totals,omitempty"`
	// Released says that the rest of a partial capture has been released by the processor.
	Released bool `json:"released,omitempty"`

	ConnectorData *ConnectorData `json:"connector_data,omitempty"`
	NextAction    *NextAction    `json:"next_action,omitempty"`
	Decline       *Decline       `json:"decline,omitempty"`
	Checks        *Checks        `json:"checks,omitempty"`
	// Raw holds the processor's own codes by name, for support cases. No personal data.
	Raw map[string]string `json:"raw,omitempty"`

	Events         []Event                `json:"events,omitempty"`         // webhook
	Reply          *Reply                 `json:"reply,omitempty"`          // webhook
	Token          *AccessToken           `json:"token,omitempty"`          // access_token
	Authentication *AuthenticationOutcome `json:"authentication,omitempty"` // prepare, authenticate, result, and events of webhook
}

// OutcomeStatus is what has become of the operation. Its constants are the wire values.
type OutcomeStatus string

const (
	StatusAuthorized     OutcomeStatus = "authorized"               // held, not captured
	StatusCaptured       OutcomeStatus = "captured"                 // taken
	StatusPending        OutcomeStatus = "pending"                  // accepted by the processor, the end is not known yet
	StatusCustomerAction OutcomeStatus = "requires_customer_action" // NextAction says what
	StatusReview         OutcomeStatus = "review"                   // held back by the processor for a person to decide
	StatusDeclined       OutcomeStatus = "declined"                 // refused, with evidence; Decline says why
	StatusVoided         OutcomeStatus = "voided"
	StatusRefunded       OutcomeStatus = "refunded"
	StatusVerified       OutcomeStatus = "verified"      // zero-amount check passed
	StatusNotFound       OutcomeStatus = "not_found"     // sync: the processor has not heard of it
	StatusUnknown        OutcomeStatus = "unknown"       // no evidence either way; ask again later
	StatusHandled        OutcomeStatus = "handled"       // webhook read; Events say what it holds
	StatusToken          OutcomeStatus = "token"         // access_token: Token is set
	StatusPrepared       OutcomeStatus = "prepared"      // authenticator: prepare done
	StatusAuthenticated  OutcomeStatus = "authenticated" // authenticator: Authentication holds the answer, whatever it is
)

// StoredCredential is the processor's reference to a credential it keeps.
type StoredCredential struct {
	ID         string `json:"id"`                    // what to send to charge it again
	CustomerID string `json:"customer_id,omitempty"` // the processor's customer it belongs to
}

// Totals are amounts in minor units of the payment's currency.
type Totals struct {
	Authorized int64 `json:"authorized"`
	Captured   int64 `json:"captured"`
	Refunded   int64 `json:"refunded"`
}

// NextAction is what the customer's browser has to do; complete follows, perhaps more than once.
type NextAction struct {
	// Type is "redirect" (GET URL), "form_post" (POST Fields to URL) or "device_data" (POST Fields to URL in a hidden frame).
	Type   string   `json:"type"`
	URL    string   `json:"url"`
	Fields []Header `json:"fields,omitempty"`
	// TimeoutMillis bounds a device_data action; 0 means 10 seconds.
	TimeoutMillis int `json:"timeout_ms,omitempty"`
}

// Decline is why a payment was refused.
type Decline struct {
	Code    string `json:"code"`    // the processor's code, as it stands
	Message string `json:"message"` // the processor's text, as it stands
	// NetworkCode is the issuer's response code (ISO 8583 field 39) where the processor tells it.
	NetworkCode string `json:"network_code,omitempty"`
	// AdviceCode is the network's merchant advice code where the processor tells it.
	AdviceCode string        `json:"advice_code,omitempty"`
	Reason     DeclineReason `json:"reason"`
	// RetryElsewhere says that the same card may be tried at another processor.
	RetryElsewhere bool `json:"retry_elsewhere,omitempty"`
}

// Checks are the results of address and CVC checks: "pass", "fail", "unavailable", "unchecked"; "" when the processor is silent.
type Checks struct {
	CVC          string `json:"cvc,omitempty"`
	AddressLine1 string `json:"address_line1,omitempty"`
	PostalCode   string `json:"postal_code,omitempty"`
}

// Event is one thing a webhook tells.
type Event struct {
	// Object is "payment", "refund", "dispute" or "authentication".
	Object        string `json:"object"`
	TransactionID string `json:"transaction_id,omitempty"`
	RefundID      string `json:"refund_id,omitempty"`
	Reference     string `json:"reference,omitempty"`  // ours, where the message holds it
	AccountID     string `json:"account_id,omitempty"` // the processor's account the event belongs to, where the message holds it
	// Sync asks the host to query the processor for this object instead of believing Outcome.
	Sync bool `json:"sync,omitempty"`
	// Outcome is what the message states. Of an authentication: StatusAuthenticated with the result, or StatusHandled with what else
	// is new (AuthenticationOutcome.Event).
	Outcome *Outcome `json:"outcome,omitempty"`
	Time    int64    `json:"time,omitempty"` // Unix milliseconds of the event at the processor
}

// Reply is what the processor expects to be answered.
type Reply struct {
	Status  int      `json:"status"`
	Headers []Header `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
}

// AccessToken is a token the host keeps for this account. Value is a stand-in made by Send.Capture.
type AccessToken struct {
	Value     string `json:"value"`
	ExpiresIn int64  `json:"expires_in"` // seconds
}
