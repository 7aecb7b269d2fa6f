// Package sha256 is a small SHA-256 (FIPS 180-4) for WASM guests. crypto/sha256 would add half a megabyte of FIPS machinery to a module.
// Package sha256 hashes nothing secret. Outside of WASM, package sdk uses crypto/sha256.
package sha256

import "math/bits"

// Sum returns the SHA-256 of data.
func Sum(data []byte) [32]byte {
	h := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	rest := data
	for len(rest) >= 64 {
		block(&h, rest[:64])
		rest = rest[64:]
	}
	var last [128]byte
	n := copy(last[:], rest)
	last[n] = 0x80
	end := 64
	if n >= 56 {
		end = 128
	}
	size := uint64(len(data)) * 8
	for i := range 8 {
		last[end-1-i] = byte(size >> (8 * i))
	}
	block(&h, last[:64])
	if end == 128 {
		block(&h, last[64:])
	}
	var sum [32]byte
	for i, v := range h {
		sum[4*i], sum[4*i+1], sum[4*i+2], sum[4*i+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	return sum
}

func block(v *[8]uint32, p []byte) {
	var w [64]uint32
	_ = p[63]
	for i := range 16 {
		w[i] = uint32(p[4*i])<<24 | uint32(p[4*i+1])<<16 | uint32(p[4*i+2])<<8 | uint32(p[4*i+3])
	}
	for i := 16; i < 64; i++ {
		a, b := w[i-15], w[i-2]
		s0 := bits.RotateLeft32(a, -7) ^ bits.RotateLeft32(a, -18) ^ a>>3
		s1 := bits.RotateLeft32(b, -17) ^ bits.RotateLeft32(b, -19) ^ b>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	a, b, c, d, e, f, g, h := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
	for i := 0; i < 64; i += 8 { // eight rounds per turn save moving the variables
		k, w := (*[8]uint32)(k[i:]), (*[8]uint32)(w[i:])
		t := h + big1(e) + (e&(f^g) ^ g) + k[0] + w[0]
		d, h = d+t, t+big0(a)+(a&b|c&(a|b))
		t = g + big1(d) + (d&(e^f) ^ f) + k[1] + w[1]
		c, g = c+t, t+big0(h)+(h&a|b&(h|a))
		t = f + big1(c) + (c&(d^e) ^ e) + k[2] + w[2]
		b, f = b+t, t+big0(g)+(g&h|a&(g|h))
		t = e + big1(b) + (b&(c^d) ^ d) + k[3] + w[3]
		a, e = a+t, t+big0(f)+(f&g|h&(f|g))
		t = d + big1(a) + (a&(b^c) ^ c) + k[4] + w[4]
		h, d = h+t, t+big0(e)+(e&f|g&(e|f))
		t = c + big1(h) + (h&(a^b) ^ b) + k[5] + w[5]
		g, c = g+t, t+big0(d)+(d&e|f&(d|e))
		t = b + big1(g) + (g&(h^a) ^ a) + k[6] + w[6]
		f, b = f+t, t+big0(c)+(c&d|e&(c|d))
		t = a + big1(f) + (f&(g^h) ^ h) + k[7] + w[7]
		e, a = e+t, t+big0(b)+(b&c|d&(b|c))
	}
	v[0], v[1], v[2], v[3] = v[0]+a, v[1]+b, v[2]+c, v[3]+d
	v[4], v[5], v[6], v[7] = v[4]+e, v[5]+f, v[6]+g, v[7]+h
}

func big0(x uint32) uint32 {
	return bits.RotateLeft32(x, -2) ^ bits.RotateLeft32(x, -13) ^ bits.RotateLeft32(x, -22)
}

func big1(x uint32) uint32 {
	return bits.RotateLeft32(x, -6) ^ bits.RotateLeft32(x, -11) ^ bits.RotateLeft32(x, -25)
}

var k = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
