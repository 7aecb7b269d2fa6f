package certified

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// TestSimulatedFeatures: under a processor's name the simulator takes what that processor takes of captures, voids and plans. The API's contract lets
// adyen capture more than is held, which its adapter does not offer.
func TestSimulatedFeatures(t *testing.T) {
	t.Parallel()
	real, simulated := processors(), map[string]*sdk.Adapter{}
	for _, m := range real {
		simulated[m.Name] = simulator.Adapter()
	}
	names := plugins.NativeConnectors(simulated)
	for _, m := range real {
		info, there := names.Adapter(m.Name)
		require.True(t, there)
		has, may := info.Manifest.Features, m.Features
		require.Equal(t, may.MultipleCapture, has.MultipleCapture, "%s: several captures", m.Name)
		require.Equal(t, may.VoidCaptured, has.VoidCaptured, "%s: void after the capture", m.Name)
		require.Equal(t, len(may.Installments) > 0, len(has.Installments) > 0, "%s: installments", m.Name)
		require.False(t, has.CardOnlyMIT && !may.CardOnlyMIT, "%s: charges by the card alone", m.Name)
		require.False(t, has.OverCapture && !may.OverCapture && m.Name != "adyen", "%s: captures above the authorization", m.Name)
	}
}
