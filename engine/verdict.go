package engine

import (
	"payswitch/sdk"
)

// toldOf is what the caller is told of an operation that could not be performed; nil when the payment itself tells.
func toldOf(v verdict, w *loaded) error {
	switch v.status {
	case OperationFailed:
		cause := &adapterError{w.account.Connector, w.op.Kind, v.text}
		if v.fault != nil {
			return v.fault.told(w.account.Connector, cause)
		}
		return &Error{Kind: KindInternal, Code: "HE_00", Message: "Something went wrong", Connector: w.account.Connector,
			Err: cause}
	case OperationRejected:
		return rejected(v.reject, w.op.Kind, w.account.Connector)
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

// rejected maps an adapter's reject to the API's error codes.
func rejected(r *sdk.Reject, kind sdk.Operation, connector string) *Error {
	e := &Error{Kind: KindInvalid, Param: r.Parameter, Reason: r.Message, Connector: connector}
	switch r.Code {
	case rejectNotApproved:
		return approvalError(connector, r.Message)
	case sdk.RejectMissing:
		e.Code, e.Message = "IR_04", "Missing required param: "+r.Parameter
	case sdk.RejectInvalid:
		e.Code, e.Message = "IR_07", "Invalid value provided: "+r.Parameter
	case sdk.RejectConfig:
		// The parameter is of the account, not of the request.
		e.Code, e.Message, e.Param = "IR_30", "Merchant connector account is configured with invalid "+r.Parameter, ""
	default:
		if kind == sdk.OpAuthorize || kind == sdk.OpVerify {
			e.Code, e.Message = "IR_19", "Payment method type not supported"
		} else {
			e.Code, e.Message = "IR_20", string(kind)+" flow not supported"
		}
	}
	return e
}
