package change

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/disputed"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/facet"
	"payswitch/engine/listed"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
)

// Presenter renders the texts that merchants read. The router implements it. The engine stores the text with the event.
type Presenter interface {
	// PaymentEvent renders the delivery body of an event about a payment.
	PaymentEvent(eventID, eventType string, at time.Time, v *View) ([]byte, error)
	// RefundEvent renders the delivery body of an event about a refund.
	RefundEvent(eventID, eventType string, at time.Time, r *payment.Refund) ([]byte, error)
	// DisputeEvent renders the delivery body of an event about a dispute.
	DisputeEvent(eventID, eventType string, at time.Time, d *disputed.Record) ([]byte, error)
}

// AuthenticationReader reads authentications.
type AuthenticationReader interface {
	// Authentication reads one by its id, which is unique among all merchants. In an Update the row stays locked until the end of the
	// transaction.
	Authentication(id string) (*authentication.Record, error)
	// Authentications returns a payment's authentications, oldest first.
	Authentications(merchantID, paymentID string) ([]*authentication.Record, error)
	// AuthenticationsAt returns the authentications of an authenticator's account with this transaction id (threeDSServerTransID), newest
	// first. It returns an empty list for the id "".
	AuthenticationsAt(merchantID, accountID, serverTransID string) ([]*authentication.Record, error)
}

// AuthenticationTx writes authentications.
type AuthenticationTx interface {
	InsertAuthentication(a *authentication.Record) error
	// UpdateAuthentication writes the whole row except ids, Owner and LeaseUntil.
	UpdateAuthentication(a *authentication.Record) error
	// ClaimAuthentications claims up to limit authentications that are due (DueAt not after Now) and not under a lease. It sets their owner
	// and lease end, and returns the rows with both.
	ClaimAuthentications(owner string, until time.Time, limit int) ([]*authentication.Record, error)
	// LeaseAuthentication takes the lease of an authentication. It returns false if another owner holds the lease.
	LeaseAuthentication(id, owner string, until time.Time) (bool, error)
	// ReleaseAuthentication ends owner's lease. It does nothing if owner does not hold the lease.
	ReleaseAuthentication(id, owner string) error
}

