//go:build !shrunk

package checkout

import (
	"embed"
	"io/fs"
)

//go:embed assets locales
var embedded embed.FS

// files are the scripts and styles that make assets has built, and the texts of each language.
var files fs.FS = embedded
