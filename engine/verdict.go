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
