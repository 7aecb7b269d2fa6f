package mollie_test

import "payswitch/sdk"

// missing is why an operation is not offered.
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
| key1 | the website profile's id, ` + "`pfl_…`" + ` | required: card tokens are made for it |

Mollie must have allowed the account to send card numbers from its server.

## What to know

- **Idempotency.** Every change carries an ` + "`Idempotency-Key`" + `, which Mollie remembers for one hour. A payment is found by Mollie's id only; a refund also by our reference,
  which is its ` + "`metadata.orderId`" + `.
- **Another mode.** A payment or refund of Mollie's that it does not know (404) belongs to the other mode or another account: unknown, with the alarm ` + "`other_account`" + `.
- **Amounts** of captures, refunds and payments decide: without one that can be read, in the payment's currency, nothing is captured or refunded.
- **3-D Secure** is Mollie's decision: a payment that is ` + "`open`" + ` has a checkout page to send the customer to. A result from outside is not taken.
- **Captures** may be pending; the payment's ` + "`amountCaptured`" + ` then tells. A rest that is not captured is released with ` + "`release-authorization`" + `, which Mollie only promises to try.
- **Stored credentials** are a customer and a mandate together: ` + "`cst_…/mdt_…`" + `. The customer is made with the first card that is stored and kept.
- **Verification** is a first payment of 0.00, which stores the card.
- **Webhooks** are not signed and hold nothing but the payment's id: each causes a query.
- **Currencies.** Those that Mollie takes for cards, but ISK, which Mollie counts without decimals and payswitch with two.
`
