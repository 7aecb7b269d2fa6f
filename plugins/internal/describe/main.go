// Command describe writes the description (plugins.Describe) of every module in a folder that lacks a description of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: describe FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "describe:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	modules, err := filepath.Glob(filepath.Join(folder, "*.wasm"))
	if err != nil {
		return err
	}
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0)) // each compilation occupies a CPU for seconds
	for _, module := range modules {
		all.Go(func() error { return describe(module) })
	}
	return all.Wait()
}

func describe(module string) error {
	wasm, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	to := plugins.DescriptionName(module)
	if old, err := os.ReadFile(to); err == nil && plugins.Described(wasm, old) {
		return nil
	}
	description, err := plugins.Describe(context.Background(), wasm, sandbox.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", module, err)
	}
	return os.WriteFile(to, description, 0o644)
}
