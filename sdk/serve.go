package sdk

// served is the adapter that the WASM exports stand for: a module is one adapter.
var served *Adapter

// Serve makes a the adapter of this module. Call it once, from init in package main, whose main stays empty:
//
//	func init() { sdk.Serve(&adapter) }
//	func main() {}
//
// and build with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. Elsewhere than in WASM it has no effect: use Adapter.Step or
// Adapter.Handle there.
func Serve(a *Adapter) { served = a }
