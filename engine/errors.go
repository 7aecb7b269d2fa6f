package engine

import (
	"errors"
	"fmt"
)

// Kind is what sort of failure an Error is. The router maps it to an HTTP status; nobody else does.
type Kind string

const (
	KindInvalid       Kind = "invalid"       // the request is wrong (400)
	KindUnprocessable Kind = "unprocessable" // understood, but a value is out of its bounds (422)
	KindTooLarge      Kind = "too_large"     // the request's body is over the limit (413)
	KindUnauthorized  Kind = "unauthorized"  // no valid key (401)
	KindNotFound      Kind = "not_found"     // no such thing, or not yours (404)
	KindLimited       Kind = "limited"       // too many tries (429)
	KindUnimplemented Kind = "unimplemented" // known and not offered (501)
	KindUnavailable   Kind = "unavailable"   // try again later (503)
	KindInternal      Kind = "internal"      // we failed (500)
)

// Error is a failure of ours or of the caller's, never a decline. Code and Message are the contract's and safe to show; Err is
// the cause, for the log only.
type Error struct {
	Kind    Kind
	Code    string // contract code: IR_04, HE_02 …
	Message string
	Reason  string // further text, shown after the message; "" if there is no more to say
	Param   string // the path of the request field at fault: payment_method_data.card.card_number; "" where no field is at fault
	Hint    string // what the caller can do about the error; "" where Message already says so
	// Connector is the connector the error is about, "" if none.
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

// About sets Param, and returns e.
func (e *Error) About(param string) *Error {
	e.Param = param
	return e
}

// WithHint sets Hint, and returns e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// ErrNotFound is what a Store answers when a row does not exist (or is another merchant's).
var ErrNotFound = errors.New("not found")

// ErrConflict is what a Store answers when a row was changed by someone else since it was read (compare-and-set failed), or a
// unique key exists already.
var ErrConflict = errors.New("conflict")

// Internal wraps a failure of our own. Its text is never shown.
func Internal(err error, doing string) *Error {
	return &Error{Kind: KindInternal, Code: "HE_00", Message: "Something went wrong", Err: fmt.Errorf("%s: %w", doing, err)}
}

// NotFound says that thing ("Payment", "Customer", …) does not exist for this merchant.
func NotFound(thing string) *Error {
	return &Error{Kind: KindNotFound, Code: "HE_02", Message: thing + " does not exist in our records"}
}

// Duplicate says that thing exists already (HE_01).
func Duplicate(message string) *Error {
	return &Error{Kind: KindInvalid, Code: "HE_01", Message: message}
}

// Missing names a required field that was not sent (IR_04).
func Missing(field string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_04", Message: "Missing required param: " + field, Param: field}
}

// BadFormat names a field whose value does not have the expected form (IR_05, 422).
func BadFormat(field, expected string) *Error {
	return &Error{Kind: KindUnprocessable, Code: "IR_05", Message: field + " contains invalid data. Expected format is " + expected, Param: field}
}

// Unprocessable is a value out of its bounds (IR_06, 422).
func Unprocessable(param, message string) *Error {
	return &Error{Kind: KindUnprocessable, Code: "IR_06", Message: message, Param: param}
}

// Malformed is a value that could not be read (IR_06, 400); text is what follows "Json deserialize error: ".
func Malformed(param, text string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_06", Message: "Json deserialize error: " + text, Param: param}
}

// InvalidValue names a field whose value is not possible (IR_07).
func InvalidValue(field string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_07", Message: "Invalid value provided: " + field, Param: field}
}

// Refused is a violation of a rule or of the state (IR_16).
func Refused(message string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_16", Message: message}
}

// Unauthorized is the answer to a missing, unknown, revoked or expired key.
func Unauthorized() *Error {
	return &Error{Kind: KindUnauthorized, Code: "IR_01", Message: "API key not provided or invalid API key used"}
}

// NotImplemented says that feature is known and not offered (IR_00).
func NotImplemented(feature string) *Error {
	return &Error{Kind: KindUnimplemented, Code: "IR_00", Message: feature + " is not implemented"}
}

func noConnector(reason string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_39", Message: "No eligible connector was found for the current payment method configuration", Reason: reason}
}

func unavailableConnector(name string) *Error {
	return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The connector " + name + " is not available at the moment", Connector: name}
}

// ours makes an error of the store's one of ours. Losing a compare-and-set means that somebody changed the same record just now.
func ours(err error, doing string) error {
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

// missing makes an ErrNotFound e; other errors stay.
func missing(err error, e *Error) error {
	if errors.Is(err, ErrNotFound) {
		return e
	}
	return err
}

// conflict makes an ErrConflict e; other errors stay.
func conflict(err error, e *Error) error {
	if errors.Is(err, ErrConflict) {
		return e
	}
	return err
}

func approvalError(connector, reason string) *Error {
	return &Error{Kind: KindInvalid, Code: "HE_03", Connector: connector, Reason: reason,
		Message: "The selected merchant connector account awaits the operator's approval of its adapter"}
}
