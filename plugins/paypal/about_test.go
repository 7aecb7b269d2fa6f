package paypal_test

import "payswitch/sdk"

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpIncrementalAuthorize: "PayPal raises no authorization of a card",
}

const about = `# PayPal

Cards through PayPal's REST APIs: Orders v2, Payments v2 and Payment Method Tokens v3. PayPal wallets are not cards and not offered.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/paypal -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the client id of the REST app | required |
| api_key | the client secret of the REST app | required |
| api_secret | the merchant's PayPal id | not used |

The app needs advanced credit and debit card payments, and the vault for stored cards. The webhook is set up at PayPal, for all events of payments and orders.

## What to know

- **Idempotency.** Every change carries a ` + "`PayPal-Request-Id`" + `. A result that was lost is fetched by sending the identical request again within six hours, after that by
  asking for the order. A payment cannot be found by our reference; a refund can, within its order.
- **Ids.** The transaction id is the order's. Captures need the authorization's id, refunds the capture's: both are kept with the payment, and looked up in the order when an
  answer with them was lost.
- **An order that is complete** has a payment, which may have been declined: the payment's own status decides. An order that shows no payment proves nothing.
- **Another account.** An order, capture or refund of PayPal's that it does not know is unknown, with the alarm ` + "`other_account`" + `. Only an order that nobody has paid is believed to
  be gone, 72 hours after it was made.
- **Captures.** One for an authorization; a smaller one releases the rest.
- **Amounts.** Forint and Taiwan dollars are whole numbers at PayPal: other amounts are refused before anything is sent. Currencies that PayPal does not take are not offered.
- **3-D Secure** is PayPal's own: the customer is sent to its page, and the money is taken when the result is one that PayPal recommends to go on with. Results of an
  authentication done outside are refused, as PayPal has no field for them.
- **Stored credentials** live in PayPal's vault. With a payment they are stored on success. A verification stores the card without a payment: PayPal then checks its form, and the
  issuer is asked with the first payment only.
- **Webhooks** are signed by a certificate that would have to be fetched first, and to ask PayPal whether one is genuine costs a request for every forged one. So they are not
  believed: one about a payment of ours causes a query, which tells the truth; others cause nothing. Disputes are noted with the payment.
`
