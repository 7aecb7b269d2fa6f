package adyen_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/plugins/internal/published"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	a := adyen.Adapter()
	table, err := wire.Support(a, os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	wire.Readme(t, fmt.Sprintf(about, a.Manifest.DisplayName, a.Manifest.Description)+wire.Fields(&a.Manifest)+"\n"+table+s.Readme(), *update)
}

// missing says why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpSync:        "Adyen has no call that asks for a payment: webhooks tell",
	sdk.OpRefundSync:  "as sync",
	sdk.OpAccessToken: "not needed",
}

const about = `# %s

%s

Generated from manifest, cases and notes: ` + "`go test ./plugins/adyen -run Readme -update`" + `.

## How it behaves

- Captures, cancels, refunds and amount updates are answered with "received": they are pending until Adyen's webhook tells how they
  ended. There is no call that asks for a payment, so the standard webhook must be set up, with an HMAC key.
- An answer that was lost is fetched by sending the identical request with its idempotency key again, for up to 7 days.
- An event about a payment says what has become of the payment: after a capture or cancel that failed it is authorized, as before.
  Of a payment that Adyen captures at once the authorization is the last message, and counts as its capture.
- What Adyen captures at once is undone by a reversal, which cancels or refunds it: it may be taken by then.
- The reference of a stored card comes with the payment's answer, where the account has it switched on there, or later by RECURRING_CONTRACT.
- The issuer may approve less than was asked for, asked to or not: additionalData.authorisedAmountValue of an answer is what is held or taken.
  A message does not sign that field, so that one with another amount than the signed one only causes a query, as one whose amount cannot be read.
- Webhooks are believed by their signature alone. Adyen signs no time, so there is no tolerance to check.
- CLP and ISK are sent with two decimals, CVE and IDR with none, as Adyen wants them. CLF, IRR and MGA are refused: their decimals at
  Adyen are in doubt.
- 3-D Secure by Adyen redirects the customer. Actions for Adyen's own front-end component are pending until the webhook.
- An address goes with street, house number, city, postal code and country, or not at all: Adyen refuses payments with a part of one.
- Metadata beyond 20 pairs, or with names over 20 or values over 80 characters, is left out: Adyen would refuse the payment.
`
