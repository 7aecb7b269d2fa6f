//go:build shrunk

package checkout

import (
	"archive/zip"
	_ "embed" // files.zip
	"io/fs"
	"strings"
)

// packed is what make build packs of the folders assets and locales.
//
//go:embed files.zip
var packed string

// files are as in files.go.
var files = func() fs.FS {
	z, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic("checkout: this program was built with a damaged files.zip: " + err.Error())
	}
	return z
}()
