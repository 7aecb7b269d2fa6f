package port

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/engine/approval"
	"payswitch/engine/card"
	"payswitch/engine/evidence"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Connectors are the installed adapters and the host that runs them. Implementations are safe for concurrent use.
type Connectors interface {
	// Adapter finds the adapter of a connector name. The simulator may be the adapter of several names.
	Adapter(connector string) (AdapterInfo, bool)
	// Adapters lists all adapters by name.
	Adapters() []AdapterInfo
	// Drive performs one operation: it runs the adapter's steps and sends the adapter's requests until there is a result. It never panics
	// and ends before the operation's deadline. An error means that payswitch failed. The DriveResult then still says whether something may
	// have been sent.
	Drive(ctx context.Context, d *Drive) (*DriveResult, error)
	// Turn waits until one more operation of a connector account may run. Drives of that account with the returned context use this turn,
	// one after the other, until the caller calls end. A drive without a turn waits for its own. The errors are fault.ErrBusy and ctx's.
	Turn(ctx context.Context, accountID string) (turn context.Context, end func(), err error)
}

// AdapterInfo describes an installed adapter.
type AdapterInfo struct {
	Connector string // the connector name that was looked up
	Name      string // the adapter's own name
	Hash      string // SHA-256 of the module, lowercase hex
	Manifest  *sdk.Manifest
	BuiltIn   bool
	Simulated bool // the simulator stands in for Connector
}

// Answer returns the part of r that a verdict needs.
func (r *DriveResult) Answer() *evidence.Answer {
	return &evidence.Answer{Exchanges: r.Exchanges, MayHaveLeft: r.MayHaveLeft, AnsweredLast: r.AnsweredLast, Reject: r.Reject, Outcome: r.Outcome}
}

// Drive is one operation to perform.
type Drive struct {
	Connector   string
	AdapterHash string // "": the current build; otherwise that build, or an error if it is gone
	Operation   sdk.Operation
	OperationID string
	// Started is the step time of the first step that Resume does not answer. That is the operation's start. To repeat a journalled send
	// byte by byte, it is that intent's Now. It is the present for an operation that is sent later, after proof that nothing has left.
	Started time.Time
	Seed    [32]byte
	Account DriveAccount
	// Request has empty secrets. The host puts stand-ins for Secrets into it.
	Request sdk.Request
	Secrets card.Secrets
	// Card are the facts of the operation's card, or nil if they are not known. With them the host masks numbers that look like that
	// card's, also in operations without the number.
	Card *card.Facts
	// Resume holds the answered exchanges of an earlier drive of the same operation, in order.
	Resume []sdk.Exchange
	// Captured are the values behind the stand-ins in Resume. DriveResult or SendIntent has returned them.
	Captured []CapturedValue
	// BeforeSend is called immediately before each send, with the exchanges so far. The host sends only if it returns nil. It checks the
	// lease. It also makes the earlier answers and this intent durable, except for the first send of an operation that is new.
	BeforeSend func(ctx context.Context, intent SendIntent) error
	// Record asks for DriveResult.Recordings.
	Record bool
	// RecordOnly sends nothing. It only makes the recording of a drive whose node died, from Resume.
	RecordOnly bool
}

// DriveAccount is a connector account as the adapters' host needs it.
type DriveAccount struct {
	ID          string
	MerchantID  string
	Environment string                  // test or live
	BaseURL     string                  // "": the manifest's base URL
	Credentials map[string]secret.Value // by API key name (api_key, key1 …)
	Config      map[string]string       // the text, number and boolean values at the top level of the account's metadata
	Hosts       []string                // approved hosts; empty: the manifest's
	// Operator are the operator's approvals for the account; nil: all that the manifest asks for is approved.
	Operator *approval.OperatorDecisions
}

// SendIntent is a request that is about to be sent.
type SendIntent struct {
	Index        int       // index among the operation's exchanges, resumed ones included
	Now          time.Time // time of the step that asked for the request
	RequestHash  string
	Method       string
	URL          string
	Host         string
	Exchanges    []sdk.Exchange  // the answered exchanges so far, in order
	Captured     []CapturedValue // from the answers in Exchanges
	SafeToRepeat bool
}

// CapturedValue is a secret from an answer (sdk.Send.Capture). Exchanges hold a stand-in in its place.
type CapturedValue struct {
	Exchange int    // index of the exchange with the answer
	Name     string // the adapter's name for the value
	Value    secret.Value
	Own      bool // the value proves the account's identity
}

// DriveResult is the result of a drive.
type DriveResult struct {
	AdapterHash string
	// Outcome or Reject is set, but not both, when Drive returns no error.
	Outcome *sdk.Outcome
	Reject  *sdk.Reject
	// Cryptograms are the values behind the stand-ins in CAVV of Outcome.Authentication and of its events. See CAVV.
	Cryptograms map[string]secret.Value
	// Exchanges are in order. The last one may lack an answer.
	Exchanges []sdk.Exchange
	// Captured are the secrets from the answers in Exchanges, in order.
	Captured []CapturedValue
	// MayHaveLeft is true if a request of this drive may have reached the processor.
	MayHaveLeft bool
	// AnsweredLast is true if the last send has a complete answer. A decline counts only then.
	AnsweredLast bool
	// HTTPStatus is the status of the last answer, or 0 without an answer.
	HTTPStatus int
	Steps      int
	Duration   time.Duration
	// Violations are the first few rules of the host that the adapter broke. The engine sets MerchantID, AccountID and At.
	Violations []Violation
	// Recordings hold the input and results of the adapter's steps, if Record was set, also for a failed drive. Operations that ran first
	// on the adapter's behalf (access_token) come before its own. A drive that failed before its first step has no recording.
	Recordings []*Recording
}

// CAVV returns the authentication value of an authentication in r's outcome, or zero.
func (r *DriveResult) CAVV(a *sdk.AuthenticationOutcome) secret.Value {
	if a == nil || a.CAVV == "" {
		return secret.Value{}
	}
	return r.Cryptograms[a.CAVV]
}

// Verified reports whether the host compared a signature of the message and found it right. Only then did the sender write what the webhook
// operation has read. The adapter's word alone is not enough.
func (r *DriveResult) Verified() bool {
	return slices.ContainsFunc(r.Exchanges, func(x sdk.Exchange) bool { return x.Verified != nil && *x.Verified })
}

// Compared counts the signatures that the host found wrong, and reports whether it found one right.
func (r *DriveResult) Compared() (wrong int, right bool) {
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

// Violation is a rule of the host that an adapter broke. It is stored with the connector account. It contains names of rules, hosts,
// headers and fields, never a value.
type Violation struct {
	MerchantID  string
	AccountID   string
	At          time.Time
	OperationID string
	Operation   sdk.Operation
	Adapter     string
	AdapterHash string
	Rule        string // the rule's name in metrics
	Place       string // where the rule was broken, and how; at most MaxPlace bytes
}

// MaxPlace is the maximum length of Violation.Place in bytes.
const MaxPlace = 300

// ErrNotApproved is the error of a drive that was refused before the first send: the adapter's build needs a reach that the operator has
// not approved for the account.
var ErrNotApproved = errors.New("the adapter's reach awaits the operator's approval")
