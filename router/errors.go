package router

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
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

// errorAnswer is the error object: {"error":{"type","message","code", …}}. Where the body could not be read (IR_06 with 400 or 413), the
// object names its type twice, as type and error_type: clients read either.
func errorAnswer(e *fault.Error) answer {
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
	a.status = status
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
	if e.Kind == fault.KindNotFound && (e.Param == "" || e.Hint == "") {
		e = c.missing(e)
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

// nameOf maps how the message about a missing thing begins to the field that names the thing. The longer of two beginnings comes first.
var nameOf = []struct{ begins, field string }{
	{"Payment Link ", "payment_link_id"}, {"payment method collect link ", "collect_id"}, {"Payment method ", "payment_method_id"}, {"Payment attempt ", "attempt_id"},
	{"Payment ", "payment_id"}, {"Customer ", "customer_id"}, {"Refund ", "refund_id"}, {"Mandate ", "mandate_id"}, {"Merchant connector account ", "merchant_connector_id"},
	{"Merchant account ", "merchant_id"}, {"Business profile ", "profile_id"}, {"Profile acquirer ", "profile_acquirer_id"}, {"Resource ID ", "routing_id"},
	{"API Key ", "key_id"}, {"Ephemeral Key ", "key_id"}, {"Webhook endpoint ", "endpoint_id"}, {"Event ", "event_id"}, {"Operation ", "operation_id"},
	{"Bundle ", "bundle_sha256"}, {"Poll ", "poll_id"}, {"Batch blocklist job ", "job_id"}, {"Card issuer ", "issuer_id"}, {"Config key ", "config_key"},
	{"relay ", "relay_id"}, {"Dispute ", "dispute_id"}, {"Session ", "session_id"},
}

// missing returns the error about a missing thing with the field that names the thing in this request: in the path, the query or the body. The error
// stays as it is for a thing that the request does not name, such as a payment's connector account.
func (c *call) missing(e *fault.Error) *fault.Error {
	for _, of := range nameOf {
		if !strings.HasPrefix(e.Message, of.begins) {
			continue
		}
		if c.route != nil && slices.Contains(c.route.segments, "{"+of.field+"}") || c.r.URL.Query().Has(of.field) || bytes.Contains(c.body, []byte(`"`+of.field+`"`)) {
			named := *e
			named.Param, named.Hint = cmp.Or(e.Param, of.field), cmp.Or(e.Hint, "Check the id, and that it belongs to this merchant.")
			return &named
		}
		break
	}
	return e
}

// The answers to an unknown URL and to a method that the URL does not have.
var (
	errUnknownURL = &fault.Error{Kind: fault.KindNotFound, Code: "IR_02", Message: "Unrecognized request URL"}
	errMethod     = &fault.Error{Kind: fault.KindInvalid, Code: "IR_03", Message: "The HTTP method is not applicable for this API"}
)

// methodAnswer is a 405. Its Allow header lists the methods of the URL.
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
