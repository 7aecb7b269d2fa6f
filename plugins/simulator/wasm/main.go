// Command wasm is the simulator as an adapter module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

func init() { sdk.Serve(simulator.Adapter()) }

func main() {}
