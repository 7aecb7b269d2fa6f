package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWalkIsTrue follows the walk of one payment in engine/doc.go: each function that it names is in the file that it names, and each step calls the next.
func TestWalkIsTrue(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "engine/doc.go"))
	require.NoError(t, err)
	_, walk, ok := strings.Cut(strings.ReplaceAll(string(page), "\n// ", " "), "# One payment")
	require.True(t, ok)
	walk, _, ok = strings.Cut(walk, "# Where new things go")
	require.True(t, ok)

	files := regexp.MustCompile(`\b[\w/]+\.go\b`).FindAllString(walk, -1)
	require.Greater(t, len(files), 10)
	for _, f := range files {
		require.FileExists(t, fileOfWalk(f))
	}
	named := regexp.MustCompile(`\b(\w+)\.(\w+) in\s+([\w/]+\.go)\b`).FindAllStringSubmatch(walk, -1)
	require.Greater(t, len(named), 8)
	for _, m := range named {
		require.Contains(t, declaredIn(t, fileOfWalk(m[3])), m[1]+"."+m[2], "%s does not declare it", m[3])
	}
	for _, step := range [][2]string{
		{"../router/payments.go", "CreatePayment"}, {"create.go", "confirm"}, {"confirm.go", "intent"}, {"attempt_run.go", "perform"}, {"attempt_run.go", "Drive"},
		{"drive/run.go", "JudgeDrive"}, {"attempt_run.go", "settle"}, {"settle.go", "Book"}, {"settle.go", "Commit"}, {"create.go", "View"}, {"../router/payments.go", "newSessionAnswer"},
	} {
		require.True(t, calls(t, fileOfWalk(step[0]), step[1]), "%s does not call %s", step[0], step[1])
		if step[1] != "intent" && step[1] != "newSessionAnswer" {
			require.Contains(t, walk, step[1], "the walk leaves a step out")
		}
	}
}

// fileOfWalk returns the path of a file that the walk names: router's by its folder, others within engine.
func fileOfWalk(name string) string {
	if strings.HasPrefix(name, "router/") {
		return filepath.Join(root, name)
	}
	return filepath.Join(root, "engine", name)
}

// declaredIn returns the functions of a file, as Receiver.Name or package.Name.
func declaredIn(t *testing.T, file string) (all []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		of := path.Base(filepath.ToSlash(filepath.Dir(file)))
		if f.Recv != nil {
			receiver := f.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			of = receiver.(*ast.Ident).Name
		}
		all = append(all, of+"."+f.Name.Name)
	}
	return all
}

// calls reports whether a function is called in a file.
func calls(t *testing.T, file, name string) (found bool) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			found = found || f.Name == name
		case *ast.SelectorExpr:
			found = found || f.Sel.Name == name
		}
		return true
	})
	return found
}
