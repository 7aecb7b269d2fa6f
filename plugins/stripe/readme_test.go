package stripe_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(stripe.Adapter(), os.DirFS("testdata"), facts, map[sdk.Operation]string{sdk.OpAccessToken: "the secret key stands in every request"})
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+against, *update)
}

// against is what the tests hold the adapter against that Stripe has written.
const against = `
## Tested against what Stripe publishes

- **stripe-mock** checks every request against Stripe's OpenAPI description and answers it.
- **stripe-go**, Stripe's client: asked for the same, it and the adapter send the same requests, field for field, and the adapter reads answers, errors and messages that are
  the client's own objects. What is posted is decoded with the client's types, which refuse unknown fields; only ` + "`ip`, `user_agent` and `mit_exemption`" + ` are not known to it, and
  full card numbers only for PaymentMethods. Each of its decline codes has a reason of ours, and what its webhook package signs is believed.
`

const about = `# Stripe

Card payments through Stripe's API, version 2022-11-15: a payment is a PaymentIntent that is confirmed as it is created, a zero-amount
verification a SetupIntent.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/stripe -run Readme -update`" + `.

## Account

| Field | What | |
|---|---|---|
| api_key | secret key, or a restricted key that may write PaymentIntents, SetupIntents, refunds and customers | required; Stripe must have allowed the account to send full card numbers |
| webhook_secret | the endpoint's signing secret, ` + "`whsec_…`" + ` | without it a message only causes a query |
| metadata.incremental_authorization | ` + "`if_available`" + ` asks for holds that can be raised later | ` + "`never`" + ` if left out |

## What to know

- **Idempotency.** Every POST carries an ` + "`Idempotency-Key`" + `, which Stripe remembers for 24 hours. A lost answer is fetched by sending the same request again; after that by
  search on ` + "`metadata[order_id]`" + `, our reference, which may lag: "not found" is believed two hours after the last send. An id of Stripe's that Stripe does not
  know (404) belongs to another account or mode: unknown, with the alarm ` + "`other_account`" + `.
- **Amounts.** Ugandan shillings are sent in hundredths. Currencies of three decimals must end in 0, as Stripe rounds; other amounts are refused before they leave.
  An intent or refund whose amount is missing, zero or unreadable decides nothing.
- **Limits.** Statement descriptors are cut at 22 characters, and metadata beyond 50 pairs, names of 40 characters without brackets and values of 500 is left out: Stripe would
  refuse the payment.
- **Captures.** One for an authorization; a smaller one releases the rest.
- **Stored credentials.** A card that is stored gets a Stripe customer, who is kept with ours and named in later payments. What is charged again is the PaymentMethod.
- **3-D Secure.** Asked for, Stripe sends the customer to a page and back; the intent then says how it ended. A result from elsewhere is sent instead.
- **Declines.** ` + "`code`" + ` is Stripe's error code, ` + "`decline_code`" + ` is kept beside it and decides our reason. Errors 409, 429, 5xx and ` + "`idempotency_error`" + ` decide nothing.
- **Webhooks.** ` + "`payment_intent.*`" + `, ` + "`setup_intent.*`" + `, ` + "`charge.refunded`" + `, ` + "`refund.*`" + `, ` + "`charge.dispute.*`" + `. Signatures are checked, and their time to five minutes. Messages come in any
  order: only an end (succeeded, canceled, a refund's state) is taken from a message, everything else is asked for.
`
