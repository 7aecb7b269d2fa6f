// Command wasm is the Authorize.net adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
)

func init() { sdk.Serve(authorizedotnet.Adapter()) }

func main() {}
