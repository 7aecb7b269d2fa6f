package fault

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Kind classifies an Error. The router alone maps a Kind to an HTTP status.
type Kind string

const (
	KindInvalid       Kind = "invalid"       // the request is wrong (400)
	KindUnprocessable Kind = "unprocessable" // understood, but a value is out of its bounds (422)
	KindTooLarge      Kind = "too_large"     // the request's body is over the limit (413)
	KindUnauthorized  Kind = "unauthorized"  // no valid key (401)
	KindForbidden     Kind = "forbidden"     // this caller may not do that (403)
	KindNotFound      Kind = "not_found"     // no such thing, or not yours (404)
	KindLimited       Kind = "limited"       // too many tries (429)
	KindUnimplemented Kind = "unimplemented" // known and not offered (501)
	KindUnavailable   Kind = "unavailable"   // try again later (503)
	KindBlocked       Kind = "blocked"       // a rule of the merchant stopped the payment (200)
	KindInternal      Kind = "internal"      // we failed (500)
)

// Error is a failure of payswitch or of the caller, never a decline. Code and Message belong to the public API and are safe to show. Err is
// the cause; only the log shows it.
type Error struct {
	Kind    Kind
	Code    string // error code of the API: IR_04, HE_02 …
	Message string
	Reason  string // more text for the caller, shown next to the message; "" to omit
	Param   string // the request field at fault, "" if no single field is; Message names it for people
	// Hint says what the caller can do, such as the nearest allowed values; "" if nothing helps.
	Hint string
	// Connector is the connector at fault, "" if the error concerns no connector.
	Connector string
	Err       error
}

func (e *Error) Error() string {
	s := e.Code + ": " + e.Message
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// WithParam sets Param, and returns e.
func (e *Error) WithParam(param string) *Error {
	e.Param = param
	return e
}

// WithHint sets Hint, and returns e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// ErrNotFound is the error of a Store for a row that does not exist or belongs to another merchant.
var ErrNotFound = errors.New("not found")

// ErrConflict is the error of a Store in two cases: the row changed since the caller read it (the compare-and-set failed), or the unique key
// exists already.
var ErrConflict = errors.New("conflict")

// ErrLocked is the error of a Store whose database another program kept locked for longer than the store waits.
var ErrLocked = errors.New("the database is locked by another program")

// ErrAway is the error of a Store whose database does not answer. Nothing was done.
var ErrAway = errors.New("the database does not answer")

// ErrGone is the error of a Store whose database is no longer where the switch opened it: an operator has moved it. It is an ErrAway, because nothing
// was done, and the caller may try again.
var ErrGone error = goneError{}

type goneError struct{}

func (goneError) Error() string        { return "the database is no longer in its place" }
func (goneError) Is(target error) bool { return target == ErrAway }

// ErrFull is the error of a Store whose database takes no write: the disk is full or read-only. It is an ErrAway, because nothing was done, and the
// caller may try again.
var ErrFull error = fullError{}

type fullError struct{}

func (fullError) Error() string        { return "the database takes no write" }
func (fullError) Is(target error) bool { return target == ErrAway }

// ErrOutcome is the error of a Store that lost its database during a commit: the writes may have happened.
var ErrOutcome = errors.New("the connection to the database was lost during the commit; the writes may have happened")

// ErrBusy is the error of an operation that got no turn: its connector account has as many under way as it may. Nothing was sent.
var ErrBusy = errors.New("as many operations of this connector account are under way as its limit allows")

// Busy returns the answer to a request that got no turn at a connector account. Nothing is recorded of the request.
func Busy(connector string) *Error {
	return &Error{Kind: KindUnavailable, Code: "HE_00", Connector: connector, Err: ErrBusy,
		Message: "The connector " + connector + " has as many operations under way as it sustains; nothing was done: try again"}
}

// Internal wraps a failure of payswitch. The caller sees only "Something went wrong"; err and doing go to the log. A database that is locked
// or away, or goes away, is no failure of payswitch: the caller may try again.
func Internal(err error, doing string) *Error {
	if errors.Is(err, ErrLocked) {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The database is locked: try again", Err: fmt.Errorf("%s: %w", doing, err)}
	}
	if errors.Is(err, ErrGone) {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The database is no longer in its place: try again when the operator has mended that", Err: fmt.Errorf("%s: %w", doing, err)}
	}
	if errors.Is(err, ErrFull) {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The database takes no write: try again when the operator has mended that", Err: fmt.Errorf("%s: %w", doing, err)}
	}
	if errors.Is(err, ErrAway) {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The database does not answer: try again", Err: fmt.Errorf("%s: %w", doing, err)}
	}
	if errors.Is(err, ErrOutcome) {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Err: fmt.Errorf("%s: %w", doing, err),
			Message: "The database did not confirm what was written: repeat the request with the same id or Idempotency-Key"}
	}
	return &Error{Kind: KindInternal, Code: "HE_00", Message: "Something went wrong", Err: fmt.Errorf("%s: %w", doing, err)}
}

