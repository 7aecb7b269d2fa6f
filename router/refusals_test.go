package router_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/router"
)

// refusing is a place in the source that makes an error with a status of 400 to 499.
type refusing struct {
	at          token.Position
	code        string // "" if the code is not written there
	kind        string // of a literal: KindInvalid …; "" if it is not written there
	param, hint bool   // whether the place gives them
}

// makers are the functions of package fault that make such an error, with what they give: code, param and hint. TestMakers holds the list against the package.
var makers = map[string]refusing{
	"ApprovalError": {code: "HE_03"}, "BadFormat": {code: "IR_05", param: true, hint: true}, "Duplicate": {code: "HE_01"}, "InvalidValue": {code: "IR_07", param: true},
	"Malformed": {code: "IR_06", param: true}, "Missing": {code: "IR_04", param: true, hint: true}, "NoConnector": {code: "IR_39"},
	"NotFound": {code: "HE_02", kind: "KindNotFound", param: true, hint: true}, "Refused": {code: "IR_16"}, "Unauthorized": {code: "IR_01"}, "Unprocessable": {code: "IR_06", param: true},
	"WrongSecret": {code: "IR_09", param: true, hint: true}, "WrongState": {code: "IR_14", param: true},
}

var statuses4xx = []string{"KindInvalid", "KindUnprocessable", "KindTooLarge", "KindUnauthorized", "KindForbidden", "KindNotFound", "KindLimited"}

// fieldless are the codes whose errors may name no field, because none is at fault: an unknown URL, a wrong method, a body or a query that cannot be read,
// a record that another request changes at this moment.
var fieldless = []string{"IR_02", "IR_03", "IR_06", "HE_00"}

// TestRefusalsNameFieldAndRemedy reads every place of the API that refuses a request. Each gives the field at fault and the way out, or has a code that
// Remedies completes.
func TestRefusalsNameFieldAndRemedy(t *testing.T) {
	t.Parallel()
	all := refusingPlaces(t, "../engine", "../plugins", "../storage", "../cmd/payswitch", ".")
	require.Greater(t, len(all), 300)
	used := map[string]bool{}
	for _, r := range all {
		used[r.code] = true
		known, completed := router.Remedies[r.code]
		param := r.param || known[0] != "" || slices.Contains(fieldless, r.code)
		hint := r.hint || completed || r.kind == "KindLimited"
		assert.True(t, param, "%s: the error (%s) names no field: add WithParam, or the code to remedies.go", r.at, r.code)
		assert.True(t, hint, "%s: the error (%s) names no way out: add WithHint, or the code to remedies.go", r.at, r.code)
	}
	for code := range router.Remedies {
		require.True(t, used[code], "no error has the code %s of remedies.go", code)
	}
}

// TestMissingThingsHaveFields holds the things that the API's errors name as missing against the list of package fault, which knows their fields.
func TestMissingThingsHaveFields(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, folder := range []string{"../engine", "../plugins", "../cmd/payswitch", "."} {
		require.NoError(t, programs(folder, func(path string) error {
			source, err := os.ReadFile(path)
			for _, call := range regexp.MustCompile(`fault\.NotFound\((.*?)\)`).FindAllSubmatch(source, -1) {
				thing, err := strconv.Unquote(string(call[1]))
				require.NoError(t, err, "%s: NotFound(%s) needs a name that the list in package fault has", path, call[1])
				named[thing] = true
			}
			return err
		}))
	}
	require.Greater(t, len(named), 15)
	for thing := range named {
		require.NotEmpty(t, fault.NotFound(thing).Param, "fault.NotFound(%q) has no field: add the thing to the list in package fault", thing)
	}
}

// TestMakers holds makers against the functions of package fault that return an error of the caller.
func TestMakers(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	f, err := parser.ParseFile(token.NewFileSet(), "../engine/fault/fault.go", nil, 0)
	require.NoError(t, err)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(statuses4xx, id.Name) && fn.Name.Name != "FromStore" && fn.Name.Name != "IsNotFound" {
				found[fn.Name.Name] = true
			}
			return true
		})
	}
	for name := range found {
		require.Contains(t, makers, name)
	}
	require.Len(t, makers, len(found))
}

