//go:build !wasip1

package sdk

import "embed"

// Source is the source of this package, of its test suite and of the packages they need, with tests, and their documents. An adapter project outside of
// this repository carries a copy, so that it builds on its own. Paths are relative to this folder. Source is not part of WASM
// modules.
//
//go:embed *.go *.md schema.json cases.schema.json internal/cover/*.go internal/jsontext/*.go internal/sha256/*.go nearest/*.go sdktest/*.go sdktest/wire/*.go threeds/*.go
var Source embed.FS
