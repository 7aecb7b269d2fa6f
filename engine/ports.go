package engine

import (
	"time"
)

// Store keeps everything durable. Implementations hold no rules. Every method that names a merchant answers ErrNotFound for
// another merchant's rows. storetest is the suite every implementation passes.
type Store interface {
	StoreOf[Reader, Tx]
	// SignRows has s sign the rows that are written and check those that are read, from the next transaction on. A row that is not genuine
	// is an AlteredError; a list leaves such rows out and comes with an AlteredError that names them.
	SignRows(s RowSigner)
}

// Reader reads. Rows come back as fresh copies, sealed parts sealed.
type Reader interface {
	DriveReader

	VaultReader
	MethodReader
	operatorReader
	AccountReader
	exemptionReader

	authenticationReader

	Payment(merchantID, id string) (*Payment, error)
	// Payments lists a merchant's payments, newest first, by the filter; ErrNotFound when a cursor names none.
	Payments(merchantID, profileID string, f ListInput) ([]*Payment, error)
	Attempt(merchantID, id string) (*Attempt, error)
	// Attempts of a payment by number.
	Attempts(merchantID, paymentID string) ([]*Attempt, error)
	// AttemptsAt are the attempts at a connector account with the processor's id or our reference, the newest first; "" finds none.
	AttemptsAt(merchantID, accountID, transactionID, reference string) ([]*Attempt, error)
	// Operations of a payment, oldest first.
	Operations(merchantID, paymentID string) ([]*Operation, error)
	// Events of one object, oldest first.
	Events(merchantID, objectID string) ([]*Event, error)
	CardToken(merchantID, token string) (*CardToken, error)
}

// Tx reads and writes. Insert answers ErrConflict when the key exists. Update compares and sets Version where the row has one (and
// raises it in the value given): ErrConflict when someone else was faster, ErrNotFound when the row is gone.
type Tx interface {
	Reader
	DriveTx
	authenticationTx
	MethodTx
	VaultTx
	AccountTx
	exemptionTx

	InsertPayment(p *Payment) error
	UpdatePayment(p *Payment) error
	InsertAttempt(a *Attempt) error
	UpdateAttempt(a *Attempt) error
	InsertOperation(o *Operation) error
	// ClaimOperations takes up to limit operations whose lease has ended by Now and that are started, or unknown or pending with
	// ResolveAt due (a zero ResolveAt is never due): they get owner and the new lease end, and are returned as they are then.
	ClaimOperations(owner string, until time.Time, limit int) ([]*Operation, error)
	InsertEvent(e *Event) error
	InsertEvidence(e Evidence) error

	PutCardToken(t *CardToken) error
	DeleteCardToken(merchantID, token string) error
	// DeleteExpired removes card tokens, short-term keys, idempotency records, ephemeral keys and counts of exemptions past their end, a few thousand at most so as not to hold up others:
	// call it again until it returns 0. It returns how many.
	DeleteExpired() (int, error)
}

// Presenter renders what merchants read. The router implements it; the engine stores the bytes with the event.
type Presenter interface {
	// PaymentEvent renders the delivery body of an event about a payment.
	PaymentEvent(eventID, eventType string, at time.Time, v *PaymentView) ([]byte, error)
}
