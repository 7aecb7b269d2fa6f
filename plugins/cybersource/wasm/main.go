// Command wasm is the Cybersource adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/cybersource"
	"payswitch/sdk"
)

func init() { sdk.Serve(cybersource.Adapter()) }

func main() {}
