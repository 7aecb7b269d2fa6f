package router

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"payswitch/engine"
)

// asError makes every error an engine.Error: one that is not ours is an internal failure.
func asError(err error) *engine.Error {
	var e *engine.Error
	if errors.As(err, &e) {
		return e
	}
	return engine.Internal(err, "answer request")
}

// statusOf is the only place an error becomes an HTTP status.
func statusOf(e *engine.Error) int {
	switch e.Kind {
	case engine.KindInvalid:
		return http.StatusBadRequest
	case engine.KindTooLarge:
		return http.StatusRequestEntityTooLarge
	case engine.KindUnprocessable:
		return http.StatusUnprocessableEntity
	case engine.KindUnauthorized:
		return http.StatusUnauthorized
	case engine.KindForbidden:
		return http.StatusForbidden
	case engine.KindNotFound:
		return http.StatusNotFound
	case engine.KindLimited:
		return http.StatusTooManyRequests
	case engine.KindUnimplemented:
		return http.StatusNotImplemented
	case engine.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// errorAnswer is the envelope: {"error":{"type","message","code", …}}. A body that could not be read (IR_06 with 400 or 413) names its type
// twice, as type and error_type: clients look for either.
func errorAnswer(e *engine.Error) answer {
	status := statusOf(e)
	kind := "invalid_request"
	switch {
	case strings.HasPrefix(e.Code, "CE_"):
		kind = "connector"
	case status >= 500 && status != http.StatusNotImplemented:
		kind = "api"
	}
	var w writer
	w.open().key("error").open().str("type", kind)
	if (e.Kind == engine.KindInvalid || e.Kind == engine.KindTooLarge) && e.Code == "IR_06" {
		w.str("error_type", kind)
	}
	w.str("message", e.Message).str("code", e.Code)
	if e.Reason != "" {
		w.str("reason", e.Reason)
	}
	if e.Connector != "" {
		w.str("connector", e.Connector)
	}
	if e.Data != nil {
		if raw, err := json.Marshal(e.Data); err == nil {
			w.raw("data", raw)
		}
	}
	a := w.close().close().answer()
	a.status = status
	if e.Kind == engine.KindUnavailable {
		a.header = http.Header{"Retry-After": {"1"}}
	}
	return a
}

// Answers to a URL or a method that nothing is at.
var (
	errUnknownURL = &engine.Error{Kind: engine.KindNotFound, Code: "IR_02", Message: "Unrecognized request URL"}
	errMethod     = &engine.Error{Kind: engine.KindInvalid, Code: "IR_03", Message: "The HTTP method is not applicable for this API"}
)

// methodAnswer says which methods the URL has.
func methodAnswer(allowed []string) answer {
	a := errorAnswer(errMethod)
	a.status = http.StatusMethodNotAllowed
	a.header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	return a
}

// clientGone says that the caller hung up: nobody reads the answer, and nothing of ours failed.
func clientGone(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
