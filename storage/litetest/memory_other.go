//go:build !linux

package litetest

// inMemory returns "": only Linux usually has a folder in memory.
func inMemory() string { return "" }
