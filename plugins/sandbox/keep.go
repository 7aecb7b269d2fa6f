package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/fxamacker/cbor/v2"
)

// BecomeKeepingCompiler is BecomeCompiler for the programs of tests, which start hundreds of nodes and commands that each compile the same few
// modules. folder keeps what compilers made, each by its whole order but the directory. A compiler of the same order copies it from there. A
// compiler that fails or passes a limit leaves nothing. folder must not outlive the build of this package.
func BecomeKeepingCompiler(folder string) {
	if isCompiler() {
		os.Exit(compilerMain(os.Stdin, os.Stdout, folder))
	}
}

// kept are the names in a folder of what one compiler made.
const (
	keptReport = "report"
	keptFiles  = "files"
)

// fulfilled is report for a compiler that keeps what it makes in folder, "" for none.
func (o *order) fulfilled(folder string) report {
	if folder == "" {
		return o.report()
	}
	named := *o
	named.Dir = ""
	b, err := cbor.Marshal(named)
	if err != nil {
		return o.report()
	}
	sum := sha256.Sum256(b)
	place := filepath.Join(folder, hex.EncodeToString(sum[:]))
	if b, err := os.ReadFile(filepath.Join(place, keptReport)); err == nil {
		var res report
		if messages.Unmarshal(b, &res) == nil && os.CopyFS(o.Dir, os.DirFS(filepath.Join(place, keptFiles))) == nil {
			return res
		}
	}
	res := o.report()
	if res.Error == "" {
		_ = keep(folder, place, o.Dir, res) // the next compiler works then
	}
	return res
}

// keep puts a report and the files of dir at place, in one step.
func keep(folder, place, dir string, res report) error {
	b, err := cbor.Marshal(res)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	next, err := os.MkdirTemp(folder, "next-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(next)
	if err := os.WriteFile(filepath.Join(next, keptReport), b, 0o600); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(next, keptFiles), os.DirFS(dir)); err != nil {
		return err
	}
	return os.Rename(next, place)
}
