package engine

import (
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// callerError returns the caller's error for an operation that could not be performed, or nil if the payment itself shows the result.
func callerError(v evidence.Verdict, w *change.Loaded) error {
	switch v.Status {
	case payment.OperationFailed:
		cause := &adapterError{w.Account.Connector, w.Operation.Kind, v.Text}
		if v.Busy {
			return fault.Busy(w.Account.Connector)
		}
		if v.Late {
			return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Connector: w.Account.Connector, Err: cause,
				Message: "The operation came too late to be sent; nothing was done: try again"}
		}
		if v.Fault != nil {
			return v.Fault.Refusal(w.Account.Connector, cause)
		}
		return &fault.Error{Kind: fault.KindInternal, Code: "HE_00", Message: "Something went wrong", Connector: w.Account.Connector,
			Err: cause}
	case payment.OperationRejected:
		return drive.Rejection(v.Reject, w.Operation.Kind, w.Account.Connector)
	}
	return nil
}

type adapterError struct {
	connector string
	kind      sdk.Operation
	text      string
}

func (e *adapterError) Error() string {
	return "adapter " + e.connector + " failed in " + string(e.kind) + ": " + e.text
}
