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
		{"../router/payments.go", "CreatePayment"}, {"create.go", "confirm"}, {"confirm.go", "intent"}, {"perform.go", "StartRun"}, {"change/change.go", "Perform"},
		{"perform.go", "Drive"},
		{"drive/run.go", "JudgeDrive"}, {"perform.go", "settle"}, {"settle.go", "Book"}, {"settle.go", "Commit"}, {"create.go", "View"}, {"../router/payments.go", "newSessionAnswer"},
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

// TestStepsOfANewFieldAreTrue reads the steps of CONTRIBUTING.md that add a field to a payment: fewer than eight files. Each
// file is there, and has the names that its step gives.
func TestStepsOfANewFieldAreTrue(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, steps, ok := strings.Cut(string(page), "## Add a field to a payment")
	require.True(t, ok)
	steps, _, ok = strings.Cut(steps, "\n## ")
	require.True(t, ok)

	code := regexp.MustCompile("`([^`]+)`")
	numbered := regexp.MustCompile("(?m)^[0-9]+\\. `([\\w/.]+)`:((?:.|\n   )*)").FindAllStringSubmatch(steps, -1)
	require.Greater(t, len(numbered), 4)
	require.Less(t, len(numbered), 8)
	require.Contains(t, steps, "engine/payer/confirm.go", "the steps leave out what keeps the payer's device from the field")
	require.Contains(t, steps, map[int]string{5: "Five", 6: "Six", 7: "Seven"}[len(numbered)]+" files change by hand")
	named := 0
	for _, step := range numbered {
		source, err := os.ReadFile(filepath.Join(root, step[1]))
		require.NoError(t, err)
		for _, name := range code.FindAllStringSubmatch(step[2], -1) {
			named++
			require.Regexp(t, `\b`+regexp.QuoteMeta(name[1])+`\b`, string(source), "%s has no %s", step[1], name[1])
		}
	}
	require.Greater(t, named, 8)
	for _, in := range regexp.MustCompile("`(\\w+)` in `([\\w/.]+)`").FindAllStringSubmatch(steps, -1) {
		source, err := os.ReadFile(filepath.Join(root, in[2]))
		require.NoError(t, err)
		require.Contains(t, string(source), "var "+in[1]+" ", "%s has no table %s", in[2], in[1])
	}
	for _, run := range regexp.MustCompile(`go test \./(\w+) -run (\w+) -update`).FindAllStringSubmatch(steps, -1) {
		tests, err := filepath.Glob(filepath.Join(root, run[1], "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range tests {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			found = found || regexp.MustCompile(`func Test\w*`+strings.TrimPrefix(run[2], "Test")).Match(source)
		}
		require.True(t, found, "%s has no test %s", run[1], run[2])
	}
}
