package sandbox

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// errValid is the panic of stopAfterValidation.
type errValid struct{}

// stopAfterValidation is a function listener factory that ends a compilation before it begins. wazero asks for the listeners of a
// module's functions after validation and before compilation. There is no other way to validate a module without paying for its
// compilation, which takes ten times as long. Tests check that invalid modules fail before this point and valid ones reach it.
type stopAfterValidation struct{}

func (stopAfterValidation) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener {
	panic(errValid{})
}

// validate lets wazero decode and validate a module.
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
	// Only a module without functions gets here, and check has refused such a module.
	_ = compiled.Close(ctx)
	return fmt.Errorf("sandbox: internal error: module was compiled instead of validated")
}
