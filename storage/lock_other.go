//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package storage

import "os"

func lockFile(*os.File) error { return errNoLocks }
