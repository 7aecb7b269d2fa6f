package adyen_test

import (
	"flag"
	"fmt"
	"os"
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
	table, err := wire.Support(a, os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	want := fmt.Sprintf(about, a.Manifest.DisplayName, a.Manifest.Description) + account(&a.Manifest) + "\n" + table
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "README.md is not what the adapter says: go test ./plugins/adyen -run Readme -update")
}

// missing says why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpSync:        "Adyen has no call that asks for a payment: webhooks tell",
	sdk.OpRefundSync:  "as sync",
	sdk.OpAccessToken: "not needed",
}

// account is the table of the connector account's fields.
func account(m *sdk.Manifest) string {
	b := &strings.Builder{}
	b.WriteString("\n## Account\n\n| Field | Sent as | | |\n|---|---|---|---|\n")
	row := func(f sdk.Field, prefix string) {
		key, need := f.Key, "required"
		if key == "" {
			key = f.Name
		}
		if f.Optional {
			need = "optional"
		}
		fmt.Fprintf(b, "| %s | `%s%s` | %s | %s |\n", f.Label, prefix, key, need, f.Help)
	}
	for _, f := range m.Credentials {
		row(f, "")
	}
	for _, f := range m.Config {
		row(f, "metadata.")
	}
	return b.String()
}

const about = `# %s

%s

Generated from manifest, cases and notes: ` + "`go test ./plugins/adyen -run Readme -update`" + `.

## How it behaves

- Captures, cancels, refunds and amount updates are answered with "received": they are pending until Adyen's webhook tells how they
  ended. There is no call that asks for a payment, so the standard webhook must be set up, with an HMAC key.
- An answer that was lost is fetched by sending the identical request with its idempotency key again, for up to 7 days.
- An event about a payment says what has become of the payment: after a capture or cancel that failed it is authorized, as before.
- Webhooks are believed by their signature alone. Adyen signs no time, so there is no tolerance to check.
- CLP and ISK are sent with two decimals, CVE and IDR with none, as Adyen wants them. CLF, IRR and MGA are refused: their decimals at
  Adyen are in doubt.
- 3-D Secure by Adyen redirects the customer. Actions for Adyen's own front-end component are pending until the webhook.
- An address goes with street, house number, city, postal code and country, or not at all: Adyen refuses payments with a part of one.
- Metadata beyond 20 pairs, or with names over 20 or values over 80 characters, is left out: Adyen would refuse the payment.
`
