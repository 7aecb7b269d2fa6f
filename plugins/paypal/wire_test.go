package paypal_test

import (
	"os"
	"testing"

	"payswitch/plugins/paypal"
	"payswitch/sdk/sdktest/wire"
)

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, paypal.Adapter(), os.DirFS("testdata"), facts) }
