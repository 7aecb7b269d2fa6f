// Command guest is the Go adapter of the sandbox's tests: the first byte of a message says what it does.
package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
	"unsafe"

	"payswitch/plugins/sandbox/testdata/guest/flow"
)

var (
	in, out []byte
	kept    []byte // what a guest that remembers would remember
	count   int
	hog     [][]byte
)

//go:wasmexport payswitch_alloc
func alloc(n uint32) uint32 {
	if uint32(cap(in)) < n || n == 0 {
		in = make([]byte, max(n, 4096))
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(in))))
}

//go:wasmexport payswitch_manifest
func manifest() uint64 { return answer([]byte(`{"name":"guest"}`)) }

//go:wasmexport payswitch_step
func step(_, n uint32) uint64 {
	message := in[:n]
	if n == 0 {
		return answer(nil)
	}
	switch message[0] {
	case 'e': // echo
		return answer(bytes.Clone(message[1:]))
	case 'w': // work as an adapter does
		return answer(work(message[1:]))
	case 'l':
		for {
			count++
		}
	case 'r':
		return answer(strconv.AppendInt(nil, recurse(int64(1)<<40), 10))
	case 'p':
		panic("guest panics: " + string(message[1:]))
	case 'x':
		os.Exit(3)
	case 's':
		time.Sleep(time.Second)
	case 'h':
		for {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			hog = append(hog, b)
			if len(hog) == 256 {
				return answer([]byte("256 MiB"))
			}
		}
	case 'g': // take some memory
		n, _ := strconv.Atoi(string(message[1:]))
		kept = make([]byte, n)
		return answer([]byte("grown"))
	case 'c': // leave garbage for the collector
		var sum int
		for i := range 3000 {
			b := make([]byte, 10_000)
			b[i] = 1
			sum += len(b)
			kept = b
		}
		return answer(strconv.AppendInt(nil, int64(sum), 10))
	case 'b': // a big answer
		n, _ := strconv.Atoi(string(message[1:]))
		return answer(make([]byte, n))
	case 'd':
		fmt.Fprintf(os.Stderr, "debug: %s", message[1:])
		println(" and println")
		return answer(nil)
	case 'k': // what was there before
		was := kept
		kept = bytes.Clone(message[1:])
		count++
		return answer(fmt.Appendf(nil, "%d %q", count, was))
	case 'j': // all the ways that control can take
		return answer([]byte(flow.Run(string(message[1:]))))
	case 'm': // everything that tends to differ
		return answer(moods())
	}
	return answer([]byte("?"))
}

func answer(b []byte) uint64 {
	out = b
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(out))))<<32 | uint64(len(out))
}

func recurse(n int64) int64 {
	if n == 0 {
		return 0
	}
	return recurse(n-1)*3 + n
}

func moods() []byte {
	m := map[string]int{}
	for i := range 50 {
		m[strconv.Itoa(i)] = i
	}
	var b []byte
	for k := range m {
		b = append(b, k...)
		b = append(b, ' ')
	}
	var random [16]byte
	_, _ = rand.Read(random[:])
	b = fmt.Appendf(b, "%x %s", random, time.Now().UTC().Format(time.RFC3339Nano))
	done := make(chan int)
	go func() { done <- 1 }()
	<-done
	return b
}

// work reads the strings of a JSON text into a map and writes some of them out again.
func work(text []byte) []byte {
	fields := map[string][]byte{}
	var key string
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			break
		}
		s := text[i+1 : end]
		i = end
		if i+1 < len(text) && text[i+1] == ':' {
			key = string(s)
		} else {
			fields[key] = s
		}
	}
	keys := make([]string, 0, len(fields))
	for k := range fields {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	b := make([]byte, 0, 1024)
	b = append(b, '{')
	for _, k := range keys {
		if len(b)+len(k)+len(fields[k]) > 1000 {
			break
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, k)
		b = append(b, ':', '"')
		b = append(b, fields[k]...)
		b = append(b, '"')
	}
	b = append(b, '}')
	for len(b) < 1024 {
		b = append(b, ' ')
	}
	return b
}

func main() {}
