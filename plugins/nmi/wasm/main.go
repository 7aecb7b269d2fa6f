// Command wasm is the NMI adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/nmi"
	"payswitch/sdk"
)

func init() { sdk.Serve(nmi.Adapter()) }

func main() {}
