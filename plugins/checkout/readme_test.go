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

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	a := checkout.Adapter()
	table, err := wire.Support(a, os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, fmt.Sprintf(about, a.Manifest.DisplayName, a.Manifest.Description)+wire.Fields(&a.Manifest)+"\n"+table, *update)
}

// missing says why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpAccessToken: "not needed",
}

const about = `# %s

%s

Generated from manifest, cases and notes: ` + "`go test ./plugins/checkout -run Readme -update`" + `.

## How it behaves

- Captures, voids and refunds are accepted with an action id and pending until a sync, which a webhook may ask for, tells how they ended.
- An answer that was lost is found by our reference; only Checkout.com's own list without it says that nothing was done. Within 24 hours
  the identical request with its idempotency key would also give it again.
- A payment with automatic capture is taken as captured where the payment request is answered: the capture was asked for with it. Afterwards its balances
  and actions tell: a query that shows no capture is pending, and one that shows a declined capture is authorized.
- A payment that Checkout.com named and does not know belongs to another account: unknown, with the alarm ` + "`other_account`" + `.
- A partly captured payment without its balances is unknown: how much was captured is not guessed. So is one that was captured by hand and
  refunded.
- An authorization can be raised where it was made as estimated (the account's authorization_type) and nothing has been captured.
- Amounts follow Checkout.com's decimals: ISK has none, CLP two, and the third decimal of BHD, IQD, JOD, KWD, LYD, OMR and TND must be 0.
  CLF is refused.
- What the customer's browser brings back proves nothing: the payment is asked for.
- Webhooks are signed over the whole body. One older than 36 hours is refused (they are sent again for up to 30). Events come in any
  order, so each asks for a sync.
- A merchant-initiated payment names the payment its credential was stored with (previous_payment_id), or the network's transaction id.
`
