//go:build shrunk

package paylink

import (
	_ "embed" // files.zip.zst

	"payswitch/engine/compress"
)

// packed is what make build packs of page.html and the folder texts.
//
//go:embed files.zip.zst
var packed []byte

// files are as in files.go.
var files = compress.MustFiles("router/paylink/files.zip.zst", packed)
