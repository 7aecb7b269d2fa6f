//go:build shrunk

package main

import (
	"archive/zip"
	_ "embed" // project.zip and sdk.zip
	"io/fs"
	"strings"
)

// make build packs these files with internal/shrink.
var (
	//go:embed project.zip
	projectPacked string
	//go:embed sdk.zip
	sdkPacked string
)

// projectFiles is as in texts.go.
func projectFiles() fs.FS { return unpacked(projectPacked) }

// sdkSource is as in texts.go.
func sdkSource() fs.FS { return unpacked(sdkPacked) }

func unpacked(packed string) fs.FS {
	z, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic("this program was built with a damaged project.zip or sdk.zip: " + err.Error())
	}
	return z
}
