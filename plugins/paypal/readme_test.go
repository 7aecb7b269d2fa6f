package paypal_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/paypal"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme checks README.md against manifest and cases.
func TestReadme(t *testing.T) {
	support, err := wire.Support(paypal.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+against, *update)
}

// against describes the client that the tests compare with.
const against = `
## Tested against the Go client

The adapter and **plutov/paypal**, the Go client, do the same tasks at the same server. They send the same requests, and the adapter reads answers, errors and messages
made from the client's objects. The client's types decode every posted body and refuse unknown fields. The client does not know ` + "`vault_id`, `stored_credential`, `attributes`" + `
and ` + "`experience_context`" + ` of a card, of a refund's ` + "`custom_id`" + `, and of Payment Method Tokens v3.
`
