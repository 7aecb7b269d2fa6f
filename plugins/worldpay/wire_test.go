package worldpay_test

import (
	"os"
	"testing"

	"payswitch/plugins/worldpay"
	"payswitch/sdk/sdktest/wire"
)

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, worldpay.Adapter(), os.DirFS("testdata"), facts) }
