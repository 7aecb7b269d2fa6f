package worldpay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/worldpay"
	"payswitch/sdk"
)

// An amount in minor units means a hundredfold where the processor counts other decimals than payswitch. Such currencies are not routed here.
func TestUncertainCurrenciesAreNotTaken(t *testing.T) {
	taken := worldpay.Adapter().Manifest.Currencies
	for _, c := range []sdk.Currency{"ISK", "IRR", "MGA"} {
		require.NotContains(t, taken, c)
	}
	require.Contains(t, taken, sdk.Currency("JPY"))
	require.Len(t, taken, len(sdk.Currencies())-3)
}
