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
func projectFiles() fs.FS { return compress.MustFiles("cmd/payswitch/project.zip.zst", projectPacked) }

// sdkSource is as in texts.go.
func sdkSource() fs.FS { return compress.MustFiles("cmd/payswitch/sdk.zip.zst", sdkPacked) }
