package plugins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
	return CertifyStepper(ctx, Sandboxed(m), o, cases)
}

// CertifyStepper is Certify for an adapter that runs already: in a sandbox (Sandboxed), or in a process of its own.
func CertifyStepper(ctx context.Context, s sdktest.Stepper, o sdktest.Options, cases fs.FS) (driven int, err error) {
	message, err := s.Manifest(ctx)
	if err != nil {
		return 0, fmt.Errorf("certify: manifest: %w", err)
	}
	hash := sha256.Sum256(message)
	manifest, err := sdk.DecodeManifest(message)
	if err != nil {
		return 0, fmt.Errorf("certify: manifest: %w", err)
	}
	refused := CheckManifest(manifest)
	err = errors.Join(refused, sdktest.Check(ctx, s, o))
	if refused != nil {
		return 0, err // the host would not load this module
	}
	driven, hosted := checkHost(ctx, &adapter{name: manifest.Name, hash: hex.EncodeToString(hash[:]), manifest: manifest, places: placesOf(manifest), stepper: messages{s}}, o, cases)
	return driven, errors.Join(err, hosted, checkCases(ctx, s, manifest, cases))
}

// messages is a stepper of an adapter behind its messages.
type messages struct{ sdktest.Stepper }

func (m messages) step(ctx context.Context, s *sdk.Step, _ [32]byte, _ func(string) string) (*sdk.Result, error) {
	out, err := m.Step(ctx, sdk.EncodeStep(s))
	if err != nil {
		return nil, err
	}
	r, err := sdk.DecodeResult(bytes.Clone(out))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return r, nil
}

// checkCases compares the adapter's requests and outcomes with its recorded cases. cases may be nil.
func checkCases(ctx context.Context, adapter sdktest.Stepper, manifest *sdk.Manifest, cases fs.FS) error {
	if cases == nil {
		return nil
	}
	step := func(s *sdk.Step) sdk.Result {
		r, err := messages{adapter}.step(ctx, s, [32]byte{}, nil)
		if err != nil { // rule message reports it too
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

// Sandboxed returns m as the suite runs it, valid until m's runtime is closed.
func Sandboxed(m *sandbox.Module) sdktest.Stepper { return sandboxed{m} }

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
