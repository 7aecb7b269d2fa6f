package optimise

// originKind is what is known of a value on the operand stack.
type originKind byte

const (
	originUnknown  originKind = iota
	originLocal               // a local's value
	originWrapped             // the value of a 64-bit local, cut to 32 bits
	originExtended            // the value of a 32-bit local, extended to 64 bits without a sign, plus delta
	originAddress             // the same, cut to 32 bits again
	originBelow               // the value of a 32-bit local less delta
	originConstant            // delta
)

// origin says where a value on the operand stack comes from. version counts the local's assignments before the value was read.
type origin struct {
	kind     originKind
	local    uint32
	version  uint32
	delta    int64
	from, to int // the instructions from..to make the value and do nothing else; from is 0 where they do more
}

// place orders values by where in the code they are made.
func (o *origin) place() int { return max(o.from, o.to) }

// maxDelta bounds the distance of an address from its local. Addresses wrap around at 4 GiB. The rewrite of README.md, "Shared
// addresses", is sound because no memory reaches into the last maxDelta bytes before 4 GiB.
const maxDelta = 1 << 16

// origins follows the values of locals on the operand stack of a function body. It forgets the whole stack where control flow
// branches or joins.
type origins struct {
	stack    []origin
	versions []uint32 // by local
	moved    moved
}

// moved is a local that was decreased by a constant.
type moved struct {
	origin        // the value it got
	before uint32 // its version until then
}

func (o *origins) reset(locals uint32) {
	o.stack, o.moved = o.stack[:0], moved{}
	if uint32(cap(o.versions)) < locals {
		o.versions = make([]uint32, locals)
	}
	o.versions = o.versions[:locals]
	clear(o.versions)
}

func (o *origins) forget() { o.stack, o.moved = o.stack[:0], moved{} }

func (o *origins) push(v origin) { o.stack = append(o.stack, v) }

// pop takes the topmost value. A value that was forgotten is unknown.
func (o *origins) pop() (v origin) {
	if n := len(o.stack); n > 0 {
		v = o.stack[n-1]
		o.stack = o.stack[:n-1]
	}
	return v
}

// next reads one instruction. It returns the address of a load or a store, and whether the code goes on straight (see effect).
func (o *origins) next(in *Instruction) (address origin, straight bool) {
	takes, leaves, straight := effect(in.Op)
	if !straight {
		o.forget()
		return origin{}, false
	}
	var taken [3]origin // the topmost last
	for i := takes - 1; i >= 0; i-- {
		taken[i] = o.pop()
	}
	var v origin
	switch op := in.Op; op {
	case opLocalGet:
		v = o.of(in.Index, in.At, in.End)
	case opLocalSet, opLocalTee:
		o.assign(in.Index, taken[0])
		v = o.of(in.Index, 0, in.End)
	case opI32Const, opI64Const:
		v = origin{kind: originConstant, delta: in.Value, from: in.At, to: in.End}
	case opI64ExtendI32, opI32WrapI64:
		v = converted(taken[0], in)
	case opI64Add, opI32Sub:
		v = combined(taken[0], taken[1], in)
	}
	if leaves > 0 {
		o.push(v)
	}
	return taken[0], true
}

// of returns a value that was read from a local.
func (o *origins) of(local uint32, from, to int) origin {
	if int64(local) >= int64(len(o.versions)) {
		return origin{} // the module is not valid
	}
	return origin{kind: originLocal, local: local, version: o.versions[local], from: from, to: to}
}

func (o *origins) assign(local uint32, v origin) {
	if int64(local) >= int64(len(o.versions)) {
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

// converted returns a value that was extended or cut.
func converted(v origin, in *Instruction) origin {
	switch op := in.Op; {
	case v.to != in.At: // other instructions stand in between
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
	v.to = in.End
	return v
}

// combined returns the sum of a value and a constant, as Go computes addresses of arguments on its stack; or their difference, as Go makes room
// there.
func combined(a, b origin, in *Instruction) origin {
	if b.kind != originConstant || b.delta <= 0 || a.delta+b.delta >= maxDelta || b.delta >= maxDelta || a.from == 0 || a.to != b.from || b.to != in.At {
		return origin{}
	}
	switch op := in.Op; {
	case a.kind == originExtended && op == opI64Add:
		a.delta += b.delta
	case a.kind == originLocal && op == opI32Sub:
		a.kind, a.delta = originBelow, b.delta
	default:
		return origin{}
	}
	a.to = in.End
	return a
}
