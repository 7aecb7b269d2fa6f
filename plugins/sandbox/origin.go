package sandbox

import "slices"

// Many stores go to one place: the words of a structure, the arguments of a call. Of stores that follow one another on every path to the same
// local plus offsets of the same reach, only the first is noted; reach is what overlap and ledgerSlack allow for. In a Go guest that is a third of them.
const (
	reachBits = 8
	reach     = 1 << reachBits
	maxNoted  = 32
)

// origin is what is known of a value on the operand stack: that it is a local's, cut to 32 bits or not, after its so many-th assignment.
type origin struct {
	local   uint32 // its number and 1 more; 0 where nothing is known
	version uint32
	wrapped bool
}

// noted is a store that has been noted on every path to where the scan is.
type noted struct {
	origin
	reach uint32 // static offset by reach
	at    int
}

// origins follows the locals that addresses come from through a function body. It knows little: all that is on the operand stack is forgotten
// where control flow branches or joins.
type origins struct {
	stack    []origin
	versions []uint32 // by local
	noted    []noted
	opened   []int // where each open block begins
}

func (o *origins) reset(locals uint64) {
	o.stack, o.noted, o.opened = o.stack[:0], o.noted[:0], append(o.opened[:0], 0)
	o.versions = slices.Grow(o.versions[:0], int(locals))[:locals]
	clear(o.versions)
}

func (o *origins) push(v origin) { o.stack = append(o.stack, v) }

func (o *origins) pop() (v origin) {
	if n := len(o.stack); n > 0 {
		v = o.stack[n-1]
		o.stack = o.stack[:n-1]
	}
	return v
}

// replace is what an instruction does that takes n operands and leaves one value.
func (o *origins) replace(n int) {
	for range n {
		o.pop()
	}
	o.push(origin{})
}

// next takes one instruction in and says of a store whether it needs no note.
func (o *origins) next(in *instruction) (needless bool) {
	switch op := in.op; {
	case op >= opI32Store && op <= opI64Store32:
		o.pop()
		return o.store(o.pop(), in)
	case op == opLocalGet:
		o.push(o.of(in.index))
	case op == opLocalSet, op == opLocalTee:
		o.pop()
		if int(in.index) < len(o.versions) {
			o.versions[in.index]++
		}
		if op == opLocalTee {
			o.push(o.of(in.index))
		}
	case op == opI32WrapI64:
		v := o.pop()
		v.wrapped = true
		o.push(v)
	case op >= opI32Const && op <= opF64Const, op == opGlobalGet, op == opMemorySize, op == opRefNull, op == opRefFunc:
		o.push(origin{})
	case op >= opI32Load && op < opI32Store, unary(op), op == opMemoryGrow, op == opTableGet, op == opRefIsNull:
		o.replace(1)
	case op >= opI32Eqz && op <= opLastNumeric:
		o.replace(2)
	case op == opSelect, op == opSelectTyped:
		o.replace(3)
	case op == opDrop, op == opGlobalSet:
		o.pop()
	case op == opNop:
	default: // calls, bulk instructions, control flow
		o.stack = o.stack[:0]
		o.control(in)
	}
	return false
}

// control keeps of what was noted what holds on all paths.
func (o *origins) control(in *instruction) {
	switch in.op {
	case opLoop: // its beginning is reached from its end too
		o.noted = o.noted[:0]
		o.opened = append(o.opened, in.at)
	case opBlock, opIf:
		o.opened = append(o.opened, in.at)
	case opElse, opEnd:
		n := len(o.opened) - 1
		o.noted = slices.DeleteFunc(o.noted, func(x noted) bool { return x.at > o.opened[n] })
		if in.op == opEnd {
			o.opened = o.opened[:n]
		}
	}
}

func (o *origins) of(local uint32) origin {
	if int(local) >= len(o.versions) {
		return origin{} // wazero refuses the module
	}
	return origin{local: local + 1, version: o.versions[local]}
}

func (o *origins) store(address origin, in *instruction) (needless bool) {
	if address.local == 0 {
		return false
	}
	x := noted{origin: address, reach: in.offset >> reachBits, at: in.at}
	for i := range o.noted {
		if have := &o.noted[i]; have.origin == x.origin && have.reach == x.reach {
			return true
		}
	}
	if len(o.noted) == maxNoted {
		o.noted = slices.Delete(o.noted, 0, 1)
	}
	o.noted = append(o.noted, x)
	return false
}

// unary reports whether a numeric instruction takes one operand.
func unary(op byte) bool {
	switch {
	case op == opI32Eqz, op == opI64Eqz, op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7b, // clz, ctz, popcnt
		op >= 0x8b && op <= 0x91, op >= 0x99 && op <= 0x9f, // abs to sqrt
		op >= opI32WrapI64 && op <= opLastNumeric: // conversions
		return true
	}
	return false
}
