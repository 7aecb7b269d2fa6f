// Package message reads and writes the messages of EMV 3-D Secure that pass through the payer's browser, and checks the URLs in them. The messages
// start work and prove nothing.
//
//	CReq, CRes, SessionData          the challenge: what the browser takes to the ACS, and what it brings back
//	MethodData, AcceptMethodData     the 3DS method
//	CheckChallengeURL
//
// Source: EMV 3-D Secure Protocol and Core Functions Specification 2.3.1, annex A.
//
// Of the rooms, threeds and threeds/flow import message. It must never decide about a payment.
package message
