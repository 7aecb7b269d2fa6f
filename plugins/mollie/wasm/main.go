// Command wasm is the adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/mollie"
	"payswitch/sdk"
)

func init() { sdk.Serve(mollie.Adapter()) }

func main() {}
