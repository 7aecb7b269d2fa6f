// Command wasm is the Netcetera adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/netcetera"
	"payswitch/sdk"
)

func init() { sdk.Serve(netcetera.Adapter()) }

func main() {}
