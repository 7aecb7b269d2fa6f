//go:build !wasip1

package sdk

import "embed"

// Source is the source of this package, of its suite and of what they need, tests included: what an adapter project outside this
// repository carries with it, so that it builds on its own. Paths are relative to this folder. It is not part of WASM modules.
//
//go:embed *.go internal/jsontext/*.go internal/sha256/*.go sdktest/*.go sdktest/wire/*.go threeds/*.go
var Source embed.FS
