// Command wasm is the Braintree adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/braintree"
	"payswitch/sdk"
)

func init() { sdk.Serve(braintree.Adapter()) }

func main() {}
