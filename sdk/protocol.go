package sdk

// ABI is the version of the adapter protocol that this SDK speaks. ABI.md describes its bytes.
const ABI = 1

// Kind is the kind of an adapter.
type Kind string

const (
	KindProcessor     Kind = "processor"     // moves money: authorize, capture, refund …
	KindAuthenticator Kind = "authenticator" // runs EMV 3-D Secure: prepare, authenticate, result
)

// Operation is a task of an adapter. Its constants are the wire values.
type Operation string

// Operations of a processor.
const (
	OpAuthorize            Operation = "authorize"             // hold the amount, or take it at once when Capture is automatic
	OpCapture              Operation = "capture"               // take (part of) what is held
	OpVoid                 Operation = "void"                  // release what is held and not captured
	OpRefund               Operation = "refund"                // give (part of) what was captured back
	OpUnreferencedRefund   Operation = "unreferenced_refund"   // pay to a card without an earlier payment
	OpSync                 Operation = "sync"                  // ask for the state of a payment
	OpRefundSync           Operation = "refund_sync"           // ask for the state of a refund
	OpVerify               Operation = "verify"                // check (and store) a card with a zero amount
	OpComplete             Operation = "complete"              // continue after the customer has acted (redirect, device data)
	OpIncrementalAuthorize Operation = "incremental_authorize" // raise what is held to a new total
	OpExtendAuthorization  Operation = "extend_authorization"  // let the processor hold the funds for longer
	OpAcceptDispute        Operation = "accept_dispute"        // give a dispute up: the customer keeps the money
	OpAttachEvidence       Operation = "attach_evidence"       // give the processor one file for the answer to a dispute
	OpSubmitEvidence       Operation = "submit_evidence"       // answer a dispute with evidence
	OpDisputeSync          Operation = "dispute_sync"          // ask for the state of a dispute
	OpAccessToken          Operation = "access_token"          // fetch a token the other operations authenticate with
	OpWebhook              Operation = "webhook"               // read a message the processor sent on its own
)

// Operations of an authenticator (EMV 3-D Secure 2.x); OpWebhook is shared.
const (
	OpPrepare         Operation = "prepare"          // version look-up: whether the card takes part, and its 3DS method URL
	OpAuthenticate    Operation = "authenticate"     // AReq: frictionless answer or challenge
	OpResult          Operation = "result"           // fetch the final result after a challenge
	OpCancelChallenge Operation = "cancel_challenge" // report that the payer left the challenge
)

// Step is the input of an adapter: everything that is known now. After every send the host steps the same operation again, with one
// exchange more. An adapter keeps nothing between steps.
type Step struct {
	ABI         int       `json:"abi"`
	Operation   Operation `json:"operation"`
	OperationID string    `json:"operation_id"` // unique for ever; [a-z0-9_], at most 40 characters

	// Now is the time of this step in Unix milliseconds, UTC. Exchange.Now is the time of an earlier send.
	Now int64 `json:"now"`
	// Seed is 64 hex digits, the same in every step of the operation. Seed is the only source of randomness.
	Seed string `json:"seed"`
	// DerivePrefix is the beginning of stand-ins that the adapter mints. A decimal index follows: see Derivation.
	DerivePrefix string `json:"derive_prefix"`

	Account   Account    `json:"account"`
	Request   Request    `json:"request"`
	Exchanges []Exchange `json:"exchanges,omitempty"`
}

// Account is the merchant's account at the processor or authenticator.
type Account struct {
	ID          string            `json:"id"`          // the connector account's id, mca_…
	Connector   string            `json:"connector"`   // the merchant's name of the connector
	Environment string            `json:"environment"` // "test" or "live"
	BaseURL     string            `json:"base_url"`    // no trailing slash; the manifest's URL of the environment, unless the operator set another
	Credentials map[string]string `json:"credentials,omitempty"`
	Config      map[string]string `json:"config,omitempty"`
}

// Exchange is one earlier result of this operation with its answer: a send and the processor's answer, or a verify and its verdict.
type Exchange struct {
	Now         int64  `json:"now"`                    // time of the step that asked for the exchange, Unix milliseconds
	RequestHash string `json:"request_hash,omitempty"` // lowercase hex SHA-256 of the send or verify (ABI.md, "Request hash")

	// RequestCheck is a shorter hash of a send (ABI.md, "Request hash"): 16 lowercase hex digits, FNV-1a 64. If it is absent, RequestHash decides.
	RequestCheck string `json:"request_check,omitempty"`

	// Sent is false only if nothing can have reached the processor. Sent is always true with an answer.
	Sent bool `json:"sent"`
	// Status is the HTTP status of the answer, 0 without an answer.
	Status  int      `json:"status,omitempty"`
	Headers []Header `json:"headers,omitempty"`
	// BodyLength is the length of the answer's body in bytes. The bodies follow the JSON in the message, in order.
	BodyLength int `json:"body_length,omitempty"`
	// Failure is the reason why there is no whole answer: timeout, connect, tls, reset, too_large, unreadable, refused.
	Failure string `json:"failure,omitempty"`
	// Verified is the verdict of a verify.
	Verified *bool `json:"verified,omitempty"`

	// Body is read from the message's end; Body is not part of the JSON.
	Body []byte `json:"-"`
}

