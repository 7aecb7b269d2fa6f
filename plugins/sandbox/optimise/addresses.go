package optimise

import "slices"

// maxAccesses is how many loads and stores are looked at together.
const maxAccesses = 64

// addresses finds the loads and stores of a stretch of straight code whose addresses come from one local. README.md, "Shared
// addresses", describes the rewrite and why it is sound.
type addresses struct {
	edits    []Edit
	held     []uint32 // the locals whose addresses scratch locals hold, by scratch local
	locals   uint32   // of the function; scratch locals follow
	origins  origins
	bases    []base   // of the stretch
	accesses []access // of the stretch, in the order in which they happen
}

// base is a local with the value from which accesses of a stretch take their addresses.
type base struct {
	local   uint32
	version uint32
	wrapped bool  // the local has 64 bits and is cut to 32
	fixed   bool  // one of the addresses is on the stack already and stays as it is
	moved   moved // the local's next value, a lower one, where accesses use that too
}

// access is a load or a store.
type access struct {
	base    int // index in addresses.bases
	address origin
	at, end int // of the instruction
	op      byte
	before  int64 // its static offset
	offset  int64 // the distance of what it accesses from the base
	moved   bool  // its address is base.moved
}

func (a *addresses) reset(locals uint32) {
	a.edits, a.held, a.locals = a.edits[:0], a.held[:0], locals
	a.bases, a.accesses = a.bases[:0], a.accesses[:0]
	a.origins.reset(locals)
}

func (a *addresses) next(in *Instruction) {
	address, straight := a.origins.next(in)
	if !straight {
		a.settle()
		return
	}
	if in.Op < opI32Load || in.Op > opI64Store32 {
		return
	}
	x := access{address: address, at: in.At, end: in.End, op: in.Op, before: int64(in.Offset), offset: int64(in.Offset)}
	if !a.assign(&x) {
		return
	}
	if a.accesses = append(a.accesses, x); len(a.accesses) == maxAccesses {
		a.settle()
		a.origins.forget() // an address that was made before must not get a base behind it
	}
}

// assign finds the base of an access and its distance from the base.
func (a *addresses) assign(x *access) bool {
	o, m := &x.address, &a.origins.moved
	want := base{local: o.local, version: o.version, fixed: o.from == 0}
	switch o.kind {
	case originLocal:
		if m.kind == originBelow && o.local == m.local && o.version == m.version && a.assignMoved(x, m) {
			return true
		}
	case originAddress:
		x.offset += o.delta
	case originWrapped:
		want.wrapped = true
	default:
		return false
	}
	if x.offset >= 1<<31 {
		return false
	}
	x.base = a.find(want)
	if x.base < 0 {
		x.base = len(a.bases)
		a.bases = append(a.bases, want)
	}
	b := &a.bases[x.base]
	if want.fixed && b.moved.kind != originUnknown {
		return false
	}
	b.fixed = b.fixed || want.fixed
	return true
}

// assignMoved lets an access through a decreased local use the base that the local was before, where other accesses use that base.
func (a *addresses) assignMoved(x *access, m *moved) bool {
	x.base = a.find(base{local: m.local, version: m.before})
	if x.base < 0 || a.bases[x.base].fixed || x.offset >= 1<<31 {
		return false
	}
	before := func(y access) bool { return y.base == x.base && !y.moved && y.address.from < m.from }
	if !slices.ContainsFunc(a.accesses, before) {
		return false
	}
	a.bases[x.base].moved = *m
	x.offset, x.moved = x.offset-m.delta, true
	return true
}

func (a *addresses) find(want base) int {
	return slices.IndexFunc(a.bases, func(b base) bool {
		return b.local == want.local && b.version == want.version && b.wrapped == want.wrapped
	})
}

// settle ends a stretch.
func (a *addresses) settle() {
	for i := range a.bases {
		a.settleBase(i)
	}
	a.bases, a.accesses = a.bases[:0], a.accesses[:0]
}

// settleBase rewrites the accesses of one base. All of them get the lowest of their addresses, the local's value plus low, and the
// distance from there as their static offset.
func (a *addresses) settleBase(i int) {
	b := &a.bases[i]
	var first *access // whose address is made first
	n, low, lead, bound := 0, int64(maxDelta), int64(0), int64(0)
	for k := range a.accesses {
		x := &a.accesses[k]
		if x.base != i {
			continue
		}
		end := x.offset + accessed(x.op)
		if n++; n == 1 {
			lead = end
		}
		bound, low = max(bound, end), min(low, x.offset-x.before)
		if !x.moved && (first == nil || x.address.place() < first.address.place()) {
			first = x
		}
	}
	if first == nil {
		return
	}
	shared, scratch := b.local, n > 1 && (low != 0 || b.wrapped)
	if scratch {
		shared = a.scratch(b.local)
	}
	again := appendU([]byte{opLocalGet}, uint64(shared))
	for k := range a.accesses {
		x := &a.accesses[k]
		if x.base != i {
			continue
		}
		if !x.moved && x != first && x.address.from > 0 && (scratch || x.address.kind == originAddress) {
			a.edit(x.address.from, x.address.to, again)
		}
		if offset := x.offset - low; offset != x.before {
			a.edit(x.at, x.end, appendU([]byte{x.op, 0}, uint64(offset)))
		}
	}
	if b.moved.kind != originUnknown { // the lowest address is the local's next value
		a.edit(b.moved.from, b.moved.to, again)
	}
	if !scratch && bound == lead && first.address.kind != originAddress {
		return
	}
	var code []byte
	from := first.address.from
	if from == 0 { // the address is on the stack, and low is 0
		from = first.address.to
	} else {
		code = appendU([]byte{opLocalGet}, uint64(b.local))
		if b.wrapped {
			code = append(code, opI32WrapI64)
		}
		if low != 0 {
			code = append(appendS(append(code, opI32Const), low), opI32Add)
		}
	}
	if scratch {
		code = appendU(append(code, opLocalTee), uint64(shared))
	}
	if bound > lead { // the access that happens first does not reach as far as the others: load a byte that does
		code = append(append(code, again...), opI32Load8U, 0)
		code = append(appendU(code, uint64(bound-low-1)), opDrop)
	}
	if len(code) > 0 {
		a.edit(from, first.address.to, code)
	}
}

func (a *addresses) edit(from, to int, code []byte) {
	a.edits = append(a.edits, Edit{At: from, End: to, Code: code})
}

// scratch returns the scratch local that holds addresses of a local.
func (a *addresses) scratch(local uint32) uint32 {
	i := slices.Index(a.held, local)
	if i < 0 {
		i = len(a.held)
		a.held = append(a.held, local)
	}
	return a.locals + uint32(i)
}
