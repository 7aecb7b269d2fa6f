package globalpay_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/globalpay"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(globalpay.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	want := about + "\n" + support
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go test ./plugins/globalpay -run Readme -update")
}
