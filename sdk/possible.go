package sdk

import (
	"slices"
	"strings"
)

// Outcomes lists the statuses that an operation may end with. Every operation may also end with StatusUnknown, which is not listed. The host
// treats any other status as unknown, and certification refuses adapters that answer one. Outcomes returns nil for an unknown operation.
func (op Operation) Outcomes() []OutcomeStatus {
	switch op {
	case OpAuthorize:
		return []OutcomeStatus{StatusAuthorized, StatusCaptured, StatusPending, StatusCustomerAction, StatusReview, StatusDeclined}
	case OpVerify:
		return []OutcomeStatus{StatusVerified, StatusPending, StatusCustomerAction, StatusDeclined}
	case OpComplete:
		return []OutcomeStatus{StatusAuthorized, StatusCaptured, StatusVerified, StatusPending, StatusCustomerAction, StatusReview, StatusDeclined}
	case OpCapture:
		return []OutcomeStatus{StatusCaptured, StatusPending, StatusDeclined}
	case OpVoid:
		return []OutcomeStatus{StatusVoided, StatusPending, StatusDeclined}
	case OpRefund, OpUnreferencedRefund:
		return []OutcomeStatus{StatusRefunded, StatusPending, StatusDeclined, StatusReview}
	case OpSync:
		return []OutcomeStatus{StatusAuthorized, StatusCaptured, StatusVerified, StatusPending, StatusCustomerAction, StatusReview, StatusDeclined,
			StatusVoided, StatusRefunded, StatusNotFound}
	case OpRefundSync:
		return []OutcomeStatus{StatusRefunded, StatusPending, StatusDeclined, StatusReview, StatusNotFound}
	case OpIncrementalAuthorize, OpExtendAuthorization:
		return []OutcomeStatus{StatusAuthorized, StatusPending, StatusDeclined}
	case OpAcceptDispute, OpSubmitEvidence:
		return []OutcomeStatus{StatusDisputed, StatusPending, StatusDeclined}
	case OpAttachEvidence:
		return []OutcomeStatus{StatusAttached, StatusDeclined}
	case OpDisputeSync:
		return []OutcomeStatus{StatusDisputed}
	case OpAccessToken:
		return []OutcomeStatus{StatusToken}
	case OpWebhook, OpCancelChallenge:
		return []OutcomeStatus{StatusHandled}
	case OpPrepare:
		return []OutcomeStatus{StatusPrepared}
	case OpAuthenticate, OpResult:
		return []OutcomeStatus{StatusAuthenticated}
	}
	return nil
}

// Approves reports whether the status is a success whose amount counts: authorized, captured, verified or refunded.
func (s OutcomeStatus) Approves() bool {
	return s == StatusAuthorized || s == StatusCaptured || s == StatusVerified || s == StatusRefunded
}

// Refunds reports whether an operation gives money to the payer.
func (op Operation) Refunds() bool { return op == OpRefund || op == OpUnreferencedRefund }

// EndsWith reports whether an operation may end with a status.
func (op Operation) EndsWith(s OutcomeStatus) bool {
	return s == StatusUnknown || slices.Contains(op.Outcomes(), s)
}

// Fits reports whether the outcome's amount is plausible for a request of the amount asked. It must have the same currency, not be negative,
// not be more than asked, and not be zero if something was approved. An outcome without an amount fits: it means the amount asked.
func (o *Outcome) Fits(asked Money) bool {
	got, least := o.Amount, int64(0)
	if o.Status == StatusAuthorized || o.Status == StatusCaptured {
		least = min(1, asked.Minor)
	}
	return got == nil || got.Currency == asked.Currency && got.Minor >= least && got.Minor <= asked.Minor
}

// Impossible returns the reason why an operation cannot end with this outcome, "" if it can. The host treats an impossible outcome as
// unknown once something was sent, and as a failure of the adapter before.
func (o *Outcome) Impossible(op Operation, asked Money) string {
	switch {
	case o.Status == StatusDisputed && (o.Dispute == nil || o.Dispute.ID == "" || o.Dispute.Status == ""):
		return "the outcome is disputed, and lacks the id or the status of the dispute"
	case !op.EndsWith(o.Status):
		var all []string
		for _, s := range op.Outcomes() {
			all = append(all, string(s))
		}
		return string(op) + " cannot end with the outcome " + string(o.Status) + ": use " + strings.Join(all, ", ") + " or unknown"
	case o.Status == StatusToken && (o.Token == nil || o.Token.Value == ""):
		return "the outcome token needs token.value"
	case o.Status == StatusToken && o.Token.Impossible() != "":
		return "token." + o.Token.Impossible()
	case o.Amount == nil || op == OpVoid: // a void names no amount
	case o.Amount.Currency != asked.Currency:
		return "the outcome's amount of " + o.Amount.text() + " is not in the request's currency " + string(asked.Currency)
	case o.Amount.Minor < 0:
		return "the outcome's amount of " + o.Amount.text() + " is negative"
	case op == OpSync || op == OpRefundSync: // these ask for the state of a payment, not for an amount
	case o.Amount.Minor > asked.Minor:
		return "the outcome's amount of " + o.Amount.text() + " is more than the requested " + asked.text()
	case !o.Fits(asked):
		return "the outcome is " + string(o.Status) + " with an amount of zero"
	}
	return ""
}

// text returns the amount for people: "12.50 USD".
func (m Money) text() string { return m.Major() + " " + string(m.Currency) }
