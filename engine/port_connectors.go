package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/sdk"
)

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

// compared counts the signatures that the host found wrong in a drive, and says whether it found one right.
func (r *DriveResult) compared() (wrong int, right bool) {
	if r == nil {
		return 0, false
	}
	for i := range r.Exchanges {
		if v := r.Exchanges[i].Verified; v != nil && *v {
			right = true
		} else if v != nil {
			wrong++
		}
	}
	return wrong, right
}

// Violation is a rule of the host's that an adapter broke, as it is kept with the connector account. It holds names of rules, hosts, headers
// and fields, never a value.
type Violation struct {
	MerchantID  string
	AccountID   string
	At          time.Time
	OperationID string
	Operation   sdk.Operation
	Adapter     string
	AdapterHash string
	Rule        string // as metrics name it
	Place       string // where, and what was wrong there; at most MaxPlace bytes
}

// MaxPlace bounds Violation.Place, in bytes.
const MaxPlace = 300

// ErrNotApproved is the error of a drive that was refused before anything was sent: the adapter's build reaches further than the operator
// has approved for the account.
var ErrNotApproved = errors.New("awaits the operator's approval")
