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

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(netcetera.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpResult:      "Netcetera pushes results and cannot be asked for them",
	sdk.OpAccessToken: "not needed",
}

const about = `# Netcetera

EMV 3-D Secure 2 through Netcetera's 3DS Server, operated as a service: browser, app and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/netcetera -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + ` with ` + "`auth_type: CertificateAuth`" + `. What the profile or the processor's account says of acquirer and merchant comes first.

| Field | From | |
|---|---|---|
| certificate, private_key | the client certificate and its key, PEM or base64 of it | required |
| metadata.endpoint_prefix | the first label of the host name that Netcetera gave | required |
| metadata.merchant_configuration_id | where merchant and acquirer are set up at Netcetera | optional |
| metadata.acquirer_bin, acquirer_merchant_id, acquirer_country_code | the acquirer, as enrolled with the schemes | without a configuration id |
| metadata.mcc, merchant_name, merchant_country_code | the merchant | without a configuration id |
| metadata.three_ds_requestor_id, three_ds_requestor_name | where Netcetera does not know them | optional |

## What to know

- **Mutual TLS.** The account is its client certificate, which the switch presents and this adapter never sees.
- **Results are pushed**, to a URL of each authentication's own, whose host Netcetera must have on its list. A push has no signature: the URL, which nobody else is told, and the ids are what it is believed by.
  There is nothing to ask: a push that is lost leaves the challenge without a result.
- **Not enrolled** is an error message with HTTP 404 from /3ds/versioning, or ` + "`isCardFoundIn2xRanges: false`" + `. A 404 without a message is not.
- **Co-badged cards** have a range for each brand; the chosen one is sent as ` + "`schemeId`" + `.
- **A challenge** is told by ` + "`transStatus`" + ` alone: ` + "`acsChallengeMandated`" + ` may be N with one. The CReq is made by the switch.
- **The 3DS method** is run with the switch's own notification URL, not with the one that is set up at Netcetera.
`
