package worldpay_test

import "payswitch/sdk"

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpIncrementalAuthorize: "only estimates can be raised, and the Payments API has no field to mark one",
	sdk.OpAccessToken:          "user name and password stand in every request",
}

const about = `# Worldpay

Cards through Access Worldpay's Payments API, version 2024-06-01.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/worldpay -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the user name | required |
| api_key | the password | required |
| api_secret | the entity | required |
| metadata.merchant_name | the narrative: the text on statements for a payment without a descriptor | the entity if left out |
| webhook_secret | the webhook's signing secret, hex text | without it every message causes a query, signed or not |

## What to know

- **No idempotency key.** Nothing is sent twice. The switch looks a payment whose answer was lost up by our reference. Worldpay's look-up may lag by 15 minutes, so "not found"
  counts 30 minutes after the last send.
- **Ids.** The transaction id is the payment's link data and changes with every settlement. While a payment waits for 3-D Secure, our reference is its id.
- **Accepted is done.** Worldpay answers settlements and refunds with ` + "`sentFor…`" + `; these count as captured and refunded. A cancellation is pending until the last event is
  ` + "`cancelled`" + `.
- **Partial approvals** count (` + "`amounts.totalAuthorized`" + `), whether they were requested or not. If a payment allows a part and its answer was lost, no query shows the amount: the payment stays unknown.
- **In doubt** are the last events ` + "`error` and `settlementFailed`" + `: the result is unknown, not declined. So is link data of Worldpay's own that it does not know, with the alarm ` + "`other_account`" + `.
- **Queries** return the last event of the payment, without amounts. If several settlements or refunds make it ambiguous, the result stays unknown. So does a refund
  after ` + "`refundFailed`" + `, unless it is the whole payment's and its answer came.
- **Currencies.** Payments in ISK, IRR and MGA are routed elsewhere, because their decimals here are uncertain.
- **3-D Secure** of Worldpay collects device data, then challenges. The adapter sends outside results.
- **Automatic capture.** Worldpay reverses a payment whose address or security code does not match: such a payment is declined.
- **Webhooks** cause a query; a signed one about a refund decides itself, because a query does not tell several refunds apart. The adapter checks their signature, and accepts eight days (Worldpay repeats them for a week). It ignores chargebacks.
`
