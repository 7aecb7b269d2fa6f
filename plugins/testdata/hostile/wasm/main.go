// Command wasm is the hostile adapter as a WASM module.
package main

import (
	"payswitch/plugins/testdata/hostile"
	"payswitch/sdk"
)

func init() { sdk.Serve(hostile.Adapter()) }

func main() {}
