package sdk

import (
	"strconv"
	"strings"
)

// Outcome is the normalized result of an operation. A decline is an outcome, not an error. So is "the result is unknown".
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

	// Amount is the amount of the status: approved for authorized, taken for captured, given back for refunded. nil means the requested
	// amount. The host refuses an amount or a currency that does not fit the request.
	Amount *Money `json:"amount,omitempty"`
	// Totals are all amounts authorized, captured and refunded so far, if the processor states them (sync, webhook).
	Totals *Totals `json:"totals,omitempty"`
	// Released means that the processor has released the rest of a partial capture.
	Released bool `json:"released,omitempty"`
	// Hold says what the processor lets payswitch do with the held funds; nil if it says nothing.
	Hold *Hold `json:"hold,omitempty"`

	ConnectorData *ConnectorData `json:"connector_data,omitempty"`
	NextAction    *NextAction    `json:"next_action,omitempty"`
	// Decline is the reason of a refusal. In an event with StatusAuthorized it means that the processor has refused a cancel: the payment is as it was.
	// Reference is then the processor's id of that cancel: a message that is delivered again ends no later cancel.
	Decline *Decline `json:"decline,omitempty"`
	Checks  *Checks  `json:"checks,omitempty"`
	// Dispute is the state of the dispute after accept_dispute and submit_evidence, and as dispute_sync finds it.
	Dispute *Dispute `json:"dispute,omitempty"`
	// EvidenceID is the processor's id of an attached file, "" if the processor gives it none.
	EvidenceID string `json:"evidence_id,omitempty"`
	// Raw holds the processor's own codes by name, for support cases. Raw never holds personal data.
	Raw map[string]string `json:"raw,omitempty"`

	Events         []Event                `json:"events,omitempty"`         // webhook
	Reply          *Reply                 `json:"reply,omitempty"`          // webhook
	Token          *AccessToken           `json:"token,omitempty"`          // access_token
	Authentication *AuthenticationOutcome `json:"authentication,omitempty"` // prepare, authenticate, result, and events of webhook
}

// OutcomeStatus is the result of the operation. Its constants are the wire values.
type OutcomeStatus string

const (
	StatusAuthorized     OutcomeStatus = "authorized"               // held, not captured
	StatusCaptured       OutcomeStatus = "captured"                 // taken
	StatusPending        OutcomeStatus = "pending"                  // accepted by the processor, result not known yet
	StatusCustomerAction OutcomeStatus = "requires_customer_action" // NextAction is the action
	StatusReview         OutcomeStatus = "review"                   // held back by the processor: a person decides
	StatusDeclined       OutcomeStatus = "declined"                 // refused, with evidence; Decline is the reason
	StatusVoided         OutcomeStatus = "voided"
	StatusRefunded       OutcomeStatus = "refunded"
	StatusVerified       OutcomeStatus = "verified"      // zero-amount check passed
	StatusNotFound       OutcomeStatus = "not_found"     // sync: the processor does not know the payment or refund
	StatusUnknown        OutcomeStatus = "unknown"       // no evidence either way; ask again later
	StatusDisputed       OutcomeStatus = "disputed"      // Dispute is the state of the dispute
	StatusAttached       OutcomeStatus = "attached"      // attach_evidence: the processor has the file
	StatusHandled        OutcomeStatus = "handled"       // webhook read; Events are its contents
	StatusToken          OutcomeStatus = "token"         // access_token: Token is set
	StatusPrepared       OutcomeStatus = "prepared"      // authenticator: prepare done
	StatusAuthenticated  OutcomeStatus = "authenticated" // authenticator: Authentication holds the answer, positive or negative
)

// StoredCredential is the processor's reference to a credential that the processor keeps.
type StoredCredential struct {
	ID         string `json:"id"`                    // the id for later charges
	CustomerID string `json:"customer_id,omitempty"` // the processor's customer that owns the credential
}

