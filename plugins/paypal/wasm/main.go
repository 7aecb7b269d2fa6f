// Command wasm is the PayPal adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/paypal"
	"payswitch/sdk"
)

func init() { sdk.Serve(paypal.Adapter()) }

func main() {}
