package sandbox

import (
	"bytes"
	"context"
	"fmt"
	mathbits "math/bits"
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

func newLinearMemory(max uint64) (*linearMemory, error) {
	b, err := syscall.Mmap(-1, 0, int(max), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("sandbox: reserve %d bytes of guest memory: %w", max, err)
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
	memory  []byte
	used    []bool // chunks that are not all zeros
	globals []uint64
	ticks   uint64 // of the monotonic clock
}

func newImage(memory []byte, globals []uint64, ticks uint64) *image {
	im := &image{memory: bytes.Clone(memory), globals: globals, ticks: ticks}
	var zero [chunkSize]byte
	for at := 0; at < len(memory); at += chunkSize {
		im.used = append(im.used, !bytes.Equal(memory[at:at+chunkSize], zero[:]))
	}
	return im
}

// widened returns the image with more zeroed pages at its end.
func (im *image) widened(pages uint32) *image {
	wide := *im
	wide.memory = make([]byte, len(im.memory)+int(pages)*pageSize)
	copy(wide.memory, im.memory)
	wide.used = make([]bool, len(wide.memory)/chunkSize)
	copy(wide.used, im.used)
	return &wide
}

// fill puts the image into a fresh memory.
func (im *image) fill(memory []byte) {
	for c, used := range im.used {
		if used {
			copy(memory[c*chunkSize:(c+1)*chunkSize], im.memory[c*chunkSize:])
		}
	}
}

// restore puts the marked chunks back and says how many bytes that were.
func (im *image) restore(memory []byte, dirty marks) (restored int) {
	for c := range im.used {
		if dirty.has(c) {
			at := c * chunkSize
			end := min(at+chunkSize+overlap, len(im.memory))
			restored += copy(memory[at:end], im.memory[at:end])
		}
	}
	return restored
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
