//go:build shrunk

package main

import (
	_ "embed" // project.zip.zst and sdk.zip.zst
	"io/fs"

	"payswitch/engine/compress"
)

// make build packs these files with internal/shrink.
var (
	//go:embed project.zip.zst
	projectPacked []byte
	//go:embed sdk.zip.zst
	sdkPacked []byte
)

// projectFiles is as in texts.go.
func projectFiles() fs.FS { return unpacked(projectPacked) }

// sdkSource is as in texts.go.
func sdkSource() fs.FS { return unpacked(sdkPacked) }

func unpacked(packed []byte) fs.FS {
	files, err := compress.Files(packed)
	if err != nil {
		panic("this program was built with a damaged project.zip.zst or sdk.zip.zst: " + err.Error())
	}
	return files
}
