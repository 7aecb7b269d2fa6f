package threedsecureio_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(threedsecureio.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing is why an operation is not offered.
var missing = map[sdk.Operation]string{
	sdk.OpCancelChallenge: "3dsecure.io is not told: the ACS ends the challenge on its own",
	sdk.OpAccessToken:     "not needed",
	sdk.OpWebhook:         "results are asked for",
}

const about = `# 3dsecure.io

EMV 3-D Secure 2 through 3dsecure.io's 3DS server: browser, app and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/threedsecureio -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + `. What the profile or the processor's account says of acquirer and merchant comes first.

| Field | From | |
|---|---|---|
| api_key | the API key; another in the sandbox than in production | required |
| metadata.acquirer_bin, acquirer_merchant_id, acquirer_country_code | the acquirer, as enrolled with the schemes | optional |
| metadata.mcc, merchant_name, merchant_country_code | the merchant | optional |
| metadata.three_ds_requestor_id, three_ds_requestor_name | where 3dsecure.io does not know them | optional |

## What to know

- **Messages** are told by their ` + "`messageType`" + `, not by the HTTP status: an error may come with 200. A message that is no error counts only with a status of success.
- **Not enrolled** is error 305 of /preauth and nothing else. A look-up that fails is never taken for it.
- **Transaction ids** of /preauth are good for 80 seconds and for one authentication.
- **Results** are kept for 300 seconds (20 minutes after a decoupled challenge). 305 of /postauth is "not yet", 203 "not known, or not any more".
- **Co-badged cards.** 3dsecure.io picks a brand; the payer's choice is sent as ` + "`ds`" + `, for the brands it has a name for.
- **ASCII alone.** Letters lose their accents; a name in another script is left out, because half of it would be wrong.
- **The base URL** can be set on the account: the 3DS server of the development mode speaks the same.
`
