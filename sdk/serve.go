package sdk

// served is the adapter that the WASM exports stand for: a module is one adapter.
//
//lint:ignore U1000 guest_wasip1.go reads it.
var served *Adapter

// Serve makes a the adapter of this module. Call it once, from init in package main, whose main stays empty:
//
//	func init() { sdk.Serve(&adapter) }
//	func main() {}
//
// In its first step a module also runs every operation on that step's request and throws the results away, to be warm afterwards.
//
// Build with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. Elsewhere than in WASM it has no effect: use Adapter.Step or
// Adapter.Handle there.
func Serve(a *Adapter) { served = a }
