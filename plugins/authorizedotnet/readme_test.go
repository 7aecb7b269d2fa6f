package authorizedotnet_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(authorizedotnet.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+models(t).Readme(), *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "Authorize.net raises no authorization",
	sdk.OpAccessToken:          "the login stands in every request",
}

const about = `# Authorize.net

Card payments through Authorize.net's JSON API (` + "`/xml/v1/request.api`" + `) and its webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/authorizedotnet -run Readme -update`" + `.

## Account

| Field | What | |
|---|---|---|
| api_key | API login ID | required |
| key1 | transaction key | required; switch the Transaction Details API on in the merchant interface: look-ups need it |
| webhook_secret | signature key | without it a message only causes a query |

## What to know

- **No idempotency key.** Nothing is sent twice. The adapter looks for a payment whose answer was lost by our reference, its invoice number: among the unsettled
  transactions, then in the batches settled since. "Not found" counts 15 minutes after the last send, and only if the adapter could read these lists back to the payment's
  beginning: 600 unsettled transactions, three batches of 200. Otherwise the payment stays unknown until a webhook or a person settles it. The same usually holds for a refund whose
  request was lost, because batches have settled since its payment.
- **Duplicates.** Reason code 11 means that Authorize.net has received this invoice number before: the result is unknown, and the adapter looks it up.
- **Amounts** have the currency's decimals. The merchant's account decides which currencies Authorize.net accepts.
- **In doubt** are errors after which the processor may have acted: reason codes 19 to 26, 57 to 63, 120 to 122, 180 and 181, ` + "`communicationError`" + `, and ` + "`settlementError`" + `, as
  the batch can be reset and settle. The result is unknown, not declined. So is an id of Authorize.net's own that it does not know, with the alarm ` + "`other_account`" + `.
- **Partial approvals** of prepaid cards count (` + "`prePaidCard.approvedAmount`" + `), whether they were requested or not.
- **Captures.** An authorization has one capture; a partial capture releases the rest. A part that the issuer approved is captured and voided by its
  split tender id; the adapter allows a part only where the merchant captures, because Authorize.net would hold it until another card pays the rest. After "already captured" the adapter looks the capture up.
- **Refunds** need a settled payment; before that, void it. They name the card by its last four digits and are pending until they settle.
- **Stored credentials** are a customer profile and a payment profile: ` + "`<customer>-<payment>`" + `. A verification that stores the card checks it with the issuer in live mode; a sandbox checks
  only its form. A verification without storing is an authorization of zero, which some acquirers refuse.
- **3-D Secure.** The adapter sends outside results: the ECI without its leading zero, and the cryptogram.
- **Webhooks** are signed over the whole message and hold the event's time. They lack the currency, so each causes a query; within five minutes of the event its content is recorded.
`
