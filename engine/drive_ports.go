package engine

import (
	"time"
)

// ExchangeRecord is one send of an operation as journalled: the intent before it leaves, the answer after.
type ExchangeRecord struct {
	OperationID string
	Index       int
	At          time.Time // when the intent was made
	RequestHash string
	// Sealed holds request and answer (with stand-ins, scrubbed), encrypted.
	Sealed   []byte
	Answered bool
	Sent     bool
	Status   int    // HTTP status, 0 without an answer
	Failure  string // sdk.Exchange.Failure
	Duration time.Duration
}

// Evidence is what was learned of an operation after it had closed: recorded and raised, never dropped.
type Evidence struct {
	OperationID string
	MerchantID  string
	At          time.Time
	Source      string // settle, sync, webhook
	Outcome     []byte // sdk.Outcome as JSON
	Note        string
}

// DriveStore is the part of a store that drives need.
type DriveStore = StoreOf[DriveReader, DriveTx]

// DriveReader reads operations with what was done of them.
type DriveReader interface {
	// Now is the database's clock, the same throughout the transaction, whole milliseconds UTC.
	Now() time.Time
	// Operation reads one; in an Update the row stays locked until the end of the transaction.
	Operation(id string) (*Operation, error)
	// Exchanges of an operation by index.
	Exchanges(operationID string) ([]ExchangeRecord, error)
	// Evidence about an operation in the order of its insertion.
	Evidence(operationID string) ([]Evidence, error)
	journalReader
}

// DriveTx writes what is done of operations.
type DriveTx interface {
	DriveReader
	// UpdateOperation writes all of o but Request; without an Instrument its key is destroyed. The caller has read (and so locked) it in this transaction.
	UpdateOperation(o *Operation) error
	// ExtendLease moves the end of owner's lease; false when owner no longer holds it (or it has ended).
	ExtendLease(operationID, owner string, until time.Time) (bool, error)
	PutExchange(x ExchangeRecord) error // inserts or completes by (operation, index)
	journalTx
}
