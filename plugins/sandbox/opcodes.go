package sandbox

import "payswitch/plugins/sandbox/optimise"

// The opcodes that the rewriter reads or writes, named as in the WebAssembly specification.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opI32Load      = 0x28
	opI32Load8U    = 0x2d
	opI32Store     = 0x36
	opI64Store     = 0x37
	opF32Store     = 0x38
	opF64Store     = 0x39
	opI32Store8    = 0x3a
	opI32Store16   = 0x3b
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI32Eq        = 0x46
	opI32LtS       = 0x48
	opI32GtU       = 0x4b
	opI64Eqz       = 0x50
	opI64LtS       = 0x53
	opI64GtU       = 0x56
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI32Shl       = 0x74
	opI32ShrU      = 0x76
	opI64Add       = 0x7c
	opI64Sub       = 0x7d
	opI64Mul       = 0x7e
	opI64Or        = 0x84
	opI64Shl       = 0x86
	opI64ShrU      = 0x88
	opI64Rotl      = 0x89
	opI32WrapI64   = 0xa7
	opI64ExtendI32 = 0xad // unsigned
	opLastNumeric  = 0xc4 // i64.extend32_s
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opPrefixMisc   = 0xfc
	opPrefixVector = 0xfd
	opPrefixAtomic = 0xfe

	miscTruncLast  = 7 // 0…7 are the saturating truncations
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableSize  = 16

	typeI32, typeI64, typeF32, typeF64 = 0x7f, 0x7e, 0x7d, 0x7c
	typeVector                         = 0x7b
	typeFuncref, typeExternref         = 0x70, 0x6f
	typeEmpty                          = 0x40 // a block without results
)

// refusedMisc names the refused instructions with prefix 0xfc. Each changes state that a reset does not put back (tables, dropped
// segments), or works on passive segments, which are refused as well.
var refusedMisc = map[uint32]string{
	8: "memory.init", 9: "data.drop", 12: "table.init", 13: "elem.drop", 14: "table.copy", 15: "table.grow", 17: "table.fill",
}

// instruction is one decoded instruction, with the immediates that the rewriter needs.
type instruction struct {
	at     int // offset of the opcode
	op     byte
	misc   uint32   // sub-opcode after 0xfc
	index  uint32   // of calls, globals, locals, labels; the type of indirect calls
	offset uint32   // of loads and stores
	value  int64    // of integer constants; the type of a block
	labels []uint32 // of br_table, the default's last; valid until the next br_table is read
}

// toOptimise returns the instruction, which ends at end, as package optimise reads it.
func (in *instruction) toOptimise(end int) optimise.Instruction {
	return optimise.Instruction{At: in.at, End: end, Op: in.op, Index: in.index, Offset: in.offset, Value: in.value, Labels: in.labels}
}

// next decodes one instruction and refuses unknown ones.
func (r *reader) next(in *instruction) {
	in.at = r.p
	in.op = r.byte()
	switch op := in.op; {
	case op >= 0x45 && op <= opLastNumeric, op <= opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop,
		op == opSelect, op == opRefIsNull:
	case op == opLocalGet, op == opLocalSet, op == opLocalTee, op == opGlobalGet, op == opGlobalSet, op == opCall, op == opBr, op == opBrIf, op == opTableGet:
		in.index = r.u32()
	case op == opBlock, op == opLoop, op == opIf:
		in.value = r.signed(5)
	case op >= opI32Load && op <= opI64Store32:
		r.u32()
		in.offset = r.u32()
	case op == opI32Const:
		in.value = r.signed(5)
	case op == opI64Const:
		in.value = r.signed(10)
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op == opBrTable:
		in.labels = in.labels[:0]
		for range r.count() + 1 {
			in.labels = append(in.labels, r.u32())
		}
	case op == opCallIndirect:
		in.index = r.u32()
		r.u32()
	case op == opSelectTyped:
		for range r.count() {
			r.byte()
		}
	case op == opMemorySize, op == opMemoryGrow:
		r.zero(in.at, "memory index")
	case op == opRefNull:
		r.byte()
	case op == opPrefixMisc:
		r.misc(in)
	case op == opRefFunc:
		r.fail(in.at, "ref.func: the runtime keeps a new reference for every execution; take the function from a table")
	case op == opTableSet:
		r.fail(in.at, "table.set: tables must not change, a reset does not put them back")
	case op == opPrefixVector:
		r.fail(in.at, "vector (SIMD) instruction: build the guest without simd128")
	case op == opPrefixAtomic:
		r.fail(in.at, "atomic instruction: build the guest without threads")
	default:
		r.fail(in.at, "unknown opcode %#x", op)
	}
}

func (r *reader) misc(in *instruction) {
	in.misc = r.u32()
	switch {
	case in.misc <= miscTruncLast:
	case in.misc == miscMemoryCopy:
		r.zero(in.at, "memory index")
		r.zero(in.at, "memory index")
	case in.misc == miscMemoryFill:
		r.zero(in.at, "memory index")
	case in.misc == miscTableSize:
		r.u32()
	case refusedMisc[in.misc] != "":
		r.fail(in.at, "%s: tables and segments must not change, a reset does not put them back", refusedMisc[in.misc])
	default:
		r.fail(in.at, "unknown opcode 0xfc %d", in.misc)
	}
}

func (r *reader) zero(at int, what string) {
	if c := r.byte(); c != 0 {
		r.fail(at, "%s %d: only one memory is supported", what, c)
	}
}

// cost returns the fuel that an instruction costs: about one unit for a fraction of a nanosecond. Loads cost more because they may miss the caches.
// Blocks and their ends are free. Bulk instructions also pay by length.
func (in *instruction) cost() int64 {
	switch op := in.op; {
	case op == opBlock, op == opLoop, op == opEnd, op == opElse, op == opNop:
		return 0
	case op >= opI32Load && op < opI32Store:
		return 2
	case op == opCall:
		return 3
	case op == opCallIndirect:
		return 6
	case op == opBrTable:
		return 4
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82: // integer division and remainder
		return 10
	case op == 0x91, op == 0x95, op == 0x9f, op == 0xa3: // floating-point square root and division
		return 6
	case op == opMemoryGrow:
		return 2000
	case op == opPrefixMisc && in.misc > miscTruncLast:
		return 40
	}
	return 1
}
