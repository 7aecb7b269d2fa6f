package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// rustTarget is the target of adapters in Rust: WASM without an operating system.
const rustTarget = "wasm32-unknown-unknown"

// rustSettingsOff resets settings with which the same source would give another file.
var rustSettingsOff = []string{"RUSTFLAGS=", "CARGO_ENCODED_RUSTFLAGS=", "CARGO_INCREMENTAL=0"}

// rustForDevelopment are the settings with which a change is compiled soonest: cargo keeps the parts that were not changed, and does not optimise
// across them. The module is larger, and differs from machine to machine.
var rustForDevelopment = []string{"RUSTFLAGS=", "CARGO_ENCODED_RUSTFLAGS=", "CARGO_INCREMENTAL=1", "CARGO_PROFILE_RELEASE_LTO=off",
	"CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16"}

// compileRust compiles the project in dir, which has a Cargo.toml, into the file out. Builds for development have a target folder of their own, so
// that neither kind makes the other compile anew.
func (p *program) compileRust(ctx context.Context, dir, out string, development bool) error {
	cargo, ok := p.look("cargo")
	if !ok {
		return fmt.Errorf("cargo is not on PATH: adapters in Rust are built with Rust 1.63 or later and its target %s", rustTarget)
	}
	if _, _, err := declineTable(dir); err != nil {
		return err
	}
	name, err := crateName(filepath.Join(dir, "Cargo.toml"))
	if err != nil {
		return err
	}
	settings, target := rustSettingsOff, "target"
	if development {
		settings, target = rustForDevelopment, filepath.Join("target", "development")
	}
	if _, err := p.runTool(ctx, dir, settings, cargo, "build", "--quiet", "--release", "--target", rustTarget, "--target-dir", target); err != nil {
		return err
	}
	made := filepath.Join(dir, target, rustTarget, "release", name+".wasm")
	wasm, err := os.ReadFile(made)
	if err != nil {
		return fmt.Errorf("cargo has not made %s: Cargo.toml needs  crate-type = [\"cdylib\"]  in [lib]: %w", made, err)
	}
	return os.WriteFile(out, wasm, 0o644)
}

// crateName returns the name of a crate's library: lib.name of Cargo.toml, else package.name.
func crateName(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	section, name := "", ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "name" || section != "[package]" && section != "[lib]" {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimLeft(strings.TrimSpace(value), `"'`), `"`)
		if name = strings.Trim(value, `'`); section == "[lib]" {
			break
		}
	}
	if name == "" {
		return "", errors.Join(fmt.Errorf("%s: package.name is missing: set it to the adapter's name", file), lines.Err())
	}
	return strings.ReplaceAll(name, "-", "_"), nil
}

// compileAssemblyScript compiles the project in dir, which has an asconfig.json, into the file out.
func (p *program) compileAssemblyScript(ctx context.Context, dir, out string) error {
	asc, err := filepath.Abs(filepath.Join(dir, "node_modules", ".bin", "asc"))
	if err != nil {
		return err
	}
	if !exists(asc) {
		found, ok := p.look("asc")
		if !ok {
			return fmt.Errorf("%s holds no compiler of AssemblyScript, and asc is not on PATH: run  npm install  in it", dir)
		}
		asc = found
	}
	if _, _, err := declineTable(dir); err != nil {
		return err
	}
	_, err = p.runTool(ctx, dir, nil, asc, filepath.Join("assembly", "index.ts"), "--target", "release", "--outFile", out)
	return err
}
