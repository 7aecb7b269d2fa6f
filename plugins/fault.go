package plugins

import (
	"errors"

	"payswitch/engine/fault"
	"payswitch/plugins/sandbox"
)

// What a merchant reads about the adapter that ended an operation.
const (
	didForbidden  = "asked for something that the switch does not allow"
	didImpossible = "answered with an outcome that no operation can have"
	didGarbage    = "gave an answer that the switch cannot read"
)

// traps are those texts by the kind of trap that stopped the adapter.
var traps = map[sandbox.TrapKind]string{
	sandbox.TrapFuel:        "was stopped: it ran for too long",
	sandbox.TrapMemory:      "was stopped: it used more memory than it may",
	sandbox.TrapUnreachable: "stopped with an error",
	sandbox.TrapExit:        "stopped with an error",
	sandbox.TrapBlocked:     "was stopped: it tried to wait for something",
	sandbox.TrapOutput:      didGarbage,
	sandbox.TrapStack:       "was stopped: it called itself too often",
}

// blame wraps an error that the adapter has caused, so that the merchant reads the adapter's name. It returns other errors as they
// are.
func (a *adapter) blame(err error) error {
	f := &fault.Adapter{Adapter: a.name, Version: a.manifest.Version, Err: err}
	if v, ok := errors.AsType[*Violation](err); ok {
		f.Rule, f.What = v.Rule, didForbidden
		if v.Rule == RuleOutcome {
			f.What = didImpossible
		}
		return f
	}
	if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		f.What = traps[trap.Kind]
		if f.What == "" {
			f.What = "stopped with an error"
		}
		return f
	}
	if errors.Is(err, errGarbage) {
		f.What = didGarbage
		return f
	}
	return err
}
