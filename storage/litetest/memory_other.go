//go:build !linux

package litetest

// inMemory returns "": only Linux has a folder in memory by custom.
func inMemory() string { return "" }
