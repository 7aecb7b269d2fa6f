package checkout_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	a := checkout.Adapter()
	table, err := wire.Support(a, os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, fmt.Sprintf(about, a.Manifest.DisplayName, a.Manifest.Description)+wire.Fields(&a.Manifest)+"\n"+table, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpAccessToken: "not needed",
}

const about = `# %s

%s

Generated from manifest, cases and notes: ` + "`go test ./plugins/checkout -run Readme -update`" + `.

## How it behaves

- Checkout.com accepts captures, voids and refunds with an action id. They are pending until a sync, which a webhook may cause, finds the result.
- A sync finds a lost answer by our reference. Only Checkout.com's own list without the reference proves that nothing was done. Nothing
  is sent twice: after an error 5xx Checkout.com forgets the idempotency key, and would make a second payment.
- A payment with automatic capture counts as captured when the payment request is answered. Afterwards its balances and actions decide:
  without a capture it is pending, after a declined capture it is authorized.
- If Checkout.com does not know a payment id of its own, the id belongs to another account: the result is unknown, with the alarm ` + "`other_account`" + `.
- A partly captured payment without its balances is unknown: the adapter does not guess the amount. The same holds for a manually captured
  and refunded payment.
- An authorization can be raised if it was estimated (the account's authorization_type) and nothing has been captured.
- Amounts follow Checkout.com's decimals: ISK has none, CLP two, and the third decimal of BHD, IQD, JOD, KWD, LYD, OMR and TND must be 0.
  The adapter refuses CLF.
- What the customer's browser brings back proves nothing: the adapter asks for the payment.
- Webhooks are signed over the whole body. The adapter refuses one older than 36 hours (Checkout.com repeats them for up to 30). Events come
  in any order, so each causes a sync.
- A merchant-initiated payment names the payment that stored its credential (previous_payment_id), or the network's transaction id.
`
