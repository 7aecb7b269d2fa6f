package engine_test

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneCommitPath holds that each row of a payment is written by one function of the engine.
func TestOneCommitPath(t *testing.T) {
	t.Parallel()
	writers := map[string][]string{"UpdatePayment": nil, "InsertPayment": nil, "UpdateAttempt": nil, "InsertAttempt": nil, "UpdateAuthentication": nil,
		"InsertAuthentication": nil, "InsertOperation": nil, "InsertEvent": nil, "InsertRefund": nil, "UpdateRefund": nil}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "storetest" || d.Name() == "testdata") {
			return cmpSkip(err)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			used := map[string]bool{}
			ast.Inspect(fn, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if _, counted := writers[s.Sel.Name]; counted && !used[s.Sel.Name] {
					used[s.Sel.Name] = true
					writers[s.Sel.Name] = append(writers[s.Sel.Name], fn.Name.Name)
				}
				return true
			})
		}
		return nil
	})
	require.NoError(t, err)
	for row, functions := range writers {
		require.Len(t, functions, 1, "%s is called by %v: only the commit of a Change writes the rows of a payment", row, functions)
	}
}

func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}
