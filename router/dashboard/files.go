//go:build !shrunk

package dashboard

import (
	"embed"
	"io/fs"
)

//go:embed assets pages
var embedded embed.FS

// files are the script and the style that make assets has built, and the templates of the pages.
var files fs.FS = embedded
