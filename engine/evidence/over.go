package evidence

import (
	"strings"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Over reports whether an authorization is known to have failed: the processor did not take the payment, and will not. Only then may another
// account try the payment. A verdict that comes from anything but the drive's own answers is never over.
func (v Verdict) Over() bool { return v.over }

// isOver reports whether a drive proves that the operation has failed for good. Nothing may have left before or with it; or the processor has
// answered every request with a decision, and the adapter calls the last answer a decline and reports no money.
func isOver(r *Answer, m *sdk.Manifest, earlier EarlierSends, v Verdict) bool {
	switch {
	case earlier.MayHaveLeft:
		return false
	case v.Status == payment.OperationNotActed:
		return v.unsent
	case v.Status == payment.OperationFailed, v.Status == payment.OperationRejected:
		return !r.MayHaveLeft
	case v.Status == payment.OperationUnknown:
		return !r.MayHaveLeft && TalksToProcessor(m) // an adapter without a processor gives no proof that nothing left
	case v.Status != payment.OperationDeclined || v.mismatch || reportsMoney(v.Outcome):
		return false
	}
	for i := range r.Exchanges {
		if x := &r.Exchanges[i]; x.Verified == nil && !decides(x) {
			return false
		}
	}
	return true
}

// decides reports whether an exchange leaves no doubt about its request: nothing was sent, or the processor's whole answer is a decision. The
// processor may still act after a server error, a gateway's time-out or a conflict with an earlier request, so these answers decide nothing.
func decides(x *sdk.Exchange) bool {
	if !x.Sent {
		return true
	}
	switch {
	case x.Failure != "", x.Status < 200, x.Status >= 300 && x.Status < 400, x.Status >= 500:
		return false
	case x.Status == 408, x.Status == 409, x.Status == 423, x.Status == 425:
		return false
	}
	return true
}

// reportsMoney reports whether an outcome names money that the processor holds or has taken. An approval code of the issuer says that the issuer
// may hold funds; some processors state a code of zeros without one.
func reportsMoney(o *sdk.Outcome) bool {
	return o == nil || strings.Trim(o.AuthCode, "0 ") != "" || o.CaptureID != "" || o.Amount != nil && o.Amount.Minor != 0 ||
		o.Totals != nil && (o.Totals.Authorized != 0 || o.Totals.Captured != 0)
}

// NotActed returns the verdict that books an authorization as failed if no request has left, so that the payment goes on with another
// attempt. v must be over.
func (v Verdict) NotActed() Verdict {
	v.Status, v.unsent, v.Outcome, v.Reject = payment.OperationNotActed, true, nil, nil
	return v
}
