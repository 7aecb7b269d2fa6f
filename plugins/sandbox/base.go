package sandbox

import "slices"

// Guests go to few places many times: the frame, the structure a register points at, the arguments of a call. But a Go guest makes the address
// anew for each load and store, and the compiler, which goes by values, has each checked against the memory's size: a comparison, and 44 bytes
// that are in the way of what is executed. So what is based on one local, with no branch between, is made to share its address. The first that is
// needed is held in a scratch local and checked for all that follow. A guest that would have trapped later traps at once, which comes to the
// same, as it is thrown away.
//
// Of the stores to one base only the last within reach is noted in the ledger, for those before it as well; reach is what overlap and ledgerSlack
// allow for. It is the last because a note must come after all that it stands for: else a store into the ledger could wipe out the note of the one
// before it.
const (
	reachBits   = 8
	reach       = 1 << reachBits
	maxAccesses = 64 // looked at together
)

// base is a local whose value loads and stores of a stretch of code without branches go by.
type base struct {
	local   uint32
	version uint32
	wrapped bool  // it is 64 bits wide and cut to 32
	fixed   bool  // one of the addresses cannot be replaced
	moved   moved // the local's next value, which is below this one, if accesses go by that too
}

// access is a load or a store that goes by a base.
type access struct {
	base    int
	address origin
	at, end int
	op      byte
	offset  int64 // from the base
	moved   bool  // the address is base.moved
}

// memory takes in a load or a store.
func (s *functionScan) memory(in *instruction, end int, address origin) {
	x := access{address: address, at: in.at, end: end, op: in.op, offset: int64(in.offset)}
	if s.goBy(&x) {
		if s.accesses = append(s.accesses, x); len(s.accesses) == maxAccesses {
			s.settle()
			s.origins.forget() // no address made before may go by a base again
		}
	} else if x.stores() {
		s.store(mark{at: x.at, end: x.end, op: x.op, offset: in.offset})
	}
}

// goBy finds the base of an access and its offset from that.
func (s *functionScan) goBy(x *access) bool {
	a, m := &x.address, &s.origins.moved
	want := base{local: a.local, version: a.version, fixed: a.from == 0}
	switch a.kind {
	case originLocal:
		if m.kind == originBelow && a.local == m.local && a.version == m.version && s.goByMoved(x, m) {
			return true
		}
	case originAddress:
		x.offset += a.delta
	case originWrapped:
		want.wrapped = true
	default:
		return false
	}
	if x.offset >= 1<<31 {
		return false
	}
	x.base = s.find(want)
	if x.base < 0 {
		x.base = len(s.bases)
		s.bases = append(s.bases, want)
	}
	b := &s.bases[x.base]
	if want.fixed && b.moved.kind != originUnknown {
		return false
	}
	b.fixed = b.fixed || want.fixed
	return true
}

// goByMoved has an access to where a local was moved down to go by what it was before, if there are accesses that do.
func (s *functionScan) goByMoved(x *access, m *moved) bool {
	x.base = s.find(base{local: m.local, version: m.before})
	if x.base < 0 || s.bases[x.base].fixed || x.offset >= 1<<31 {
		return false
	}
	before := func(y access) bool { return y.base == x.base && !y.moved && y.address.from < m.from }
	if !slices.ContainsFunc(s.accesses, before) {
		return false
	}
	s.bases[x.base].moved = *m
	x.offset, x.moved = x.offset-m.delta, true
	return true
}

func (s *functionScan) find(want base) int {
	return slices.IndexFunc(s.bases, func(b base) bool {
		return b.local == want.local && b.version == want.version && b.wrapped == want.wrapped
	})
}

// settle decides how the accesses since the last branch are made.
func (s *functionScan) settle() {
	for i := range s.bases {
		s.settleBase(i)
	}
	s.bases, s.accesses = s.bases[:0], s.accesses[:0]
}

func (s *functionScan) settleBase(i int) {
	b := &s.bases[i]
	below := int64(0)
	if b.moved.kind == originBelow {
		below = b.moved.delta
	}
	var first *access // that the address is made for
	n, lead, bound := 0, int64(0), int64(0)
	for k := range s.accesses {
		x := &s.accesses[k]
		if x.base != i {
			continue
		}
		x.offset += below
		end := x.offset + size(x.op)
		if n++; n == 1 {
			lead = end
		}
		bound = max(bound, end)
		if !x.moved && (first == nil || x.address.place() < first.address.place()) {
			first = x
		}
	}
	m := mark{kind: markAddress, local: b.local}
	if below > 0 || b.wrapped && n > 1 {
		m.scratch = s.scratchOf(b.local)
	}
	s.anchors = s.anchors[:0]
	for k := len(s.accesses) - 1; k >= 0; k-- {
		if x := &s.accesses[k]; x.base == i {
			s.settleAccess(x, m, x == first)
		}
	}
	m.wrapped, m.below = b.wrapped, below
	if bound > lead { // what is done first does not go as far as the rest
		m.bound = bound
	}
	s.hold(&first.address, m)
	if below > 0 {
		s.mark(mark{at: b.moved.from, end: b.moved.to, kind: markAddress, scratch: m.scratch})
	}
}

// settleAccess decides on one access; they come last to first. m is the mark for an address that is not the first.
func (s *functionScan) settleAccess(x *access, m mark, first bool) {
	if a := &x.address; !first && !x.moved && a.from > 0 && (m.scratch > 0 || a.kind == originAddress) {
		m.at, m.end = a.from, a.to
		s.mark(m)
	}
	k := mark{at: x.at, end: x.end, kind: markMove, op: x.op, offset: uint32(x.offset)}
	if anchor := k.offset &^ (reach - 1); x.stores() && !slices.Contains(s.anchors, anchor) {
		s.anchors = append(s.anchors, anchor)
		s.store(k)
	} else if x.moved || x.address.kind == originAddress || m.scratch > 0 {
		s.mark(k)
	}
}

// hold has the first address of a base kept and checked for the others.
func (s *functionScan) hold(a *origin, m mark) {
	m.at, m.end, m.first = a.from, a.to, true
	if a.from == 0 { // it is on the stack, and stays
		m.at, m.kind = a.to, markHold
	}
	if m.scratch > 0 || m.bound > 0 || a.kind == originAddress {
		s.mark(m)
	}
}

// scratchOf returns the number, from 1, of the scratch local that holds addresses made of a local.
func (s *functionScan) scratchOf(local uint32) uint32 {
	i := slices.Index(s.held, local)
	if i < 0 {
		i = len(s.held)
		s.held = append(s.held, local)
	}
	return uint32(i + 1)
}

func (x *access) stores() bool { return x.op >= opI32Store }

// size is how many bytes a load or a store takes.
func size(op byte) int64 {
	return int64("\x04\x08\x04\x08\x01\x01\x02\x02\x01\x01\x02\x02\x04\x04\x04\x08\x04\x08\x01\x02\x01\x02\x04"[op-opI32Load])
}
