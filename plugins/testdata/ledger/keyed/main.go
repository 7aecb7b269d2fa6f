// Command keyed is an adapter of package ledger as a WASM module.
package main

import (
	"payswitch/plugins/testdata/ledger"
	"payswitch/sdk"
)

func init() { sdk.Serve(ledger.Adapter(true)) }

func main() {}
