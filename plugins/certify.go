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

// Certify says what is wrong with a module: whether the sandbox runs it, the host can work with its manifest, it passes the suite of
// every adapter (sdktest), and the host sends what it asks for. so is what the sandbox runs under. cases holds the adapter's recorded cases
// (package wire), which are driven through the host too; nil: what is recorded is not known, and only the suite's requests are. It returns
// how many operations the host drove, and the broken rules joined; nil where the adapter keeps all of them.
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
		return 0, err // the host would not load it
	}
	b := &build{module: m, log: slog.New(slog.DiscardHandler)}
	b.adapter = adapter{name: manifest.Name, hash: m.Hash(), manifest: manifest, places: placesOf(manifest), stepper: b}
	driven, hosted := checkHost(ctx, &b.adapter, o, cases)
	return driven, errors.Join(err, hosted)
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
