package sandbox

// originKind is what is known of a value on the operand stack.
type originKind byte

const (
	originUnknown  originKind = iota
	originLocal               // a local's value
	originWrapped             // a 64-bit local's value, cut to 32 bits
	originExtended            // a 32-bit local's value, extended to 64 bits, and delta added
	originAddress             // the same, cut to 32 bits again
	originBelow               // a 32-bit local's value less delta
	originConstant            // delta
)

// origin is where a value on the operand stack comes from: a local after its so many-th assignment.
type origin struct {
	kind     originKind
	local    uint32
	version  uint32
	delta    int64
	from, to int // where the instructions stand that make it, and nothing between them; from is 0 if they do other things too
}

// place is where in the code it is made, to tell what comes first.
func (o *origin) place() int { return max(o.from, o.to) }

// maxDelta bounds what is taken for a distance from a base: a frame or a structure.
const maxDelta = 1 << 16

// origins follows the locals that addresses come from through a function body. It knows little: all that is on the operand stack is forgotten
// where control flow branches or joins.
type origins struct {
	stack    []origin
	versions []uint32 // by local
	moved    moved
}

// moved is a local that has been moved down: before is its version until then.
type moved struct {
	origin        // the value it got
	before uint32 // version
}

func (o *origins) reset(locals uint64) {
	o.stack, o.moved = o.stack[:0], moved{}
	if uint64(cap(o.versions)) < locals {
		o.versions = make([]uint32, locals)
	}
	o.versions = o.versions[:locals]
	clear(o.versions)
}

// forget forgets where the values on the operand stack come from.
func (o *origins) forget() { o.stack, o.moved = o.stack[:0], moved{} }

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

// next takes one instruction in, up to end, and returns the address of a load or a store. It reports whether control flow goes on straight.
func (o *origins) next(in *instruction, end int) (address origin, straight bool) {
	switch op := in.op; {
	case op >= opI32Store && op <= opI64Store32:
		o.pop()
		return o.pop(), true
	case op >= opI32Load && op < opI32Store:
		address = o.pop()
		o.push(origin{})
		return address, true
	case op == opLocalGet:
		o.push(o.of(in.index, in.at, end))
	case op == opLocalSet, op == opLocalTee:
		o.assign(in.index, o.pop())
		if op == opLocalTee {
			o.push(o.of(in.index, 0, end))
		}
	case op == opI64ExtendI32, op == opI32WrapI64:
		o.push(converted(o.pop(), in, end))
	case op == opI32Const, op == opI64Const:
		o.push(origin{kind: originConstant, delta: in.value, from: in.at, to: end})
	case op == opI64Add, op == opI32Sub:
		b := o.pop()
		o.push(combined(o.pop(), b, in, end))
	case op == opF32Const, op == opF64Const, op == opGlobalGet, op == opMemorySize, op == opRefNull:
		o.push(origin{})
	case unary(op), op == opTableGet, op == opRefIsNull:
		o.replace(1)
	case op >= opI32Eqz && op <= opLastNumeric:
		o.replace(2)
	case op == opSelect, op == opSelectTyped:
		o.replace(3)
	case op == opDrop, op == opGlobalSet:
		o.pop()
	case op == opNop:
	default: // calls, bulk instructions, memory.grow, control flow
		o.forget()
		return origin{}, false
	}
	return origin{}, true
}

func (o *origins) of(local uint32, from, to int) origin {
	if int(local) >= len(o.versions) {
		return origin{} // wazero refuses the module
	}
	return origin{kind: originLocal, local: local, version: o.versions[local], from: from, to: to}
}

func (o *origins) assign(local uint32, v origin) {
	if int(local) >= len(o.versions) {
		return
	}
	before := o.versions[local]
	o.versions[local]++
	if o.moved.local == local {
		o.moved = moved{}
	}
	if v.kind == originBelow && v.local == local && v.version == before {
		o.moved = moved{origin: v, before: before}
		o.moved.version = o.versions[local]
	}
}

// converted is a value extended or wrapped.
func converted(v origin, in *instruction, end int) origin {
	switch op := in.op; {
	case v.to != in.at: // something else stands between
		return origin{}
	case v.kind == originLocal && op == opI64ExtendI32:
		v.kind = originExtended
	case v.kind == originLocal:
		v.kind = originWrapped
	case v.kind == originExtended && op == opI32WrapI64:
		v.kind = originAddress
	default:
		return origin{}
	}
	v.to = end
	return v
}

// combined is the sum of a value and a constant, as Go guests make the addresses of what they put on the stack, or their difference, as they
// make room there.
func combined(a, b origin, in *instruction, end int) origin {
	if b.kind != originConstant || b.delta <= 0 || b.delta >= maxDelta || a.from == 0 || a.to != b.from || b.to != in.at {
		return origin{}
	}
	switch op := in.op; {
	case a.kind == originExtended && op == opI64Add:
		a.delta += b.delta
	case a.kind == originLocal && op == opI32Sub:
		a.kind, a.delta = originBelow, b.delta
	default:
		return origin{}
	}
	a.to = end
	return a
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
