// Command pack writes the modules of a folder, *.wasm, into one compressed file that the binary embeds (plugins.Pack).
package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"payswitch/plugins"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(folder, file string) error {
	var earlier fs.FS
	if old, err := os.ReadFile(file); err == nil {
		earlier, _ = plugins.OpenPack(bytes.NewReader(old), int64(len(old))) // a damaged one is written anew
	}
	var packed bytes.Buffer
	if err := plugins.Pack(context.Background(), &packed, os.DirFS(folder), earlier, runtime.GOMAXPROCS(0)); err != nil {
		return err
	}
	next := filepath.Join(filepath.Dir(file), ".next-"+filepath.Base(file)) // go:embed leaves hidden files out
	if err := os.WriteFile(next, packed.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(next, file)
}
