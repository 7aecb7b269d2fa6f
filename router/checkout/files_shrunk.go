//go:build shrunk

package checkout

import (
	_ "embed" // files.zip.zst
	"io/fs"

	"payswitch/engine/compress"
)

// packed is what make build packs of the folders assets and locales.
//
//go:embed files.zip.zst
var packed []byte

// files are as in files.go.
var files = func() fs.FS {
	files, err := compress.Files(packed)
	if err != nil {
		panic("checkout: this program was built with a damaged files.zip.zst: " + err.Error())
	}
	return files
}()
