// Command bad is an adapter that breaks the rules in the way that the account's config field "mode" names. It does not use the
// SDK, which would prevent that.
package main

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

func main() {}

const manifest = `{"abi":1,"name":"bad","kind":"processor","version":"1.0.0","display_name":"Bad","description":"Does what it must not.",
"operations":["authorize","sync"],"config":[{"name":"mode","label":"Mode","type":"text"}],"features":{},"reference":{},
"resolve":{"by":["reference"]},"a_field_from_the_future":{"x":[1]}}`

var (
	in   = make([]byte, 16<<10)
	out  []byte
	kept [][]byte
)

//go:wasmexport payswitch_alloc
func alloc(n uint32) uint32 {
	if uint32(len(in)) < n {
		in = make([]byte, n)
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(in))))
}

//go:wasmexport payswitch_manifest
func describe() uint64 { return answer(manifest) }

//go:wasmexport payswitch_step
func step(_, n uint32) uint64 {
	message := string(in[:n])
	base := field(message, "base_url")
	switch field(message, "mode") {
	case "memory":
		for range 256 {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "loop":
		for i := 0; ; i++ {
			in[i&1023]++
		}
	case "recursion":
		return uint64(recurse(1))
	case "panic":
		panic("bad")
	case "nil":
		var p *[4096]int
		return uint64(p[n&4095])
	case "huge":
		return answer(`{"outcome":{"status":"authorized","raw":{"x":"` + strings.Repeat("x", 2<<20) + `"}}}`)
	case "outside":
		return 0xFFFF_0000<<32 | 100
	case "garbage":
		return answer(`{"outcome":`)
	case "two_results":
		return answer(`{"outcome":{"status":"authorized"},"reject":{"code":"unsupported","message":""}}`)
	case "sends":
		return answer(`{"send":{"method":"POST","url":"` + base + `/pay"}}`)
	case "queries":
		return answer(`{"send":{"method":"GET","url":"` + base + `/query","safe_to_repeat":true}}`)
	case "late_reject":
		if strings.Contains(message, `"exchanges"`) {
			return answer(`{"reject":{"code":"unsupported","message":"no"}}`)
		}
		return answer(`{"send":{"method":"POST","url":"` + base + `/pay"}}`)
	case "late_trap":
		if strings.Contains(message, `"exchanges"`) {
			panic("bad")
		}
		return answer(`{"send":{"method":"POST","url":"` + base + `/pay"}}`)
	case "verify":
		return answer(`{"verify":{"expr":{"fn":"body"},"equal":""}}`)
	}
	return answer(`{"outcome":{"status":"authorized"}}`)
}

func recurse(n int) int {
	var room [64]int
	room[n&63] = recurse(n+1) + 1
	return room[(n+1)&63] + room[n&63]
}

// field is the first string value with a name, at any depth.
func field(message, name string) string {
	_, rest, _ := strings.Cut(message, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func answer(json string) uint64 {
	out = binary.LittleEndian.AppendUint32(out[:0], uint32(len(json)))
	out = append(out, json...)
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(out))))<<32 | uint64(len(out))
}
