// Package routed has the words of routing that records hold: the wish of the payment or profile (Wish) with the types of algorithms, and the trace of the
// decision (Trace), which says how an attempt came to its account, with the accounts that were left out and why.
//
// Any higher room may import routed. It must never decide: the room routing does.
package routed
