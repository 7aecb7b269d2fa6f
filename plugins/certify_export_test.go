package plugins

import (
	"context"
	"io/fs"

	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// CheckHost runs the part of certification that drives an adapter through the host, without a sandbox.
func CheckHost(ctx context.Context, a *sdk.Adapter, cases fs.FS) (int, error) {
	m, err := sdk.DecodeManifest(a.ManifestMessage())
	if err != nil {
		return 0, err
	}
	return checkHost(ctx, &adapter{name: m.Name, hash: "native", manifest: m, places: placesOf(m), stepper: nativeStepper{a}}, sdktest.Options{}, cases)
}
