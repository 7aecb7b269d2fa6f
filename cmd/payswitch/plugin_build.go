package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// wasmEnv and wasmArgs build adapters, here and in the Makefile. The same source gives the same file everywhere, because an adapter is
// identified by its hash.
var wasmEnv = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}

func wasmArgs(out, pkg string) []string {
	return []string{"-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", out, pkg}
}

// settingsOff resets the developer's settings with which the same source would give another file.
var settingsOff = []string{"GOFLAGS=", "GOWORK=off", "GOWASM=", "GOEXPERIMENT="}

// pluginBuild builds the adapter project in a folder.
func (p *program) pluginBuild(ctx context.Context, args []string) error {
	f := p.flags("plugin build [DIR]")
	out := f.String("o", "", "write the module to this `file`; without the flag, to NAME.wasm in DIR, with the name from the manifest")
	given, err := operands(f, args, 1)
	if err != nil {
		return err
	}
	dir := "."
	if len(given) == 1 {
		dir = given[0]
	}
	path, err := p.buildPlugin(ctx, dir, *out)
	if err != nil {
		return err
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s  %s  sha256 %s\n", path, bytesText(len(wasm)), moduleHash(wasm))
	return nil
}

// buildPlugin builds the project in dir and returns the path of the module: out, or one in dir with the name from the manifest.
func (p *program) buildPlugin(ctx context.Context, dir, out string) (string, error) {
	if !exists(filepath.Join(dir, "Cargo.toml")) && !exists(filepath.Join(dir, "asconfig.json")) {
		if _, err := mainPackage(dir); err != nil {
			return "", err
		}
	}
	folder := dir
	if out != "" {
		folder = filepath.Dir(out)
	}
	scratch, err := os.MkdirTemp(folder, ".payswitch-build-") // on the result's file system, so that a rename can move it
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	built, err := filepath.Abs(filepath.Join(scratch, "adapter.wasm"))
	if err != nil {
		return "", err
	}
	if err := p.compilePlugin(ctx, dir, built, false); err != nil {
		return "", err
	}
	wasm, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	manifest, err := manifestOf(ctx, wasm)
	if err != nil {
		return "", fmt.Errorf("the project compiles, but is not an adapter: %w", err)
	}
	out = cmp.Or(out, filepath.Join(dir, manifest.Name+".wasm"))
	return out, os.Rename(built, out)
}

// compilePlugin compiles the project in dir into the file out, whose path is absolute. It does not read the manifest. For development the module need
// not be the same on every machine: a compiler that can do so compiles only what was changed.
func (p *program) compilePlugin(ctx context.Context, dir, out string, development bool) error {
	switch {
	case exists(filepath.Join(dir, "Cargo.toml")):
		return p.compileRust(ctx, dir, out, development)
	case exists(filepath.Join(dir, "asconfig.json")):
		return p.compileAssemblyScript(ctx, dir, out)
	}
	pkg, err := mainPackage(dir)
	if err != nil {
		return err
	}
	random := make(chan error, 1)
	go func() { random <- p.refuseRandom(ctx, dir, pkg) }() // go list runs during go build: a saved file is live sooner
	_, err = p.goTool(ctx, dir, append([]string{"build"}, wasmArgs(out, pkg)...)...)
	if found := <-random; found != nil {
		return found
	}
	return err
}

// mainPackage returns the path of the project's main package relative to its folder: wasm, or the folder itself.
func mainPackage(dir string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, "wasm")); err == nil {
		return "./wasm", nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("%s holds no adapter: there is neither a folder wasm nor a Go file, a Cargo.toml or an asconfig.json in it; begin one with  payswitch plugin new NAME", dir)
	}
	return ".", nil
}

// goTool runs a go command for WASM in a folder and returns its standard output.
func (p *program) goTool(ctx context.Context, dir string, args ...string) ([]byte, error) {
	tool, ok := p.look("go")
	if !ok {
		return nil, errors.New("go is not on PATH: adapters in Go are built with Go 1.26 or later, from https://go.dev/dl")
	}
	return p.runTool(ctx, dir, append(append([]string{}, settingsOff...), wasmEnv...), tool, args...)
}

// runTool runs a compiler in a folder and returns its standard output. The error holds the compiler's messages.
func (p *program) runTool(ctx context.Context, dir string, env []string, tool string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, p.env...), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(tool), args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// look finds a command on the path of this invocation.
func (p *program) look(name string) (string, bool) {
	for _, dir := range filepath.SplitList(p.getenv("PATH")) {
		if !filepath.IsAbs(dir) { // as os/exec does: a program in the project's folder must not run
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

func (p *program) getenv(name string) string {
	value := ""
	for _, pair := range p.env {
		if rest, ok := strings.CutPrefix(pair, name+"="); ok {
			value = rest
		}
	}
	return value
}

// bytesText formats a size for people.
func bytesText(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
}
