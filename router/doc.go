// Package router is the HTTP API of payswitch. A handler decodes the request, makes one engine call and encodes the answer. This package decides
// nothing about payments: such rules belong to package engine. It imports engine and sdk alone.
//
// New makes a Server from the engine's use cases; Server.HTTP and Listener serve it.
//
//	routes.go    every route on one line, with the callers that may use it
//	open.go      every route without a key, with its guard
//	mux.go       finds the route of a request
//	handle.go    what happens around every handler: request id, key, body, idempotency, errors, headers, log
//	linger.go    reads on for a while what a refused caller still sends
//	framing.go   who may frame a page
//	read.go      the JSON reader, over jsontext: its errors carry the field's path, line and column
//	codec.go     tables of fields, which read JSON objects
//	hint.go      the hint of an error: the nearest field names and allowed values
//	encode.go    the JSON writer, over jsontext
//	errors.go    engine.Error to HTTP status and error object
//	payment_*.go the payment object: what is read, what is shown
//	api/         the description of all of it, merged into the served openapi.yaml by go generate and held against the handlers by tests
package router
