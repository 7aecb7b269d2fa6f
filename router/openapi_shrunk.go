//go:build shrunk

package router

import (
	"archive/zip"
	_ "embed" // openapi.zip
	"io/fs"
	"strings"
)

// openAPIPacked is what make build packs of openapi.yaml.
//
//go:embed openapi.zip
var openAPIPacked string

// openAPIDocument returns openapi.yaml, which few callers ask for.
func openAPIDocument() ([]byte, error) {
	z, err := zip.NewReader(strings.NewReader(openAPIPacked), int64(len(openAPIPacked)))
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(z, "openapi.yaml")
}
