package simulator

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against the code.
func TestReadme(t *testing.T) {
	wire.Readme(t, readme(), *update)
}

// Each code has one rule, so one amount has one result.
func TestCodesAreUnique(t *testing.T) {
	used := map[int64]bool{}
	for _, r := range rules {
		require.False(t, used[r.code], r.code)
		require.False(t, r.code >= firstDecline && r.code < firstDecline+int64(len(declines)), r.code)
		require.True(t, r.code > 0 && r.code < 1000)
		used[r.code] = true
	}
	require.Less(t, lateSeconds, notFoundFinalSeconds)
}

func readme() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, intro, magic)
	b.WriteString("\n## Cards\n\nExpiry any future date, CVC any. With 3-D Secure the approved ones redirect first, except 3782 822463 10005: its issuer takes no part, and the\npayment is approved at once.\n\n| Number | Outcome | Code | Message |\n|---|---|---|---|\n")
	for _, k := range cards {
		if k.reason == "" {
			fmt.Fprintf(b, "| %s | approved | | |\n", k.number)
			continue
		}
		d := declineOf(k.reason)
		fmt.Fprintf(b, "| %s | declined: `%s` | `%s` | `%s` |\n", k.number, k.reason, d.Code, d.Message)
	}
	b.WriteString("| any other | approved | | |\n" + cardNotes)
	for _, s := range []struct {
		operation   sdk.Operation
		title, note string
	}{
		{sdk.OpAuthorize, "Amounts of payments", paymentNotes},
		{sdk.OpCapture, "Amounts of captures", "By the amount of the capture. " + heldNotes},
		{sdk.OpVoid, "Amounts of voided payments", "By the amount of the payment. " + heldNotes},
		{sdk.OpRefund, "Amounts of refunds", refundNotes},
		{sdk.OpIncrementalAuthorize, "Amounts of incremental authorizations", "By the new total. " + heldNotes},
		{sdk.OpSubmitEvidence, "Amounts of disputes: answers", disputeNotes},
		{sdk.OpDisputeSync, "Amounts of disputes: queries", "By the disputed amount, for a dispute whose answer is not asked about. Any other dispute is as it was."},
	} {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n| Amount | Outcome |\n|---|---|\n", s.title, s.note)
		for _, r := range rules {
			if r.operation == s.operation {
				fmt.Fprintf(b, "| %d | %s |\n", magic+r.code, r.what)
			}
		}
	}
	b.WriteString("\n## Cards of refunds\n\n" + refundCardNotes + "\n\n| Number | Outcome of a refund |\n|---|---|\n")
	for _, k := range refundCards {
		fmt.Fprintf(b, "| %s | %s |\n", k.number, k.what)
	}
	b.WriteString("\n## Declines by amount\n\n" + declineNotes + "\n\n| Amount | Reason | Code | Message | Issuer's code |\n|---|---|---|---|---|\n")
	for i, r := range declines {
		d := declineOf(r.reason)
		fmt.Fprintf(b, "| %d | `%s` | `%s` | `%s` | %s |\n", magic+firstDecline+i, d.Reason, d.Code, d.Message, d.NetworkCode)
	}
	b.WriteString(rest)
	return b.String()
}

const intro = `# Simulator

To try the switch without an account at a processor, create a connector ` + "`simulator`" + ` and pay with a card below. The simulator
behaves like a good sandbox and accepts any credentials. It is an adapter like any other, and also answers for the connectors
listed in ` + "`plugins.simulate`" + `.

The card decides first, then the amount. An amount of %d plus a code of three digits, in minor units of any currency,
selects a result of the tables below. Any other amount succeeds.

This page is generated from the code: ` + "`go test ./plugins/simulator -run Readme -update`" + `.
`

const cardNotes = `
An approval has the checks ` + "`pass`" + ` for CVC, address and postal code, and a network transaction id. If it stores the card for
off-session use, it also has a stored credential. The card alone decides a zero-amount verification. A merchant-initiated
payment is never redirected; the card of its stored credential decides.

Under the name of adyen the simulator settles automatic payments in EUR without 3-D Secure later: the payment stays pending, and so does a sync.

An adapter sees no card numbers: it recognises a card by the first six digits, the last four and the length.
`

