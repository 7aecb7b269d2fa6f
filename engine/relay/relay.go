package relay

import (
	"strconv"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// Relay is one operation on a processor's own reference. MerchantID and ID are the key.
type Relay struct {
	MerchantID string
	ID         string // relay_…
	ProfileID  string // the caller's; the account may be another profile's
	AccountID  string
	Connector  string
	Type       Type
	Status     Status
	ResourceID string // the processor's id of the transaction
	// ReferenceID is the processor's id of what the operation made, "" until the processor has named it.
	ReferenceID string
	CreatedAt   time.Time
	ModifiedAt  time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details Details
}

// Details are the fields of a relay that no query searches by. The json names are storage format.
type Details struct {
	Data        Data   `json:"data"`
	OperationID string `json:"operation_id"` // of the one send, in the journal
	// AccountVersion names the credentials that the operation was sent with.
	AccountVersion string `json:"account_version,omitempty"`
	Reference      string `json:"reference"` // ours at the processor
	// Unanswered is true from before the send until an answer has shown an outcome. A refund without an answer that the processor does not know was not made.
	Unanswered bool `json:"unanswered,omitempty"`
	// What shows that a second send is the same as the first: the adapter's build, the hash of the adapter's request, and those of the sends after the first
	// one, by index.
	AdapterHash string   `json:"adapter,omitempty"`
	Request     string   `json:"request,omitempty"`
	Sends       []string `json:"sends,omitempty"`
	// SentUntil is the latest moment at which a second send may have left, zero without one.
	SentUntil time.Time `json:"sent_until,omitzero"`
	// Before is nil if the processor was not asked, or did not answer.
	Before *Before `json:"before,omitempty"`
	Error  *Error  `json:"error,omitempty"`
	// Made is what the processor says that it captured, 0 for the amount that was asked for.
	Made int64 `json:"made,omitempty"`
	// Resolution is the operator's word that ended the relay, nil for a relay that ended in another way.
	Resolution *payment.Resolution `json:"resolution,omitempty"`
	Waits      string              `json:"waits,omitempty"` // why the relay is pending, in words for the merchant
}

// Error says why an operation failed.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Type is the kind of a relay. Its constants are the API's values.
type Type string

const (
	Refund             Type = "refund"
	Capture            Type = "capture"
	Increment          Type = "incremental_authorization"
	Void               Type = "void"
	UnreferencedRefund Type = "unreferenced_refund"
)

// Types are all types, in the API's order.
var Types = []Type{Refund, Capture, Increment, Void, UnreferencedRefund}

// operation returns what the adapter performs.
func (t Type) operation() sdk.Operation {
	return map[Type]sdk.Operation{Refund: sdk.OpRefund, Capture: sdk.OpCapture, Increment: sdk.OpIncrementalAuthorize, Void: sdk.OpVoid,
		UnreferencedRefund: sdk.OpUnreferencedRefund}[t]
}

// refunds reports whether the processor names what the relay makes as a refund.
func (t Type) refunds() bool { return t == Refund || t == UnreferencedRefund }

// Status is the state of a relay. Its constants are the API's values.
type Status string

const (
	Pending Status = "pending" // accepted, or its result is not known
	Success Status = "success"
	Failure Status = "failure"
)

// Data is what a relay asks for: the field of its type is set. Amounts are in minor units.
type Data struct {
	Refund    *RefundData    `json:"refund,omitempty"`
	Capture   *CaptureData   `json:"capture,omitempty"`
	Increment *IncrementData `json:"incremental_authorization,omitempty"`
	Void      *VoidData      `json:"void,omitempty"`
	// Unreferenced has what may be kept of the card.
	Unreferenced *UnreferencedData `json:"unreferenced_refund,omitempty"`
}

// Asked is the data of a request. Card is that of an unreferenced refund: it goes to the adapter, and is kept nowhere.
type Asked struct {
	Data
	Card *card.Input
}

type RefundData struct {
	Amount   int64        `json:"amount"`
	Currency sdk.Currency `json:"currency"`
	Reason   string       `json:"reason,omitempty"`
}

type CaptureData struct {
	Authorized int64                 `json:"authorized_amount"`
	Amount     int64                 `json:"amount_to_capture"`
	Currency   sdk.Currency          `json:"currency"`
	Method     payment.CaptureMethod `json:"capture_method,omitempty"`
}

type IncrementData struct {
	Total      int64        `json:"total_amount"`
	Additional int64        `json:"additional_amount"`
	Currency   sdk.Currency `json:"currency"`
}

type VoidData struct {
	Amount   *int64       `json:"amount,omitempty"`
	Currency sdk.Currency `json:"currency,omitempty"`
	Reason   string       `json:"cancellation_reason,omitempty"`
}

// UnreferencedData asks for money to a card without an earlier payment.
type UnreferencedData struct {
	Amount     int64        `json:"amount"`
	Currency   sdk.Currency `json:"currency"`
	CustomerID string       `json:"customer_id,omitempty"`
	BIN        string       `json:"bin"`
	LastFour   string       `json:"last_four"`
	ExpMonth   string       `json:"exp_month"` // as the caller sent it
	ExpYear    string       `json:"exp_year"`  // as the caller sent it
	// CardHash is the keyed hash of the number: a repetition of the request must have the same card.
	CardHash string `json:"card_hash"`
}

// Input is a request for a relay.
type Input struct {
	ResourceID string
	AccountID  string
	Type       Type
	Data       Asked
}

// isFor reports whether the data is that of type t.
func (d *Asked) isFor(t Type) bool {
	switch t {
	case Refund:
		return d.Refund != nil
	case Capture:
		return d.Capture != nil
	case Increment:
		return d.Increment != nil
	case Void:
		return d.Void != nil
	}
	return d.Unreferenced != nil
}

// amounts returns the amount of the operation, and what is held or taken of the transaction as far as the request says so.
func (d *Data) amounts() (amount, held int64, currency sdk.Currency) {
	switch {
	case d.Refund != nil:
		return d.Refund.Amount, d.Refund.Amount, d.Refund.Currency
	case d.Unreferenced != nil:
		return d.Unreferenced.Amount, 0, d.Unreferenced.Currency
	case d.Capture != nil:
		return d.Capture.Amount, d.Capture.Authorized, d.Capture.Currency
	case d.Increment != nil:
		return d.Increment.Total, d.Increment.Total - d.Increment.Additional, d.Increment.Currency
	case d.Void != nil && d.Void.Amount != nil:
		return *d.Void.Amount, *d.Void.Amount, d.Void.Currency
	case d.Void != nil:
		return 0, 0, d.Void.Currency
	}
	return 0, 0, ""
}

// check holds the amounts against each other. An error names the first field that cannot be.
func (d *Data) check() error {
	type amount struct {
		field string
		minor int64
	}
	var amounts []amount
	switch {
	case d.Refund != nil:
		amounts = []amount{{"refund.amount", d.Refund.Amount}}
	case d.Unreferenced != nil:
		amounts = []amount{{"unreferenced_refund.amount", d.Unreferenced.Amount}}
	case d.Capture != nil:
		amounts = []amount{{"capture.amount_to_capture", d.Capture.Amount}, {"capture.authorized_amount", d.Capture.Authorized}}
	case d.Increment != nil:
		amounts = []amount{{"incremental_authorization.total_amount", d.Increment.Total}, {"incremental_authorization.additional_amount", d.Increment.Additional}}
	case d.Void != nil && d.Void.Amount != nil:
		amounts = []amount{{"void.amount", *d.Void.Amount}}
	}
	most := strconv.Itoa(payment.MaxAmount)
	for _, a := range amounts {
		if a.minor <= 0 || a.minor > payment.MaxAmount {
			return invalid(a.field, "the amount must be above zero and at most "+most, "Send a whole number from 1 to "+most+".")
		}
	}
	switch c, i := d.Capture, d.Increment; {
	case d.Void != nil && d.Void.Amount != nil && d.Void.Currency == "":
		return invalid("void.currency", "an amount needs its currency", "Send currency too, or leave amount out.")
	case c != nil && c.Amount > c.Authorized:
		return invalid("capture.amount_to_capture", "amount_to_capture is greater than authorized_amount", "Send at most "+strconv.FormatInt(c.Authorized, 10)+".")
	case i != nil && i.Additional >= i.Total:
		return invalid("incremental_authorization.additional_amount", "additional_amount must be below total_amount", "Send how much total_amount is above the amount that is held.")
	}
	return nil
}

func invalid(field, reason, hint string) *fault.Error {
	e := fault.Refused("Invalid relay request").WithHint(hint).WithParam("data." + field)
	e.Reason = reason
	return e
}

func notFound() *fault.Error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "relay not found", Param: "relay_id", Hint: fault.CheckID}
}

