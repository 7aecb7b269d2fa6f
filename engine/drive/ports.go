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
	Source      Source
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
	// LastDueSet returns the latest time at which the due time of an open operation was written, zero without one. A time in the future proves
	// that the clock has jumped back.
	LastDueSet() (time.Time, error)
	// LastJump returns what NoteJump has noted, zero without a note.
	LastJump() (NotedJump, error)
	JournalReader
}

// Tx writes operations and the records of their drives.
type Tx interface {
	Reader
	// UpdateOperation writes the whole row except Request. Without an Instrument it destroys the instrument's key. The caller has read, and so
	// locked, the row in this transaction. If the vault has sealed the request anew since o was read, o takes the row's.
	UpdateOperation(o *payment.Operation) error
	// UpdateHeldOperation is UpdateOperation for a run that has not read the row in this transaction. It writes only if the row is started or
	// unknown, has the request of o, and its lease is node's and ends at until; otherwise it returns false. It compares the lease that the row has, also an ended one.
	UpdateHeldOperation(o *payment.Operation, node string, until time.Time) (bool, error)
	// ExtendLease moves the end of owner's lease. It returns false if owner's lease has ended or another owner holds it.
	ExtendLease(operationID, owner string, until time.Time) (bool, error)
	// RecallOperations makes operations with one of these statuses due earlier.
	RecallOperations(r Recall, statuses ...payment.OperationStatus) error
	// NoteJump notes that the clock has jumped just now. by is negative for a jump back.
	NoteJump(by time.Duration) error
	// InsertEvidence keeps a fact about an operation that has closed, or that a run is sending.
	InsertEvidence(e Evidence) error
	PutExchange(x ExchangeRecord) error // inserts or completes by (operation, index)
	JournalTx
}

// NotedJump is what nodes have noted of jumps of the clock.
type NotedJump struct {
	At time.Time // of the latest jump. A time in the future proves that the clock has jumped back since
	// Back is by how much the clock has jumped back in the last weeks, together. It may be too long.
	Back time.Duration
}

// Recall selects operations that wait for a time from before a jump of the clock back.
type Recall struct {
	DueBy    time.Time // they become due then; those that are due earlier stay as they are
	SetSince time.Time // only due times that were written then or later; zero for all
}