// StoredAs returns the reference to a credential that the processor keeps, nil if id is "". customer may be "".
func StoredAs(id, customer string) *StoredCredential {
	if id == "" {
		return nil
	}
	return &StoredCredential{ID: id, CustomerID: customer}
}

// Totals are amounts in minor units of the payment's currency.
type Totals struct {
	Authorized int64 `json:"authorized"`
	Captured   int64 `json:"captured"`
	Refunded   int64 `json:"refunded"`
}

// NextAction is an action of the customer's browser. The operation complete follows, perhaps more than once.
type NextAction struct {
	Type   NextActionType `json:"type"`
	URL    string         `json:"url"`
	Fields []Header       `json:"fields,omitempty"`
	// TimeoutMillis bounds a device_data action; 0 means 10 seconds.
	TimeoutMillis int `json:"timeout_ms,omitempty"`
}

// NextActionType is the way the browser performs a NextAction. Its constants are the wire values.
type NextActionType string

const (
	NextActionRedirect   NextActionType = "redirect"    // GET URL
	NextActionFormPost   NextActionType = "form_post"   // POST Fields to URL
	NextActionDeviceData NextActionType = "device_data" // POST Fields to URL in a hidden frame
)

// Decline is the reason of a refusal.
type Decline struct {
	Code    string `json:"code"`    // the processor's code, unchanged
	Message string `json:"message"` // the processor's text, unchanged
	// NetworkCode is the issuer's response code (ISO 8583 field 39), if the processor states it.
	NetworkCode string `json:"network_code,omitempty"`
	// AdviceCode is the network's merchant advice code, if the processor states it.
	AdviceCode string        `json:"advice_code,omitempty"`
	Reason     DeclineReason `json:"reason"`
	// RetryElsewhere means that the merchant may try the same card at another processor.
	RetryElsewhere bool `json:"retry_elsewhere,omitempty"`
}

// Checks are the results of address and CVC checks; "" if the processor states no result.
type Checks struct {
	CVC          CheckResult `json:"cvc,omitempty"`
	AddressLine1 CheckResult `json:"address_line1,omitempty"`
	PostalCode   CheckResult `json:"postal_code,omitempty"`
}

// Event is one piece of news in a webhook message.
type Event struct {
	Object        EventObject `json:"object"`
	TransactionID string      `json:"transaction_id,omitempty"`
	RefundID      string      `json:"refund_id,omitempty"`
	Reference     string      `json:"reference,omitempty"`  // payswitch's reference, if the message holds it
	AccountID     string      `json:"account_id,omitempty"` // the processor's account of the event, if the message holds it
	// Sync asks the host to query the processor for this object instead of believing Outcome.
	Sync bool `json:"sync,omitempty"`
	// Outcome is the statement of the message. For an authentication it is StatusAuthenticated with the result, or StatusHandled with
	// AuthenticationOutcome.Event.
	Outcome *Outcome `json:"outcome,omitempty"`
	Time    int64    `json:"time,omitempty"` // Unix milliseconds of the event at the processor
	// Dispute is the dispute's state, for an EventDispute whose message states its amount. The host books it only from a message whose signature it
	// has verified.
	Dispute *Dispute `json:"dispute,omitempty"`
}

// Dispute is the state of a dispute at the processor: a chargeback, or the issuer's question before one.
type Dispute struct {
	ID     string        `json:"id"` // the processor's id, the same in all messages about the dispute
	Status DisputeStatus `json:"status"`
	Amount Money         `json:"amount"` // what is disputed
	// Stage is the round of the dispute; "" leaves it as it was, and is the stage dispute for a new one. A question in the stage pre_dispute claims no
	// money while it is open.
	Stage DisputeStage `json:"stage,omitempty"`

	ConnectorStatus string `json:"connector_status,omitempty"` // the processor's word for the status, unchanged
	Reason          string `json:"reason,omitempty"`           // the processor's text
	ReasonCode      string `json:"reason_code,omitempty"`      // of the processor or the network
	RespondBy       int64  `json:"respond_by,omitempty"`       // Unix milliseconds of the last time for evidence
	CreatedAt       int64  `json:"created_at,omitempty"`       // Unix milliseconds of the dispute's beginning at the processor
}

