package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// Certify says what is wrong with a module: whether the sandbox runs it, the host can work with its manifest, and it passes the suite of
// every adapter (sdktest). so is what the sandbox runs under. The rules it breaks are joined; nil if there is none.
func Certify(ctx context.Context, wasm []byte, so sandbox.Options, o sdktest.Options) (err error) {
	rt, err := sandbox.New(ctx, so)
	if err != nil {
		return fmt.Errorf("certify: %w", err)
	}
	defer func() { err = errors.Join(err, rt.Close(context.WithoutCancel(ctx))) }()
	m, err := rt.Load(wasm, warmUp())
	if err != nil {
		return fmt.Errorf("certify: %w", err)
	}
	message, err := m.Manifest(ctx)
	if err != nil {
		return fmt.Errorf("certify: manifest: %w", err)
	}
	manifest, err := sdk.DecodeManifest(message)
	if err != nil {
		return fmt.Errorf("certify: manifest: %w", err)
	}
	return errors.Join(CheckManifest(manifest), sdktest.Check(ctx, sandboxed{m}, o))
}

// sandboxed is a module as the suite sees it. Clock and random bytes come from the step, as they do when an operation is driven.
type sandboxed struct{ module *sandbox.Module }

func (s sandboxed) Step(ctx context.Context, message []byte) ([]byte, error) {
	call := sandbox.Call{Input: message}
	if in, err := sdk.DecodeStep(message); err == nil {
		call.Now = time.UnixMilli(in.Now)
		copy(call.Seed[:], in.Seed)
	}
	return s.module.Step(ctx, call)
}

func (s sandboxed) Manifest(ctx context.Context) ([]byte, error) { return s.module.Manifest(ctx) }
