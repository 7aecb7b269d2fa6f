package paypal_test

import "payswitch/sdk"

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpIncrementalAuthorize: "PayPal raises no authorization of a card",
}

const about = `# PayPal

Cards through PayPal's REST APIs: Orders v2, Payments v2 and Payment Method Tokens v3. The adapter does not offer PayPal wallets.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/paypal -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| key1 | the client id of the REST app | required |
| api_key | the client secret of the REST app | required |
| api_secret | the merchant's PayPal id | not used |

The app needs advanced credit and debit card payments, and the vault for stored cards. Set the webhook up at PayPal, for all events of payments and orders.

## What to know

- **Idempotency.** Every change carries a ` + "`PayPal-Request-Id`" + `. The switch gets a lost result by sending the identical request again within six hours, after that by
  asking for the order. PayPal cannot find a payment by our reference; a refund it can, within its order.
- **Ids.** The transaction id is the order's. Captures need the authorization's id, refunds the capture's: the switch stores both with the payment, and looks them up in the order after
  a lost answer.
- **An order that is complete** has a payment, which may have been declined: the payment's own status decides. An order that shows no payment proves nothing.
- **Another account.** If PayPal does not know an order, capture or refund id of its own, the result is unknown, with the alarm ` + "`other_account`" + `. Only an unpaid order counts as
  gone, 72 hours after its creation.
- **Captures.** A partial capture releases the rest, unless the payment allows several. Then each capture has its own ` + "`invoice_id`" + `, by which a query finds it, and only the last
  sends ` + "`final_capture`" + `. PayPal refunds each capture separately: the adapter picks the capture with the smallest sufficient rest, and refuses a refund
  that is higher than every rest.
- **Reauthorization** raises the amount (up to 115 % of it), or holds the same amount for longer, from the fourth day on. Earlier PayPal answers ` + "`REAUTHORIZATION_TOO_SOON`" + `.
- **Amounts.** Forint and Taiwan dollars are whole numbers at PayPal: the adapter refuses other amounts. It does not offer currencies that PayPal does not support.
- **3-D Secure** is PayPal's own: the customer visits its page, and the payment goes on if PayPal recommends that for the result. The adapter refuses results of an
  outside authentication, because PayPal has no field for them.
- **Stored credentials** live in PayPal's vault. A successful payment stores them. A verification stores the card without a payment: PayPal then checks only its form, and asks the
  issuer with the first payment.
- **Webhooks** prove nothing: PayPal signs with a certificate that must be fetched first, and asking PayPal to verify one would cost a request for every forged message.
  One about a payment of ours causes a query; others have no effect. One about a dispute also raises an alarm, because the adapter has no
  query about disputes.
`
