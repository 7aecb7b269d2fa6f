// Package router is the HTTP API of payswitch. A handler decodes the request, makes one engine call and encodes the answer. This package decides
// nothing about payments: such rules belong to package engine. It imports engine and sdk alone.
//
// New makes a Server from the engine's use cases; Server.HTTP and Listener serve it.
//
//	routes.go    every route on one line, with the callers that may use it
//	open.go      every route without a key, with its guard
//	mux.go       finds the route of a request
//	index.go     what / answers
//	handle.go    the steps around every handler: request id, key, body, idempotency, errors, headers, log
//	unparsed.go  the JSON error for a request that net/http cannot parse
//	linger.go    drops the rest of a body whose request is already answered
//	framing.go   HTML answers, and the pages that may frame them
//	scan.go      a strict JSON reader that knows line and column (its messages: scan_text.go)
//	codec.go     tables of fields that read JSON objects with it
//	encode.go    writes JSON
//	errors.go    engine.Error to status and body
//	payment_*.go the payment object: the fields of requests and of answers
//	api/         the description of the API; go generate merges it into openapi.yaml, and tests compare it with the handlers
package router
