//go:build shrunk

package router

import (
	_ "embed" // openapi.zip.zst
	"io/fs"

	"payswitch/engine/compress"
)

// openAPIPacked is what make build packs of openapi.yaml.
//
//go:embed openapi.zip.zst
var openAPIPacked []byte

// openAPIDocument returns openapi.yaml, which few callers ask for.
func openAPIDocument() ([]byte, error) {
	files, err := compress.Files(openAPIPacked)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(files, "openapi.yaml")
}
