// Package message reads and writes the messages of EMV 3-D Secure that pass through the payer's browser, and checks the URLs in them. The messages
// start work and prove nothing. It may be imported by every package that handles such a message. It must not decide about a payment.
//
//	CReq, CRes, SessionData          the challenge: what the browser takes to the ACS, and what it brings back
//	MethodData, AcceptMethodData     the 3DS method
//	CheckChallengeURL, CheckNotificationURL
//
// Source: EMV 3-D Secure Protocol and Core Functions Specification 2.3.1, annex A.
package message
