package bluesnap_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/bluesnap"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(bluesnap.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "BlueSnap raises no authorization",
	sdk.OpAccessToken:          "user name and password stand in every request",
}

const about = `# BlueSnap

Speaks to BlueSnap's Payment API (card transactions, ` + "`/services/2/transactions`" + `) and reads its webhooks (IPNs). Wallets are not offered.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/bluesnap -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the API user name | required |
| api_key | the API password | required |
| webhook_secret | the webhook's key | without it no message is read |
| metadata.merchant_id | the merchant id | needed to look up a payment whose answer was lost |

## What to know

- **Idempotency.** Payments, refunds and shoppers carry an ` + "`Idempotency-Key`" + `, which BlueSnap keeps for up to 24 hours; the adapter relies on it for twelve. Captures and voids take
  none and are sent once. A result that was lost is looked up by our reference, which is ` + "`merchantTransactionId`" + `, and the merchant id, or told by the same request again. "Not found"
  is believed an hour after the last send. An id of BlueSnap's that it does not know is another account's: unknown, with the alarm ` + "`other_account`" + `.
- **In doubt** are errors after which the processor may have acted (` + "`PROCESSING_TIMEOUT`, `SYSTEM_TECHNICAL_ERROR`, `BLS_CONNECTION_PROBLEM`" + `): unknown, not declined. A capture, reversal or
  refund that failed says nothing of its payment.
- **Captures.** One for an authorization; what a smaller one leaves lapses.
- **Refunds** hold our reference as metadata, by which they cannot be looked up: one whose answer was lost is told by the same request again, by the webhook, or settled by hand. BlueSnap voids what is not settled yet by itself.
- **Declines** of processors all have code 14002: the reason is read from the error's name.
- **3-D Secure** of BlueSnap's own needs its script in the merchant's page. Results of an authentication done outside are sent.
- **Stored credentials** are vaulted shoppers, one for each card. A verification makes one: BlueSnap has the issuer check a card before it keeps it.
- **Webhooks** are signed with their time: five minutes old at most, or fourteen hours where BlueSnap writes the time of a zone that it does not name. Every message
  about a payment or refund causes a query.
`
