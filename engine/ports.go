package engine

import (
	"context"
	"slices"
	"time"

	"payswitch/sdk"
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
	journalReader

	VaultReader
	methodReader
	operatorReader
	violationReader
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
	// Operation reads one; in an Update the row stays locked until the end of the transaction.
	Operation(id string) (*Operation, error)
	// Operations of a payment, oldest first.
	Operations(merchantID, paymentID string) ([]*Operation, error)
	// OpenOperations counts the merchant's operations that are started, unknown or pending, those of one account unless accountID is "".
	OpenOperations(merchantID, accountID string) (int, error)
	// Exchanges of an operation by index.
	Exchanges(operationID string) ([]ExchangeRecord, error)
	// Events of one object, oldest first.
	Events(merchantID, objectID string) ([]*Event, error)
	Evidence(operationID string) ([]Evidence, error)
	Idempotency(merchantID, key string) (*IdempotencyRecord, error)
	CardToken(merchantID, token string) (*CardToken, error)

	Merchant(id string) (*Merchant, error)
	MerchantByPublishableKey(key string) (*Merchant, error)
	// Merchants of an organization, "" for all, by id.
	Merchants(organizationID string) ([]*Merchant, error)
	Profile(merchantID, id string) (*Profile, error)
	Profiles(merchantID string) ([]*Profile, error) // by creation
	Account(merchantID, id string) (*Account, error)
	Accounts(merchantID string) ([]*Account, error) // by creation
	APIKey(merchantID, id string) (*APIKey, error)
	APIKeyByHash(hash []byte) (*APIKey, error)
	APIKeys(merchantID string, limit, skip int) ([]*APIKey, error) // by creation
	Customer(merchantID, id string) (*Customer, error)
	// Customers by creation, newest first, and how many there are in all.
	Customers(merchantID string, limit, offset int) ([]*Customer, int, error)
}

// Tx reads and writes. Insert answers ErrConflict when the key exists. Update compares and sets Version where the row has one (and
// raises it in the value given): ErrConflict when someone else was faster, ErrNotFound when the row is gone.
type Tx interface {
	Reader
	journalTx
	authenticationTx
	methodTx
	VaultTx
	violationTx
	exemptionTx

	InsertPayment(p *Payment) error
	UpdatePayment(p *Payment) error
	InsertAttempt(a *Attempt) error
	UpdateAttempt(a *Attempt) error
	InsertOperation(o *Operation) error
	// UpdateOperation writes all of o but Request; without an Instrument its key is destroyed. The caller has read (and so locked) it in this transaction.
	UpdateOperation(o *Operation) error
	// ClaimOperations takes up to limit operations whose lease has ended by Now and that are started, or unknown or pending with
	// ResolveAt due (a zero ResolveAt is never due): they get owner and the new lease end, and are returned as they are then.
	ClaimOperations(owner string, until time.Time, limit int) ([]*Operation, error)
	// ExtendLease moves the end of owner's lease; false when owner no longer holds it (or it has ended).
	ExtendLease(operationID, owner string, until time.Time) (bool, error)
	PutExchange(x ExchangeRecord) error // inserts or completes by (operation, index)
	InsertEvent(e *Event) error
	InsertEvidence(e Evidence) error

	InsertIdempotency(r *IdempotencyRecord) error
	FinishIdempotency(r *IdempotencyRecord) error
	DeleteIdempotency(merchantID, key string) error
	PutCardToken(t *CardToken) error
	DeleteCardToken(merchantID, token string) error
	// DeleteExpired removes card tokens, short-term keys, idempotency records, ephemeral keys and counts of exemptions past their end, a few thousand at most so as not to hold up others:
	// call it again until it returns 0. It returns how many.
	DeleteExpired() (int, error)

	InsertMerchant(m *Merchant) error
	UpdateMerchant(m *Merchant) error
	// DeleteMerchant removes it with its profiles, accounts, keys, kept cards, saved methods and counts of exemptions; payments and customers stay.
	DeleteMerchant(id string) error
	InsertProfile(p *Profile) error // ErrConflict on a second one with the same merchant and name
	UpdateProfile(p *Profile) error
	DeleteProfile(merchantID, id string) error
	InsertAccount(a *Account) error // ErrConflict on a second one with the same profile and label
	UpdateAccount(a *Account) error
	DeleteAccount(merchantID, id string) error
	InsertAPIKey(k *APIKey) error
	UpdateAPIKey(k *APIKey) error
	InsertCustomer(c *Customer) error
	UpdateCustomer(c *Customer) error
}

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

// Connectors are the loaded adapters and the host that drives them. Safe for concurrent use.
type Connectors interface {
	// Adapter finds the adapter a connector name stands for (the simulator may answer for several).
	Adapter(connector string) (AdapterInfo, bool)
	// Adapters lists all, by name.
	Adapters() []AdapterInfo
	// Drive performs one operation: it steps the adapter and sends what it asks for until there is a result. It never panics and
	// ends within the operation's deadline. An error means that we failed; DriveResult then still says what has left.
	Drive(ctx context.Context, d *Drive) (*DriveResult, error)
}