// CheckID is the hint of an error about a thing that this merchant does not have.
const CheckID = "Check the id, and that it belongs to this merchant."

// things are what NotFound reports to callers of the API: the parameter that names each in a request, and where it is listed, "" for CheckID.
var things = map[string]struct{ param, hint string }{
	"API Key":                       {"key_id", ""},
	"Bundle":                        {"bundle_sha256", "GET /adapters/bundles lists the bundles."},
	"Customer":                      {"customer_id", ""},
	"Ephemeral Key":                 {"key_id", ""},
	"Event":                         {"event_id", ""},
	"Mandate":                       {"mandate_id", ""},
	"Merchant account":              {"merchant_id", "Check the id, or create the account with POST /accounts."},
	"Merchant connector account":    {"merchant_connector_id", ""},
	"Open relay":                    {"operation_id", "A relay that has ended takes no decision: GET /operations lists the open ones."},
	"Operation":                     {"operation_id", "GET /operations lists the operations."},
	"Payment":                       {"payment_id", ""},
	"Payment Link":                  {"payment_link_id", ""},
	"Payment attempt":               {"attempt_id", ""},
	"Payment method":                {"payment_method_id", ""},
	"Poll":                          {"poll_id", "Send the poll_id of the payment's next_action."},
	"Profile acquirer":              {"profile_acquirer_id", ""},
	"Resource ID":                   {"routing_id", "GET /routing lists the configurations."},
	"Webhook endpoint":              {"endpoint_id", ""},
	"Webhook endpoint of the event": {"event_id", "The endpoint of this event was deleted. Add an endpoint to the profile for new events."},
}

// NotFound returns the error (HE_02) for a thing ("Payment", "Customer", …) that this merchant does not have. The error has a field and a hint if
// things lists the thing.
func NotFound(thing string) *Error {
	named := things[thing]
	return &Error{Kind: KindNotFound, Code: "HE_02", Message: thing + " does not exist in our records", Param: named.param, Hint: cmp.Or(named.hint, CheckID)}
}

// IsNotFound reports whether err says that something which the caller named does not exist.
func IsNotFound(err error) bool {
	known, ok := errors.AsType[*Error](err)
	return ok && known.Kind == KindNotFound
}

// Duplicate returns the error (HE_01) for an object that exists already.
func Duplicate(message string) *Error {
	return &Error{Kind: KindInvalid, Code: "HE_01", Message: message}
}

// Missing returns the error (IR_04) for a required field that the caller did not send.
func Missing(field string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_04", Message: "Missing required param: " + field, Param: field, Hint: "Add the field to the request."}
}

// BadFormat returns the error (IR_05, 422) for a field whose value does not have the expected form. expected is what to send: "a 6 digit number".
func BadFormat(field, expected string) *Error {
	return &Error{Kind: KindUnprocessable, Code: "IR_05", Message: field + " contains invalid data. Expected format is " + expected, Param: field,
		Hint: "Send " + expected + "."}
}

