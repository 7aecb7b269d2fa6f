package mollie_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/mollie"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(mollie.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+models(t).Readme(), *update)
}
