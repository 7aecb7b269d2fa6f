package gpayments_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/gpayments"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(gpayments.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why an operation is not offered.
var missing = map[sdk.Operation]string{sdk.OpAccessToken: "not needed"}

const about = `# GPayments

EMV 3-D Secure 2 through GPayments ActiveServer, API version 2: browser and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/gpayments -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + ` with ` + "`auth_type: CertificateAuth`" + `. What the profile or the processor's account says of acquirer and merchant comes first.

| Field | From | |
|---|---|---|
| certificate, private_key | the client certificate and its key, PEM or base64 of it | required |
| api_key | the merchant token, with a certificate of a group of merchants | optional |
| metadata.endpoint_prefix | the host name's first label, without -test | required |
| metadata.merchant_id | the merchant id at ActiveServer | required |
| metadata.acquirer_bin, acquirer_merchant_id, mcc, merchant_name, merchant_country_code | what is not to be taken from ActiveServer's own settings | optional |
| metadata.three_ds_requestor_id, three_ds_requestor_name | as above | optional |

## What to know

- **Pages of ActiveServer's.** The 3DS method is run by two pages in hidden frames, the challenge by one that is loaded with GET: there is no method data and no CReq to post. What happens in them the
  browser posts to the event URL; such an event wakes up and proves nothing.
- **prepare** asks for the enrolment, which tells the versions, and begins the authentication. Where it is posted to ActiveServer says then, on the account's own host or not at all.
- **Not enrolled** is enrolment status 00, or error 1001 or 1005.
- **Results.** Where ActiveServer named a monitor, that is asked first. A result that still says C is not ready. 1013 means that the transaction is not known.
- **Production.** Calls of a live account carry ` + "`trans-type=prod`" + `. The live host is the test one without -test; a base URL on the account replaces it. TestLabs is reached by such a base URL too.
- **Payments of nothing** are not authenticated; a card is added with a non-payment authentication.
- **Not offered:** apps. Not verified against the service: the names of prior and requestor authentication in 3RI (` + "`priorAuthenticationInfo`, `authenticationInfo`" + `), and the acquirer's and merchant's names
  other than those of GPayments' documentation (` + "`acquirerBIN`, `mcc`, `merchantName`, `threeDSRequestorID`" + `).
`
