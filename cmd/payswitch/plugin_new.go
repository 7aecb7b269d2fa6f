package main

import (
	"context"
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
)

var (
	pluginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	// reservedNames cannot be the name of a package that main imports in addition to sdk.
	reservedNames = []string{"init", "main", "sdk"}
)

// pluginNew writes an adapter project.
func (p *program) pluginNew(_ context.Context, args []string) error {
	f := p.flags("plugin new NAME")
	lang := f.String("lang", "go", "write the project in this `language`: go, rust or assemblyscript")
	dir := f.String("dir", "", "write the project to this `folder`, which must be empty or missing; without the flag, to NAME")
	name, err := operand(f, args, "the adapter's name, as: payswitch plugin new acme")
	if err != nil {
		return err
	}
	if err := checkPluginName(name); err != nil {
		return err
	}
	l := slices.IndexFunc(languages, func(l language) bool { return l.name == *lang })
	if l < 0 {
		return usageError{fmt.Sprintf("--lang: %q is not a language here: choose go, rust or assemblyscript; sdk/ABI.md has the protocol for others", *lang)}
	}
	if *dir == "" {
		*dir = name
	}
	if err := writeProject(languages[l], name, *dir); err != nil {
		return fmt.Errorf("write the project: %w", err)
	}
	fmt.Fprintf(p.stdout, `%s is an adapter that works, of a processor that does not exist. It needs %s.

  cd %s
  %s
  payswitch plugin build
  payswitch plugin check %s.wasm

Begin with %s; README.md says what the other files are.
`, *dir, languages[l].needs, *dir, languages[l].first, name, renamed(languages[l].begin, name))
	return nil
}

// A language is one that plugin new writes a project in.
type language struct {
	name, needs string
	first       string // the command before plugin build
	begin       string // the file to begin with
}

var languages = []language{
	{"go", "Go and nothing else", "go test ./...", "acme.go"},
	{"rust", "Rust with the target wasm32-unknown-unknown", "rustup target add wasm32-unknown-unknown", "src/lib.rs"},
	{"assemblyscript", "Node.js", "npm install", "assembly/index.ts"},
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

// writeProject writes the project into an empty or missing folder, with the SDK or, for a language without one, its documents.
func writeProject(lang language, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name another folder with --dir", dir)
	}
	folders := []string{"all", lang.name}
	if lang.name != "go" {
		folders = append(folders, "any")
	}
	for _, folder := range folders {
		if err := writeFolder("project/"+folder, lang, name, dir); err != nil {
			return err
		}
	}
	return writeSDK(filepath.Join(dir, "payswitch"), lang.name == "go")
}

// writeFolder writes the files of a folder of project.
func writeFolder(folder string, lang language, name, dir string) error {
	files := projectFiles()
	return fs.WalkDir(files, folder, func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, from)
		if err != nil {
			return err
		}
		to, text := strings.TrimSuffix(strings.TrimPrefix(from, folder+"/"), ".txt"), renamed(string(content), name)
		switch {
		case to == "gitignore":
			to = ".gitignore"
		case lang.name == "assemblyscript" && (to == "manifest.json" || to == "declines.txt"): // the language cannot embed a file
			constant := strings.TrimSuffix(to, path.Ext(to))
			to, text = "assembly/"+constant+".ts", "export const "+strings.ToUpper(constant)+" = `"+strings.TrimSpace(text)+"\n`;\n"
		}
		return writeFile(filepath.Join(dir, filepath.FromSlash(renamed(to, name))), text)
	})
}

// renamed returns a text of the project with another adapter's name.
func renamed(text, name string) string {
	host := strings.Trim(strings.ReplaceAll(name, "_", "-"), "-")
	return strings.NewReplacer("acme.example", host+".example", "acme", name, "Acme", strings.ToUpper(name[:1])+name[1:]).Replace(text)
}

// writeSDK writes the module payswitch with the SDK alone, without its tests; or only the SDK's documents and schemas.
func writeSDK(dir string, source bool) error {
	if source {
		mod := "// The SDK of payswitch " + readBuild().version + ", copied by payswitch plugin new.\nmodule payswitch\n\ngo 1.26\n"
		if err := writeFile(filepath.Join(dir, "go.mod"), mod); err != nil {
			return err
		}
	}
	files := sdkSource()
	return fs.WalkDir(files, ".", func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !inCopy(from) || !source && path.Ext(from) == ".go" {
			return err
		}
		text, err := fs.ReadFile(files, from)
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
