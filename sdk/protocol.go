package sdk

// ABI is the version of the adapter protocol this SDK speaks. ABI.md is its byte-level description.
const ABI = 1

// Kind says what an adapter is for.
type Kind string

const (
	KindProcessor     Kind = "processor"     // moves money: authorize, capture, refund …
	KindAuthenticator Kind = "authenticator" // runs EMV 3-D Secure: prepare, authenticate, result
)

// Operation is one thing an adapter is asked to do. Its constants are the wire values.
type Operation string

// Operations of a processor.
const (
	OpAuthorize            Operation = "authorize"             // hold the amount, or take it at once when Capture is automatic
	OpCapture              Operation = "capture"               // take (part of) what is held
	OpVoid                 Operation = "void"                  // release what is held and not captured
	OpRefund               Operation = "refund"                // give (part of) what was captured back
	OpSync                 Operation = "sync"                  // ask what has become of a payment
	OpRefundSync           Operation = "refund_sync"           // ask what has become of a refund
	OpVerify               Operation = "verify"                // check (and store) a card with a zero amount
	OpComplete             Operation = "complete"              // go on after the customer has acted (redirect, device data)
	OpIncrementalAuthorize Operation = "incremental_authorize" // raise what is held to a new total
	OpAccessToken          Operation = "access_token"          // fetch a token the other operations authenticate with
	OpWebhook              Operation = "webhook"               // read a message the processor sent on its own
)

// Operations of an authenticator (EMV 3-D Secure 2.x); OpWebhook is shared.
const (
	OpPrepare         Operation = "prepare"          // version look-up: does the card take part, is there a 3DS method URL
	OpAuthenticate    Operation = "authenticate"     // AReq: frictionless answer or challenge
	OpResult          Operation = "result"           // fetch the final result after a challenge
	OpCancelChallenge Operation = "cancel_challenge" // tell that the payer left the challenge
)

// Step is what an adapter is called with: everything that is known now. The same operation is stepped again after every
// send, from the top, with one exchange more; an adapter keeps nothing between steps.
type Step struct {
	ABI         int       `json:"abi"`
	Operation   Operation `json:"operation"`
	OperationID string    `json:"operation_id"` // unique for ever; [a-z0-9_], at most 40 characters

	// Now is the time of this step in Unix milliseconds, UTC. Earlier sends carry the time they were made at.
	Now int64 `json:"now"`
	// Seed is 64 hex digits, the same for every step of the operation: the only source of randomness.
	Seed string `json:"seed"`
	// DerivePrefix is what a stand-in minted by the adapter must begin with (then a decimal index): see Derivation.
	DerivePrefix string `json:"derive_prefix"`

	Account   Account    `json:"account"`
	Request   Request    `json:"request"`
	Exchanges []Exchange `json:"exchanges,omitempty"`
}

// Account is the merchant's account at the processor or authenticator.
type Account struct {
	ID          string            `json:"id"`          // the connector account's id, mca_…
	Connector   string            `json:"connector"`   // the name the merchant knows the connector by
	Environment string            `json:"environment"` // "test" or "live"
	BaseURL     string            `json:"base_url"`    // no trailing slash; the manifest's for the environment unless the operator set another
	Credentials map[string]string `json:"credentials,omitempty"`
	Config      map[string]string `json:"config,omitempty"`
}

