package change

import (
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// AttemptsNamed returns the attempts of an account that an event names, newest first: by the processor's id or our reference, else by our reference for one
// of the attempt's captures. Some processors give a capture an id of its own, and their messages about it do not name the payment.
func AttemptsNamed(r Reader, at *account.Account, ev *sdk.Event) ([]*payment.Attempt, error) {
	found, err := r.AttemptsAt(at.MerchantID, at.ID, ev.TransactionID, ev.Reference)
	end := strings.LastIndexByte(ev.Reference, '_')
	if err != nil || len(found) > 0 || end < 0 {
		return found, err
	}
	found, err = r.AttemptsAt(at.MerchantID, at.ID, "", ev.Reference[:end]) // a capture's reference is the attempt's and a number
	return slices.DeleteFunc(found, func(a *payment.Attempt) bool {
		return !slices.ContainsFunc(a.Details.Captures, func(c payment.CaptureRecord) bool { return c.Reference == ev.Reference })
	}), err
}