// Unprocessable returns the error (IR_06, 422) for a value out of its bounds.
func Unprocessable(param, message string) *Error {
	return &Error{Kind: KindUnprocessable, Code: "IR_06", Message: message, Param: param}
}

// Malformed returns the error (IR_06, 400) for a value that the router could not parse. text follows "Json deserialize error: ".
func Malformed(param, text string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_06", Message: "Json deserialize error: " + text, Param: param}
}

// InvalidValue returns the error (IR_07) for a field whose value is not possible.
func InvalidValue(field string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_07", Message: "Invalid value provided: " + field, Param: field}
}

// Refused returns the error (IR_16) for a request that breaks a rule or does not fit the payment's state.
func Refused(message string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_16", Message: message}
}

// WrongState returns the error (IR_14) for an operation that the payment's state forbids, such as the capture of a cancelled payment. verb is what the
// payment could not be ("captured"), field the payment's field at fault, value its value. expected lists the values that would do.
func WrongState(verb, field, value, expected string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_14", Param: strings.TrimPrefix(field, "payment."),
		Message: "This Payment could not be " + verb + " because it has a " + field + " of " + value + ". The expected state is " + expected}
}

// Unauthorized returns the error (IR_01) for a missing, unknown, revoked or expired key.
func Unauthorized() *Error {
	return &Error{Kind: KindUnauthorized, Code: "IR_01", Message: "API key not provided or invalid API key used"}
}

// Blocked returns the answer (HE_03) to a payment that a rule of the merchant has stopped. text is for the payer.
func Blocked(text string) *Error {
	return &Error{Kind: KindBlocked, Code: "HE_03", Message: text, Reason: "Blocked"}
}

// NotImplemented returns the error (IR_00) for a feature that the API knows and payswitch does not offer.
func NotImplemented(feature string) *Error {
	return &Error{Kind: KindUnimplemented, Code: "IR_00", Message: feature + " is not implemented"}
}

func NoConnector(reason string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_39", Message: "No eligible connector was found for the current payment method configuration", Reason: reason}
}

func UnavailableConnector(name string) *Error {
	return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The connector " + name + " is not available at the moment", Connector: name}
}

// FromStore turns an error of the store into an Error. A lost compare-and-set means that another request changed the same record just now.
func FromStore(err error, doing string) error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, ErrConflict):
		return &Error{Kind: KindUnprocessable, Code: "HE_00", Message: "Resource is busy", Reason: "it was changed at the same time; try again", Err: err}
	}
	return Internal(err, doing)
}

// IfMissing replaces an ErrNotFound by e; other errors stay.
func IfMissing(err error, e *Error) error {
	if errors.Is(err, ErrNotFound) {
		return e
	}
	return err
}

// IfConflict replaces an ErrConflict by e; other errors stay.
func IfConflict(err error, e *Error) error {
	if errors.Is(err, ErrConflict) {
		return e
	}
	return err
}

func ApprovalError(connector, reason string) *Error {
	return &Error{Kind: KindInvalid, Code: "HE_03", Connector: connector, Reason: reason,
		Message: "The selected merchant connector account awaits the operator's approval of its adapter"}
}

// CheckLength limits a text's length in bytes (IR_06, 422).
func CheckLength(field, text string, most int) error {
	if len(text) > most {
		return Unprocessable(field, fmt.Sprintf("%s must be at most %d characters long. Received %d characters", field, most, len(text))).
			WithHint(fmt.Sprintf("Shorten the text to %d characters.", most))
	}
	return nil
}

// WrongSecret is the error (IR_09) for a client secret that is not the payment's.
func WrongSecret() *Error {
	return &Error{Kind: KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment", Param: "client_secret",
		Hint: "Send the client_secret of the answer that created the payment."}
}
