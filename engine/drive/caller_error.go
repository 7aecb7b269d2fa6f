package drive

import (
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// CallerError returns the caller's error for an operation that could not be performed, or nil if the payment itself shows the result.
func CallerError(v evidence.Verdict, kind sdk.Operation, connector string) error {
	switch v.Status {
	case payment.OperationFailed:
		cause := &adapterError{connector, kind, v.Text}
		if v.Busy {
			return fault.Busy(connector)
		}
		if v.Late {
			return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Connector: connector, Err: cause,
				Message: "The operation came too late to be sent; nothing was done: try again"}
		}
		if v.Fault != nil {
			return v.Fault.Refusal(connector, cause)
		}
		return &fault.Error{Kind: fault.KindInternal, Code: "HE_00", Message: "Something went wrong", Connector: connector,
			Err: cause}
	case payment.OperationRejected:
		return Rejection(v.Reject, kind, connector)
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
