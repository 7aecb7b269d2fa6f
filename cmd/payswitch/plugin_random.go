package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// randomPackages are the packages with a random state of the whole program, and their functions that do not use it: generators with a seed.
// crypto/rand is among them because its bytes differ natively, while in the switch every step of an operation reads the same ones.
var randomPackages = map[string][]string{
	"crypto/rand":  {},
	"math/rand":    {"New", "NewSource", "NewZipf", "Rand", "Source", "Source64", "Zipf"},
	"math/rand/v2": {"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"},
}

// refuseRandom refuses a project that uses the global random state of math/rand, because a replay cannot restore that state. It does not
// check packages of the standard library.
//
// It also warns of packages of the standard library that make the module several times larger.
func (p *program) refuseRandom(ctx context.Context, dir, pkg string) error {
	out, err := p.goTool(ctx, dir, "list", "-deps", "-json=Dir,Standard,ImportPath,GoFiles,Imports", pkg)
	if err != nil {
		return err
	}
	var found []error
	imports := map[string][]string{} // own packages by what they import
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one struct {
			Dir, ImportPath string
			Standard        bool
			GoFiles         []string
			Imports         []string
		}
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read the answer of go list: %w", err)
		}
		if one.Standard {
			continue
		}
		for _, path := range one.Imports {
			imports[path] = append(imports[path], one.ImportPath)
		}
		uses, err := globalRandom(one.Dir, one.GoFiles)
		if err != nil {
			return err
		}
		found = append(found, uses...)
	}
	for _, heavy := range heavyPackages {
		if by := imports[heavy.path]; len(by) > 0 {
			fmt.Fprintf(p.stderr, "note: %s imports %s, which adds about %s to the module: %s\n", strings.Join(by, ", "), heavy.path, heavy.adds, heavy.instead)
		}
	}
	return errors.Join(found...)
}

// heavyPackages are packages of the standard library that an adapter does not need. An empty adapter has 2.5 MB.
var heavyPackages = []struct{ path, adds, instead string }{
	{"net/http", "8 MB", "the host sends requests; sdk.HeaderValue reads headers"},
	{"encoding/json", "0.9 MB", "use sdk.NewObject and Response.JSON"},
	{"fmt", "0.5 MB", "use strconv and +"},
	{"text/template", "0.9 MB", "use strings.Builder"},
	{"encoding/xml", "0.9 MB", "use sdk.ParseXML"},
}

// globalRandom lists the uses of global random state in the files of a package, each with its place and the remedy.
func globalRandom(dir string, names []string) (found []error, err error) {
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(positions, filepath.Join(dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	report := func(at token.Pos, what string) {
		found = append(found, fmt.Errorf("%s: %s uses random state of the whole program, which a replay cannot restore: use Call.Random or Call.ID, or seed a generator with them",
			positions.Position(at), what))
	}
	for _, f := range files {
		imported := map[string]string{} // paths of the watched packages by their name in the file
		for _, spec := range f.Imports {
			path := strings.Trim(spec.Path.Value, "`\"")
			switch _, watched := randomPackages[path]; {
			case !watched:
			case spec.Name == nil:
				imported["rand"] = path
			case spec.Name.Name == ".":
				report(spec.Pos(), "import . "+spec.Path.Value)
			default:
				imported[spec.Name.Name] = path
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			// A name that nothing in the file declares is an import. go/types would say the same, and is 1.4 MB of the program.
			if path := imported[x.Name]; path != "" && x.Obj == nil && !slices.Contains(randomPackages[path], s.Sel.Name) {
				report(s.Pos(), path+"."+s.Sel.Name)
			}
			return true
		})
	}
	return found, nil
}
