// Package payment is the pure domain: payments with their attempts, operations and authentications.
//
// machine.go is the one table of transitions, and Move applies it. Judge turns what an adapter did into a Verdict. Book turns a verdict into the
// rows that change. InterpretSync turns what a processor reports of a payment into a verdict about one operation.
//
// resolution.go, cancel.go and late.go decide about operations whose end is open: what is sent again, who may end them, what a cancel begins, and
// what money that shows up late does. model_test.go explores these decisions.
//
// Rooms above card may import payment. It has no I/O, no clock and no store: time comes in as an argument. It must never believe an adapter
// about money without a check.
package payment
