package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine"
	"payswitch/sdk"
)

// Native drives adapters that are compiled in, without a sandbox, with the same loop and the same egress as Host. It is for tests,
// benchmarks and the development of adapters, never for adapters of others. It implements engine.Connectors.
type Native struct {
	driver   *driver
	adapters map[string]*nativeAdapter // by connector
}

type nativeAdapter struct {
	adapter
	info engine.AdapterInfo
}

// NativeConnectors serves adapters by connector name; requests may go to loopback. It panics on a manifest that CheckManifest refuses.
func NativeConnectors(adapters map[string]*sdk.Adapter) engine.Connectors {
	n, err := NewNative(adapters, Options{AllowLoopbackHTTP: true})
	if err != nil {
		panic(err)
	}
	return n
}

// NewNative serves adapters by connector name. Of Options it heeds those about driving and sending.
func NewNative(adapters map[string]*sdk.Adapter, o Options) (*Native, error) {
	n := &Native{driver: newDriver(o.withDefaults()), adapters: make(map[string]*nativeAdapter)}
	for connector, a := range adapters {
		message := a.ManifestMessage()
		m, err := sdk.DecodeManifest(message)
		if err != nil {
			return nil, fmt.Errorf("manifest of %s: %w", connector, err)
		}
		if err := CheckManifest(m); err != nil {
			return nil, fmt.Errorf("manifest of %s: %w", connector, err)
		}
		hash := sha256.Sum256(message)
		n.adapters[connector] = &nativeAdapter{
			adapter: adapter{name: m.Name, hash: hex.EncodeToString(hash[:]), manifest: m, places: placesOf(m), names: namesOf(m), stepper: nativeStepper{a}},
			info: engine.AdapterInfo{Connector: connector, Name: m.Name, Hash: hex.EncodeToString(hash[:]), Manifest: m, BuiltIn: true,
				Simulated: connector != m.Name && m.Name == SimulatorName},
		}
	}
	return n, nil
}

// Adapter implements engine.Connectors.
func (n *Native) Adapter(connector string) (engine.AdapterInfo, bool) {
	a, ok := n.adapters[connector]
	if !ok {
		return engine.AdapterInfo{}, false
	}
	return a.info, true
}

// Adapters implements engine.Connectors.
func (n *Native) Adapters() []engine.AdapterInfo {
	all := make([]engine.AdapterInfo, 0, len(n.adapters))
	for _, a := range n.adapters {
		all = append(all, a.info)
	}
	slices.SortFunc(all, func(a, b engine.AdapterInfo) int { return strings.Compare(a.Connector, b.Connector) })
	return all
}

// Drive implements engine.Connectors.
func (n *Native) Drive(ctx context.Context, d *engine.Drive) (*engine.DriveResult, error) {
	a, ok := n.adapters[d.Connector]
	switch {
	case !ok:
		return &engine.DriveResult{}, fmt.Errorf("%w: %q", ErrNoAdapter, d.Connector)
	case d.AdapterHash != "" && d.AdapterHash != a.hash:
		return &engine.DriveResult{}, fmt.Errorf("%w: %s", ErrNoBuild, d.AdapterHash)
	}
	return n.driver.drive(ctx, &a.adapter, d)
}

// Errors of Drive about the adapter asked for. Nothing has left.
var (
	ErrNoAdapter = errors.New("no adapter is loaded for this connector")
	ErrNoBuild   = errors.New("the adapter's build that this operation began with is gone")
)

type nativeStepper struct{ *sdk.Adapter }

func (n nativeStepper) step(_ context.Context, s *sdk.Step, _ [32]byte, _ func(string) string) (*sdk.Result, error) {
	r := n.Step(s)
	return &r, nil
}

// errGarbage is what an answer that is no message of the protocol is reported as.
var errGarbage = errors.New("the adapter's answer is not a message of the protocol")
