package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"payswitch/sdk"
)

// build says what source this program was built from. Both fields are "unknown" for a program built from a source archive or a git
// worktree: the go command finds no history there.
type build struct{ version, revision string }

const unknown = "unknown"

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{unknown, unknown}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{unknown, unknown}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		b.revision += " (modified)"
	}
	return b
}

// version prints the version and the revision of the program. It takes no arguments.
func (p *program) version(_ context.Context, args []string) error {
	if err := parse(p.flags("version"), args); err != nil {
		return err
	}
	b := readBuild()
	why := ""
	if b.revision == unknown {
		why = " (it was built from a source archive or a git worktree)"
	}
	fmt.Fprintf(p.stdout, "payswitch %s, revision %s%s, adapter ABI %d, %s %s/%s\n", b.version, b.revision, why, sdk.ABI, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
