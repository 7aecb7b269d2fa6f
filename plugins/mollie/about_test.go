package mollie_test

import "payswitch/sdk"

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpIncrementalAuthorize: "Mollie raises no authorization",
	sdk.OpAccessToken:          "the API key stands in every request",
}

const about = `# Mollie

Cards through Mollie's API v2: card tokens, payments, captures, refunds, customers and mandates.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/mollie -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the API key, ` + "`test_…` or `live_…`" + ` | required; it decides between test and live |
| key1 | the website profile's id, ` + "`pfl_…`" + ` | required: card tokens belong to it |

Mollie must have allowed the account to send card numbers from its server.

## What to know

- **Idempotency.** Every change carries an ` + "`Idempotency-Key`" + `, which Mollie remembers for one hour. Mollie finds a payment only by its own id, and a refund also by our reference,
  its ` + "`metadata.orderId`" + `.
- **Another mode.** If Mollie does not know a payment or refund id of its own (404), the id belongs to the other mode or another account: the result is unknown, with the alarm ` + "`other_account`" + `.
- **Amounts** of captures, refunds and payments decide: without a readable amount in the payment's currency nothing counts as captured or refunded.
- **3-D Secure** is Mollie's decision: a payment that is ` + "`open`" + ` has a checkout page for the customer. The adapter rejects outside results.
- **Captures** may be pending; the payment's ` + "`amountCaptured`" + ` then shows the capture. The adapter releases an uncaptured rest with ` + "`release-authorization`" + `, which Mollie only promises to try.
- **Stored credentials** are a customer and a mandate together: ` + "`cst_…/mdt_…`" + `. The first stored card creates the customer, whom the switch stores.
- **Verification** is a first payment of 0.00, which stores the card.
- **Webhooks** are unsigned and hold only the payment's id: each causes a query.
- **Currencies.** Mollie's currencies for cards, without ISK: Mollie counts it without decimals, payswitch with two.
`
