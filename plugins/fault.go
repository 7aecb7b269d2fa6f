package plugins

import (
	"errors"

	"payswitch/engine"
	"payswitch/plugins/sandbox"
)

// What an adapter did to end an operation.
const (
	didForbidden  = "asked for something that the switch does not allow"
	didImpossible = "answered something that no operation can end with"
	didGarbage    = "gave an answer that the switch cannot read"
)

// traps are what an adapter that was stopped did, by the kind of its trap.
var traps = map[sandbox.TrapKind]string{
	sandbox.TrapFuel:        "was stopped: it ran for too long",
	sandbox.TrapMemory:      "was stopped: it used memory that it does not have",
	sandbox.TrapUnreachable: "stopped with an error",
	sandbox.TrapExit:        "stopped with an error",
	sandbox.TrapBlocked:     "was stopped: it tried to wait",
	sandbox.TrapOutput:      didGarbage,
	sandbox.TrapStack:       "was stopped: it called itself too often",
}

// blame makes an error that the adapter is to blame for one that names the adapter to the merchant. Other errors stay as they are.
func (a *adapter) blame(err error) error {
	f := &engine.AdapterFault{Adapter: a.name, Version: a.manifest.Version, Err: err}
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
