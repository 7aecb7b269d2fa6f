package jsontext

import "unsafe"

// load returns the eight bytes at p, the first one lowest. WebAssembly loads from any address, but Go's compiler would put them together
// one by one.
func load(s string, p int) uint64 {
	_ = s[p+7]
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), p))
}