const paymentNotes = `Seconds are counted from the payment's creation. "Approved" means authorized or captured, as requested.`

const heldNotes = `A sync finds an ordinary operation whose answer was lost as done.`

const refundNotes = "By the amount of the refund. The reason `" + pendingReason + "` makes a refund of any amount pending;\na sync then finds it refunded."

const disputeNotes = "By the disputed amount. An ordinary dispute is accepted at once, and challenged at once by evidence. A webhook (below) opens a dispute, and decides it."

const refundCardNotes = "Payments with these cards are approved. The card decides about a refund before its amount does."

const declineNotes = "`authentication_required` is a soft decline: with 3-D Secure, by the simulator or outside, the payment is approved. Every other amount that\nends in 65 gets the same decline, unless the merchant initiates the payment. An outside result, even U, is enough; an exemption is not."

const rest = `
## Refusals by the simulator itself

| Code | When |
|---|---|
| ` + "`" + codeTooLarge + "`" + ` | a capture of more than is authorized and not captured, a refund of more than is captured and not refunded |
| ` + "`" + codeTooSmall + "`" + ` | an incremental authorization without an increase |
| ` + "`" + codeState + "`" + ` | a capture, void or refund that the state of the payment does not allow |
| ` + "`" + codeSettled + "`" + ` | the void of a captured payment of 900000305 |
| ` + "`" + codeCurrency + "`" + ` | a currency other than the payment's |

Several captures may follow one another. A capture marked as the last one releases the rest, and reports that.

## 3-D Secure

A payment with the simulator's own 3-D Secure redirects to ` + "`/sim/redirect?return_url=…&amount=…&currency=…`" + ` at the
origin of the return URL. The page comes back to the return URL with ` + "`result=approve`" + ` or ` + "`result=decline`" + `, in the query or a
form: approved, or declined with ` + "`authentication_failed`" + `. Without a result the customer must still act.

The simulator accepts a well-formed outside result: version 2.x, ` + "`ds_trans_id`" + ` a UUID, status Y or A (or no status) with a
cryptogram, ECI 00 to 07; I and U need no cryptogram and give no proof. Other statuses decline with ` + "`authentication_failed`" + `. A zero-amount
verification needs no cryptogram.

Results of the built-in 3DS server are recognised by their ` + "`ds_trans_id`" + ` and checked as an issuer would check them:

| Code | When |
|---|---|
| ` + "`" + codeCAVV + "`" + ` | the cryptogram does not belong to this authentication and status |
| ` + "`" + codeECI + "`" + ` | the ECI does not belong to scheme and status |
| ` + "`" + codeExceeded + "`" + ` | the amount is higher than the authenticated one, or in another currency |

## Webhooks

A test may send the messages of a processor. A message about a payment or a refund only causes a sync. One about a dispute is booked if it is signed.
Under the name of stripe the simulator also reads Stripe's own events about payments (` + "`payment_intent.*`" + `) and refunds (` + "`charge.refund.updated`" + `), unsigned. They
only cause a sync too, and the switch answers 404 to one about an unknown payment. Its events about disputes (` + "`charge.dispute.*`" + `) need the header
` + "`Stripe-Signature`" + ` of the account's ` + "`webhook_secret`" + `.

    {"type": "payment.updated", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}
    {"type": "refund.updated", "refund_id": "simr_…", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}
    {"type": "dispute.updated", "dispute_id": "dp_1", "status": "opened", "amount": 500, "currency": "USD", "transaction_id": "sim_…", "created": 1700000000}

A payment needs its ` + "`transaction_id`" + ` or ` + "`reference`" + `, a refund its ` + "`refund_id`" + ` or ` + "`reference`" + `; ` + "`created`" + ` is in Unix seconds. A dispute is
` + "`opened`, `challenged`, `won`, `lost`, `accepted`, `expired` or `cancelled`. Its `stage`, `reason`, `reason_code` and `respond_by`" + ` (Unix seconds) may be
left out. Where the account has a ` + "`" + webhookSecret + "`" + `, the header ` + "`" + signatureHeader + "`" + ` must hold the lowercase hex HMAC-SHA256 of the body under it.
`
