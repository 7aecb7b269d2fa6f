package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"time"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
)

// pluginCommands is the authoring kit: an adapter from its first file to its certificate.
func pluginCommands() []command {
	return []command{
		{"plugin new", "begin an adapter project, which builds offline", (*program).pluginNew},
		{"plugin build", "build an adapter project; the same source gives the same bytes", (*program).pluginBuild},
		{"plugin dev", "try an adapter project in a demo switch, which builds it again on each save", (*program).pluginDev},
		{"plugin mock", "serve the recorded answers of an adapter's cases as a processor", (*program).pluginMock},
		{"plugin check", "certify an adapter, or list what is wrong with it", (*program).pluginCheck},
		{"plugin inspect", "show an adapter's manifest: what it can do and what it asks for", (*program).pluginInspect},
		{"plugin call", "show the request that an adapter would send, or how it reads an answer", (*program).pluginCall},
		{"plugin replay", "run recorded operations again, with the same build or another, and show the differences", (*program).pluginReplay},
		{"plugin keygen", "make a key pair to sign bundles", (*program).pluginKeygen},
		{"plugin bundle", "certify an adapter and pack it into one signed file", (*program).pluginBundle},
		{"plugin install", "verify a bundle, approve it, and install it into the adapters directory", (*program).pluginInstall},
		{"plugin history", "list the bundles that payswitch keeps: those that were installed, and those that wait", (*program).pluginHistory},
		{"plugin pin", "install a kept bundle, such as an older one to roll back", (*program).pluginPin},
		{"plugin remove", "remove an installed adapter", (*program).pluginRemove},
		{"plugin compile", "compile adapters ahead, with the new program before an upgrade", (*program).pluginCompile},
		{"plugin list", "list the adapters that the switch loads", (*program).pluginList},
	}
}

// operands parses flags before and after up to most arguments, and returns the arguments.
func operands(f *flag.FlagSet, args []string, most int) ([]string, error) {
	var given []string
	for {
		if err := parseFlags(f, args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			return given, nil
		}
		if len(given) == most {
			return nil, usageError{fmt.Sprintf("%s takes no argument %q", f.Name(), f.Arg(0))}
		}
		given, args = append(given, f.Arg(0)), f.Args()[1:]
	}
}

// operand is operands for a command that needs one argument, which the error names as what says.
func operand(f *flag.FlagSet, args []string, what string) (string, error) {
	given, err := operands(f, args, 1)
	if err != nil {
		return "", err
	}
	if len(given) == 0 {
		return "", usageError{fmt.Sprintf("%s needs %s", f.Name(), what)}
	}
	return given[0], nil
}

// compileTime bounds a compilation in these commands. It is longer than in a switch, because no payment waits.
const compileTime = 5 * time.Minute

// pluginLimits returns the limits of a switch with the default configuration, except for compileTime.
func pluginLimits() sandbox.Limits {
	l := hostOptions(defaultConfig()).Sandbox
	l.CompileTime = compileTime
	return l
}

// pluginSandbox returns the options of the sandbox for these commands. A second process compiles the modules, because their authors are unknown.
func pluginSandbox() sandbox.Options {
	return sandbox.Options{Limits: pluginLimits(), Compiler: sandbox.Self()}
}

// loadedModule is a module that the sandbox accepts, with its manifest.
type loadedModule struct {
	*sandbox.Module
	runtime  *sandbox.Runtime
	manifest *sdk.Manifest
	compiled time.Duration // the time to compile and start it
}

// loadModule loads a module into a sandbox of its own, which Close ends.
func loadModule(ctx context.Context, wasm []byte, o sandbox.Options) (_ *loadedModule, err error) {
	rt, err := sandbox.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, rt.Close(context.WithoutCancel(ctx)))
		}
	}()
	began := time.Now()
	m, err := rt.Load(wasm, plugins.WarmUp()) // as in a switch
	if err != nil {
		return nil, fmt.Errorf("load the module: %w", err)
	}
	message, err := m.Manifest(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the manifest: %w", err)
	}
	manifest, err := sdk.DecodeManifest(message)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	return &loadedModule{Module: m, runtime: rt, manifest: manifest, compiled: time.Since(began)}, nil
}

// Close ends the sandbox.
func (m *loadedModule) Close() error { return m.runtime.Close(context.Background()) }

// loadAccepted loads a module that passes the host's checks of its manifest.
func loadAccepted(ctx context.Context, wasm []byte) (*loadedModule, error) {
	m, err := loadModule(ctx, wasm, pluginSandbox())
	if err != nil {
		return nil, err
	}
	if err := plugins.CheckManifest(m.manifest); err != nil {
		m.Close()
		return nil, fmt.Errorf("the manifest is not acceptable:\n%w", err)
	}
	return m, nil
}

// manifestOf returns the manifest of a module, if it passes the host's checks.
func manifestOf(ctx context.Context, wasm []byte) (*sdk.Manifest, error) {
	m, err := loadAccepted(ctx, wasm)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.manifest, nil
}

// readWASM reads a module's file.
func readWASM(path string) ([]byte, error) {
	wasm, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s: build it with  payswitch plugin build", path)
	}
	return wasm, err
}

func moduleHash(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}

// printJSON writes a value for scripts.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
