// Package idempotency answers repeated requests. A request with an Idempotency-Key is performed once, and each repetition of it gets the stored answer.
//
// keys.go claims a key, waits for the first request, and stores its answer. record.go has the stored record, and the part of a store that keeps it.
//
// Of the rooms, engine alone imports idempotency. It must never store an answer in plain text.
package idempotency
