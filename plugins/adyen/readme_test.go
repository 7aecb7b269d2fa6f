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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	a := adyen.Adapter()
	table, err := wire.Support(a, os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	wire.Readme(t, fmt.Sprintf(about, a.Manifest.DisplayName, a.Manifest.Description)+wire.Fields(&a.Manifest)+"\n"+table+s.Readme(), *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpSync:        "Adyen has no call that asks for a payment: webhooks tell",
	sdk.OpRefundSync:  "as sync",
	sdk.OpDisputeSync: "Adyen has no such call: messages tell",
	sdk.OpAccessToken: "not needed",
}

const about = `# %s

%s

Generated from manifest, cases and notes: ` + "`go test ./plugins/adyen -run Readme -update`" + `.

## How it behaves

- Set up the standard webhook, with an HMAC key. Adyen answers captures, cancels, refunds and amount updates with "received"; they are
  pending until its webhook reports the result. Adyen has no call that asks for a payment.
- The switch gets a lost answer by sending the identical request with its idempotency key again, for up to 7 days.
- An event reports the state of its payment: after a failed capture or cancel the payment is authorized, as before.
  The last event of a payment with automatic capture is its authorization, which counts as the capture.
- A void of a payment with automatic capture is a reversal, which cancels or refunds it: Adyen may have captured it.
- The reference of a stored card comes with the payment's answer if the account has enabled that, or later by RECURRING_CONTRACT.
- The issuer may approve a lower amount than requested: additionalData.authorisedAmountValue of an answer is the authorized or captured amount.
  A message does not sign that field. If it differs from the signed amount, or if an amount is unreadable, the message only causes a query.
- The signature alone proves a webhook. Adyen does not sign the time, so the adapter does not check it.
- CLP and ISK are sent with two decimals, CVE and IDR with none, as Adyen requires. The adapter refuses CLF, IRR and MGA, because their
  decimals at Adyen are uncertain.
- 3-D Secure by Adyen redirects the customer. Actions for Adyen's own front-end component are pending until the webhook.
- The adapter sends an address with street, house number, city, postal code and country, or leaves it out: Adyen refuses an incomplete one.
- Adyen wants a defense reason for the answer to a dispute, and merchants' requests have no field for it. The adapter asks Adyen which reasons
  apply. It sends each file as a document of a type that they take, and defends with the first reason that has all its documents. Without one,
  the refusal names the reasons and the documents that they lack. Adyen takes files alone: a text is refused, with its field.
- The adapter leaves out metadata beyond 20 pairs, names over 20 and values over 80 characters: Adyen would refuse the payment.
`
