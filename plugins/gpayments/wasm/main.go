// Command wasm is the GPayments adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/gpayments"
	"payswitch/sdk"
)

func init() { sdk.Serve(gpayments.Adapter()) }

func main() {}
