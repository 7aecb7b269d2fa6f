// Package router is the HTTP surface of payswitch: routes, keys, decoding, encoding, and errors to HTTP status. It holds no rules of
// payments: a handler decodes, makes one engine call and encodes.
//
// The pieces:
//
//	routes.go    every route on one line, with who may call it
//	open.go      every route without a key, with what guards it
//	mux.go       finds the route of a request
//	handle.go    what happens around every handler: request id, key, body, idempotency, errors, headers, log
//	linger.go    reads on for a while what a refused caller still sends
//	framing.go   who may frame a page
//	scan.go      a strict JSON reader that knows line and column (its messages: scan_text.go)
//	codec.go     tables of fields that read JSON objects with it
//	encode.go    appends JSON
//	errors.go    engine.Error to status and body
//	payment_*.go the payment object: what is read, what is shown
//	api/         the description of all of it, merged into the served openapi.yaml by go generate and held against the handlers by tests
package router
