// Package payment holds the records of the domain: payments, with their attempts, operations, captures, refunds and disputes.
//
// machine.go is the one table of transitions, and Move applies it. status.go names the statuses, payment.go the records. The files attempt.go and
// operation.go answer questions about one record.
//
// Any higher room may import payment. It has no I/O, no clock and no store: time comes in as an argument. It must never decide what a processor has
// done: the room evidence does.
package payment
