package engine

import "fmt"

// AdapterFault is the error of a drive that the adapter is to blame for: it asked for something that the switch does not allow, it was
// stopped, or its answer cannot be read. Nothing of the adapter's own text is in it.
type AdapterFault struct {
	Adapter string // name
	Version string
	Rule    string // the rule that the adapter broke, as metrics name it; "" where it was stopped or is unreadable
	What    string // what the adapter did, as the rest of a sentence: "asked for something that the switch does not allow"
	Err     error  // the cause, for the log
}

func (f *AdapterFault) Error() string {
	if f.Err == nil {
		return f.text()
	}
	return f.Err.Error()
}

func (f *AdapterFault) Unwrap() error { return f.Err }

func (f *AdapterFault) text() string {
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

// told is what a merchant reads of an operation that failed by the adapter's fault before anything was sent.
func (f *AdapterFault) told(connector string, cause error) *Error {
	return &Error{Kind: KindInternal, Code: "HE_00", Connector: connector, Err: cause,
		Message: fmt.Sprintf("%s; nothing was sent to the processor", f.text()),
		Reason:  "The fault is not in the request. The operator of the switch must update or remove the adapter " + f.Adapter + "; then try again."}
}
