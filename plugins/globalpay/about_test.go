package globalpay_test

import "payswitch/sdk"

// missing says why the adapter lacks an operation.
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
| api_key | the app key | required; the adapter sends only a digest with it |
| metadata.account_name | the name of the transaction processing account | ` + "`transaction_processing`" + ` if left out |
| metadata.country | the country the merchant sells from | if left out: the country of the billing address, else ` + "`US`" + ` |

## What to know

- **Idempotency.** Every change carries an ` + "`X-GP-Idempotency`" + ` key. GP API refuses a known key and names the id that the first request made; the adapter then asks for that id. So the
  identical request again settles an unknown result, within an hour. After that the adapter asks for a payment by its id or our reference. It cannot find a refund whose
  answer was lost.
- **In doubt** are results 2xx and 3xx, errors of communication with the bank and of Global Payments' systems: the result is unknown, not declined. So is an id of GP API's own that it does not
  know, with the alarm ` + "`other_account`" + `.
- **Captures.** An authorization has one capture; a partial capture releases the rest. A query shows the authorized amount, even after a partial capture.
- **Currencies.** Payments in ISK, IRR and MGA are routed elsewhere, because their decimals here are uncertain.
- **3-D Secure** of Global Payments is not supported. The adapter sends outside results.
- **Stored credentials** are GP API's payment methods, ` + "`PMT_…`" + `. A successful payment stores them. A verification stores the card without a payment.
- **Webhooks** are signed with the app key, without a time: every message only causes a query, so a repeated old message has no effect.
`
