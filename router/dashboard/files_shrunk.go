//go:build shrunk

package dashboard

import (
	_ "embed" // files.zip.zst

	"payswitch/engine/compress"
)

// packed is what make build packs of the folders assets and pages.
//
//go:embed files.zip.zst
var packed []byte

// files are as in files.go.
var files = compress.MustFiles("router/dashboard/files.zip.zst", packed)
