package simulator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// declaredReasons reads the constants of sdk.DeclineReason from their source, so a new reason needs an amount here.
func declaredReasons(t *testing.T) (all []sdk.DeclineReason) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../sdk/decline.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "DeclineReason" {
			return true
		}
		for _, value := range v.Values {
			s, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			require.NoError(t, err)
			all = append(all, sdk.DeclineReason(s))
		}
		return true
	})
	require.NotEmpty(t, all)
	return all
}
