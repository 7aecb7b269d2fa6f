//go:build !shrunk

package paylink

import (
	"embed"
	"io/fs"
)

//go:embed page.html texts
var embedded embed.FS

// files are the template of the page, and the texts of each language.
var files fs.FS = embedded
