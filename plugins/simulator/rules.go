package simulator

import "payswitch/sdk"

// testCard is a documented test card. A guest sees no card number, so BIN, last four digits and length identify the
// card.
type testCard struct {
	bin, lastFour string
	length        int
	reason        sdk.DeclineReason // "" approves
	number        string            // as documentation prints it
}

// notEnrolled is a card whose issuer takes no part in 3-D Secure: its payments are approved without a redirect.
var notEnrolled = &cards[1]

var cards = [...]testCard{
	{"424242", "4242", 16, "", "4242 4242 4242 4242"},
	{"378282", "0005", 15, "", "3782 822463 10005"},
	{"411111", "1111", 16, "", "4111 1111 1111 1111"},
	{"400000", "3220", 16, "", "4000 0000 0000 3220"},
	{"400002", "3155", 16, "", "4000 0025 0000 3155"},
	{"400000", "0002", 16, sdk.DeclineGeneric, "4000 0000 0000 0002"},
	{"400000", "9995", 16, sdk.DeclineInsufficientFunds, "4000 0000 0000 9995"},
	{"400000", "9987", 16, sdk.DeclineLostCard, "4000 0000 0000 9987"},
	{"400000", "9979", 16, sdk.DeclineStolenCard, "4000 0000 0000 9979"},
	{"400000", "0069", 16, sdk.DeclineExpiredCard, "4000 0000 0000 0069"},
	{"400000", "0127", 16, sdk.DeclineIncorrectCVC, "4000 0000 0000 0127"},
	{"400000", "0119", 16, sdk.DeclineProcessingError, "4000 0000 0000 0119"},
}

// reasonOfCard returns the reason for which a card is always declined, "" for none. Length 0 means unknown and fits any
// card.
func reasonOfCard(bin, lastFour string, length int) sdk.DeclineReason {
	for i := range cards {
		k := &cards[i]
		if k.lastFour == lastFour && k.bin == bin && (length == 0 || length == k.length) {
			return k.reason
		}
	}
	return ""
}

// magic plus a code of three digits, in minor units of any currency, is an amount that decides the result.
const magic = 900_000_000

// firstDecline is the code of the first row of declines; the other rows follow in order.
const firstDecline = 101

// act is what the simulated processor does.
type act uint8

const (
	approve        act = iota
	decline            // refuses
	pend               // answers pending and carries the operation out
	pendDecline        // answers pending and refuses later
	review             // holds the payment for a person, who approves it
	timeoutAfter       // carries the operation out, and the answer is lost
	timeoutDecline     // refuses, and the answer is lost
	timeoutBefore      // never receives the request
	slow               // answers pending, and carries a refund out once it is slowRefundSeconds old
	settled            // refuses to void a captured payment
	late               // carries the operation out, the answer is lost, and a sync finds it after lateSeconds
)

// rule is the effect of one amount on one operation.
type rule struct {
	operation sdk.Operation // authorize stands for verify and complete too
	code      int64
	act       act
	reason    sdk.DeclineReason // of a refusal
	checks    sdk.Checks        // of an approval; see silent
	silent    bool              // the answer has no checks
	half      bool              // half of the amount is approved
	what      string            // for documentation
}

var pass = sdk.Checks{CVC: "pass", AddressLine1: "pass", PostalCode: "pass"}