// refusingPlaces returns the refusals in the programs below the folders. Pages for people are left out: they show an error next to its field.
func refusingPlaces(t *testing.T, folders ...string) (all []refusing) {
	t.Helper()
	for _, folder := range folders {
		require.NoError(t, programs(folder, func(path string) error {
			if filepath.Base(filepath.Dir(path)) == "fault" {
				return nil // TestMakers reads its functions
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				all = append(all, refusingPlacesOf(files, d)...)
			}
			return nil
		}))
	}
	return all
}

// refusingPlacesOf returns the refusals of one declaration. A field or hint counts in three places: in the literal; in the call's chain, as WithParam or
// WithHint; and in the variable that holds the error.
func refusingPlacesOf(files *token.FileSet, d ast.Decl) (all []refusing) {
	var stack []ast.Node
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		var r refusing
		switch x := n.(type) {
		case *ast.CompositeLit:
			if !ofFault(x.Type, "Error") || !r.literal(x) {
				return true
			}
		case *ast.CallExpr:
			s, ok := x.Fun.(*ast.SelectorExpr)
			if !ok || !ofFault(s, s.Sel.Name) {
				return true
			}
			if r, ok = makers[s.Sel.Name]; !ok {
				return true
			}
		default:
			return true
		}
		r.at = files.Position(n.Pos())
		i := len(stack) - 2
		for ; i >= 0; i-- {
			if s, ok := stack[i].(*ast.SelectorExpr); ok {
				r.given(s.Sel.Name)
				continue
			}
			call, ok := stack[i].(*ast.CallExpr)
			if _, wrapped := stack[i].(*ast.UnaryExpr); wrapped || ok && call.Fun == stack[i+1] {
				continue
			}
			if _, wrapped := stack[i].(*ast.ParenExpr); !wrapped {
				break
			}
		}
		if i >= 0 {
			if a, ok := stack[i].(*ast.AssignStmt); ok {
				r.inVariable(d, a)
			}
		}
		all = append(all, r)
		return true
	})
	return all
}

// literal reads a literal of fault.Error, and reports whether its kind is an error of the caller.
func (r *refusing) literal(x *ast.CompositeLit) bool {
	caller := false
	for _, element := range x.Elts {
		field := element.(*ast.KeyValueExpr)
		name := field.Key.(*ast.Ident).Name
		switch v := field.Value.(type) {
		case *ast.SelectorExpr:
			if name == "Kind" {
				r.kind, caller = v.Sel.Name, slices.Contains(statuses4xx, v.Sel.Name)
			}
		case *ast.BasicLit:
			if name == "Code" {
				r.code, _ = strconv.Unquote(v.Value)
			}
		default:
			caller = caller || name == "Kind" // a variable: it may be one
		}
		r.given("With" + name)
	}
	return caller
}

// inVariable counts what the function gives to the variable that holds the error.
func (r *refusing) inVariable(d ast.Decl, a *ast.AssignStmt) {
	variable, ok := a.Lhs[0].(*ast.Ident)
	if !ok {
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if v, ok := s.X.(*ast.Ident); ok && v.Name == variable.Name {
				r.given("With" + strings.TrimPrefix(s.Sel.Name, "With"))
			}
		}
		return true
	})
}

func (r *refusing) given(name string) {
	r.param = r.param || name == "WithParam"
	r.hint = r.hint || name == "WithHint"
}

func ofFault(e ast.Expr, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "fault"
}

// TestErrorsAreDocumented holds ERRORS.md against the codes in the source.
func TestErrorsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ERRORS.md")
	require.NoError(t, err)
	described := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z]{2}_[0-9]{2})` \\|").FindAllStringSubmatch(string(text), -1) {
		described[row[1]] = true
	}
	written := map[string]bool{}
	for _, folder := range []string{"../engine", "../cmd/payswitch", "."} {
		require.NoError(t, programs(folder, func(path string) error {
			source, err := os.ReadFile(path)
			for _, code := range regexp.MustCompile(`"((?:IR|HE|CE|WE)_[0-9]{2})"`).FindAllSubmatch(source, -1) {
				written[string(code[1])] = true
			}
			return err
		}))
	}
	require.Equal(t, slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(described)))
}

// programs calls do with each Go file below the folder that is no test.
func programs(folder string, do func(path string) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"dashboard", "staff", "testdata"}, d.Name()):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return do(path)
		}
		return nil
	})
}
