package optimise

// Opcodes that this package reads or writes, named as in the WebAssembly specification.
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
	opI32Load      = 0x28
	opI32Load8U    = 0x2d
	opI32Store     = 0x36
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI32Eq        = 0x46
	opI64Eqz       = 0x50
	opI32Sub       = 0x6b
	opI32Add       = 0x6a
	opI64Add       = 0x7c
	opI32WrapI64   = 0xa7
	opI64ExtendI32 = 0xad // unsigned
	opLastNumeric  = 0xc4 // i64.extend32_s
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1

	emptyType = 0x40 - 0x80 // type of a block without parameters and results, as a signed number
)

// mayTrap reports whether a numeric instruction traps for some operands: integer divisions and remainders, and the conversions of
// floating-point numbers to integers that do not saturate.
func mayTrap(op byte) bool {
	switch {
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82, op >= 0xa8 && op <= 0xab, op >= 0xae && op <= 0xb1:
		return true
	}
	return false
}

// effect returns how many values an instruction takes from the operand stack and leaves there. straight is false, and the counts
// mean nothing, in three cases: where control flow may branch or join; where the instruction may trap for another reason than an address, and
// where code outside the function may run.
func effect(op byte) (takes, leaves int, straight bool) {
	switch {
	case op == opNop:
		return 0, 0, true
	case op >= opI32Store && op <= opI64Store32:
		return 2, 0, true
	case op >= opI32Load && op < opI32Store, op == opLocalTee, op == opRefIsNull:
		return 1, 1, true
	case op == opLocalGet, op == opGlobalGet, op == opMemorySize, op >= opI32Const && op <= opF64Const, op == opRefNull:
		return 0, 1, true
	case op == opLocalSet, op == opGlobalSet, op == opDrop:
		return 1, 0, true
	case op == opSelect, op == opSelectTyped:
		return 3, 1, true
	case op < opI32Eqz, op > opLastNumeric, mayTrap(op): // calls, table.get, bulk instructions, memory.grow, control flow
		return 0, 0, false
	case takesOne(op):
		return 1, 1, true
	}
	return 2, 1, true
}

// takesOne reports whether a numeric instruction takes one operand. The others take two.
func takesOne(op byte) bool {
	switch {
	case op == opI32Eqz, op == opI64Eqz, op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7b, // clz, ctz, popcnt
		op >= 0x8b && op <= 0x91, op >= 0x99 && op <= 0x9f, // abs to sqrt
		op >= opI32WrapI64 && op <= opLastNumeric: // conversions
		return true
	}
	return false
}

// accessed returns how many bytes a load or a store accesses.
func accessed(op byte) int64 {
	return int64("\x04\x08\x04\x08\x01\x01\x02\x02\x01\x01\x02\x02\x04\x04\x04\x08\x04\x08\x01\x02\x01\x02\x04"[op-opI32Load])
}
