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

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(cybersource.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpAccessToken: "every request is signed",
}

const about = `# Cybersource

Speaks to Cybersource's REST API: Payments (` + "`/pts/v2`" + `), Payer Authentication (` + "`/risk/v1`" + `), Transaction Search (` + "`/tss/v2`" + `) and webhooks.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/cybersource -run Readme -update`" + `.

## Account

| Field | From | |
|---|---|---|
| api_key | the id of a REST shared secret key | required |
| key1 | the merchant id | required |
| api_secret | the shared secret, in base64 | required |
| webhook_secret | the digital signature key of the webhooks, in base64 | without it no message is read |
| metadata.disable_avs | "true" approves although the address check failed | "false" |
| metadata.disable_cvn | "true" approves although the CVC check failed | "false" |

## What to know

- **Requests are signed** (HTTP Signature, HMAC-SHA256 over host, date, request target, digest and merchant id). Key, secret and the digest of a body with a card in it
  are computed by the host.
- **No idempotency key.** Nothing is sent twice. A result that was lost is looked up in Transaction Search, by id or by our reference, which is
  ` + "`clientReferenceInformation.code`" + `. "Not found" is believed an hour after the last send. An id of Cybersource's that it does not know is another account's: unknown,
  with the alarm ` + "`other_account`" + `.
- **Captured with the payment** is what Transaction Search shows so: the service ` + "`ics_bill`" + ` succeeded, or the payment was handed on. Where ` + "`ics_bill`" + ` failed or is not there, the
  payment is authorized. A capture that failed later says nothing of the payment.
- **In doubt** are time-outs and errors of the processor behind Cybersource (` + "`PROCESSOR_TIMEOUT`, `SYSTEM_ERROR`" + ` and their like): unknown, not declined.
- **Captures** are accepted (pending) and handed on with the day's batch, after which a sync tells that they are taken. There is one for an authorization; what a smaller
  one leaves is released by Cybersource or lapses. The capture has an id of its own, to which refunds refer.
- **Decision Manager.** A payment that is held for review is pending until a person decides. One that is refused (` + "`AUTHORIZED_RISK_DECLINED`" + `) is declined: what the issuer
  holds lapses, or is reversed in the Business Center.
- **3-D Secure** is run by Payer Authentication where it is asked for: device data, enrollment, challenge. The proof goes from the enrollment into the payment without being
  seen here. Results of an authentication done outside are sent.
- **Stored credentials** are payment instruments of the Token Management Service. A payment by network transaction id names its reason.
- **Webhooks** are signed with their time, five minutes old at most. Every message causes a query: it says less than Transaction Search does.
`
