package plugins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/approval"
	"payswitch/plugins"
	"payswitch/plugins/testdata/hostile"
	"payswitch/sdk"
)

// A manifest cannot hide, forge or displace the text that an operator reads before approving it.
func TestManifestTexts(t *testing.T) {
	placed := func(p sdk.Placement) func(m *sdk.Manifest) {
		return func(m *sdk.Manifest) { m.Authentication = append([]sdk.Placement{p}, m.Authentication...) }
	}
	header := sdk.Placement{Secret: "secret_key", In: "header", Field: "X-Key"}
	format := func(f string) func(m *sdk.Manifest) { p := header; p.Format = f; return placed(p) }
	for what, attack := range map[string]struct {
		want   string
		change func(m *sdk.Manifest)
	}{
		"a line":                   {"description", func(m *sdk.Manifest) { m.Description = "A processor.\ntest            https://bank.example" }},
		"an escape sequence":       {"display_name", func(m *sdk.Manifest) { m.DisplayName = "Acme\x1b[8m" }},
		"a C1 control":             {"display_name", func(m *sdk.Manifest) { m.DisplayName = "Acme\u009b8m" }},
		"another direction":        {"description", func(m *sdk.Manifest) { m.Description = "\u202eelpmaxe.live" }},
		"an isolate":               {"description", func(m *sdk.Manifest) { m.Description = "a\u2066b" }},
		"no width":                 {"credentials[0].label", func(m *sdk.Manifest) { m.Credentials[0].Label = "API\u200bkey" }},
		"a tag":                    {"credentials[0].help", func(m *sdk.Manifest) { m.Credentials[0].Help = "a\U000e0041" }},
		"spaces":                   {"description", func(m *sdk.Manifest) { m.Description = "A" + strings.Repeat(" ", 70) + "test" }},
		"what looks like a space":  {"description", func(m *sdk.Manifest) { m.Description = "A\u3164\u3164test" }},
		"a book":                   {"description", func(m *sdk.Manifest) { m.Description = strings.Repeat("long ", 100) + "." }},
		"a long label":             {"credentials[0].label", func(m *sdk.Manifest) { m.Credentials[0].Label = strings.Repeat("x", 65) }},
		"a long version":           {"version", func(m *sdk.Manifest) { m.Version = "1.0.0-" + strings.Repeat("x", 100) }},
		"a script for an address":  {"website", func(m *sdk.Manifest) { m.Website = "javascript:alert(1)" }},
		"a look-alike address":     {"website", func(m *sdk.Manifest) { m.Website = "https://str\u0456pe.com" }},
		"a sentence for a key":     {"credentials[0].key", func(m *sdk.Manifest) { m.Credentials[0].Key = "api_key as x (secret); config y" }},
		"a sentence for a method":  {"methods[0]", func(m *sdk.Manifest) { m.Methods = []sdk.Method{{Method: "card\n", Type: "credit"}} }},
		"a sentence for a network": {"networks[0]", func(m *sdk.Manifest) { m.Networks = []sdk.CardNetwork{"Visa, all hosts"} }},
		"a sentence for a scheme":  {"webhook.scheme", func(m *sdk.Manifest) { m.Webhook = &sdk.WebhookRule{Scheme: "signed by us"} }},
		"a method with a line":     {"authentication[0].method", placed(sdk.Placement{Secret: "secret_key", In: "header", Field: "X", Method: "POST\n"})},
		"a field with an escape":   {"authentication[0].field", placed(sdk.Placement{Secret: "secret_key", In: "header", Field: "X\x1b[2J"})},
		"a path with an escape":    {"authentication[0].path", placed(sdk.Placement{Secret: "secret_key", In: "header", Field: "X", Path: "/a\u202e"})},
		"an environment":           {"environments.live?is approved", func(m *sdk.Manifest) { m.Environments["live\nis approved"] = m.Environments["test"] }},
		"many hosts": {"environments.test.hosts", func(m *sdk.Manifest) {
			env := m.Environments["test"]
			for len(env.Hosts) < 100 {
				env.Hosts = append(env.Hosts, "h.acme.example")
			}
			m.Environments["test"] = env
		}},
		"many placements": {"placements", func(m *sdk.Manifest) {
			for range 300 {
				m.Placements = append(m.Placements, header)
			}
		}},
		"the author's key":        {"authentication[0].format", format("Bearer " + hostile.AuthorKey + ",{}")},
		"his key, alone":          {"authentication[0].format", format("Zk3vQ9xW7rT1yU5iO8pA2sD4:{}")},
		"his login, behind Basic": {"authentication[0].format", format("basic YXV0aG9y {}")},
	} {
		t.Run(what, func(t *testing.T) {
			m := acmeManifest(t)
			attack.change(m)
			err := plugins.CheckManifest(m)
			require.ErrorContains(t, err, attack.want)
			require.NotContains(t, err.Error(), "\x1b")
			require.NotContains(t, err.Error(), "\u202e")
		})
	}
	for _, f := range []string{"Bearer {}", "Basic {}", "Key={}", "SHA-256={}",
		`keyid="{}", algorithm="HmacSHA256", headers="host v-c-date request-target digest v-c-merchant-id", signature="{}"`} {
		m := acmeManifest(t)
		format(f)(m)
		require.NoError(t, plugins.CheckManifest(m))
	}
	m := acmeManifest(t)
	m.DisplayName, m.Description, m.Credentials[0].Label = "Société Générale", "Zahlungen über „Müller & Söhne“, 決済, платежи, भुगतान.", "Clé d’API"
	require.NoError(t, plugins.CheckManifest(m))
}

// The sentences of an approval name everything that is approved, without words of the author.
func TestApprovalSentences(t *testing.T) {
	p := sdk.Placement{Secret: "key", In: "header", Field: "Authorization", Format: "Key author:{}", Method: "POST", Path: "/pay"}
	require.Equal(t, `key in header Authorization as "Key author:{}" of POST /pay`, approval.PlacementText(p))
	require.Equal(t, `cvc in body "card.cvc of POST /pay (authorize)"`, approval.PlacementText(sdk.Placement{Secret: "cvc", In: "body", Field: "card.cvc of POST /pay (authorize)"}))
	require.Equal(t, `cvc in body "\u0441vc"`, approval.PlacementText(sdk.Placement{Secret: "cvc", In: "body", Field: "\u0441vc"}), "a Cyrillic letter")
	require.Equal(t, `cvc in body a/b escaped for "json,form"`, approval.PlacementText(sdk.Placement{Secret: "cvc", In: "body", Field: "a/b", Escapes: "json,form"}))

	// Other values are another reach, in whatever order they are written.
	reach := func(f sdk.Field) approval.Reach {
		f.Name, f.Type = "region", "enum"
		return approval.ReachOf(&sdk.Manifest{Config: []sdk.Field{f}})
	}
	approved := reach(sdk.Field{Values: []string{"eu, us; default eu"}})
	require.False(t, reach(sdk.Field{Values: []string{"eu", "us"}, Default: "eu"}).Beyond(approved).IsEmpty())
	require.False(t, reach(sdk.Field{Values: []string{"eu", "us; default eu"}}).Beyond(approved).IsEmpty())
	require.True(t, reach(sdk.Field{Values: []string{"eu, us; default eu"}}).Beyond(approved).IsEmpty())
}
