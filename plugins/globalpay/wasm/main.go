// Command wasm is the Global Payments adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/globalpay"
	"payswitch/sdk"
)

func init() { sdk.Serve(globalpay.Adapter()) }

func main() {}
