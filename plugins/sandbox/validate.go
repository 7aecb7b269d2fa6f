package sandbox

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// errValid is thrown by stopAfterValidation.
type errValid struct{}

// stopAfterValidation is a function listener factory that ends a compilation before it begins. wazero asks for the
// listeners of a module's functions once it has decoded and validated the module and before it compiles anything, which
// makes them the only way to have a module validated without paying for its compilation (a tenth of the time, or less).
// Tests hold this to both: invalid modules must be refused here and valid ones must get as far as this.
type stopAfterValidation struct{}

func (stopAfterValidation) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener {
	panic(errValid{})
}

// validate has wazero decode and validate a module.
func (r *Runtime) validate(wasm []byte) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil, errValid:
		default:
			err = refused(-1, "the validator failed: %v", p)
		}
	}()
	ctx := experimental.WithFunctionListenerFactory(context.Background(), stopAfterValidation{})
	compiled, err := r.wazero.CompileModule(ctx, wasm)
	if err != nil {
		return &RefusedError{Function: -1, Offset: -1, Reason: "invalid", Err: err}
	}
	// Only a module without functions gets here, and such a module has no step to export.
	_ = compiled.Close(ctx)
	return fmt.Errorf("sandbox: internal error: module was compiled instead of validated")
}
