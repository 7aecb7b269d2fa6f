package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// TestSuite is what every adapter must pass. The suite takes no environment without a host, which is how the simulator says that it
// never sends, so it is given one.
func TestSuite(t *testing.T) {
	a := simulator.Adapter()
	a.Manifest.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://simulator.invalid", Hosts: []string{"simulator.invalid"}}}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(a), sdktest.Options{}))
}
