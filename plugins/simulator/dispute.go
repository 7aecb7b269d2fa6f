package simulator

import (
	"strconv"

	"payswitch/sdk"
)

// acceptDispute gives a dispute up.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) { return answer(c, sdk.DisputeAccepted) }

// submitEvidence answers a dispute.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	d := c.Request.Dispute
	if d != nil && len(d.Evidence) == 0 && len(d.Files) == 0 {
		return nil, missing("evidence", "the answer needs a text or a file")
	}
	return answer(c, sdk.DisputeChallenged)
}

// answer gives a dispute the status to, as its amount decides.
func answer(c *sdk.Call, to sdk.DisputeStatus) (*sdk.Outcome, error) {
	d, err := disputeOf(c)
	if err != nil {
		return nil, err
	}
	if d.Status != sdk.DisputeOpened && d.Status != sdk.DisputeChallenged {
		return refusedAnswer(c), nil
	}
	switch ruleOf(sdk.OpSubmitEvidence, d.Amount.Minor).act {
	case decline:
		return refusedAnswer(c), nil
	case pend:
		return &sdk.Outcome{Status: sdk.StatusPending}, nil
	case approve:
		return c.Disputed(to, string(to)), nil
	}
	return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "simulated time-out"}}, nil
}

func refusedAnswer(c *sdk.Call) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: c.Request.TransactionID,
		Decline: refuse(codeState, "The dispute takes no answer any more.", sdk.DeclineNotPermitted)}
}

// attachEvidence takes a file. It gives the file an id from the dispute and the file's type.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	d, err := disputeOf(c)
	if err != nil {
		return nil, err
	}
	f := d.File
	if f == nil || len(f.Body) == 0 {
		return nil, missing("file", "the request has no file")
	}
	if ruleOf(sdk.OpSubmitEvidence, d.Amount.Minor).act == decline {
		return refusedAnswer(c), nil
	}
	return &sdk.Outcome{Status: sdk.StatusAttached,
		EvidenceID: "simf_" + string(f.Type) + "_" + strconv.Itoa(len(f.Body))}, nil
}

// disputeSync reports the state of a dispute. The simulator keeps no state: after an answer the dispute is as the
// answer leaves it.
func disputeSync(c *sdk.Call) (*sdk.Outcome, error) {
	d, err := disputeOf(c)
	if err != nil {
		return nil, err
	}
	status := d.Status
	switch before := ruleOf(sdk.OpSubmitEvidence, d.Amount.Minor).act == timeoutBefore; {
	case before:
	case c.Request.Resolves == sdk.OpAcceptDispute:
		status = sdk.DisputeAccepted
	case c.Request.Resolves == sdk.OpSubmitEvidence:
		status = sdk.DisputeChallenged
	case d.Amount.Minor == magic+611:
		status = sdk.DisputeWon
	case d.Amount.Minor == magic+612:
		status = sdk.DisputeLost
	}
	return c.Disputed(status, string(status)), nil
}

// disputeOf returns the dispute of the request.
func disputeOf(c *sdk.Call) (*sdk.DisputeRequest, error) {
	d := c.Request.Dispute
	switch {
	case d == nil || d.ID == "":
		return nil, missing("dispute", "the request names no dispute")
	case d.Amount.Minor <= 0:
		return nil, invalid("amount", "the disputed amount must be positive")
	}
	return d, nil
}
