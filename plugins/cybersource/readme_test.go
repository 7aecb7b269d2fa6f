package cybersource_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/cybersource"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(cybersource.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpAccessToken: "every request is signed",
}

const about = `# Cybersource

Card payments through Cybersource's REST API: Payments (` + "`/pts/v2`" + `), Payer Authentication (` + "`/risk/v1`" + `), Transaction Search (` + "`/tss/v2`" + `) and webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/cybersource -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the id of a REST shared secret key | required |
| key1 | the merchant id | required |
| api_secret | the shared secret, in base64 | required |
| webhook_secret | the digital signature key of the webhooks, in base64 | without it the adapter reads no message |
| metadata.disable_avs | "true" approves even if the address check fails | "false" |
| metadata.disable_cvn | "true" approves even if the CVC check fails | "false" |

## What to know

- **Requests are signed** (HTTP Signature, HMAC-SHA256 over host, date, request target, digest and merchant id). The host fills in key and secret, and computes
  the digest of a body with a card.
- **No idempotency key.** Nothing is sent twice. The switch looks a lost result up in Transaction Search, by id or by our reference, which is
  ` + "`clientReferenceInformation.code`" + `. "Not found" counts an hour after the last send. If Cybersource does not know an id of its own, the id belongs to another
  account: the result is unknown, with the alarm ` + "`other_account`" + `.
- **Automatic capture.** A payment is captured if Transaction Search shows that: the service ` + "`ics_bill`" + ` succeeded, or the payment was forwarded. If ` + "`ics_bill`" + ` failed or is absent, the
  payment is authorized. A later failed capture proves nothing about the payment.
- **In doubt** are time-outs and errors of the processor behind Cybersource (` + "`PROCESSOR_TIMEOUT`, `SYSTEM_ERROR`" + ` and their like): the result is unknown, not declined.
- **Captures** are accepted (pending) and forwarded with the day's batch; a later sync finds them captured. If a payment
  allows several, each has its number, and the last one the total count. Cybersource releases the rest then, or the rest lapses. A capture has
  an id and a reference of its own. Refunds use
  the last one's, up to the sum of all captures.
- **Review.** Decision Manager holds a payment back, or the issuer approves and the check of the address or the security code fails ("soft decline"). The payment has the
  status ` + "`requires_merchant_action`" + ` until somebody decides in the Business Center. Nothing is captured, also with automatic capture; after
  ` + "`AUTHORIZED_PENDING_REVIEW`" + ` the funds are held. ` + "`disable_avs` and `disable_cvn`" + ` approve in spite of a failed check. A payment refused by Decision Manager (` + "`AUTHORIZED_RISK_DECLINED`" + `) is declined: its authorization
  lapses, or is reversed in the Business Center.
- **3-D Secure** is run by Payer Authentication on request: device data, enrollment, challenge. The payment holds the proof of the enrollment; the adapter sees only its
  stand-in. The adapter sends outside results.
- **Stored credentials** are payment instruments of the Token Management Service. A payment by network transaction id names its reason.
- **Webhooks** are signed with their time, five minutes old at most. Every message causes a query: it holds less than Transaction Search.
`
