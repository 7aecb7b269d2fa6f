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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(threedsecureio.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{
	sdk.OpCancelChallenge: "3dsecure.io is not told: the ACS ends the challenge on its own",
	sdk.OpAccessToken:     "not needed",
	sdk.OpWebhook:         "results are asked for",
}

const about = `# 3dsecure.io

EMV 3-D Secure 2 through 3dsecure.io's 3DS server: browser, app and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/threedsecureio -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + `. Facts about acquirer and merchant from the profile or the processor's account come first.

| Field | From | |
|---|---|---|
| api_key | the API key; sandbox and production have different keys | required |
| metadata.acquirer_bin, acquirer_merchant_id, acquirer_country_code | the acquirer, as enrolled with the schemes | optional |
| metadata.mcc, merchant_name, merchant_country_code | the merchant | optional |
| metadata.three_ds_requestor_id, three_ds_requestor_name | if 3dsecure.io does not know them | optional |

## What to know

- **Messages** are recognised by their ` + "`messageType`" + `, not by the HTTP status: an error may come with 200. Any other message counts only with a status of success.
- **Not enrolled** is error 305 of /preauth alone. A failed look-up never counts as that.
- **Transaction ids** of /preauth are valid for 80 seconds and for one authentication.
- **Results** are kept for 300 seconds (20 minutes after a decoupled challenge). 305 of /postauth means "not yet", 203 "unknown or expired".
- **Co-badged cards.** 3dsecure.io picks a brand; the payer's choice is sent as ` + "`ds`" + `, for the brands it has a name for.
- **ASCII alone.** Letters lose their accents. The adapter leaves out a name in another script, because half of it would be wrong.
- **The base URL** can be set on the account: the built-in 3DS server for development has the same API.
`
