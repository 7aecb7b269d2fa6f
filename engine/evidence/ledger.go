package evidence

import (
	"slices"

	"payswitch/engine/payment"
)

// takeCapture books amount as taken by the capture operation opID. opID is "" if the evidence comes from the processor and not from one of our
// operations.
func takeCapture(a *payment.Attempt, opID string, amount int64, processorID string) {
	a.Captured += amount
	if i := captureIndex(a, opID); i >= 0 {
		c := &a.Details.Captures[i]
		c.Status, c.Amount, c.ProcessorID = payment.CaptureCharged, amount, processorID
	}
}

func captureIndex(a *payment.Attempt, opID string) int {
	return slices.IndexFunc(a.Details.Captures, func(c payment.CaptureRecord) bool { return c.OperationID == opID })
}

// captureIs reports whether the capture of operation opID has the processor's id processorID.
func captureIs(a *payment.Attempt, opID, processorID string) bool {
	i := captureIndex(a, opID)
	return i >= 0 && a.Details.Captures[i].ProcessorID == processorID
}

// restOf returns the trigger that restores the attempt's status after a capture or void that did not happen.
func restOf(a *payment.Attempt) payment.Trigger {
	switch {
	case a.Authorized == 0:
		return payment.TriggerStillAwaiting
	case a.Captured > 0:
		return payment.TriggerStillPartlyHeld
	case a.Authorized < a.Amount:
		return payment.TriggerStillPartlyAuthorized
	}
	return payment.TriggerStillHeld
}
