package optimise

import (
	"cmp"
	"slices"
)

// Instruction is one decoded instruction of a function body. Only the fields that its opcode has are set; the others may hold
// leftovers of earlier instructions.
type Instruction struct {
	At, End int      // offset of the opcode, and of the first byte behind the instruction
	Op      byte     // opcode, as the WebAssembly specification numbers them
	Index   uint32   // local, global, function or label
	Offset  uint32   // static offset of a load or a store
	Value   int64    // integer constant; type of a block, as a signed number
	Labels  []uint32 // labels of a br_table, the default label last
}

// Edit replaces the bytes of a module from At to End with Code. Where At equals End, Code is inserted.
type Edit struct {
	At, End int
	Code    []byte
}

// Function finds the edits of one function body. Call Reset, then Next for every instruction, then Edits. The zero value is ready
// for Reset. A Function may be reset and used again; only one goroutine may use it at a time.
type Function struct {
	locals    uint32
	jumps     jumps
	addresses addresses
}

// MadeByGo describes a function that the Go compiler certainly made.
type MadeByGo struct {
	Number   int64                      // the function's number in return addresses
	Suspends func(function uint32) bool // reports whether a call of a function, by its index, may suspend the goroutine
}

// Reset begins a function body with so many locals, its parameters included. made is nil where it is not certain that the Go compiler
// made the function. A false made changes what the function computes.
func (f *Function) Reset(locals uint32, made *MadeByGo) {
	f.locals = locals
	f.jumps.reset(made)
	f.addresses.reset(locals)
}

// Next reads the next instruction of the body. The function does not keep in or its labels.
func (f *Function) Next(in *Instruction) {
	f.jumps.next(in)
	f.addresses.next(in)
}

// Edits returns the edits of the body, in the order of their offsets and without overlaps. It also returns how many locals of type i32 the
// edited body needs behind its own. The body stays as it is where there are no edits.
func (f *Function) Edits() (edits []Edit, scratch int) {
	f.addresses.settle()
	edits = append(f.jumps.found(), f.addresses.edits...)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.At-b.At, a.End-b.End) })
	return edits, len(f.addresses.held)
}

// appendU appends v as an unsigned LEB128 number.
func appendU(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendS appends v as a signed LEB128 number.
func appendS(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
