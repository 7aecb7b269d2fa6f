// Command wasm is the 3dsecure.io adapter as a module: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
)

func init() { sdk.Serve(threedsecureio.Adapter()) }

func main() {}
