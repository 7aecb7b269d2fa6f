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

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(gpayments.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support, *update)
}

// missing says why the adapter lacks an operation.
var missing = map[sdk.Operation]string{sdk.OpAccessToken: "not needed"}

const about = `# GPayments

EMV 3-D Secure 2 through GPayments ActiveServer, API version 2: browser and 3RI.

This page is generated from the manifest and the cases: ` + "`go test ./plugins/gpayments -run Readme -update`" + `.

## Account

An account of type ` + "`authentication_processor`" + ` with ` + "`auth_type: CertificateAuth`" + `. Facts about acquirer and merchant from the profile or the processor's account come first.

| Field | From | |
|---|---|---|
| certificate, private_key | the client certificate and its key, PEM or base64 of it | required |
| api_key | the merchant token, with a certificate of a group of merchants | optional |
| metadata.endpoint_prefix | the host name's first label, without -test | required |
| metadata.merchant_id | the merchant id at ActiveServer | required |
| metadata.acquirer_bin, acquirer_merchant_id, mcc, merchant_name, merchant_country_code | if ActiveServer's own settings do not apply | optional |
| metadata.three_ds_requestor_id, three_ds_requestor_name | as above | optional |

## What to know

- **Pages of ActiveServer.** Two pages in hidden frames run the 3DS method; a page loaded with GET runs the challenge. There is no method data and no CReq to post. The browser posts
  their events to the event URL. An event only causes a query and proves nothing.
- **prepare** asks for the enrolment, which lists the versions, and begins the authentication. ActiveServer then names the URL for the authentication, which must be on the account's own host.
- **Not enrolled** is enrolment status 00, or error 1001 or 1005.
- **Results.** If ActiveServer named a monitor, the adapter asks it first. A result that still says C is not ready. 1013 means that the transaction is unknown.
- **Production.** Calls of a live account carry ` + "`trans-type=prod`" + `. The live host is the test host without -test; a base URL on the account replaces it, also to reach TestLabs.
- **Payments of zero** are not authenticated: add a card with a non-payment authentication.
- **Not offered:** apps. Not verified against the service: the names of prior and requestor authentication in 3RI (` + "`priorAuthenticationInfo`, `authenticationInfo`" + `); the acquirer's and merchant's names
  other than those of GPayments' documentation (` + "`acquirerBIN`, `mcc`, `merchantName`, `threeDSRequestorID`" + `).
`
