// Package evidence decides what processors' answers prove, and what follows from them.
//
// Judge turns what an adapter did into a Verdict. Book turns a verdict into the rows that change. InterpretSync turns what a processor reports of a
// payment into a verdict about one operation; refund.go and dispute.go do the same for refunds and disputes.
//
// resolution.go, cancel.go and late.go decide about operations whose end is open: what is sent again, who may end them, what a cancel begins, and
// what money that shows up late does. model_test.go explores these decisions.
//
// Any higher room may import evidence. It has no I/O, no clock and no store: its functions are pure, and time comes in as an argument. It must never
// believe an adapter about money without a check.
package evidence
