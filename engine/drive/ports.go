package drive

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// ExchangeRecord is one journalled send of an operation: the intent before the send, the answer after it.
type ExchangeRecord struct {
	OperationID string
	Index       int
	At          time.Time // when the intent was written
	RequestHash string
	// Sealed holds request and answer, encrypted. They contain stand-ins instead of secrets.
	Sealed   []byte
	Answered bool
	Sent     bool
	Status   int    // HTTP status; 0: no answer
	Failure  string // sdk.Exchange.Failure
	Duration time.Duration
}

// Evidence is a fact about an operation that arrived after the operation had closed. The engine stores it and raises an alarm.
type Evidence struct {
	OperationID string
	MerchantID  string
	At          time.Time
	Source      string // settle, sync, webhook
	Outcome     []byte // sdk.Outcome as JSON
	Note        string
}

// Store is the part of a store that drives need.
type Store = port.StoreOf[Reader, Tx]

// Reader reads operations with what was done of them.
type Reader interface {
	// Now is the database's clock, the same throughout the transaction, whole milliseconds UTC.
	Now() time.Time
	// Operation reads one; in an Update the row stays locked until the end of the transaction.
	Operation(id string) (*payment.Operation, error)
	// Exchanges of an operation by index.
	Exchanges(operationID string) ([]ExchangeRecord, error)
	// Evidence about an operation in the order of its insertion.
	Evidence(operationID string) ([]Evidence, error)
	JournalReader
}

// Tx writes what is done of operations.
type Tx interface {
	Reader
	// UpdateOperation writes all of o but Request; without an Instrument its key is destroyed. The caller has read (and so locked) it in this transaction.
	UpdateOperation(o *payment.Operation) error
	// ExtendLease moves the end of owner's lease; false when owner no longer holds it (or it has ended).
	ExtendLease(operationID, owner string, until time.Time) (bool, error)
	PutExchange(x ExchangeRecord) error // inserts or completes by (operation, index)
	JournalTx
}
