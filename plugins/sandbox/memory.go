package sandbox

import (
	"bytes"
	"context"
	"fmt"
	mathbits "math/bits"
	"slices"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// Stores are marked by chunk.
const (
	chunkBits = 16
	chunkSize = 1 << chunkBits
	overlap   = 16 // a store is marked where it begins and may reach this far into the next chunk
)

// What memory costs in fuel. A guest that jumps about in much memory misses all caches and runs fifty times slower than
// others for the same fuel; so memory above freePages is paid for, and what is left of the fuel bounds the time.
const (
	bulkShift = 3      // bulk instructions are charged one unit for 1<<bulkShift bytes
	freePages = 128    // 8 MiB
	pageCost  = 80_000 // per page above, at the start of a call and when the memory grows
	wideAbove = 128    // pages from which on a second bitmap pays
)

// marks says which chunks were written to: those whose number modulo 64 is a set bit of columns, and whose number by 64,
// modulo 64, is a set bit of rows.
type marks struct{ columns, rows uint64 }

// add marks what n bytes at p touch.
func (m *marks) add(p, n uint32) {
	m.columns |= bits(p, n, chunkBits)
	m.rows |= bits(p, n, chunkBits+6)
}

func (m marks) has(chunk int) bool { return m.columns>>(chunk&63)&(m.rows>>(chunk>>6&63))&1 != 0 }

// linearMemory is the memory of one instance: address space for its largest size, reserved at once, so that growing
// neither moves nor copies and the Go heap has no part in it. Pages take up memory when they are first touched.
// It implements experimental.MemoryAllocator and experimental.LinearMemory.
type linearMemory struct {
	reserved []byte
	size     uint64
}

func newLinearMemory(limit uint64) (*linearMemory, error) {
	limit = max(limit, pageSize) // there is no mapping of nothing
	b, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("sandbox: reserve %d bytes of guest memory: %w", limit, err)
	}
	return &linearMemory{reserved: b}, nil
}

func (l *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return l }

func (l *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(l.reserved)) {
		return nil
	}
	l.size = size
	return l.reserved[:size]
}

// withMemory makes l the memory of the instance that is instantiated under the returned context.
func withMemory(ctx context.Context, l *linearMemory) context.Context {
	return experimental.WithMemoryAllocator(ctx, l)
}

// Free gives the memory back. Nothing may look at it afterwards.
func (l *linearMemory) Free() {
	if l.reserved != nil {
		_ = syscall.Munmap(l.reserved)
		l.reserved, l.size = nil, 0
	}
}

// bytes returns the memory as the guest sees it now.
func (l *linearMemory) bytes() []byte { return l.reserved[:l.size] }

// slice returns n bytes at p, and whether they lie within the memory.
func (l *linearMemory) slice(p, n uint32) ([]byte, bool) {
	end := uint64(p) + uint64(n)
	if end > l.size {
		return nil, false
	}
	return l.reserved[p:end:end], true
}

// image is the state every call starts from: memory and mutable globals after initialisation and warm-up.
type image struct {
	chunks  [][]byte // nil for one that is all zeros
	globals []uint64
	ticks   uint64 // of the monotonic clock
}

var zeros [chunkSize]byte

func newImage(memory []byte, globals []uint64, ticks uint64) *image {
	im := &image{globals: globals, ticks: ticks}
	for at := 0; at < len(memory); at += chunkSize {
		chunk := memory[at : at+chunkSize]
		if bytes.Equal(chunk, zeros[:]) {
			chunk = nil
		}
		im.chunks = append(im.chunks, bytes.Clone(chunk))
	}
	return im
}

func (im *image) size() uint64 { return uint64(len(im.chunks)) * chunkSize }

// widened returns the image with more zeroed pages at its end.
func (im *image) widened(pages uint32) *image {
	wide := *im
	wide.chunks = append(slices.Clone(im.chunks), make([][]byte, pages*pageSize/chunkSize)...)
	return &wide
}

// chunk returns the contents of a chunk.
func (im *image) chunk(c int) []byte {
	if b := im.chunks[c]; b != nil {
		return b
	}
	return zeros[:]
}

// fill puts the image into a fresh memory, which is all zeros.
func (im *image) fill(memory []byte) {
	for c, b := range im.chunks {
		copy(memory[c*chunkSize:], b)
	}
}

// compared is what restore compares before it copies: a marked chunk of a Go guest has a page or two of sixteen that differ, and to
// read two pages costs less than to write one (a sixth of a whole step).
const compared = 4096

// restore puts the marked chunks back and says how many bytes were not as in the image.
func (im *image) restore(memory []byte, dirty marks) (restored int) {
	for c := range im.chunks {
		if !dirty.has(c) {
			continue
		}
		have, want := memory[c*chunkSize:(c+1)*chunkSize], im.chunk(c)
		for at := 0; at < chunkSize; at += compared {
			if !bytes.Equal(have[at:at+compared], want[at:at+compared]) {
				restored += copy(have[at:at+compared], want[at:at+compared])
			}
		}
		if c+1 < len(im.chunks) && !dirty.has(c+1) {
			restored += copy(memory[(c+1)*chunkSize:], im.chunk(c + 1)[:overlap])
		}
	}
	return restored
}

// is reports whether memory is that of the image.
func (im *image) is(memory []byte) bool {
	if uint64(len(memory)) != im.size() {
		return false
	}
	for c := range im.chunks {
		if !bytes.Equal(memory[c*chunkSize:(c+1)*chunkSize], im.chunk(c)) {
			return false
		}
	}
	return true
}

// bits returns a bitmap of the numbers, modulo 64, that n bytes at p have when addresses are shifted.
func bits(p, n uint32, shift uint) uint64 {
	if n == 0 {
		return 0
	}
	first, last := p>>shift, (p+n-1)>>shift
	if last-first >= 63 {
		return ^uint64(0)
	}
	return mathbits.RotateLeft64(1<<(last-first+1)-1, int(first&63))
}
