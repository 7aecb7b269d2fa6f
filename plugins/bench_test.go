package plugins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/plugins/testdata/acme"
	"payswitch/sdk"
)

// BenchmarkDrive measures one authorize of a warm adapter. The simulator decides without a request; acme sends one to a server in
// this process. sandbox runs the module, native the same adapter as Go code with the same loop and egress.
func BenchmarkDrive(b *testing.B) {
	dir := b.TempDir()
	put(b, dir, "acme.wasm", acmeModule(b))
	put(b, dir, "simulator.wasm", simulatorModule(b))
	sandboxed := newHost(b, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	compiledIn, err := plugins.NewNative(map[string]*sdk.Adapter{"acme": &acme.Adapter, "simulator": simulator.Adapter()},
		plugins.Options{AllowLoopbackHTTP: true, AccountConcurrency: 1 << 20})
	require.NoError(b, err)
	p := newProcessor(b)
	for _, adapter := range []string{"simulator", "acme"} {
		for name, c := range map[string]port.Connectors{"sandbox": sandboxed, "native": compiledIn} {
			base := map[string]string{"acme": p.URL}[adapter]
			_, err := c.Drive(b.Context(), authorize(adapter, base)) // compiles
			require.NoError(b, err)
			b.Run(adapter+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if res, err := c.Drive(b.Context(), authorize(adapter, base)); err != nil || res.Outcome.Status == sdk.StatusUnknown {
						b.Fatal(err, res.Outcome)
					}
				}
			})
			b.Run(adapter+"/"+name+"/parallel", func(b *testing.B) {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if res, err := c.Drive(b.Context(), authorize(adapter, base)); err != nil || res.Outcome.Status == sdk.StatusUnknown {
							b.Error(err, res.Outcome)
						}
					}
				})
			})
		}
	}
}
