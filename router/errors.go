package router

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"payswitch/engine/fault"
)

// asError returns err as an fault.Error. An error of another type is an internal failure.
func asError(err error) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) {
		return e
	}
	return fault.Internal(err, "answer request")
}

// statusOf is the one place where an error becomes an HTTP status.
func statusOf(e *fault.Error) int {
	switch e.Kind {
	case fault.KindBlocked:
		return http.StatusOK
	case fault.KindInvalid:
		return http.StatusBadRequest
	case fault.KindTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.KindUnprocessable:
		return http.StatusUnprocessableEntity
	case fault.KindUnauthorized:
		return http.StatusUnauthorized
	case fault.KindForbidden:
		return http.StatusForbidden
	case fault.KindNotFound:
		return http.StatusNotFound
	case fault.KindLimited:
		return http.StatusTooManyRequests
	case fault.KindUnimplemented:
		return http.StatusNotImplemented
	case fault.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// errorAnswer returns the error object: {"error":{"type","message","code", …}}. Where the body could not be read (IR_06 with 400 or 413), the object
// names its type twice, as type and error_type: clients read either.
func errorAnswer(e *fault.Error) answer {
	e = complete(e)
	status := statusOf(e)
	kind := "invalid_request"
	if status >= 500 && status != http.StatusNotImplemented {
		kind = "api"
	}
	if e.Kind == fault.KindBlocked {
		kind = "blocked"
	}
	var w writer
	w.open().key("error").open().str("type", kind)
	if (e.Kind == fault.KindInvalid || e.Kind == fault.KindTooLarge) && e.Code == "IR_06" {
		w.str("error_type", kind)
	}
	w.str("message", e.Message).str("code", e.Code)
	for _, extra := range [][2]string{{"param", e.Param}, {"hint", e.Hint}, {"reason", e.Reason}, {"connector", e.Connector}} {
		if extra[1] != "" {
			w.str(extra[0], extra[1])
		}
	}
	a := w.close().close().answer()
	a.status, a.code = status, e.Code
	if e.Kind == fault.KindUnavailable {
		a.header = http.Header{"Retry-After": {"1"}}
	}
	return a
}

// maxLocated bounds how many fields of a request are compared with the field that an error names.
const maxLocated = 8

// located returns the error with the path of its field in this request. The engine names a field without the objects around it where
// several requests have it: card_cvc is payment_method_data.card.card_cvc in one and card.card_cvc in another. A name that the body
// does not have, or has at several paths, stays as it is.
func (c *call) located(e *fault.Error) *fault.Error {
	switch {
	case e.Kind == fault.KindNotFound && c.lastParam() == "token":
		wrong := *e
		e, wrong.Param, wrong.Hint = &wrong, "token", "Open the URL as payswitch gave it. Its last part is secret."
	case e.Param != "" && e.Hint != "":
	case e.Kind == fault.KindUnprocessable && e.Code == "HE_00" && e.Param == "":
		busy := *e
		e, busy.Param = &busy, c.lastParam()
	case e.Code == "IR_01" && e.Param == "":
		unauthorized := *e
		e, unauthorized.Param, unauthorized.Hint = &unauthorized, keyHeader(c.r.Header), cmp.Or(e.Hint, c.keyHint())
	}
	if e.Param == "" || len(c.body) == 0 {
		return e
	}
	name, found := e.Param[strings.LastIndexByte(e.Param, '.')+1:], ""
	r := newReader(c.body)
	for compared := 0; compared < maxLocated; {
		v, err := r.token()
		if err != nil || r.dec.StackDepth() == 0 {
			break
		}
		if !r.isName() || string(unquote(v)) != name {
			continue
		}
		compared++
		switch path := r.path(); {
		case path == e.Param:
			return e
		case path == found || !strings.HasSuffix(path, "."+e.Param):
		case found != "":
			return e
		default:
			found = path
		}
	}
	if found == "" {
		return e
	}
	there := *e
	there.Param = found
	return &there
}

// The answers to an unknown URL and to a method that the URL does not have.
var (
	errUnknownURL = &fault.Error{Kind: fault.KindNotFound, Code: "IR_02", Message: "Unrecognized request URL"}
	errMethod     = &fault.Error{Kind: fault.KindInvalid, Code: "IR_03", Message: "The HTTP method is not applicable for this API"}
)

// methodAnswer returns a 405. Its Allow header lists the methods of the URL.
func methodAnswer(allowed []string) answer {
	a := errorAnswer(errMethod)
	a.status = http.StatusMethodNotAllowed
	a.header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	return a
}

// clientGone reports whether the request failed because the caller closed the connection.
func clientGone(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
