// Package routed has the words of routing that records hold. Wish is the wish of a payment or profile, with the types of algorithms. Trace says how an
// attempt came to its account, and why other accounts were left out.
//
// Any higher room may import routed. It must never decide: the room routing does.
package routed
