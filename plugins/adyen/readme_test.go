package adyen_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	a := adyen.Adapter()
	m, err := sdk.DecodeManifest(a.ManifestMessage())
	require.NoError(t, err)
	requests, _, err := wire.Load(os.DirFS("testdata"), m.Name)
	require.NoError(t, err)
	want := readme(m, requests.Cases)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "README.md is not what the adapter says: go test ./plugins/%s -run Readme -update", m.Name)
}

func readme(m *sdk.Manifest, cases []wire.Case) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# %s\n\n%s %s\n\nGenerated from manifest and cases: `go test ./plugins/%s -run Readme -update`.\n", m.DisplayName, m.Description, m.Website, m.Name)
	b.WriteString("\n## Support\n\n| Operation | | Cases |\n|---|---|---|\n")
	tried := map[sdk.Operation][]string{}
	for _, c := range cases {
		op := wire.Operation(c.Flow)
		tried[op] = append(tried[op], "`"+c.Name+"`")
	}
	for _, op := range sdk.Operations() {
		if slices.Contains([]sdk.Operation{sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpAccessToken}, op) {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", op, yes(slices.Contains(m.Operations, op)), strings.Join(tried[op], ", "))
	}
	f := m.Features
	b.WriteString("\n| Ability | |\n|---|---|\n")
	for _, x := range []struct {
		name string
		has  bool
	}{{"partial capture", f.PartialCapture}, {"several captures", f.MultipleCapture}, {"a partial capture releases the rest", f.ReleasesRest},
		{"partial refund", f.PartialRefund}, {"zero amount", f.ZeroAmount}, {"3-D Secure by the processor", f.Processor3DS}, {"3-D Secure from outside", f.External3DS},
		{"stored credentials", f.StoredCredential}, {"merchant-initiated by network transaction id", f.NetworkMIT}} {
		fmt.Fprintf(b, "| %s | %s |\n", x.name, yes(x.has))
	}
	b.WriteString("\n## Account\n\n| Field | Sent as | | |\n|---|---|---|---|\n")
	for _, x := range m.Credentials {
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", x.Label, first(x.Key, x.Name), optional(x), x.Help)
	}
	for _, x := range m.Config {
		fmt.Fprintf(b, "| %s | `metadata.%s` | %s | %s |\n", x.Label, first(x.Key, x.Name), optional(x), x.Help)
	}
	b.WriteString(notes)
	b.WriteString("\n## Differences from the recorded cases\n\n| Where | Why |\n|---|---|\n")
	for _, k := range slices.Sorted(maps.Keys(deviations)) {
		fmt.Fprintf(b, "| `%s` | %s |\n", k, deviations[k])
	}
	return b.String()
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "–"
}

func optional(f sdk.Field) string {
	if f.Optional {
		return "optional"
	}
	return "required"
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

const notes = `
## How it behaves

- Captures, cancels, refunds and amount updates are answered with "received": they are pending until Adyen's webhook tells how they
  ended. There is no call that asks for a payment, so the standard webhook must be set up, with an HMAC key.
- An answer that was lost is fetched by sending the identical request with its idempotency key again, for up to 7 days.
- An event about a payment says what has become of the payment: after a capture or cancel that failed it is authorized, as before.
- Webhooks are believed by their signature alone. Adyen signs no time, so there is no tolerance to check.
- CLP and ISK are sent with two decimals, CVE and IDR with none, as Adyen wants them. CLF, IRR and MGA are refused: their decimals at
  Adyen are in doubt.
- 3-D Secure by Adyen redirects the customer. Actions for Adyen's own front-end component are pending until the webhook.
- Metadata beyond 20 pairs, or with names over 20 or values over 80 characters, is left out: Adyen would refuse the payment.
`
