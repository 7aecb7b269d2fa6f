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

// TestReadme keeps README.md what the code says.
func TestReadme(t *testing.T) {
	wire.Readme(t, readme(), *update)
}

// A code is used once, so that one amount does one thing.
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
	b.WriteString("\n## Cards\n\nExpiry any future date, CVC any. With 3-D Secure the approved ones redirect first.\n\n| Number | Outcome | Code | Message |\n|---|---|---|---|\n")
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
	} {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n| Amount | Outcome |\n|---|---|\n", s.title, s.note)
		for _, r := range rules {
			if r.operation == s.operation {
				fmt.Fprintf(b, "| %d | %s |\n", magic+r.code, r.what)
			}
		}
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

A processor that is not there: it behaves like a good sandbox, so that everything can be tried without an account
anywhere. It is an adapter like any other and answers for itself (` + "`simulator`" + `) and for the connector names listed in
` + "`plugins.simulate`" + `. It takes any credentials.

The card decides first, then the amount. Amounts that steer are %d plus a code of three digits, in minor units of
any currency; no shop charges them by accident. Every other amount does what the payment asks for.

This page is generated from the code: ` + "`go test ./plugins/simulator -run Readme -update`" + `.
`

const cardNotes = `
An approval tells CVC, address and postal code checks ` + "`pass`" + `, and a network transaction id; one that stores the card for
off-session use also a stored credential. A zero-amount verification is approved or declined by the card alone. A
payment the merchant initiates is never redirected, and is steered by the card behind the stored credential.

An adapter sees no card numbers: cards are known by their first six and last four digits and their length.
`

const paymentNotes = `Seconds are counted from the payment's creation. "Approved" is authorized or captured, as was asked for.`

const heldNotes = `An ordinary operation whose answer was lost is found done.`

const refundNotes = "By the amount of the refund. The reason `" + pendingReason + "` makes a refund of any amount pending, and\nrefunded when a sync asks."

const declineNotes = "`authentication_required` is a soft decline: with 3-D Secure, here or outside, the payment is approved. So is that of every other amount\nthat ends in 65, unless the merchant initiates the payment: with a result from outside, even U, it is approved; the claim of an exemption does not help."

const rest = `
## What it refuses by itself

| Code | When |
|---|---|
| ` + "`" + codeTooLarge + "`" + ` | a capture of more than is authorized and not captured, a refund of more than is captured and not refunded |
| ` + "`" + codeTooSmall + "`" + ` | an incremental authorization that raises nothing |
| ` + "`" + codeState + "`" + ` | a capture, void or refund of a payment that is not in a state for it |
| ` + "`" + codeCurrency + "`" + ` | another currency than the payment's |

A last capture (one that says so) of less than is held releases the rest, and says so. Captures before it may follow one another.

## 3-D Secure

Asked for by the processor's own 3-D Secure, a payment redirects to ` + "`/sim/redirect?return_url=…&amount=…&currency=…`" + ` at the
origin of the return URL. The page comes back to the return URL with ` + "`result=approve`" + ` or ` + "`result=decline`" + `, in the query or a
form: approved, or declined with ` + "`authentication_failed`" + `. Without a result the customer is still to act.

A result from outside is taken when it is well-formed: version 2.x, ` + "`ds_trans_id`" + ` a UUID, status Y or A (or none told) with a
cryptogram, ECI 00 to 07; I and U need no proof and give none. Other statuses decline with ` + "`authentication_failed`" + `. A zero-amount
verification needs no cryptogram.

Results of the built-in 3DS server are known by their ` + "`ds_trans_id`" + ` and judged as an issuer judges its own:

| Code | When |
|---|---|
| ` + "`" + codeCAVV + "`" + ` | the cryptogram is not that of this authentication and its status |
| ` + "`" + codeECI + "`" + ` | the ECI does not belong to scheme and status |
| ` + "`" + codeExceeded + "`" + ` | more than was authenticated, or another currency |

## Webhooks

A test may send the messages that a processor would. Each asks for a sync; what it says is not believed.

    {"type": "payment.updated", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}
    {"type": "refund.updated", "refund_id": "simr_…", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}

A payment needs its ` + "`transaction_id`" + ` or ` + "`reference`" + `, a refund its ` + "`refund_id`" + ` or ` + "`reference`" + `; ` + "`created`" + ` is in Unix seconds. Where the account
has a ` + "`" + webhookSecret + "`" + `, the header ` + "`" + signatureHeader + "`" + ` must hold the lowercase hex HMAC-SHA256 of the body under it.
`
