//go:build shrunk

package storage

import (
	_ "embed" // files.zip.zst
	"io/fs"

	"payswitch/engine/compress"
)

// packed is what make build packs of the folder migrations.
//
//go:embed files.zip.zst
var packed []byte

// migrationFiles are as in files.go.
var migrationFiles = func() fs.FS {
	files, err := compress.Files(packed)
	if err != nil {
		panic("storage: this program was built with a damaged files.zip.zst: " + err.Error())
	}
	return files
}()
