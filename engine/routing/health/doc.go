// Package health keeps how connector accounts fare: approvals, declines by reason, faults, time-outs and latency, per account and slice of payments. It
// takes an account out that fails too often, and lets it back in by trial. Everything is in memory; a loop saves it now and then, and merges what the
// other nodes have saved.
//
// counts.go has counts that lose weight with age, breaker.go takes accounts out, board.go is what callers use, save.go stores and merges.
//
// Of the rooms, engine, routing and routing/rank import health. It must never decide about a payment, or write one: routing decides with what it
// reads here.
package health
