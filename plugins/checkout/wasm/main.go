// Command wasm is the Checkout.com adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/checkout"
	"payswitch/sdk"
)

func init() { sdk.Serve(checkout.Adapter()) }

func main() {}
