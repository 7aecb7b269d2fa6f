package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	mathbits "math/bits"
	"slices"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// chunkSize is the size of an image's pieces, in bytes. An image does not keep pieces of zeros. Eight bytes of the ledger, which restore
// reads together, stand for one piece.
const chunkSize = 8 * granule

// What memory costs in fuel. A guest that jumps about in much memory misses all caches and runs fifty times slower for the same fuel. So
// it pays for memory above freePages, and the rest of its fuel bounds its time.
const (
	bulkShift = 3      // bulk instructions pay one unit for 1<<bulkShift bytes
	freePages = 128    // 8 MiB
	pageCost  = 80_000 // per page above, at the start of a call and when the memory grows
)

// linearMemory is the memory of one instance. It reserves the address space for its largest size at once, outside the Go heap, so that
// growth neither moves nor copies it. Pages use memory once they are touched. The ledger follows the part that the guest has. linearMemory
// implements experimental.MemoryAllocator and experimental.LinearMemory.
type linearMemory struct {
	mapped   []byte // reserved, with a guard in front and behind
	reserved []byte
	size     uint64 // without the ledger
	ledger   uint64
}

// guard is the size of the unreadable areas in front of and behind a guest's memory. They keep guests apart if all else fails.
const guard = pageSize

// newLinearMemory reserves a memory of at most limit bytes and its ledger.
func newLinearMemory(limit, ledger uint64) (*linearMemory, error) {
	size := int(max(limit+ledger, pageSize)) // a mapping must not be empty
	b, err := syscall.Mmap(-1, 0, guard+size+guard, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("sandbox: reserve %d bytes of guest memory: %w", size, err)
	}
	l := &linearMemory{mapped: b, reserved: b[guard : guard+size : guard+size], ledger: ledger}
	for _, page := range [][]byte{b[:guard], b[guard+size:]} {
		if err := syscall.Mprotect(page, syscall.PROT_NONE); err != nil {
			l.Free()
			return nil, fmt.Errorf("sandbox: guard guest memory: %w", err)
		}
	}
	return l, nil
}

func (l *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return l }

func (l *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(l.reserved)) {
		return nil
	}
	l.size = size - l.ledger
	return l.reserved[:size]
}

// withMemory makes l the memory of the instance that is instantiated under the returned context.
func withMemory(ctx context.Context, l *linearMemory) context.Context {
	return experimental.WithMemoryAllocator(ctx, l)
}

// Free gives the memory back. The memory must not be used afterwards.
func (l *linearMemory) Free() {
	if l.mapped != nil {
		_ = syscall.Munmap(l.mapped)
		l.mapped, l.reserved, l.size = nil, nil, 0
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

// image is the state from which every call starts: memory and mutable globals after initialisation and warm-up.
type image struct {
	chunks  [][]byte // nil stands for zeros
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

// restore puts back the granules that were written to, returns their size in bytes, and empties the ledger.
func (im *image) restore(l *linearMemory) (restored int) {
	memory, notes := l.bytes(), l.notes(0, l.size)
	for at := 0; at < len(notes); at += 8 {
		for w := binary.LittleEndian.Uint64(notes[at:]); w != 0; {
			first := mathbits.TrailingZeros64(w) >> 3 // the run of granules from there on
			n := 1
			for first+n < 8 && w>>(8*(first+n))&0xff != 0 {
				n++
			}
			from := (at + first) * granule
			restored += im.put(memory, from, n*granule)
			if next := from + n*granule; next < len(memory) && notes[at+first+n] == 0 {
				restored += im.put(memory, next, overlap)
			}
			w = w >> (8 * (first + n)) << (8 * (first + n)) // 0 when nothing is left
		}
	}
	l.forget()
	return restored
}

// put copies n bytes of the image, all of one chunk.
func (im *image) put(memory []byte, at, n int) int {
	return copy(memory[at:at+n], im.chunk(at / chunkSize)[at%chunkSize:])
}

// is reports whether memory equals the image.
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