// Exchange is one earlier output of this operation and what came back: a send and its answer, or a verify and its verdict.
type Exchange struct {
	Now         int64  `json:"now"`                    // time of the step that asked for it, Unix milliseconds
	RequestHash string `json:"request_hash,omitempty"` // lowercase hex SHA-256 of what was asked for (ABI.md, "Request hash")

	// RequestCheck is the shorter identity of a send ("Request hash"): 16 lowercase hex digits, FNV-1a 64. Where it is absent, RequestHash decides.
	RequestCheck string `json:"request_check,omitempty"`

	// Sent is false only where nothing can have reached the processor. It is always true once there is an answer.
	Sent bool `json:"sent"`
	// Status is the HTTP status of the answer, 0 when there is none.
	Status  int      `json:"status,omitempty"`
	Headers []Header `json:"headers,omitempty"`
	// BodyLength is the length of the answer's body, which lies in the frame after the JSON, all bodies in order.
	BodyLength int `json:"body_length,omitempty"`
	// Failure says how the exchange failed when there is no (whole) answer: timeout, connect, tls, reset, too_large, unreadable, refused.
	Failure string `json:"failure,omitempty"`
	// Verified is the verdict of a verify.
	Verified *bool `json:"verified,omitempty"`

	// Body is filled in from the frame; it is not part of the JSON.
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
	// BodyLength is the length of the body, which lies in the frame after the JSON.
	BodyLength int `json:"body_length,omitempty"`

	// SafeToRepeat says that the processor acts at most once however often this very request arrives: it only reads, or it
	// carries an idempotency key. The host relies on it after a time-out.
	SafeToRepeat bool `json:"safe_to_repeat,omitempty"`
	// IdempotencyHeader names the processor's idempotency header; the host sets its value (operation id and send index).
	IdempotencyHeader string       `json:"idempotency_header,omitempty"`
	TimeoutMillis     int          `json:"timeout_ms,omitempty"` // 0: the host's; never more than the host's
	Derive            []Derivation `json:"derive,omitempty"`
	Capture           []Capture    `json:"capture,omitempty"`

	// Body is written to the frame; it is not part of the JSON.
	Body []byte `json:"-"`
}

// Derivation declares a stand-in of the adapter's own: when sending, the host puts the value of Expr where StandIn stands.
type Derivation struct {
	StandIn string `json:"stand_in"` // Step.DerivePrefix followed by a decimal index
	Expr    Expr   `json:"expr"`
}

// Expr is an expression over secrets that the host computes. ABI.md lists the functions and which may take card data.
type Expr struct {
	// Fn is "text" (Text, with stand-ins in it replaced), "body" (the request body as sent) or a function:
	// base64, base64url, unbase64, unbase64url, hex, unhex, concat, sha1, sha256, sha512, hmac_sha1, hmac_sha256, hmac_sha512
	// (key, data), rsa_sha256, ecdsa_sha256 (pem, data), rsa_oaep_sha256 (pem, data), basic (user, password).
	Fn   string `json:"fn"`
	Text string `json:"text,omitempty"`
	Args []Expr `json:"args,omitempty"`
}

// Capture has the host replace a field of the answer by a stand-in before the adapter sees it: an OAuth token, say.
type Capture struct {
	Path string `json:"path"` // JSON path: dot-separated names, decimal indexes
	Name string `json:"name"` // what the value is called afterwards
}

// Verify asks the host to compare, in constant time: in webhook operations a computed value with the one the message carried, in others the
// authentication value of Request.ThreeDS, alone, with one the adapter computed. At most 4. The verdict is in the next step's last exchange.
type Verify struct {
	Expr  Expr   `json:"expr"`  // over credentials and the raw message ("body")
	Equal string `json:"equal"` // the expected value as text
}

// Reject says that the adapter cannot do this. It is accepted only while nothing has left.
type Reject struct {
	Code      RejectCode `json:"code"`
	Message   string     `json:"message"`
	Parameter string     `json:"parameter,omitempty"` // the request field at fault, as the merchant knows it: "billing.address.zip"
}

// RejectCode is why an adapter cannot do what it was asked.
type RejectCode string

const (
	RejectMissing     RejectCode = "missing_parameter"     // Parameter is required by this processor
	RejectInvalid     RejectCode = "invalid_parameter"     // Parameter does not fit this processor's form
	RejectUnsupported RejectCode = "unsupported"           // this processor cannot do it (in this way)
	RejectConfig      RejectCode = "invalid_configuration" // the connector account is set up wrongly; Parameter is the field
)

// Limits of the protocol. The host enforces them.
const (
	MaxSends         = 8       // sends of one operation
	MaxVerifies      = 4       // verifies of one webhook operation
	MaxMessage       = 1 << 20 // bytes of one message, either way
	MaxConnectorData = 4 << 10 // bytes of one ConnectorData value
)
