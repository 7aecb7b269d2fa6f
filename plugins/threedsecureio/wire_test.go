package threedsecureio_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, threedsecureio.Adapter(), os.DirFS("testdata"), facts) }

// TestSuite runs the suite of all adapters.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(threedsecureio.Adapter()), sdktest.Options{
		Answer: func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
			body := `{"messageType":"CRD","scheme":"visa","threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","acsProtocolVersions":[{"version":"2.2.0"}]}`
			switch op {
			case sdk.OpAuthenticate:
				body = `{"messageType":"ARes","transStatus":"Y","eci":"05","authenticationValue":"capturedStandIn","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b"}`
			case sdk.OpResult:
				body = `{"messageType":"RReq","transStatus":"Y","eci":"05","authenticationValue":"capturedStandIn","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b"}`
			}
			return sdk.Exchange{Status: 200, Body: []byte(body)}
		},
	}))
}
