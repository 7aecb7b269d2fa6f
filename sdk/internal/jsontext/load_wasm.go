package jsontext

import "unsafe"

// load returns the eight bytes at p, the first one lowest. WebAssembly loads from any address, but Go's compiler would put them together
// one by one.
func load(s string, p int) uint64 {
	_ = s[p+7]
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), p))
}

// What an ordinary step builds is built here: an allocation costs a guest as much as reading forty bytes of JSON. Where this has been used up, room
// is allocated.
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

// EmptyRoom makes all of the room there again. What has been built in it is lost.
func EmptyRoom() { bytesUsed, nodesUsed = 0, 0 }
