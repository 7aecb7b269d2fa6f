//go:build !shrunk

package main

import (
	"embed"
	"io/fs"

	"payswitch/sdk"
)

//go:embed project
var project embed.FS

// projectFiles returns the adapter projects that plugin new writes, for an adapter called acme, in the folder project. It has a folder for each language,
// and the files that all of them have (all), or all but Go (any). Each file name ends in .txt, so that Go does not compile the files here. renamed
// replaces the adapter's name.
func projectFiles() fs.FS { return project }

// sdkSource returns the files of package sdk, for the projects of adapters.
func sdkSource() fs.FS { return sdk.Source }