var rules = [...]rule{
	{operation: sdk.OpAuthorize, code: 1, checks: sdk.Checks{CVC: "fail", AddressLine1: "pass", PostalCode: "pass"},
		what: "approved, CVC check `fail`"},
	{operation: sdk.OpAuthorize, code: 2, checks: sdk.Checks{CVC: "pass", AddressLine1: "fail", PostalCode: "pass"},
		what: "approved, address check `fail`"},
	{operation: sdk.OpAuthorize, code: 3, checks: sdk.Checks{CVC: "pass", AddressLine1: "pass", PostalCode: "fail"},
		what: "approved, postal code check `fail`"},
	{operation: sdk.OpAuthorize, code: 4, checks: sdk.Checks{CVC: "fail", AddressLine1: "fail", PostalCode: "fail"},
		what: "approved, all checks `fail`"},
	{operation: sdk.OpAuthorize, code: 5,
		checks: sdk.Checks{CVC: "unavailable", AddressLine1: "unavailable", PostalCode: "unavailable"},
		what:   "approved, all checks `unavailable`"},
	{operation: sdk.OpAuthorize, code: 6,
		checks: sdk.Checks{CVC: "unchecked", AddressLine1: "unchecked", PostalCode: "unchecked"},
		what:   "approved, all checks `unchecked`"},
	{operation: sdk.OpAuthorize, code: 7, silent: true, what: "approved, without checks"},
	{operation: sdk.OpAuthorize, code: 8, checks: pass, half: true, what: "approved for half of the amount, rounded up"},
	{operation: sdk.OpAuthorize, code: 20, act: pend, checks: pass, what: "pending; approved once 5 seconds old"},
	{operation: sdk.OpAuthorize, code: 21, act: pendDecline, reason: sdk.DeclineDoNotHonor,
		what: "pending; declined (`do_not_honor`) once 5 seconds old"},
	{operation: sdk.OpAuthorize, code: 22, act: review, checks: pass,
		what: "held back for review; approved once 5 seconds old"},
	{operation: sdk.OpAuthorize, code: 30, act: timeoutAfter, checks: pass,
		what: "time-out after acting: a sync finds it approved"},
	{operation: sdk.OpAuthorize, code: 31, act: timeoutBefore, checks: pass,
		what: "time-out before acting: a sync finds nothing"},
	{operation: sdk.OpAuthorize, code: 32, act: timeoutDecline, reason: sdk.DeclineDoNotHonor,
		what: "time-out after a decline: a sync finds it declined (`do_not_honor`)"},
	{operation: sdk.OpAuthorize, code: 33, act: late, checks: pass,
		what: "time-out after acting: a sync finds nothing for 3 seconds, then finds it approved"},

	{operation: sdk.OpCapture, code: 201, act: decline, reason: sdk.DeclineGeneric, what: "refused"},
	{operation: sdk.OpCapture, code: 202, act: pend, what: "pending; captured when a sync asks"},
	{operation: sdk.OpCapture, code: 203, act: pendDecline, what: "pending; not captured when a sync asks"},
	{operation: sdk.OpCapture, code: 204, act: timeoutAfter, what: "time-out after acting: a sync finds it captured"},
	{operation: sdk.OpCapture, code: 205, act: timeoutBefore,
		what: "time-out before acting: a sync finds it not captured"},

	{operation: sdk.OpVoid, code: 301, act: decline, reason: sdk.DeclineGeneric, what: "refused"},
	{operation: sdk.OpVoid, code: 302, act: pend, what: "pending; voided when a sync asks"},
	{operation: sdk.OpVoid, code: 303, act: timeoutAfter, what: "time-out after acting: a sync finds it voided"},
	{operation: sdk.OpVoid, code: 304, act: timeoutBefore, what: "time-out before acting: a sync finds it still held"},
	{operation: sdk.OpVoid, code: 305, act: settled, what: "voided before its capture; refused afterwards, as settled"},

	{operation: sdk.OpRefund, code: 401, act: decline, reason: sdk.DeclineGeneric, what: "refused"},
	{operation: sdk.OpRefund, code: 402, act: pend, what: "pending; refunded when a sync asks"},
	{operation: sdk.OpRefund, code: 403, act: pendDecline, reason: sdk.DeclineGeneric,
		what: "pending; refused when a sync asks"},
	{operation: sdk.OpRefund, code: 404, act: timeoutAfter, what: "time-out after acting: a sync finds it refunded"},
	{operation: sdk.OpRefund, code: 405, act: timeoutBefore, what: "time-out before acting: a sync finds nothing"},

	{operation: sdk.OpIncrementalAuthorize, code: 501, act: decline, reason: sdk.DeclineInsufficientFunds,
		what: "declined (`insufficient_funds`)"},
	{operation: sdk.OpIncrementalAuthorize, code: 502, act: timeoutAfter,
		what: "time-out after acting: a sync finds it raised"},
	{operation: sdk.OpIncrementalAuthorize, code: 503, act: timeoutBefore,
		what: "time-out before acting: a sync finds it unchanged"},

	{operation: sdk.OpSubmitEvidence, code: 601, act: decline, reason: sdk.DeclineNotPermitted,
		what: "an answer is refused"},
	{operation: sdk.OpSubmitEvidence, code: 602, act: pend, what: "an answer is pending; a query finds it taken"},
	{operation: sdk.OpSubmitEvidence, code: 603, act: timeoutAfter,
		what: "an answer times out after acting: a query finds it taken"},
	{operation: sdk.OpSubmitEvidence, code: 604, act: timeoutBefore,
		what: "an answer times out before acting: a query finds the dispute as it was"},
	{operation: sdk.OpDisputeSync, code: 611, what: "a query finds the dispute won"},
	{operation: sdk.OpDisputeSync, code: 612, what: "a query finds the dispute lost"},
}

// ruleOf finds the rule of an amount for an operation. Ordinary amounts are approved.
func ruleOf(operation sdk.Operation, minor int64) rule {
	code := minor - magic
	if code > 0 && code < 1000 {
		if i := code - firstDecline; operation == sdk.OpAuthorize && i >= 0 && i < int64(len(declines)) {
			return rule{act: decline, reason: declines[i].reason}
		}
		for i := range rules {
			if rules[i].code == code && rules[i].operation == operation {
				return rules[i]
			}
		}
	}
	return rule{operation: operation, checks: pass}
}
