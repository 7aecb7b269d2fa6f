// Package routed has the words of routing that records hold. Preference is what a payment or profile asks for, with the types of algorithms. Trace says
// how an attempt came to its account, and why other accounts were left out.
//
// Any higher room may import routed. It must never decide: the room routing does.
package routed
