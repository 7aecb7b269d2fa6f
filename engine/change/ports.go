package change

import (
	"time"

	"payswitch/engine/drive"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
)

// Presenter renders the texts that merchants read. The router implements it. The engine stores the result with the event.
type Presenter interface {
	// PaymentEvent renders the delivery body of an event about a payment.
	PaymentEvent(eventID, eventType string, at time.Time, v *View) ([]byte, error)
}

// AuthenticationReader reads authentications.
type AuthenticationReader interface {
	// Authentication reads one by its id, which is unique over all merchants; in an Update the row stays locked until the end of the
	// transaction.
	Authentication(id string) (*payment.Authentication, error)
	// Authentications of a payment, oldest first.
	Authentications(merchantID, paymentID string) ([]*payment.Authentication, error)
	// AuthenticationsAt are those at an authenticator's connector account with its id of the transaction (threeDSServerTransID), the newest
	// first; "" finds none.
	AuthenticationsAt(merchantID, accountID, serverTransID string) ([]*payment.Authentication, error)
}

// AuthenticationTx writes authentications.
type AuthenticationTx interface {
	InsertAuthentication(a *payment.Authentication) error
	// UpdateAuthentication leaves ids, Owner and LeaseUntil as they were.
	UpdateAuthentication(a *payment.Authentication) error
	// ClaimAuthentications takes up to limit whose DueAt has come by Now and that nobody's lease holds: they get owner and the lease's
	// end, and are returned as they are then.
	ClaimAuthentications(owner string, until time.Time, limit int) ([]*payment.Authentication, error)
	// LeaseAuthentication takes the lease of one where nobody else holds it; false where somebody does.
	LeaseAuthentication(id, owner string, until time.Time) (bool, error)
	// ReleaseAuthentication gives owner's lease back; nothing happens where owner does not hold it.
	ReleaseAuthentication(id, owner string) error
}

// LowValueUse is a card's use of the low-value exemption since the last authentication of its payer. The zero value means no use.
type LowValueUse struct {
	Count    int
	EURCents int64
}

// ExemptionRate counts the claims of an exemption at the issuer of a BIN, and the soft declines of such claims. Both counts are halved at
// every 200 claims, so that old answers weigh less.
type ExemptionRate struct {
	Exemption    string
	Claimed      int
	SoftDeclined int
}

// ExemptionReader reads what exemptions were claimed.
type ExemptionReader interface {
	// LowValue is the use of a card, named by the vault's keyed fingerprint; zero where there is none, or where its time has passed.
	LowValue(merchantID, card string) (LowValueUse, error)
	// ExemptionRates of a BIN, by exemption; none where their time has passed.
	ExemptionRates(merchantID, bin string) ([]ExemptionRate, error)
}

// ExemptionTx counts the exemptions that were claimed.
type ExemptionTx interface {
	// CountLowValue adds one payment to a card's use, and keeps it until then. Any number may count at once: none is lost.
	CountLowValue(merchantID, card string, eurCents int64, until time.Time) error
	// ResetLowValue forgets a card's use: its payer was authenticated. There need not be any.
	ResetLowValue(merchantID, card string) error
	// CountExemption adds one claim to a BIN's rate, and keeps it until then.
	CountExemption(merchantID, bin, exemption string, softDeclined bool, until time.Time) error
}

// Store is the part of a store that changes need.
type Store = port.StoreOf[Reader, Tx]

// Reader reads payments with everything that changes with them. Rows come back as fresh copies, sealed parts sealed.
type Reader interface {
	drive.Reader
	method.Reader
	AuthenticationReader
	ExemptionReader

	Payment(merchantID, id string) (*payment.Payment, error)
	// Payments lists a merchant's payments, newest first, by the filter; ErrNotFound when a cursor names none.
	Payments(merchantID, profileID string, f request.ListInput) ([]*payment.Payment, error)
	Attempt(merchantID, id string) (*payment.Attempt, error)
	// Attempts of a payment by number.
	Attempts(merchantID, paymentID string) ([]*payment.Attempt, error)
	// AttemptsAt are the attempts at a connector account with the processor's id or our reference, the newest first; "" finds none.
	AttemptsAt(merchantID, accountID, transactionID, reference string) ([]*payment.Attempt, error)
	// Operations of a payment, oldest first.
	Operations(merchantID, paymentID string) ([]*payment.Operation, error)
	// Events of one object, oldest first.
	Events(merchantID, objectID string) ([]*payment.Event, error)
	CardToken(merchantID, token string) (*payment.CardToken, error)
}

// Tx writes payments with everything that changes with them. Insert answers ErrConflict when the key exists. Update compares and sets
// Version where the row has one, and raises it in the value given: ErrConflict when another writer was faster, ErrNotFound when the row is gone.
type Tx interface {
	Reader
	drive.Tx
	method.Tx
	AuthenticationTx
	ExemptionTx

	InsertPayment(p *payment.Payment) error
	UpdatePayment(p *payment.Payment) error
	InsertAttempt(a *payment.Attempt) error
	UpdateAttempt(a *payment.Attempt) error
	InsertOperation(o *payment.Operation) error
	// ClaimOperations takes up to limit operations whose lease has ended by Now and that are started, or unknown or pending with
	// ResolveAt due (a zero ResolveAt is never due): they get owner and the new lease end, and are returned as they are then.
	ClaimOperations(owner string, until time.Time, limit int) ([]*payment.Operation, error)
	InsertEvent(e *payment.Event) error
	InsertEvidence(e drive.Evidence) error

	PutCardToken(t *payment.CardToken) error
	DeleteCardToken(merchantID, token string) error
	// DeleteExpired removes card tokens, short-term keys, idempotency records, ephemeral keys and counts of exemptions past their end, a few thousand at most so as not to hold up others:
	// call it again until it returns 0. It returns how many.
	DeleteExpired() (int, error)
}
