package certified

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// forms is a module in both of its forms: optimised, and as it was received. It implements sdktest.Stepper: every message goes to
// both, and the two must answer the same bytes, or stop for the same reason; with the same text on standard error.
type forms struct {
	t                   *testing.T
	optimised, received *sandbox.Module
	answers, traps      int
}

func newForms(t *testing.T, wasm []byte) *forms {
	warm := sdk.EncodeStep(&sdk.Step{Operation: sdk.OpAuthorize, Now: 1_760_000_000_000})
	load := func(unoptimised bool) *sandbox.Module {
		o := patient
		o.CacheDir, o.Unoptimised = compiled, unoptimised
		r, err := sandbox.New(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
		sum := sha256.Sum256(wasm)
		m, err := r.LoadOwn(hex.EncodeToString(sum[:]), func() ([]byte, error) { return wasm, nil }, warm)
		require.NoError(t, err)
		return m
	}
	f := &forms{t: t, optimised: load(false), received: load(true)}
	_, err := f.Manifest(t.Context())
	require.NoError(t, err)
	return f
}

func (f *forms) Manifest(ctx context.Context) ([]byte, error) {
	got, err := f.optimised.Manifest(ctx)
	require.NoError(f.t, err)
	want, err := f.received.Manifest(ctx)
	require.Equal(f.t, want, got)
	return got, err
}

func (f *forms) Step(ctx context.Context, message []byte) ([]byte, error) {
	got, gotText, gotErr := one(ctx, f.optimised, message)
	want, wantText, wantErr := one(ctx, f.received, message)
	require.True(f.t, bytes.Equal(want, got), "the forms answer\n%.500q\n%.500q", got, want)
	require.Equal(f.t, wantText, gotText)
	require.Equal(f.t, kind(wantErr), kind(gotErr))
	if gotErr != nil {
		f.traps++
	} else {
		f.answers++
	}
	return got, gotErr
}

// one runs a step as certification does: clock and random bytes come from the message.
func one(ctx context.Context, m *sandbox.Module, message []byte) (answer []byte, text string, err error) {
	var debug bytes.Buffer
	call := sandbox.Call{Input: message, Debug: &debug}
	if in, err := sdk.DecodeStep(message); err == nil {
		call.Now = time.UnixMilli(in.Now)
		copy(call.Seed[:], in.Seed)
	}
	answer, err = m.Step(ctx, call)
	return answer, debug.String(), err
}

func kind(err error) string {
	if err == nil {
		return ""
	}
	if trapped, ok := errors.AsType[*sandbox.TrapError](err); ok {
		return string(trapped.Kind)
	}
	return err.Error()
}

// drive runs an operation to its end: each request of the adapter gets the next answer, and the last answer from then on.
func (f *forms) drive(s *sdk.Step, answers []sdk.Exchange) {
	s.Exchanges = nil
	for i := range sdk.MaxSends + 1 {
		out, err := f.Step(f.t.Context(), sdk.EncodeStep(s))
		if err != nil {
			return
		}
		r, err := sdk.DecodeResult(out)
		if err != nil || r.Send == nil || len(answers) == 0 {
			return
		}
		x := answers[min(i, len(answers)-1)]
		x.Now, x.RequestHash, x.Sent = s.Now, sdk.RequestHash(r.Send), true
		s.Exchanges = append(s.Exchanges, x)
	}
}

// sample is the adapter and the other module that go test alone runs in both forms. Each costs three seconds of a processor and more.
var sample = []string{"stripe", "acme/wasm"}

// sampled skips what is not in sample, unless TEST_ALL is set. make test sets it.
func sampled(t *testing.T, name string) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" && !slices.Contains(sample, name) {
		t.Skip("TEST_ALL=1 runs this module too")
	}
}

// damaged returns the answers of a case with the last one cut off, empty, or of another status.
func damaged(answers []sdk.Exchange) (all [][]sdk.Exchange) {
	if len(answers) == 0 {
		return nil
	}
	for _, change := range []func(x *sdk.Exchange){
		func(x *sdk.Exchange) { x.Body = x.Body[:len(x.Body)/2] },
		func(x *sdk.Exchange) { x.Body = nil },
		func(x *sdk.Exchange) { x.Status = 503 },
	} {
		cut := append([]sdk.Exchange{}, answers...)
		change(&cut[len(cut)-1])
		all = append(all, cut)
	}
	return all
}

// TestFormsOfOtherAdapters runs the adapters of the tests in both forms: an honest one, one that answers wrongly, one that attacks the
// host, and one that fails in every way.
func TestFormsOfOtherAdapters(t *testing.T) {
	folder := "../../testdata/"
	for _, pkg := range []string{"acme/wasm", "faulty", "hostile/wasm", "bad"} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			sampled(t, pkg)
			f := newForms(t, module(t, "payswitch/plugins/testdata/"+pkg))
			_ = sdktest.Check(t.Context(), f, sdktest.Options{}) // most of them break its rules
			message, err := f.Manifest(t.Context())
			require.NoError(t, err)
			manifest, err := sdk.DecodeManifest(message)
			require.NoError(t, err)
			all := modes(t, filepath.Join(folder, strings.TrimSuffix(pkg, "/wasm")))
			for _, mode := range all {
				for _, sample := range sdktest.Samples(manifest, sdktest.Options{}) {
					s := sample.Step
					if s.Account.Config == nil {
						s.Account.Config = map[string]string{}
					}
					s.Account.Config["mode"], s.Account.Config["target"] = mode, "https://other.example"
					f.drive(s, []sdk.Exchange{wire.Answer(200, `{"id":"pay_1","status":"authorized"}`), wire.Answer(500, "")})
				}
			}
			t.Logf("%d modes: %d answers, %d traps", len(all), f.answers, f.traps)
			require.Greater(t, f.answers+f.traps, 10)
			if pkg == "bad" {
				require.Greater(t, f.traps, 5)
			}
		})
	}
}

var words = regexp.MustCompile(`"([a-z_]+)"`)

// modes lists the words that an adapter's source compares its mode with.
func modes(t *testing.T, folder string) []string {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	all := []string{""}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(source)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "case ") {
				continue
			}
			for _, word := range words.FindAllStringSubmatch(line, -1) {
				all = append(all, word[1])
			}
		}
	}
	return all
}

// modules are the adapters built so far, by package.
var modules sync.Map

// module builds a package as an adapter, once.
func module(t *testing.T, pkg string) []byte {
	build, _ := modules.LoadOrStore(pkg, sync.OnceValues(func() ([]byte, error) {
		dir, err := os.MkdirTemp("", "certified")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "adapter.wasm")
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", file, pkg)
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", pkg, err, out)
		}
		return os.ReadFile(file)
	}))
	wasm, err := build.(func() ([]byte, error))()
	require.NoError(t, err)
	return wasm
}
