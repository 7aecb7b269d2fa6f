// Command wasm is the acme adapter as a WASM module.
package main

import (
	"payswitch/plugins/testdata/acme"
	"payswitch/sdk"
)

func init() { sdk.Serve(&acme.Adapter) }

func main() {}
