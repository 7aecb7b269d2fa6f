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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(bluesnap.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "BlueSnap raises no authorization",
	sdk.OpAccessToken:          "user name and password stand in every request",
}

const about = `# BlueSnap

Card payments through BlueSnap's Payment API (card transactions, ` + "`/services/2/transactions`" + `) and its webhooks (IPNs). The adapter does not offer wallets.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/bluesnap -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the API user name | required |
| api_key | the API password | required |
| webhook_secret | the webhook's key | without it the adapter reads no message |
| metadata.merchant_id | the merchant id | needed to look up a payment whose answer was lost |

## What to know

- **Idempotency.** Payments, refunds and shoppers carry an ` + "`Idempotency-Key`" + `, which BlueSnap keeps for up to 24 hours; the adapter relies on it for twelve. Captures and voids have
  no key and are sent once. The switch looks a lost result up by our reference, ` + "`merchantTransactionId`" + `, and the merchant id, or sends the same request again. "Not found"
  counts an hour after the last send. If BlueSnap does not know an id of its own, the id belongs to another account: the result is unknown, with the alarm ` + "`other_account`" + `.
- **In doubt** are errors after which the processor may have acted (` + "`PROCESSING_TIMEOUT`, `SYSTEM_TECHNICAL_ERROR`, `BLS_CONNECTION_PROBLEM`" + `): the result is unknown, not declined. A failed capture, reversal or
  refund proves nothing about its payment.
- **Captures.** An authorization has one capture; the rest of a partial capture lapses.
- **Refunds** hold our reference as metadata, which BlueSnap cannot search. After a lost answer the same request again gives the result, within twelve hours; else settle it by hand. BlueSnap itself voids an unsettled payment.
- **Review.** A payment that BlueSnap holds back (` + "`PENDING_MERCHANT_REVIEW`" + `) waits for the merchant, who approves or declines it at BlueSnap.
- **Declines** of processors all have the code 14002; the error's name decides the reason.
- **3-D Secure** of BlueSnap needs a script in the merchant's page. The adapter sends outside results.
- **Stored credentials** are vaulted shoppers, one for each card. A verification creates one: BlueSnap lets the issuer check the card before it stores the card.
- **Webhooks** are signed with their time: five minutes old at most, or fourteen hours if BlueSnap writes a time without its zone. Every message
  about a payment or refund causes a query.
`
