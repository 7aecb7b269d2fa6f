//go:build compileonce

package main

import (
	"os"
	"path/filepath"

	"payswitch/plugins/sandbox"
)

// With the tag compileonce, which tests build with, compilers keep what they make next to the program.
func init() {
	if itself, err := os.Executable(); err == nil {
		sandbox.BecomeKeepingCompiler(filepath.Join(filepath.Dir(itself), "compiled-once"))
	}
}
