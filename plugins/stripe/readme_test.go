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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(stripe.Adapter(), os.DirFS("testdata"), facts, map[sdk.Operation]string{sdk.OpAccessToken: "the secret key stands in every request"})
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+against, *update)
}

// against describes the material of Stripe that the tests compare with.
const against = `
## Tested against what Stripe publishes

- **stripe-mock** checks every request against Stripe's OpenAPI description and answers it.
- **stripe-go**, Stripe's client: for the same task it and the adapter send the same requests, field for field. The adapter reads answers, errors and messages made from
  the client's own objects. The client's types decode every posted form and refuse unknown fields; only ` + "`ip`, `user_agent` and `mit_exemption`" + ` are unknown to it, and
  full card numbers are known for PaymentMethods only. Each of its decline codes has a reason of ours. The adapter accepts the signatures of its webhook package.
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

- **Idempotency.** Every POST carries an ` + "`Idempotency-Key`" + `, which Stripe remembers for 24 hours. The switch gets a lost answer by sending the same request again; after that by a
  search for our reference in ` + "`metadata[order_id]`" + `. The search may lag, so "not found" counts two hours after the last send. If Stripe does not know an id of its
  own (404), the id belongs to another account or mode: the result is unknown, with the alarm ` + "`other_account`" + `.
- **Amounts.** Ugandan shillings are sent in hundredths. Amounts in currencies of three decimals must end in 0, because Stripe rounds; the adapter refuses others.
  An intent or refund whose amount is missing, zero or unreadable decides nothing.
- **Limits.** Statement descriptors are cut at 22 characters, and metadata beyond 50 pairs, names of 40 characters without brackets and values of 500 is left out: Stripe would
  refuse the payment.
- **Captures.** A partial capture releases the rest, unless the payment allows several: then the authorization asks for ` + "`request_multicapture`" + `, and all captures but the
  last send ` + "`final_capture=false`" + `. Stripe must have enabled several captures for the account; it refuses them for cards that do not allow them.
- **Stored credentials.** A stored card gets a Stripe customer, whom the switch stores and names in later payments. These charge the PaymentMethod.
- **3-D Secure.** With Stripe's own 3-D Secure the customer visits a page, and the intent then has the result. An outside result is sent instead.
- **Declines.** ` + "`code`" + ` is Stripe's error code, ` + "`decline_code`" + ` is stored with it and decides our reason. Errors 409, 429, 5xx and ` + "`idempotency_error`" + ` decide nothing.
- **Webhooks.** ` + "`payment_intent.*`" + `, ` + "`setup_intent.*`" + `, ` + "`charge.refunded`" + `, ` + "`refund.*`" + `, ` + "`charge.dispute.*`" + `. The adapter checks signatures, and accepts times within five minutes. Messages come in any
  order: only a final state (succeeded, canceled, a refund's state) is taken from a message; the adapter asks for any other state.
`
