// Command wasm is the BlueSnap adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/bluesnap"
	"payswitch/sdk"
)

func init() { sdk.Serve(bluesnap.Adapter()) }

func main() {}
