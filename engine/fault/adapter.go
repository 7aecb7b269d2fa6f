package fault

import "fmt"

// Adapter is the error of a drive that failed by the adapter's fault. The adapter asked for something that the switch does not allow,
// the host stopped the adapter, or the host cannot read the adapter's answer. It holds no text that the adapter wrote.
type Adapter struct {
	Adapter string // name
	Version string
	Rule    string // the rule that the adapter broke, as metrics name it; "" if the host stopped the adapter or could not read its answer
	What    string // what the adapter did, as the rest of a sentence: "asked for something that the switch does not allow"
	Err     error  // the cause, for the log
}

func (f *Adapter) Error() string {
	if f.Err == nil {
		return f.Sentence()
	}
	return f.Err.Error()
}

func (f *Adapter) Unwrap() error { return f.Err }

func (f *Adapter) Sentence() string {
	s := "The adapter " + f.Adapter
	if f.Version != "" {
		s += " " + f.Version
	}
	s += " " + f.What
	if f.Rule != "" {
		s += " (rule " + f.Rule + ")"
	}
	return s
}

// Refusal returns the error that a merchant sees if an operation failed by the adapter's fault before anything was sent.
func (f *Adapter) Refusal(connector string, cause error) *Error {
	return &Error{Kind: KindInternal, Code: "HE_00", Connector: connector, Err: cause,
		Message: fmt.Sprintf("%s; nothing was sent to the processor", f.Sentence()),
		Reason:  "The fault is not in the request. The operator of the switch must update or remove the adapter " + f.Adapter + "; then try again."}
}