// DueOperation is an open operation that a node may claim.
type DueOperation struct {
	Row     int64  // names the operation to ClaimOperations
	Account string // names the connector account among those of all merchants
	At      time.Time
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

// ExemptionReader reads the counts of claimed exemptions.
type ExemptionReader interface {
	// LowValue returns the use of a card, which the vault's keyed fingerprint names. It returns zero if there is no count or it has expired.
	LowValue(merchantID, card string) (LowValueUse, error)
	// ExemptionRates returns the rates of a BIN, sorted by exemption, without expired ones.
	ExemptionRates(merchantID, bin string) ([]ExemptionRate, error)
}

// ExemptionTx counts claimed exemptions.
type ExemptionTx interface {
	// CountLowValue adds one payment to a card's use, which then expires at until. Concurrent calls lose no count.
	CountLowValue(merchantID, card string, eurCents int64, until time.Time) error
	// ResetLowValue deletes a card's use, because its payer was authenticated. It is no error if there is no use.
	ResetLowValue(merchantID, card string) error
	// CountExemption adds one claim to a BIN's rate, which then expires at until.
	CountExemption(merchantID, bin, exemption string, softDeclined bool, until time.Time) error
}

// RefundReader reads refunds.
type RefundReader interface {
	Refund(merchantID, id string) (*payment.Refund, error)
	// RefundsOf returns the refunds of a payment, oldest first.
	RefundsOf(merchantID, paymentID string) ([]*payment.Refund, error)
	// RefundsAt returns the refunds at a connector account with the processor's id or our reference, newest first; "" finds no refund.
	RefundsAt(merchantID, accountID, processorID, reference string) ([]*payment.Refund, error)
	// Refunds lists a merchant's refunds, newest first, by the filter. total counts all refunds that pass it.
	Refunds(merchantID, profileID string, f request.RefundListInput) (list []*payment.Refund, total int, err error)
	// RefundAt reads the refund at a place in lists.
	RefundAt(merchantID string, at listed.Place) (*payment.Refund, error)
	// RefundCounts counts a merchant's refunds that were created from from to to, both inclusive. A zero time does not filter. "" is any profile.
	RefundCounts(merchantID, profileID string, from, to time.Time) (listed.Tally, error)
}

// DisputeReader reads disputes.
type DisputeReader interface {
	Dispute(merchantID, id string) (*disputed.Record, error)
	// DisputesOf returns the disputes of a payment, oldest first.
	DisputesOf(merchantID, paymentID string) ([]*disputed.Record, error)
	// Disputes lists a merchant's disputes, newest first, by the filter.
	Disputes(merchantID, profileID string, f request.DisputeListInput) ([]*disputed.Record, error)
	// DisputeAt reads the dispute at a place in lists.
	DisputeAt(merchantID string, at listed.Place) (*disputed.Record, error)
	// DisputeCounts counts a merchant's disputes that were created from from to to, both inclusive. A zero time does not filter. "" is any profile.
	DisputeCounts(merchantID, profileID string, from, to time.Time) (listed.Tally, error)
}

// Store is the part of a store that changes need.
type Store = port.StoreOf[Reader, Tx]

// Reader reads payments and the rows that change with them. Rows are fresh copies; their sealed parts stay sealed.
type Reader interface {
	drive.Reader
	method.Reader
	AuthenticationReader
	ExemptionReader
	GuardReader
	DeclineReader
	RefundReader
	DisputeReader
	paylink.Reader
	facet.Reader

	// RelayWrites is that of relay.Reader.
	RelayWrites(merchantID, accountID, resourceID string) (int64, error)
	// Proposal returns the proposal of a decision about an operation.
	Proposal(operationID string) (*payment.Proposal, error)
	Payment(merchantID, id string) (*payment.Payment, error)
	// PaymentsAt reads the payments at places in lists, in the order of the places. ErrNotFound is the error if one does not exist.
	PaymentsAt(merchantID string, at []listed.Place) ([]*payment.Payment, error)
	// AttemptsOf reads attempts by their ids. It leaves out those that do not exist.
	AttemptsOf(merchantID string, ids []string) (map[string]*payment.Attempt, error)
	// Payments lists a merchant's payments by the filter, newest first. A cursor that names no payment is ErrNotFound.
	Payments(merchantID, profileID string, f request.ListInput) ([]*payment.Payment, error)
	// FindPayments lists a merchant's payments that pass the filters of columns, by time; filters in documents and other orders have no effect.
	FindPayments(merchantID, profileID string, f request.PaymentFilter) ([]*payment.Payment, error)
	// PaymentTotal returns the number of all payments that pass the filters of columns. Limit and Offset have no effect.
	PaymentTotal(merchantID, profileID string, f request.PaymentFilter) (int, error)
	// ScanPayments looks at the next window payments behind a place (nil: at the newest ones) and lists those that pass the filters of columns,
	// newest first. next is the place where the following window begins; nil after the last payment. It sets only the parts of documents that the
	// filter needs. With PaymentFilter.Documents it sets all parts that any filter can need; Sealed only for a filter by e-mail.
	ScanPayments(merchantID, profileID string, f request.PaymentFilter, behind *listed.Place, window int) (list []listed.Scanned, next *listed.Place, err error)
	// PaymentsBehind lists the first payments behind a place (nil: the newest ones) that pass the filters of columns, newest first: at most limit. It
	// sets the same parts as ScanPayments. An index has to find them (PaymentFilter.Indexed), or the statement reads all payments of the filter's time.
	PaymentsBehind(merchantID, profileID string, f request.PaymentFilter, behind *listed.Place, limit int) ([]listed.Scanned, error)
	// PaymentCounts counts a merchant's payments that were created from from to to, both inclusive, by status. A zero time does not filter.
	PaymentCounts(merchantID, profileID string, from, to time.Time) ([]listed.Count, error)
	Attempt(merchantID, id string) (*payment.Attempt, error)
	// Attempts returns a payment's attempts by number.
	Attempts(merchantID, paymentID string) ([]*payment.Attempt, error)
	// AttemptsAt returns the attempts at a connector account with the processor's id or payswitch's reference, newest first. An empty id or
	// reference matches no attempt.
	AttemptsAt(merchantID, accountID, transactionID, reference string) ([]*payment.Attempt, error)
	// Operations returns a payment's operations, oldest first.
	Operations(merchantID, paymentID string) ([]*payment.Operation, error)
	// DueOperations lists the operations that ClaimOperations would take, at most perAccount of each account, those first that are due longest.
	DueOperations(perAccount int) ([]DueOperation, error)
	// Events of one object, oldest first.
	Events(merchantID, objectID string) ([]*payment.Event, error)
	CardToken(merchantID, token string) (*payment.CardToken, error)
}

// Tx writes payments and the rows that change with them. Insert returns ErrConflict if the key exists. Update compares Version, if the row
// has one, and raises it in the given value. It returns ErrConflict if another writer was faster, and ErrNotFound if the row is gone.
type Tx interface {
	Reader
	drive.Tx
	method.Tx
	account.VersionTx
	AuthenticationTx
	ExemptionTx
	paylink.Tx
	GuardTx
	DeclineTx

	InsertPayment(p *payment.Payment) error
	UpdatePayment(p *payment.Payment) error
	InsertAttempt(a *payment.Attempt) error
	UpdateAttempt(a *payment.Attempt) error
	InsertRefund(r *payment.Refund) error
	// UpdateRefund leaves payment, attempt, account, profile and connector as they were.
	UpdateRefund(r *payment.Refund) error
	InsertDispute(d *disputed.Record) error
	// UpdateDispute leaves payment, attempt, account, profile, connector and the processor's id as they were.
	UpdateDispute(d *disputed.Record) error
	InsertOperation(o *payment.Operation) error
	// ClaimOperations takes up to limit due operations whose lease has ended by Now. It gives them owner and the new lease end, and returns them as they
	// are then. A started operation is always due. One that is unknown, pending, succeeded, declined or not acted is due if its ResolveAt is; a zero
	// ResolveAt is never due. With rows (DueOperation.Row) it takes only those that are still due; without, it takes those that are due longest.
	ClaimOperations(owner string, until time.Time, limit int, rows ...int64) ([]*payment.Operation, error)
	// ReleaseLeases ends owner's leases of operations and authentications, and returns how many it ended. Its process must have ended.
	ReleaseLeases(owner string) (int, error)
	InsertEvent(e *payment.Event) error
	// ClaimID gives an id of a processor's its owner, unless it has one. It reports whether the owner is that of the claim. It waits for the end of
	// another transaction that claims the same id; a second claim of an id keeps it locked until its own transaction ends.
	ClaimID(c evidence.Claim) (bool, error)
	// InsertProposal returns fault.ErrConflict if the operation has a proposal.
	InsertProposal(p *payment.Proposal) error
	// DeleteProposal returns fault.ErrNotFound if the operation has no proposal with this id.
	DeleteProposal(operationID, id string) error

	PutCardToken(t *payment.CardToken) error
	DeleteCardToken(merchantID, token string) error
	// DeleteExpired removes expired card tokens, short-term keys, idempotency records, ephemeral keys and counts of exemptions. It removes at
	// most a few thousand rows, so that other writers do not wait, and returns their number. Callers repeat it until it returns 0.
	DeleteExpired() (int, error)
}
