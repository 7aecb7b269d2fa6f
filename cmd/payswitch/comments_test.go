package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A comment that begins with a name begins with one that is declared: what was removed leaves no description behind.
func TestCommentsBeginWithWhatIsThere(t *testing.T) {
	camel := regexp.MustCompile(`^[A-Z][a-z0-9]{2,}[A-Z]\w*$`)
	dirs := []string{"../../plugins", "../../plugins/sandbox", "../../plugins/sandbox/optimise", "../../plugins/simulator3ds", "../../router", "../../sdk", "../../storage"}
	for _, room := range rooms {
		dirs = append(dirs, "../../"+room)
	}
	for _, dir := range dirs {
		names, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		files, named, parsed := token.NewFileSet(), map[string]bool{}, []*ast.File{}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
			require.NoError(t, err)
			parsed = append(parsed, f)
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					named[id.Name] = true
				}
				return true
			})
		}
		for _, f := range parsed {
			for _, c := range f.Comments {
				first, _, _ := strings.Cut(strings.TrimSpace(c.Text()), " ")
				first = strings.Trim(first, ".,:;")
				if camel.MatchString(first) && !named[first] {
					t.Errorf("%s: the comment begins with %s, which is not there", files.Position(c.Pos()), first)
				}
			}
		}
	}
}
