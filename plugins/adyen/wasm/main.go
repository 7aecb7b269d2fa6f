// Command wasm is the Adyen adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/adyen"
	"payswitch/sdk"
)

func init() { sdk.Serve(adyen.Adapter()) }

func main() {}