// DisputeStatus says who has the disputed money, and who is to act. Its constants are the wire values.
type DisputeStatus string

const (
	DisputeOpened     DisputeStatus = "opened"     // the money is claimed back; many processors have withdrawn it already
	DisputeChallenged DisputeStatus = "challenged" // the merchant has answered; the money is claimed back until the decision
	DisputeWon        DisputeStatus = "won"        // the merchant keeps the money, or has it again
	DisputeLost       DisputeStatus = "lost"       // the customer has the money
	DisputeAccepted   DisputeStatus = "accepted"   // the merchant does not answer: the customer has the money
	DisputeExpired    DisputeStatus = "expired"    // the time for an answer is over: the customer has the money, or will get it
	DisputeCancelled  DisputeStatus = "cancelled"  // the issuer has withdrawn it: the merchant keeps the money, or has it again
)

// DisputeStage is a round of a dispute. Its constants are the wire values, in their order.
type DisputeStage string

const (
	StagePreDispute     DisputeStage = "pre_dispute" // the issuer asks, or announces a dispute
	StageDispute        DisputeStage = "dispute"
	StagePreArbitration DisputeStage = "pre_arbitration" // the issuer disputes again
	StageArbitration    DisputeStage = "arbitration"     // the network decides
	StageReversal       DisputeStage = "dispute_reversal"
)

// EventObject is the kind of object that an Event is about. Its constants are the wire values.
type EventObject string

const (
	EventPayment        EventObject = "payment"
	EventRefund         EventObject = "refund"
	EventDispute        EventObject = "dispute"
	EventAuthentication EventObject = "authentication"
)

// Reply is the HTTP answer to the processor's message.
type Reply struct {
	Status  int      `json:"status"`
	Headers []Header `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
}

// AccessToken is a token that the host keeps for this account. Value is a stand-in made by Send.Capture.
type AccessToken struct {
	Value     string `json:"value"`
	ExpiresIn int64  `json:"expires_in"` // seconds from now, from 1 to MaxTokenLifetime
}

// MaxTokenLifetime is the longest lifetime of an access token in seconds: ten years. A larger number is a time, or has another unit.
const MaxTokenLifetime = 10 * 365 * 24 * 3600

// Impossible returns the reason why the lifetime cannot be one, "" if it can. The host keeps no such token.
func (t *AccessToken) Impossible() string {
	if t.ExpiresIn >= 1 && t.ExpiresIn <= MaxTokenLifetime {
		return ""
	}
	return "expires_in: the token's lifetime of " + strconv.FormatInt(t.ExpiresIn, 10) + " s is not between 1 s and " +
		strconv.Itoa(MaxTokenLifetime) + " s: give the seconds from now until it ends"
}

// With returns the outcome with what its status calls for: an approval's amount (see OutcomeStatus.Approves), a decline's reason. It calls
// amount or decline only then, so either may end the operation.
func (o *Outcome) With(amount func() *Money, decline func() *Decline) *Outcome {
	if o.Status.Approves() {
		o.Amount = amount()
	} else if o.Status == StatusDeclined {
		o.Decline = decline()
	}
	return o
}

// Redirect sends the payer's browser to the processor's page: the outcome is StatusCustomerAction. Without an https URL it is StatusPending, because
// the payer has nowhere to go.
func (o *Outcome) Redirect(url string) {
	if o.Status = StatusPending; strings.HasPrefix(url, "https://") {
		o.Status, o.NextAction = StatusCustomerAction, &NextAction{Type: NextActionRedirect, URL: url}
	}
}
