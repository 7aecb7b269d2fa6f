// Package threeds holds the rules of external EMV 3-D Secure as pure functions. They decide what follows from an authenticator's answer. The
// package does no I/O, reads no clock and keeps no state: the caller passes in the facts and carries out the decision. message, below it, holds the
// browser's messages; exempt and threeri, above it, decide what comes before an authentication.
//
//	Decide       an authenticator's answer and the profile's Config → authorize, with which proof, challenge, wait or fail
//	End          an authentication that ends without an answer: left, timed out, lost
//	NextTry      whether to ask for an answer once more first
//	ChallengeInds  an exemption or the wish for a challenge, in the words of a message version; exempt.Choose chooses it
//	StepUp       what follows from a soft decline
//	Completion   threeDSCompInd
//	ReceiveCRes  a message that the browser brings: it starts work and proves nothing
//	Binding      whether an authentication may serve an authorization
//
// Only the answers of the authenticator's own API are evidence. An authentication value (CAVV, AAV, AEVV) never enters this package: the
// caller only says whether there is one.
//
// Three rules have no setting. N and R never authorize. A payer who left never authorizes. An error never authorizes, unless its class is
// technical or not_enrolled. 3RI is exempt from the third rule, except for class protocol: 3RI carries no input of the payer, and a
// merchant-initiated payment needs no authentication, so the payment goes on without it.
//
// Sources: EMV 3-D Secure Protocol and Core Functions Specification 2.1.0, 2.2.0 and 2.3.1. internal/vector/vectors.json holds the cases.
//
// Any higher room may import threeds. It must never take a message of the browser for a result.
package threeds
