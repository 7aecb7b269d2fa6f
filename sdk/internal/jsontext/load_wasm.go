package jsontext

import "unsafe"

// load returns the eight bytes at p in little-endian order. WebAssembly loads from any address, but Go's compiler would load the bytes one by
// one.
func load(s string, p int) uint64 {
	_ = s[p+7]
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), p))
}

// A step builds its texts in this buffer, because an allocation costs a guest as much as reading forty bytes of JSON. When the buffer is used
// up, Room allocates.
var (
	bytesRoom [24 << 10]byte
	nodesRoom [1024]Node

	bytesUsed, nodesUsed int
)

// Room returns an empty buffer with room for n bytes.
func Room(n int) []byte {
	if n > len(bytesRoom)-bytesUsed {
		return make([]byte, 0, n)
	}
	b := bytesRoom[bytesUsed : bytesUsed : bytesUsed+n]
	bytesUsed += n
	return b
}

func roomForNodes(n int) []Node {
	if n > len(nodesRoom)-nodesUsed {
		return make([]Node, 0, n)
	}
	b := nodesRoom[nodesUsed : nodesUsed : nodesUsed+n]
	nodesUsed += n
	return b
}

// EmptyRoom makes the whole buffer free again. Everything built in it is lost.
func EmptyRoom() { bytesUsed, nodesUsed = 0, 0 }
