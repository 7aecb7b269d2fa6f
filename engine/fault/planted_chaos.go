//go:build chaosfaults

package fault

import (
	"os"
	"slices"
	"strings"
)

var planted = strings.Split(os.Getenv("CHAOS_FAULTS"), ",")

// Planted reports whether the environment variable CHAOS_FAULTS names a defect, between commas.
func Planted(defect string) bool { return slices.Contains(planted, defect) }
