//go:build !wasm

package jsontext

// load returns the eight bytes at p in little-endian order.
func load(s string, p int) uint64 {
	b := s[p : p+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Room returns an empty buffer with room for n bytes.
func Room(n int) []byte { return make([]byte, 0, n) }

func roomForNodes(n int) []Node { return make([]Node, 0, n) }
