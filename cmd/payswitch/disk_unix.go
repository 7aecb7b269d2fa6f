//go:build linux || darwin

package main

import "syscall"

// diskSpace returns the bytes that this user may still write to the file system of a folder.
func diskSpace(folder string) (free uint64, known bool, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true, nil
}
