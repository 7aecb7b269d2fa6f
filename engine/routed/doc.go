// Package routed says how an attempt came to its account: the wish of the payment or profile (Wish), and the trace of the decision (Trace), with the
// accounts that were left out and why.
//
// Any higher room may import routed. It must never decide: the room routing does.
package routed
