//go:build !shrunk

package routing

import _ "embed" // errors.txt

//go:embed errors.txt
var builtInText string

// builtInTable returns errors.txt.
func builtInTable() string { return builtInText }
