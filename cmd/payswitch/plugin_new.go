package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

// project is the adapter project that plugin new writes, for an adapter called acme. Each file name ends in .txt, so that Go does not
// compile the files here. renamed replaces the adapter's name.
//
//go:embed project
var project embed.FS

var (
	pluginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	// reservedNames cannot be the name of a package that main imports in addition to sdk.
	reservedNames = []string{"init", "main", "sdk"}
)

// pluginNew writes an adapter project.
func (p *program) pluginNew(_ context.Context, args []string) error {
	f := p.flags("plugin new NAME")
	dir := f.String("dir", "", "write the project to this `folder`, which must be empty or missing; without the flag, to NAME")
	name, err := operand(f, args, "the adapter's name, as: payswitch plugin new acme")
	if err != nil {
		return err
	}
	if err := checkPluginName(name); err != nil {
		return err
	}
	if *dir == "" {
		*dir = name
	}
	if err := writeProject(name, *dir); err != nil {
		return fmt.Errorf("write the project: %w", err)
	}
	fmt.Fprintf(p.stdout, `%s is an adapter that works, of a processor that does not exist. It needs Go and nothing else.

  cd %s
  go test ./...
  payswitch plugin build
  payswitch plugin check %s.wasm

Begin with %s.go; README.md says what the other files are.
`, *dir, *dir, name, name)
	return nil
}

func checkPluginName(name string) error {
	switch {
	case !pluginName.MatchString(name):
		return usageError{fmt.Sprintf("%q is no adapter name: a letter, then letters, digits and _, all lower case, at most 32", name)}
	case token.IsKeyword(name), slices.Contains(reservedNames, name), strings.HasSuffix(name, "_test"):
		return usageError{fmt.Sprintf("%q cannot be the name of a Go package: take another, it can be changed in the manifest", name)}
	}
	return nil
}

// writeProject writes the project, with the SDK, into an empty or missing folder.
func writeProject(name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name another folder with --dir", dir)
	}
	err = fs.WalkDir(project, "project", func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := project.ReadFile(from)
		if err != nil {
			return err
		}
		to := strings.TrimSuffix(strings.TrimPrefix(from, "project/"), ".txt")
		if to == "gitignore" {
			to = ".gitignore"
		}
		return writeFile(filepath.Join(dir, filepath.FromSlash(renamed(to, name))), renamed(string(text), name))
	})
	if err != nil {
		return err
	}
	return writeSDK(filepath.Join(dir, "payswitch"))
}

// renamed returns a text of the project with another adapter's name.
func renamed(text, name string) string {
	host := strings.Trim(strings.ReplaceAll(name, "_", "-"), "-")
	return strings.NewReplacer("acme.example", host+".example", "acme", name, "Acme", strings.ToUpper(name[:1])+name[1:]).Replace(text)
}

// writeSDK writes the module payswitch with the SDK alone, without its tests.
func writeSDK(dir string) error {
	mod := "// The SDK of payswitch " + readBuild().version + ", copied by payswitch plugin new.\nmodule payswitch\n\ngo 1.26\n"
	if err := writeFile(filepath.Join(dir, "go.mod"), mod); err != nil {
		return err
	}
	return fs.WalkDir(sdk.Source, ".", func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !inCopy(from) {
			return err
		}
		text, err := sdk.Source.ReadFile(from)
		if err != nil {
			return err
		}
		if path.Ext(from) == ".md" {
			text = elsewhere.ReplaceAll(text, []byte("$1 (in payswitch's repository)"))
		}
		return writeFile(filepath.Join(dir, "sdk", filepath.FromSlash(from)), string(text))
	})
}

// elsewhere is a link of the SDK's documents that leads out of the SDK.
var elsewhere = regexp.MustCompile(`\[([^\]]+)\]\((\.\./|examples/)[^)]*\)`)

// inCopy reports whether a file of the SDK is useful outside this repository.
func inCopy(file string) bool {
	base := path.Base(file)
	return !strings.HasSuffix(base, "_test.go") && file != "embed.go" && file != "generate.go"
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
