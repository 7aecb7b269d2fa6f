//go:build !shrunk

package router

import _ "embed" // openapi.yaml

//go:embed openapi.yaml
var openAPIText []byte

// openAPIDocument returns openapi.yaml.
func openAPIDocument() ([]byte, error) { return openAPIText, nil }