// Reader reads relays. It returns ErrNotFound for rows of other merchants. RelaysAt returns the newest relays at an account with a processor's id,
// "" for those that the processor has not named, newest first.
type Reader interface {
	Relay(merchantID, id string) (*Relay, error)
	// RelaysOf returns the relays of a transaction at an account, newest first, at most MaxOfTransaction. It leaves out unreferenced refunds, whose resource id
	// names no transaction.
	RelaysOf(merchantID, accountID, resourceID string) ([]*Relay, error)
	// RelayWrites returns a number that each write of a relay of the transaction raises.
	RelayWrites(merchantID, accountID, resourceID string) (int64, error)
	RelaysAt(merchantID, accountID, referenceID string) ([]*Relay, error)
	// RelaysPending returns the oldest relays of all merchants that have not ended and were created since a time, oldest first.
	RelaysPending(since time.Time) ([]*Relay, error)
	// Payment, AttemptsAt, Operations and Operation are those of change.Reader.
	Payment(merchantID, id string) (*payment.Payment, error)
	AttemptsAt(merchantID, accountID, transactionID, reference string) ([]*payment.Attempt, error)
	Operations(merchantID, paymentID string) ([]*payment.Operation, error)
	Operation(id string) (*payment.Operation, error)
	Now() time.Time
}

// Tx writes relays. InsertRelay returns ErrConflict if the key exists. UpdateRelay compares the version.
type Tx interface {
	Reader
	InsertRelay(r *Relay) error
	UpdateRelay(r *Relay) error
	// UpdateOperation is that of drive.Tx.
	UpdateOperation(o *payment.Operation) error
	// ClaimID is that of change.Tx.
	ClaimID(c evidence.Claim) (bool, error)
}

// Store is the part of a store that relays need.
type Store = port.StoreOf[Reader, Tx]
