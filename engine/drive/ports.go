package drive

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// ExchangeRecord is one journalled send of an operation: the intent before the send and the answer after it.
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

// Reader reads operations and the records of their drives.
type Reader interface {
	// Now returns the database's time in UTC, in whole milliseconds. It stays the same throughout the transaction.
	Now() time.Time
	// Operation reads one operation. In an Update the row stays locked until the end of the transaction.
	Operation(id string) (*payment.Operation, error)
	// Exchanges returns an operation's exchanges by index.
	Exchanges(operationID string) ([]ExchangeRecord, error)
	// Evidence returns the evidence about an operation in the order of insertion.
	Evidence(operationID string) ([]Evidence, error)
	JournalReader
}

// Tx writes operations and the records of their drives.
type Tx interface {
	Reader
	// UpdateOperation writes the whole row except Request. Without an Instrument it destroys the instrument's key. The caller has read, and so
	// locked, the row in this transaction.
	UpdateOperation(o *payment.Operation) error
	// UpdateHeldOperation is UpdateOperation for a run that has not read the row in this transaction. It writes only if the row is started or
	// unknown and its lease is node's and ends at until; otherwise it returns false. It compares the lease that the row has, also an ended one.
	UpdateHeldOperation(o *payment.Operation, node string, until time.Time) (bool, error)
	// ExtendLease moves the end of owner's lease. It returns false if owner's lease has ended or another owner holds it.
	ExtendLease(operationID, owner string, until time.Time) (bool, error)
	// RecallOperations makes the operations with one of these statuses that would become due later than at due at that time.
	RecallOperations(at time.Time, statuses ...payment.OperationStatus) error
	PutExchange(x ExchangeRecord) error // inserts or completes by (operation, index)
	JournalTx
}
