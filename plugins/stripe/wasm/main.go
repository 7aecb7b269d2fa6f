// Command wasm is the Stripe adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/stripe"
	"payswitch/sdk"
)

func init() { sdk.Serve(stripe.Adapter()) }

func main() {}
