package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// TestSuite runs the suite of all adapters. The suite needs an environment with a host; the simulator has none because
// it never sends, so the test adds one.
func TestSuite(t *testing.T) {
	a := simulator.Adapter()
	a.Manifest.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://simulator.invalid", Hosts: []string{"simulator.invalid"}}}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(a), sdktest.Options{}))
}
