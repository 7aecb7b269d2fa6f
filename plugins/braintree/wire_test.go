package braintree_test

import (
	"os"
	"testing"

	"payswitch/plugins/braintree"
	"payswitch/sdk/sdktest/wire"
)

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, braintree.Adapter(), os.DirFS("testdata"), facts) }
