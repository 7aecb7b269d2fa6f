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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(braintree.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:    "nothing sends the customer away",
	sdk.OpAccessToken: "the keys stand in every request",
}

const about = `# Braintree

Card payments through Braintree's GraphQL API (` + "`/graphql`" + `, version 2019-01-01) and its webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/braintree -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the public key | required |
| api_secret | the private key, which also signs webhooks | required |
| key1 | the merchant ID | not sent |
| metadata.merchant_account_id | the merchant account that the money goes to | required |
| metadata.merchant_config_currency | its currency | required |

## What to know

- **Currency.** Braintree charges an amount in the merchant account's currency. The adapter rejects a payment in another currency:
  create one connector account for each merchant account. Amounts have three decimals at most.
- **Two requests.** Only ` + "`tokenizeCreditCard`" + ` holds the card; the payment refers to the single-use token.
- **Idempotency.** Charges, captures, reversals and refunds carry an ` + "`apiRequestKey`" + `, with which Braintree acts once in 30 days. Verifications and changes of the
  amount have no key and are sent once.
- **Lost answers.** The adapter searches for Braintree's id, or for our reference, which is the ` + "`orderId`" + `. "Not found" counts 15 minutes after the last send.
  If Braintree does not know an id of its own, the id belongs to another account: the result is unknown, with the alarm ` + "`other_account`" + `.
- **Amounts.** A transaction or refund without a readable amount decides nothing.
- **Errors.** Braintree answers 200 to everything. Errors of a class that precedes any work (validation, authentication …) are declines. Internal errors leave the
  payment unknown. A result stands even with errors.
- **Captures.** An authorization has one capture; a partial capture releases the rest.
- **Voids** are reversals. If the payment has settled, Braintree refunds it instead: the result of the void is then unknown, with the refund's id.
- **Refunds** need a settled payment; before that, void it. They are pending until they settle.
- **Stored credentials** are payment methods of the vault. A card of another vault is charged with the network transaction id.
- **3-D Secure** of Braintree needs a script in the merchant's page. The adapter sends outside results; they need the ECI.
- **Webhooks** are signed with the private key over a payload with the time. The adapter accepts a day, because Braintree repeats messages that long. A message
  names its payment, and the adapter asks for the state. The challenge that Braintree can send to a new URL (` + "`bt_challenge`" + `) is not answered.
- **Files of evidence** are at Braintree's dispute as soon as they are attached. Braintree hands all of them in with the answer, also those that were deleted or
  replaced at payswitch: take such a file away in Braintree's Control Panel.
- **Not sent:** statement descriptors, custom fields, order lines, the customer's device.

`
