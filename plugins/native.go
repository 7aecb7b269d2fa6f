package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/port"
	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// Native drives adapters that are compiled into the program. It uses the loop and the HTTP client of Host, but no sandbox. It
// serves tests, benchmarks and the development of adapters: never give it the adapter of a stranger. It implements
// port.Connectors and is safe for concurrent use.
type Native struct {
	driver   *driver
	adapters map[string]*nativeAdapter // by connector
}

type nativeAdapter struct {
	adapter
	info port.AdapterInfo
}

// NativeConnectors serves adapters by connector name and lets requests go to loopback addresses. It panics if CheckManifest
// refuses a manifest.
func NativeConnectors(adapters map[string]*sdk.Adapter) port.Connectors {
	n, err := NewNative(adapters, Options{AllowLoopbackHTTP: true})
	if err != nil {
		panic(err)
	}
	return n
}

// NewNative serves adapters by connector name. It uses only those Options that concern driving and sending. It returns the errors
// of CheckManifest.
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
			adapter: adapter{name: m.Name, hash: hex.EncodeToString(hash[:]), manifest: m, places: placesOf(m), names: scrub.NamesOf(m), stepper: nativeStepper{a}},
			info: port.AdapterInfo{Connector: connector, Name: m.Name, Hash: hex.EncodeToString(hash[:]), Manifest: manifestAs(connector, m), BuiltIn: true,
				Simulated: connector != m.Name && m.Name == SimulatorName},
		}
	}
	return n, nil
}

// Adapter implements port.Connectors.
func (n *Native) Adapter(connector string) (port.AdapterInfo, bool) {
	a, ok := n.adapters[connector]
	if !ok {
		return port.AdapterInfo{}, false
	}
	return a.info, true
}

// Adapters implements port.Connectors.
func (n *Native) Adapters() []port.AdapterInfo {
	all := make([]port.AdapterInfo, 0, len(n.adapters))
	for _, a := range n.adapters {
		all = append(all, a.info)
	}
	slices.SortFunc(all, func(a, b port.AdapterInfo) int { return strings.Compare(a.Connector, b.Connector) })
	return all
}

// Drive implements port.Connectors.
func (n *Native) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	a, ok := n.adapters[d.Connector]
	switch {
	case !ok:
		return &port.DriveResult{}, fmt.Errorf("%w: %q", ErrNoAdapter, d.Connector)
	case d.AdapterHash != "" && d.AdapterHash != a.hash:
		return &port.DriveResult{}, fmt.Errorf("%w: %s", ErrNoBuild, d.AdapterHash)
	}
	return n.driver.drive(ctx, &a.adapter, d)
}

// Turn implements port.Connectors.
func (n *Native) Turn(ctx context.Context, accountID string) (context.Context, func(), error) {
	return n.driver.Turn(ctx, accountID)
}

// Errors of Drive about the adapter that the caller asked for. No request has left.
var (
	ErrNoAdapter = errors.New("no adapter is loaded for this connector: install one, or correct the connector's name")
	ErrNoBuild   = errors.New("the adapter build that this operation began with is no longer stored")
)

type nativeStepper struct{ *sdk.Adapter }

func (n nativeStepper) step(_ context.Context, s *sdk.Step, _ [32]byte, _ func(string) string) (*sdk.Result, error) {
	r := n.Step(s)
	return &r, nil
}

// errGarbage says that an adapter's answer is not a message of the protocol.
var errGarbage = errors.New("the adapter's answer is not a message of the protocol")
