package braintree_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(braintree.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+support, *update)
}

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:    "nothing sends the customer away",
	sdk.OpAccessToken: "the keys stand in every request",
}

const about = `# Braintree

Speaks Braintree's GraphQL API (` + "`/graphql`" + `, version 2019-01-01) and reads its webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/braintree -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the public key | required |
| api_secret | the private key, which signs webhooks, too | required |
| key1 | the merchant ID | not sent |
| metadata.merchant_account_id | the merchant account that the money goes to | required |
| metadata.merchant_config_currency | its currency | required |

## What to know

- **Currency.** Braintree takes an amount without its currency and charges it in that of the merchant account. A payment in another currency is rejected before
  anything is sent: have one connector account for each merchant account. Amounts have three decimals at most.
- **Two requests.** The card goes into ` + "`tokenizeCreditCard`" + ` alone; the payment refers to the single-use token.
- **Idempotency.** Charges, captures, reversals and refunds carry an ` + "`apiRequestKey`" + `, under which Braintree acts once in 30 days. Verifications and changes of the
  amount take none and are sent once.
- **Lost answers** are settled by a search for Braintree's id, or for our reference, which is the ` + "`orderId`" + `. "Not found" is believed 15 minutes after the last send.
  An id of Braintree's that it does not know is another account's: unknown, with the alarm ` + "`other_account`" + `.
- **Amounts.** A transaction or refund without an amount that can be read decides nothing.
- **Errors.** Braintree answers 200 to everything. Errors of a class that comes before any work (validation, authentication …) are declines; internal ones leave the
  payment unknown, and errors beside a result do not undo it.
- **Captures.** One for an authorization; a smaller one releases the rest.
- **Voids** are reversals. Where the payment had settled, Braintree refunds it instead: that is reported as unknown, with the refund's id.
- **Refunds** need a settled payment; before that, void it. They are pending until they have settled.
- **Stored credentials** are payment methods of the vault. A card of another vault is charged with the network transaction id.
- **3-D Secure** of Braintree's own needs its script in the merchant's page. Results of an authentication done outside are sent; they need the ECI.
- **Webhooks** are signed with the private key over a payload that holds the time: up to a day is taken, which is how long Braintree goes on trying. A message says
  which payment it is about; what has become of it is asked for. The challenge that Braintree can send to a new address (` + "`bt_challenge`" + `) is not answered.
- **Not sent:** statement descriptors, custom fields, order lines, the customer's device.

`
