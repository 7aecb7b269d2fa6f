package worldpay_test

import "payswitch/sdk"

// missing is why an operation is not offered.
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
| metadata.merchant_name | the narrative: what statements show where a payment has no descriptor | the entity without it |
| webhook_secret | the webhook's signing secret, hex text | without it every message causes a query, signed or not |

## What to know

- **No idempotency key.** Nothing is sent twice. A payment whose answer was lost is looked up by our reference, which may take Worldpay a quarter of an hour: "not found" is
  believed 30 minutes after the last send.
- **Ids.** The transaction id is the payment's link data and changes with every settlement. A payment that waits for 3-D Secure goes by our reference.
- **Accepted is done.** Worldpay answers settlements and refunds with ` + "`sentFor…`" + `; that counts as captured and refunded. A cancellation is pending until the last event says
  ` + "`cancelled`" + `.
- **Partial approvals** are read (` + "`amounts.totalAuthorized`" + `), asked for or not.
- **In doubt** are the last events ` + "`error` and `settlementFailed`" + `: unknown, not declined. So is link data of Worldpay's that it does not know, with the alarm ` + "`other_account`" + `.
- **Queries** tell the last event of the payment and no amounts. Where several settlements or refunds make it ambiguous, the result stays unknown.
- **3-D Secure** of Worldpay's measures the device, then challenges. Results of an authentication done outside are sent.
- **Automatic capture** is undone by Worldpay where address or security code do not match: such a payment is declined.
- **Webhooks** are verified, not older than eight days (Worldpay repeats them for a week), and cause a query. Chargebacks are left out.
`
