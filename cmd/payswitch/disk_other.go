//go:build !linux && !darwin

package main

// diskSpace does not know the free space on this system.
func diskSpace(string) (free uint64, known bool, err error) { return 0, false, nil }
