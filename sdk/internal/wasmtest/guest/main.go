// Command guest is the adapter of package wasmtest as a module.
package main

import (
	"payswitch/sdk"
	"payswitch/sdk/internal/wasmtest"
)

func init() { sdk.Serve(&wasmtest.Adapter) }

func main() {}