// AdapterInfo describes a loaded adapter.
type AdapterInfo struct {
	Connector string // the name it was asked for by
	Name      string // the adapter's own name
	Hash      string // lowercase hex SHA-256 of the module
	Manifest  *sdk.Manifest
	BuiltIn   bool
	Simulated bool // the simulator answers for Connector
}

// answer is the part of r that a verdict needs.
func (r *DriveResult) answer() *Answer {
	return &Answer{Exchanges: r.Exchanges, MayHaveLeft: r.MayHaveLeft, AnsweredLast: r.AnsweredLast, Reject: r.Reject, Outcome: r.Outcome}
}

// Drive is one operation to perform.
type Drive struct {
	Connector   string
	AdapterHash string // "" for the current build; else that build, or an error if it is gone
	Operation   sdk.Operation
	OperationID string
	// Started is Now of the first step that Resume does not answer: when the operation began, or, to repeat a journalled send to
	// the byte, that intent's Now.
	Started time.Time
	Seed    [32]byte
	Account DriveAccount
	// Request without stand-ins: the host puts them in place of Secrets.
	Request sdk.Request
	Secrets InstrumentSecrets
	// Card are the facts of the card that the operation is about, nil where they are not known. The host masks what looks like a number of
	// such a card, also in operations that do not have the number.
	Card *CardFacts
	// Resume holds the answered exchanges of an earlier drive of the same operation (an idempotent resend), in order.
	Resume []sdk.Exchange
	// Captured are the values that the stand-ins in Resume stand for, as DriveResult or SendIntent gave them.
	Captured []CapturedValue
	// BeforeSend is called immediately before each send with the exchanges so far; the send leaves only if it returns nil. It
	// checks the lease and, from the second send on, makes the earlier answers and this intent durable.
	BeforeSend func(ctx context.Context, intent SendIntent) error
	// Record asks for DriveResult.Recordings.
	Record bool
	// RecordOnly makes the recording of a drive whose node has ended, of which Resume is known, and does nothing else.
	RecordOnly bool
}

// DriveAccount is what an adapter's host needs of a connector account.
type DriveAccount struct {
	ID          string
	MerchantID  string
	Environment string            // test or live
	BaseURL     string            // "" for the manifest's
	Credentials map[string]Secret // by API key name (api_key, key1 …)
	Config      map[string]string // top-level text, number and boolean values of the account's metadata
	Hosts       []string          // approved; empty means the manifest's
	// Operator is what the operator approved of the adapter's reach; nil: all that its manifest asks for.
	Operator *OperatorDecisions
}

// SendIntent is a send about to leave.
type SendIntent struct {
	Index        int       // among the operation's exchanges, those resumed included
	Now          time.Time // of the step that asked for it
	RequestHash  string
	Method       string
	URL          string
	Host         string
	Exchanges    []sdk.Exchange  // answered so far, in order
	Captured     []CapturedValue // of Exchanges
	SafeToRepeat bool
}

// CapturedValue is a secret of an answer (sdk.Send.Capture). Exchanges hold a stand-in in its place.
type CapturedValue struct {
	Exchange int    // index of the exchange whose answer held it
	Name     string // as the adapter called it
	Value    Secret
	Own      bool // it proves the account's identity
}

// DriveResult is what came of an operation.
type DriveResult struct {
	AdapterHash string
	// Exactly one of Outcome and Reject is set when Drive returned no error.
	Outcome *sdk.Outcome
	Reject  *sdk.Reject
	// Cryptograms are the values that the stand-ins in CAVV of Outcome.Authentication, and of its events', stand for. See CAVV.
	Cryptograms map[string]Secret
	// Exchanges in order; the last may be without an answer.
	Exchanges []sdk.Exchange
	// Captured are the secrets of Exchanges' answers, in order.
	Captured []CapturedValue
	// MayHaveLeft says that something may have reached the processor in this drive.
	MayHaveLeft bool
	// AnsweredLast says that the last send has a whole answer: only then does a decline count.
	AnsweredLast bool
	// HTTPStatus of the last answer, 0 without one.
	HTTPStatus int
	Steps      int
	Duration   time.Duration
	// Violations are rules of the host's that the adapter broke, the first few. MerchantID, AccountID and At are left to the engine.
	Violations []Violation
	// Recordings, where asked for, are what the adapter was given and made of it, however the drive ended: operations that were performed
	// on its behalf first (access_token), then its own. None of one that ended before its first step.
	Recordings []*Recording
}

// CAVV is the authentication value of an authentication in r's outcome, zero where there was none.
func (r *DriveResult) CAVV(a *sdk.AuthenticationOutcome) Secret {
	if a == nil || a.CAVV == "" {
		return Secret{}
	}
	return r.Cryptograms[a.CAVV]
}

// Verified says that the host compared a signature of the message, and found it right: the adapter's word alone is none. What the webhook
// operation read is the sender's then.
func (r *DriveResult) Verified() bool {
	return slices.ContainsFunc(r.Exchanges, func(x sdk.Exchange) bool { return x.Verified != nil && *x.Verified })
}

// Presenter renders what merchants read. The router implements it; the engine stores the bytes with the event.
type Presenter interface {
	// PaymentEvent renders the delivery body of an event about a payment.
	PaymentEvent(eventID, eventType string, at time.Time, v *PaymentView) ([]byte, error)
}
