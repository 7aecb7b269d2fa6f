package netcetera_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/netcetera"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(netcetera.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpResult:      "Netcetera pushes results and cannot be asked for them",
	sdk.OpAccessToken: "not needed",
}

const about = `# Netcetera

EMV 3-D Secure 2 through Netcetera's 3DS Server, operated as a service: browser, app and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/netcetera -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + ` with ` + "`auth_type: CertificateAuth`" + `. Facts about acquirer and merchant from the profile or the processor's account come first.

| Field | From | |
|---|---|---|
| certificate, private_key | the client certificate and its key, PEM or base64 of it | required |
| metadata.endpoint_prefix | the first label of the host name that Netcetera gave | required |
| metadata.merchant_configuration_id | the configuration of merchant and acquirer at Netcetera | optional |
| metadata.acquirer_bin, acquirer_merchant_id, acquirer_country_code | the acquirer, as enrolled with the schemes | without a configuration id |
| metadata.mcc, merchant_name, merchant_country_code | the merchant | without a configuration id |
| metadata.three_ds_requestor_id, three_ds_requestor_name | if Netcetera does not know them | optional |

## What to know

- **Mutual TLS.** The client certificate identifies the account. The switch presents it; the adapter never sees it.
- **Results are pushed**, to a URL of each authentication's own, whose host must be on Netcetera's list. A push has no signature: the URL, which only Netcetera knows, and the ids prove it.
  Netcetera cannot be asked for a result: a lost push leaves the challenge without one.
- **Not enrolled** is an error message with HTTP 404 from /3ds/versioning, or ` + "`isCardFoundIn2xRanges: false`" + `. A 404 without a message is not enough.
- **Co-badged cards** have a range for each brand; the chosen one is sent as ` + "`schemeId`" + `.
- **A challenge** is recognised by ` + "`transStatus`" + ` alone: ` + "`acsChallengeMandated`" + ` may be N with a challenge. The switch makes the CReq.
- **The 3DS method** uses the switch's own notification URL, not the one configured at Netcetera.
`
