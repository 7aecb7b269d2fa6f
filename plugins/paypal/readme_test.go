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

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	support, err := wire.Support(paypal.Adapter(), os.DirFS("testdata"), facts, missing)
	require.NoError(t, err)
	wire.Readme(t, about+"\n"+support+against, *update)
}

// against is what the tests hold the adapter against that others have written.
const against = `
## Tested against the Go client

The adapter and **plutov/paypal**, the Go client, are asked for the same at the same server: they send the same requests, and the adapter reads answers, errors and messages
that are the client's objects. Every body posted is decoded with the client's types, which refuse unknown fields. It does not know of ` + "`vault_id`, `stored_credential`, `attributes`" + `
and ` + "`experience_context`" + ` of a card, of a refund's ` + "`custom_id`" + `, and of Payment Method Tokens v3.
`