// Header is one HTTP header line. Order and repeats are kept.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Result is an adapter's answer to a step. Exactly one field is set.
type Result struct {
	Send    *Send    `json:"send,omitempty"`
	Verify  *Verify  `json:"verify,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
	Reject  *Reject  `json:"reject,omitempty"`
}

// Send asks the host for one HTTP request.
type Send struct {
	Method  string   `json:"method"`
	URL     string   `json:"url"`
	Headers []Header `json:"headers,omitempty"`
	// BodyLength is the length of the body in bytes. The body follows the JSON in the message.
	BodyLength int `json:"body_length,omitempty"`

	// SafeToRepeat promises that the processor acts at most once, however often this exact request arrives. The request only reads, or it
	// carries an idempotency key. The host relies on this promise after a time-out.
	SafeToRepeat bool `json:"safe_to_repeat,omitempty"`
	// IdempotencyHeader names the processor's idempotency header; the host sets its value (operation id and send index).
	IdempotencyHeader string       `json:"idempotency_header,omitempty"`
	TimeoutMillis     int          `json:"timeout_ms,omitempty"` // milliseconds; 0 means the host's time-out, which is also the longest
	Derive            []Derivation `json:"derive,omitempty"`
	Capture           []Capture    `json:"capture,omitempty"`

	// Body follows the JSON in the message; Body is not part of the JSON.
	Body []byte `json:"-"`
}

// Derivation declares a stand-in that the adapter minted. The host replaces StandIn by the value of Expr when it sends.
type Derivation struct {
	StandIn string `json:"stand_in"` // Step.DerivePrefix followed by a decimal index
	Expr    Expr   `json:"expr"`
}

// Expr is an expression over secrets that the host computes. ABI.md, "Expressions", lists the functions.
type Expr struct {
	// Fn is "text" (Text, with stand-ins in it replaced), "body" (the request body as sent) or a function:
	// base64, base64url, unbase64, unbase64url, hex, unhex, concat, sha1, sha256, sha512, hmac_sha1, hmac_sha256, hmac_sha512
	// (key, data), rsa_sha256, ecdsa_sha256 (pem, data), rsa_oaep_sha256 (pem, data), basic (user, password).
	Fn   string `json:"fn"`
	Text string `json:"text,omitempty"`
	Args []Expr `json:"args,omitempty"`
}

// Capture names a field of the answer that the host replaces by a stand-in before the adapter sees the answer, such as an OAuth token.
type Capture struct {
	Path string `json:"path"` // JSON path: dot-separated names, decimal indexes
	Name string `json:"name"` // the value's name in placements and credentials
}

// Verify asks the host for a comparison in constant time. In webhook operations the host compares a computed value with a text of the
// message. In other operations the host compares the authentication value of Request.ThreeDS, alone, with a value that the adapter
// computed. An operation has at most MaxVerifies. The verdict is in the last exchange of the next step.
type Verify struct {
	Expr  Expr   `json:"expr"`  // over credentials and the raw message ("body")
	Equal string `json:"equal"` // the expected value as text
}

// Reject says that the adapter cannot do this. The host accepts a Reject only while nothing has been sent.
type Reject struct {
	Code      RejectCode `json:"code"`
	Message   string     `json:"message"`
	Parameter string     `json:"parameter,omitempty"` // the wrong or missing field, as the merchant knows it: "billing.address.zip"
}

// RejectCode is the reason of a Reject.
type RejectCode string

const (
	RejectMissing     RejectCode = "missing_parameter"     // this processor needs Parameter
	RejectInvalid     RejectCode = "invalid_parameter"     // Parameter does not fit this processor's form
	RejectUnsupported RejectCode = "unsupported"           // this processor cannot do this, or not in this way
	RejectConfig      RejectCode = "invalid_configuration" // the connector account is set up wrongly; Parameter is the field
)

// Limits of the protocol. The host enforces them.
const (
	MaxSends         = 8       // sends of one operation
	MaxVerifies      = 4       // verifies of one webhook operation
	MaxMessage       = 1 << 20 // bytes of one message in either direction
	MaxConnectorData = 4 << 10 // bytes of one ConnectorData value
)
