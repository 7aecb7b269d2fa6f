// Package threeds holds the rules of external EMV 3-D Secure as pure functions: what an authenticator's answer leads to, when an
// exemption or a challenge is asked for, and how the messages that pass through the browser are read and written. It does no I/O, knows
// no clock and keeps no state; the caller brings what is known and carries out what is decided.
//
//	Decide       an authenticator's answer and the profile's Config → authorize, with which proof, challenge, wait or fail
//	End          an authentication that ends without an answer: left, timed out, lost
//	NextTry      whether an answer is asked for once more first
//	Choose       exemption or challenge, and the route the exemption takes; ChallengeInds says it in the words of a version
//	StepUp       what a soft decline leads to
//	PlanThreeRI  whether and as what a merchant-initiated payment is authenticated without its payer
//	Completion   threeDSCompInd
//	ParseCRes, ReceiveCRes, AcceptMethodData   what the browser brings: it wakes us up and proves nothing
//	Binding      whether an authentication may serve an authorization
//
// Only what the authenticator's own API answers is evidence. An authentication value (CAVV, AAV, AEVV) never enters this package: it
// is told that there is one.
//
// Three rules have no setting: N and R never lead to an authorization, nor does a payer who left, nor an error of any class but technical
// and not_enrolled. Of the last, 3RI is spared but for answers that are none: it holds no payer input, and a merchant-initiated payment
// needs no authentication, so it goes on without.
//
// Sources: EMV 3-D Secure Protocol and Core Functions Specification 2.1.0, 2.2.0 and 2.3.1; testdata/vectors.json holds the cases.
package threeds
