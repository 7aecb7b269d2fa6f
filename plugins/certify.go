package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// Certify checks a module as the host would use it. The sandbox must run it, CheckManifest must accept its manifest, it must pass
// the suite of every adapter (sdktest), and the host must send what it asks for. so configures the sandbox. cases holds the
// adapter's recorded cases (package wire), which Certify drives through the host too. It may be nil. Certify returns how many
// operations the host drove, and all broken rules joined, or nil.
func Certify(ctx context.Context, wasm []byte, so sandbox.Options, o sdktest.Options, cases fs.FS) (driven int, err error) {
	rt, err := sandbox.New(ctx, so)
	if err != nil {
		return 0, fmt.Errorf("certify: %w", err)
	}
	defer func() { err = errors.Join(err, rt.Close(context.WithoutCancel(ctx))) }()
	m, err := rt.Load(wasm, warmUp())
	if err != nil {
		return 0, fmt.Errorf("certify: %w", err)
	}
	message, err := m.Manifest(ctx)
	if err != nil {
		return 0, fmt.Errorf("certify: manifest: %w", err)
	}
	manifest, err := sdk.DecodeManifest(message)
	if err != nil {
		return 0, fmt.Errorf("certify: manifest: %w", err)
	}
	refused := CheckManifest(manifest)
	err = errors.Join(refused, sdktest.Check(ctx, sandboxed{m}, o))
	if refused != nil {
		return 0, err // the host would not load this module
	}
	b := &build{module: m, log: slog.New(slog.DiscardHandler)}
	b.adapter = adapter{name: manifest.Name, hash: m.Hash(), manifest: manifest, places: placesOf(manifest), stepper: b}
	driven, hosted := checkHost(ctx, &b.adapter, o, cases)
	return driven, errors.Join(err, hosted)
}

// sandboxed is a module as the suite runs it. Clock and random bytes come from the step, as in a drive.
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
