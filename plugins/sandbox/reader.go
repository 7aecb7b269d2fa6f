package sandbox

import "iter"

// reader reads a binary module. It keeps its first error in err; from then on every method returns zero values, so that callers check
// once per loop.
type reader struct {
	b   []byte // the whole module, so that p is the offset in error texts
	p   int
	end int // the reader reads b[:end]
	err *RefusedError
}

func (r *reader) fail(offset int, format string, args ...any) {
	if r.err == nil {
		r.err = refused(offset, format, args...)
	}
	r.p = r.end
}

func (r *reader) more() bool { return r.err == nil && r.p < r.end }

func (r *reader) byte() byte {
	if r.p >= r.end {
		r.fail(r.p, "module ends too early")
		return 0
	}
	c := r.b[r.p]
	r.p++
	return c
}

// take returns the next n bytes.
func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(r.end-r.p) {
		r.fail(r.p, "module ends too early")
		return nil
	}
	v := r.b[r.p : r.p+int(n) : r.p+int(n)]
	r.p += int(n)
	return v
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.p < r.end && r.b[r.p] < 0x80 { // nearly all of them
		r.p++
		return uint32(r.b[r.p-1])
	}
	at := r.p
	var v uint64
	for shift := uint(0); shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 1<<32-1 {
				r.fail(at, "number above 32 bits")
				return 0
			}
			return uint32(v)
		}
	}
	r.fail(at, "number longer than 5 bytes")
	return 0
}

// signed reads a signed LEB128 number of at most the given number of bytes (5 for 32 and 33 bits, 10 for 64).
func (r *reader) signed(maxBytes int) int64 {
	at := r.p
	var v int64
	for i := range maxBytes {
		c := r.byte()
		v |= int64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if shift := 7 * (i + 1); shift < 64 && c&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
	r.fail(at, "number longer than %d bytes", maxBytes)
	return 0
}

// count reads the length of a vector. Each element takes at least one byte.
func (r *reader) count() int {
	at := r.p
	n := r.u32()
	if uint64(n) > uint64(r.end-r.p) {
		r.fail(at, "vector of %d elements in %d bytes", n, r.end-r.p)
		return 0
	}
	return int(n)
}

// vector reads the length of a vector and yields the index of each element until something cannot be read.
func (r *reader) vector() iter.Seq[int] {
	return func(yield func(int) bool) {
		n := r.count()
		for i := 0; i < n && r.err == nil; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// several is vector with a limit: more than most elements are refused. The error names the elements as what says.
func (r *reader) several(most int, what string) iter.Seq[int] {
	at := r.p
	if n := (&reader{b: r.b, p: r.p, end: r.end}).u32(); uint64(n) > uint64(most) {
		r.fail(at, "%d %s, at most %d are allowed", n, what, most)
	}
	return r.vector()
}

// name reads a vector of bytes.
func (r *reader) name() string { return string(r.take(r.u32())) }

// appendU appends v as unsigned LEB128.
func appendU(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendS appends v as signed LEB128.
func appendS(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
