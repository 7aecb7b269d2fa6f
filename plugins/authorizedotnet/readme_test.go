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

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(authorizedotnet.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+models(t).Readme(), *update)
}

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "Authorize.net raises no authorization",
	sdk.OpAccessToken:          "the login stands in every request",
}

const about = `# Authorize.net

Speaks to Authorize.net's JSON API (` + "`/xml/v1/request.api`" + `) and reads its webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/authorizedotnet -run Readme -update`" + `.

## Account

| Field | What | |
|---|---|---|
| api_key | API login ID | required |
| key1 | transaction key | required; the Transaction Details API must be switched on in the merchant interface, or nothing can be looked up |
| webhook_secret | signature key | without it a message only causes a query |

## What to know

- **No idempotency key.** Nothing is sent twice. A payment whose answer was lost is looked up by our reference, its invoice number: among the unsettled
  transactions, then in the batches settled since. "Not found" is believed 15 minutes after the last send, and only where these lists were read back to the payment's
  beginning: 600 unsettled transactions, three batches of 200. Beyond that the payment stays unknown until a webhook or a person tells. So does most often a refund whose request was lost, as batches
  have been settled since its payment.
- **Duplicates.** Reason code 11 means that this very invoice number has been seen: unknown, and looked up.
- **Amounts** go out with the currency's decimals. Which currencies are taken is up to the merchant's account there.
- **In doubt** are errors after which the processor may have acted: reason codes 19 to 26, 57 to 63, 120 to 122, 180 and 181, ` + "`communicationError`" + `, and ` + "`settlementError`" + `, as
  the batch can be reset and settle. They are unknown, not declined. So is an id of Authorize.net's that it does not know, with the alarm ` + "`other_account`" + `.
- **Partial approvals** of prepaid cards are read (` + "`prePaidCard.approvedAmount`" + `), asked for or not.
- **Captures.** One for an authorization; a smaller one releases the rest. "Already captured" is looked up.
- **Refunds** need a settled payment; before that, void it. They name the card by its last four digits and are pending until they are settled themselves.
- **Stored credentials** are a customer profile and a payment profile: ` + "`<customer>-<payment>`" + `. A verification that stores the card has it checked with the issuer in live mode; a sandbox looks
  at its form alone. One that stores nothing is an authorization of zero, which not every acquirer takes.
- **3-D Secure** done outside is sent: ECI without its leading zero, and the cryptogram.
- **Webhooks** are signed over the whole message, and hold the event's time. They name no currency, so every one causes a query; what they say is noted for five minutes after the event.
`
