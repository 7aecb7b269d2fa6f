package evidence

import (
	"payswitch/engine/payment"
)

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
