package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// Certify checks a module as the host would use it. The sandbox must run it, CheckManifest must accept its manifest; it must pass
// the suite of every adapter (sdktest), and the host must send what it asks for. so configures the sandbox. cases holds the
// adapter's recorded cases (package wire), which Certify drives through the host too. It may be nil. Certify returns how many
// operations the host drove, and all broken rules joined, or nil.
func Certify(ctx context.Context, wasm []byte, so sandbox.Options, o sdktest.Options, cases fs.FS) (driven int, err error) {
	rt, err := sandbox.New(ctx, so)
	if err != nil {
		return 0, fmt.Errorf("certify: %w", err)
	}
	defer func() { err = errors.Join(err, rt.Close(context.WithoutCancel(ctx))) }()
	m, err := rt.Load(wasm, WarmUp())
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
	return driven, errors.Join(err, hosted, checkCases(ctx, m, manifest, cases))
}

// checkCases compares the module's requests and outcomes with its recorded cases. cases may be nil.
func checkCases(ctx context.Context, m *sandbox.Module, manifest *sdk.Manifest, cases fs.FS) error {
	if cases == nil {
		return nil
	}
	step := func(s *sdk.Step) sdk.Result {
		message, err := sandboxed{m}.Step(ctx, sdk.EncodeStep(s))
		if err != nil { // rule message reports it too
			return sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": err.Error()}}}
		}
		r, err := sdk.DecodeResult(bytes.Clone(message))
		if err != nil {
			return sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": err.Error()}}}
		}
		return *r
	}
	found, _, err := wire.Judge(manifest, step, cases)
	if err != nil {
		return err
	}
	var broken []error
	counts := map[sdk.Operation]int{}
	for _, f := range found {
		if counts[f.Operation]++; counts[f.Operation] <= perCertified {
			broken = append(broken, &sdktest.RuleError{Rule: CertifyCases, Operation: f.Operation, Detail: f.Where + ": " + f.Detail})
		}
	}
	return errors.Join(broken...)
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
