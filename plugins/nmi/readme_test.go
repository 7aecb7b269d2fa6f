package nmi_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/nmi"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(nmi.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "NMI raises no authorization",
	sdk.OpAccessToken:          "the security key stands in every request",
}

const about = `# NMI

Card payments through NMI's gateway, and gateways that resell it: the Payment API (` + "`/api/transact.php`" + `), the Query API (` + "`/api/query.php`" + `) and
webhooks. Set a reseller's own host as the account's base URL.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/nmi -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the private security key | required |
| key1 | the public key | not used |
| webhook_secret | the webhook's signing key | without it a message only causes a query |
| metadata.dup_seconds | how far back the gateway looks for duplicates | the account's setting if left out |

## What to know

- **No idempotency key.** Nothing is sent twice. The switch looks a lost result up by our reference, the ` + "`orderid`" + `. "Not found" counts 15 minutes
  after the last send.
- **In doubt** are response codes 400, 420 and 421, after which the processor may have acted: the result is unknown, not declined. So is a payment that NMI approved and its Query API does
  not show, with the alarm ` + "`other_account`" + `.
- **Partial approvals** count (` + "`amount_authorized`" + `), whether they were requested or not.
- **Amounts** have two decimals at most: the adapter does not offer currencies with three (KWD, BHD …).
- **Captures.** An authorization has one capture; a partial capture releases the rest.
- **Refunds** need a settled payment; before that, void it. A refund's id is its ` + "`orderid`" + `, NMI's transaction id is its reference.
- **Stored credentials** live in the customer vault. The switch stores the id of the first transaction with the payment method and sends it as ` + "`initial_transaction_id`" + `.
- **3-D Secure** of NMI needs a script in the merchant's page. The adapter sends outside results.
- **Webhooks** are signed over a nonce, without a time: every message only causes a query, so a repeated old message has no effect.
`
