package checkout_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	a := checkout.Adapter()
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
	for _, k := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(b, "| `%s` | %s |\n", k, skipped[k])
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

- Captures, voids and refunds are accepted with an action id and pending until a sync, which a webhook may ask for, tells how they ended.
- An answer that was lost is found by our reference; only Checkout.com's own list without it says that nothing was done. Within 24 hours
  the identical request with its idempotency key would also give it again.
- A payment with automatic capture is taken as captured once it is authorized: the capture was asked for with it.
- A partly captured or refunded payment without its balances is unknown: how much was captured is not guessed.
- Amounts follow Checkout.com's decimals: ISK has none, CLP two, and the third decimal of BHD, IQD, JOD, KWD, LYD, OMR and TND must be 0.
  CLF is refused.
- What the customer's browser brings back proves nothing: the payment is asked for.
- Webhooks are signed over the whole body. One older than 36 hours is refused (they are sent again for up to 30). Events come in any
  order, so each asks for a sync.
- A merchant-initiated payment names the payment its credential was stored with (previous_payment_id), or the network's transaction id.
- Raising an authorization is not offered: it needs one that was made as estimated, which a payment cannot ask for yet.
`
