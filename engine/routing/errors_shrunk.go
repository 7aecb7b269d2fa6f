//go:build shrunk

package routing

import (
	_ "embed" // errors.zip.zst
	"io/fs"

	"payswitch/engine/compress"
)

// builtInPacked is what make build packs of errors.txt.
//
//go:embed errors.zip.zst
var builtInPacked []byte

// builtInTable returns errors.txt. It panics if the build has packed another file than make does.
func builtInTable() string {
	text, err := fs.ReadFile(compress.MustFiles("engine/routing/errors.zip.zst", builtInPacked), "errors.txt")
	if err != nil {
		panic(err)
	}
	return string(text)
}
