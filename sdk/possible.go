package sdk

import (
	"slices"
	"strings"
)

// Outcomes lists the statuses that an operation may end with beside StatusUnknown, which every operation may. The switch believes no other
// status at run time, and certification refuses adapters that answer one. It is nil for an operation that is not known.
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
	case OpRefund:
		return []OutcomeStatus{StatusRefunded, StatusPending, StatusDeclined, StatusReview}
	case OpSync:
		return []OutcomeStatus{StatusAuthorized, StatusCaptured, StatusVerified, StatusPending, StatusCustomerAction, StatusReview, StatusDeclined,
			StatusVoided, StatusRefunded, StatusNotFound}
	case OpRefundSync:
		return []OutcomeStatus{StatusRefunded, StatusPending, StatusDeclined, StatusReview, StatusNotFound}
	case OpIncrementalAuthorize:
		return []OutcomeStatus{StatusAuthorized, StatusPending, StatusDeclined}
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

// EndsWith says whether an operation may end with a status.
func (op Operation) EndsWith(s OutcomeStatus) bool {
	return s == StatusUnknown || slices.Contains(op.Outcomes(), s)
}

// Fits says whether an outcome's amount can be true of an operation that asked for an amount: the same currency, not negative, not more
// than was asked for, and not zero where something was approved. An outcome without an amount fits: it is about what was asked for.
func (o *Outcome) Fits(asked Money) bool {
	got, least := o.Amount, int64(0)
	if o.Status == StatusAuthorized || o.Status == StatusCaptured {
		least = min(1, asked.Minor)
	}
	return got == nil || got.Currency == asked.Currency && got.Minor >= least && got.Minor <= asked.Minor
}

// Impossible says why an outcome cannot be one of the operation, "" where it can. The switch treats an impossible outcome as unknown once
// something has been sent, and as a failure before.
func (o *Outcome) Impossible(op Operation, asked Money) string {
	switch {
	case !op.EndsWith(o.Status):
		var all []string
		for _, s := range op.Outcomes() {
			all = append(all, string(s))
		}
		return "the outcome " + string(o.Status) + " is none of this operation's: " + string(op) + " ends with " + strings.Join(all, ", ") + " or unknown"
	case o.Amount == nil || op == OpVoid: // a void asks for no amount
	case o.Amount.Currency != asked.Currency:
		return "the outcome's amount of " + o.Amount.text() + " does not fit the request, which is in " + string(asked.Currency)
	case o.Amount.Minor < 0:
		return "the outcome's amount of " + o.Amount.text() + " is negative"
	case op == OpSync || op == OpRefundSync: // these ask about a payment, not for an amount
	case o.Amount.Minor > asked.Minor:
		return "the outcome's amount of " + o.Amount.text() + " is more than the " + asked.text() + " that was asked for"
	case !o.Fits(asked):
		return "the outcome is " + string(o.Status) + " with an amount of zero"
	}
	return ""
}

// text is an amount for people: "12.50 USD".
func (m Money) text() string { return m.Major() + " " + string(m.Currency) }
