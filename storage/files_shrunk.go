//go:build shrunk

package storage

import (
	_ "embed" // files.zip.zst

	"payswitch/engine/compress"
)

// packed is what make build packs of the folder migrations.
//
//go:embed files.zip.zst
var packed []byte

// migrationFiles are as in files.go.
var migrationFiles = compress.MustFiles("storage/files.zip.zst", packed)
