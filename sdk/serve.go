package sdk

// served is the adapter of this module, which the WASM exports use.
//
//lint:ignore U1000 guest_wasip1.go reads it.
var served *Adapter

// Serve makes a the adapter of this module. Call it once, from init in package main, whose main stays empty:
//
//	func init() { sdk.Serve(&adapter) }
//	func main() {}
//
// In its first step a module warms up: it also runs every operation on that step's request and throws the results away.
//
// Build with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. Outside of WASM, Serve has no effect: use Adapter.Step or Adapter.Handle.
func Serve(a *Adapter) { served = a }
