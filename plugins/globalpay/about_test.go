package globalpay_test

import "payswitch/sdk"

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpComplete:             "nothing sends the customer away",
	sdk.OpIncrementalAuthorize: "GP API raises by the difference and for few accounts only; not covered by this adapter",
}

const about = `# Global Payments

Cards through Global Payments' GP API (Unified Payments), version 2021-03-22.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/globalpay -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the app id | required |
| api_key | the app key | required; it is never sent, a digest with it is |
| metadata.account_name | the name of the transaction processing account | ` + "`transaction_processing`" + ` if left out |
| metadata.country | the country the merchant sells from | that of the billing address if left out, else ` + "`US`" + ` |

## What to know

- **Idempotency.** Every change carries an ` + "`X-GP-Idempotency`" + ` key. A key that was used before is refused with the id of what it made, which is then asked for: so the
  identical request again settles an unknown result. It is sent again within an hour only. After that a payment is asked for by its id or found by our reference; a refund whose
  answer was lost cannot be found.
- **In doubt** are results 2xx and 3xx, errors of communication with the bank and of Global Payments' systems: unknown, not declined. So is an id of GP API's that it does not
  know, with the alarm ` + "`other_account`" + `.
- **Captures.** One for an authorization; a smaller one releases the rest. A query shows the amount that was authorized, also after a smaller capture.
- **3-D Secure** at Global Payments is not run by this adapter. Results of an authentication done outside are sent.
- **Stored credentials** are GP API's payment methods, ` + "`PMT_…`" + `. With a payment they are kept on success. A verification keeps the card without a payment.
- **Webhooks** are signed by the app key, without a time: every message causes a query, so that an old one sent again does nothing.
`
