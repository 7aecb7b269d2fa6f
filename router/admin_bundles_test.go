package router_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/simulator"
	"payswitch/router"
)

// shelf keeps one bundle.
type shelf struct {
	file []byte
	by   []string
	may  []port.Replacing
}

func (s *shelf) view() *port.BundleView {
	at := time.Date(2026, 6, 25, 10, 11, 12, 0, time.UTC)
	v := &port.BundleView{Bundle: port.Bundle{SHA256: strings.Repeat("ab", 32), Name: "acme", Version: "0.1.0", GivenAt: at, GivenBy: s.by[0]}, Module: strings.Repeat("cd", 32),
		Manifest: &simulator.Adapter().Manifest, Signer: "0123456789ABCDEF", Further: "host api.acme.example"}
	if len(s.by) > 1 {
		v.InstalledAt, v.InstalledBy, v.InUse, v.Replaces = at, s.by[1], true, "acme 0.2.0"
	}
	return v
}

func (s *shelf) Give(_ context.Context, file []byte, by string) (*port.BundleView, error) {
	if string(file) != "bundle" {
		return nil, fault.Unprocessable("bundle", "the file is not a bundle").WithHint("Send a bundle.")
	}
	s.file, s.by = file, []string{by}
	return s.view(), nil
}

func (s *shelf) Bundles(context.Context, string) ([]port.Bundle, error) {
	if s.file == nil {
		return nil, nil
	}
	return []port.Bundle{s.view().Bundle}, nil
}

func (s *shelf) Bundle(_ context.Context, sum string) (*port.BundleView, error) {
	if s.file == nil || sum != strings.Repeat("ab", 32) {
		return nil, fault.NotFound("Bundle")
	}
	return s.view(), nil
}

func (s *shelf) Install(_ context.Context, _, by string, may port.Replacing) (*port.BundleView, error) {
	s.by, s.may = append(s.by, by), append(s.may, may)
	return s.view(), nil
}

// TestBundles gives, shows and installs a bundle with the admin key. No other key may.
func TestBundles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin("GET", "/adapters/bundles", "").refused(501, "IR_00", "is not implemented")
	kept := &shelf{}
	server, err := router.New(router.Deps{Access: w.engine, Payments: w.engine, Admin: w.engine, Webhooks: w.engine.Webhooks, Connectors: noConnectors{}, Bundles: kept},
		router.Options{AdminKey: secret.New(adminKey), PublicURL: publicURL})
	require.NoError(t, err)
	w.server, w.handler = server, checked(t, server)
	give := func(kind, body string) response {
		return w.send("POST", "/adapters/bundles", adminKey, body, "Content-Type", kind)
	}
	give("application/json", "bundle").refused(400, "IR_06", "application/octet-stream")
	give("application/octet-stream", "other").refused(422, "IR_06", "the file is not a bundle")
	require.EqualValues(t, 0, w.admin("GET", "/adapters/bundles", "").ok()["count"])
	given := give("application/octet-stream", "bundle").ok()
	require.Equal(t, []any{"acme", "0.1.0", "the admin key", nil, false, "host api.acme.example", strings.Repeat("cd", 32)}, []any{given["name"], given["version"], given["given_by"],
		given["installed_at"], given["in_use"], given["reaches_further"], given["sha256"]})
	one := "/adapters/bundles/" + given["bundle_sha256"].(string)
	require.Equal(t, given, w.admin("GET", one, "").ok())
	require.EqualValues(t, 1, w.admin("GET", "/adapters/bundles?name=acme", "").ok()["count"])
	w.admin("GET", "/adapters/bundles/"+strings.Repeat("00", 32), "").refused(404, "HE_02", "Bundle does not exist")
	w.admin("POST", one+"/install", `{"older":true}`).refused(400, "IR_06", "unknown field")
	require.Equal(t, true, w.admin("POST", one+"/install", "").ok()["in_use"])
	w.admin("POST", one+"/install", `{"allow_older":true}`).ok()
	w.admin("POST", one+"/install", `{"replace_builtin":true}`).ok()
	require.Equal(t, []port.Replacing{{}, {Older: true}, {BuiltIn: true}}, kept.may)
	for _, path := range []string{"/adapters/bundles", one} {
		w.send("GET", path, w.secret, "").refused(401, "IR_01", "")
	}
	for _, path := range []string{"/adapters/bundles", one + "/install"} {
		w.send("POST", path, w.secret, "").refused(401, "IR_01", "")
	}
	require.Len(t, kept.may, 3)
}

// noConnectors has no adapter.
type noConnectors struct{}

func (noConnectors) Adapter(string) (port.AdapterInfo, bool) { return port.AdapterInfo{}, false }
func (noConnectors) Adapters() []port.AdapterInfo            { return nil }
