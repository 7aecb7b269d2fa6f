//go:build !wasm

package sdk

import "crypto/sha256"

func sha256Sum(b []byte) [32]byte { return sha256.Sum256(b) }

// textOf returns b as a string.
func textOf(b []byte) string { return string(b) }

// decodeHosts reads a step from the host.
func decodeHosts(message []byte) (*Step, error) { return DecodeStep(message) }

// scratch returns an empty buffer with room for n bytes.
func scratch(n int) []byte { return make([]byte, 0, n) }

func newParts() *stepParts { return new(stepParts) }
