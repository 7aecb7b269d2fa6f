package plugins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/testdata/acme"
	"payswitch/sdk"
)

func acmeManifest(t testing.TB) *sdk.Manifest {
	m, err := sdk.DecodeManifest(acme.Adapter.ManifestMessage())
	require.NoError(t, err)
	return m
}

func TestCheckManifest(t *testing.T) {
	require.NoError(t, plugins.CheckManifest(acmeManifest(t)))
	test := func(host string) func(m *sdk.Manifest) {
		return func(m *sdk.Manifest) {
			m.Environments["test"] = sdk.Environment{BaseURL: "https://test.acme.example", Hosts: []string{"test.acme.example", host}}
		}
	}
	base := func(url string) func(m *sdk.Manifest) {
		return func(m *sdk.Manifest) {
			m.Environments["test"] = sdk.Environment{BaseURL: url, Hosts: []string{"test.acme.example"}}
		}
	}
	for want, change := range map[string]func(m *sdk.Manifest){
		"abi: this host speaks version 1, not 2": func(m *sdk.Manifest) { m.ABI = 2 },
		`name: "Acme" is not of the form`:        func(m *sdk.Manifest) { m.Name = "Acme" },
		"kind: ":                                 func(m *sdk.Manifest) { m.Kind = "" },
		"version: ":                              func(m *sdk.Manifest) { m.Version = "1" },
		`features.exemptions[0]: "low" is not an exemption`: func(m *sdk.Manifest) { m.Features.Exemptions = []sdk.Exemption{"low"} },
		`features.exemptions[1]: "low_value" is listed twice`: func(m *sdk.Manifest) {
			m.Features.Exemptions = []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionLowValue}
		},
		"operations: a processor must offer authorize":                func(m *sdk.Manifest) { m.Operations = []sdk.Operation{sdk.OpSync} },
		`operations[0]: "prepare" is not an operation of a processor`: func(m *sdk.Manifest) { m.Operations[0] = sdk.OpPrepare },
		`operations[1]: "authorize" is listed twice`:                  func(m *sdk.Manifest) { m.Operations[1] = sdk.OpAuthorize },
		"operations: an authenticator must offer authenticate":        func(m *sdk.Manifest) { m.Kind = sdk.KindAuthenticator },
		"credentials[0].name: ":                                       func(m *sdk.Manifest) { m.Credentials[0].Name = "a key" },
		"credentials[1].key: ": func(m *sdk.Manifest) {
			m.Credentials = append(m.Credentials, sdk.Field{Name: "b", Key: "api_key", Type: "secret"})
		},
		"credentials[0].type: ":                                                 func(m *sdk.Manifest) { m.Credentials[0].Type = "password" },
		"config[0].type: secret is not allowed in config":                       func(m *sdk.Manifest) { m.Config[0].Type = "secret" },
		"config[0].values: ":                                                    func(m *sdk.Manifest) { m.Config[0].Type = "enum" },
		"environments.staging: ":                                                func(m *sdk.Manifest) { m.Environments["staging"] = m.Environments["test"] },
		`environments.test.hosts[1]: "*.acme.example" is not an exact`:          test("*.acme.example"),
		`environments.test.hosts[1]: "ACME.example" is not an exact`:            test("ACME.example"),
		`environments.test.hosts[1]: "acme" is not an exact`:                    test("acme"),
		`environments.test.hosts[1]: "acme.example:0" is not an exact`:          test("acme.example:0"),
		`environments.test.hosts[1]: "10.1.2.3" is an address`:                  test("10.1.2.3"),
		`environments.test.hosts[1]: "api.xn--acme-2fg.example" has the label`:  test("api.xn--acme-2fg.example"),
		`environments.test.hosts[1]: "{shop}" does not name a config`:           test("{shop}.acme.example"),
		`environments.test.hosts[1]: "{merchant_id}x.acme.example" is`:          test("{merchant_id}x.acme.example"),
		`"{merchant_id}.{merchant_id}.example" has more than one`:               test("{merchant_id}.{merchant_id}.example"),
		`"{merchant_id}.example" would let the account choose the whole domain`: test("{merchant_id}.example"),
		"environments.test.base_url: ":                                          base("http://test.acme.example"),
		"environments.test.base_url: \"https://test.acme.example/\"":            base("https://test.acme.example/"),
		"environments.test.base_url: its host":                                  base("https://other.acme.example"),
		"placements[0].secret: ":                                                func(m *sdk.Manifest) { m.Placements = []sdk.Placement{{Secret: "pan", In: "body", Field: "x"}} },
		"authentication[0].in: ": func(m *sdk.Manifest) {
			m.Authentication = []sdk.Placement{{Secret: "secret_key", In: "cookie", Field: "x"}}
		},
		"placements[0].in: card data may stand in bodies": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "card_number", In: "header", Field: "X"}}
		},
		"authentication[0].in: card data may stand in bodies": func(m *sdk.Manifest) {
			m.Authentication = []sdk.Placement{{Secret: "cvc", In: "body", Field: "x"}}
		},
		"placements[0].in: \"response\" is not": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "response", Field: "x"}}
		},
		"placements[0].format: ": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "header", Field: "X", Format: "Key="}}
		},
		"placements[0].escapes: ": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "body", Field: "x", Escapes: "form,xml"}}
		},
		"placements[0].field: \"x\" must name the form field": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "body", Field: "x", Escapes: "xml,form"}}
		},
		"placements[0].path: ": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "body", Field: "x", Path: "pay"}}
		},
		"placements[0].host: ": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "secret_key", In: "body", Field: "x", Host: "evil.example"}}
		},
		"placements[0].secret: \"access_token\" is neither": func(m *sdk.Manifest) {
			m.Placements = []sdk.Placement{{Secret: "access_token", In: "header", Field: "X"}}
		},
		"credentials[0].name: \"cvc\" is the name of another": func(m *sdk.Manifest) { m.Credentials[0].Name = "cvc" },
		"currencies[0]: ":                                   func(m *sdk.Manifest) { m.Currencies = []sdk.Currency{"usd"} },
		"countries[0]: ":                                    func(m *sdk.Manifest) { m.Countries = []string{"USA"} },
		"captures[0]: ":                                     func(m *sdk.Manifest) { m.Captures = []sdk.CaptureMethod{"later"} },
		"reference.characters: ":                            func(m *sdk.Manifest) { m.Reference.Characters = "hex" },
		"reference.max_length: 5 is not between":            func(m *sdk.Manifest) { m.Reference.MaxLength = 5 },
		"webhook: is declared":                              func(m *sdk.Manifest) { m.Webhook = &sdk.WebhookRule{} },
		"resolve.by: a processor needs":                     func(m *sdk.Manifest) { m.Resolve = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID}} },
		`resolve.by[0]: "prayer" is not`:                    func(m *sdk.Manifest) { m.Resolve.By[0] = "prayer" },
		"resolve.by[0]: reference needs the operation sync": func(m *sdk.Manifest) { m.Operations = []sdk.Operation{sdk.OpAuthorize} },
		"resolve.idempotency_window_seconds: ":              func(m *sdk.Manifest) { m.Resolve.IdempotencyWindowSeconds = 0 },
		"resolve.idempotency_window_seconds: 4611686018427387904 is not between 0 and 31622400": func(m *sdk.Manifest) {
			m.Resolve.IdempotencyWindowSeconds = 1 << 62
		},
		"resolve.not_found_final_after_seconds: 4611686018427387904 is not between 0 and 31622400": func(m *sdk.Manifest) {
			m.Resolve.NotFoundFinalAfterSeconds = 1 << 62 // as a duration in nanoseconds this is 0
		},
		"resolve.not_found_final_after_seconds: -1 is not between": func(m *sdk.Manifest) { m.Resolve.NotFoundFinalAfterSeconds = -1 },
		"webhook.tolerance_seconds: -5 is not between": func(m *sdk.Manifest) {
			m.Operations, m.Webhook = append(m.Operations, sdk.OpWebhook), &sdk.WebhookRule{ToleranceSeconds: -5}
		},
		`credentials[0].key: "auth_type" is the account's own word`: func(m *sdk.Manifest) { m.Credentials[0].Key = "auth_type" },
	} {
		m := acmeManifest(t)
		change(m)
		require.ErrorContains(t, plugins.CheckManifest(m), want)
	}
}

func TestConfigLabelsInHosts(t *testing.T) {
	a := scripted(func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"base": c.Account.BaseURL}}, nil
	})
	a.Manifest.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://{merchant_id}.acme.example/v1", Hosts: []string{"{merchant_id}.acme.example"}}}
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{})
	require.NoError(t, err)
	for id, want := range map[string]string{"Shop-1": "https://shop-1.acme.example/v1", "evil.example/": "", "a.b": "", "-a": "", "": "", "ä": "", "evil.example#": ""} {
		d := authorize("scripted", "")
		d.Account.Config["merchant_id"] = id
		res, err := n.Drive(t.Context(), d)
		if want == "" {
			require.ErrorContains(t, err, `"merchant_id" is not a DNS label`)
			require.NotContains(t, err.Error(), "evil")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, res.Outcome.Raw["base"])
	}
	d := authorize("scripted", "")
	d.Account.Environment = "live"
	_, err = n.Drive(t.Context(), d)
	require.ErrorContains(t, err, `does not offer the environment "live"`)
}
