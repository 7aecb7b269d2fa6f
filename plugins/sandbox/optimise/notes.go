package optimise

import "slices"

// Reach is how far behind the address that a note names a store may begin that the note stands for. It is a power of two.
const Reach = 256

// maxNotes is how many stores of a stretch are looked at together.
const maxNotes = 64

// Notes finds stores that need no note in the sandbox's ledger. A later store of the same stretch of straight code notes
// the same place. Call Reset, then Next for every instruction. README.md, "Shared notes", describes the rewrite and why it is sound.
type Notes struct {
	stack   []uint32 // numbers of the values on the operand stack; 0 is an unknown value
	locals  []numbered
	stretch uint32
	next    uint32 // the last number given
	stores  []noted
}

// numbered is the number of a local's value in a stretch. In any other stretch it means nothing.
type numbered struct{ stretch, value uint32 }

// noted is a store of the stretch that is noted so far.
type noted struct {
	value  uint32 // number of its address
	anchor uint32 // its static offset, rounded down to Reach
	at     int
}

// Reset begins a function body with so many locals, its parameters included.
func (n *Notes) Reset(locals uint32) {
	n.stack, n.stores, n.stretch, n.next = n.stack[:0], n.stores[:0], 1, 0
	if uint32(cap(n.locals)) < locals {
		n.locals = make([]numbered, locals)
	}
	n.locals = n.locals[:locals]
	clear(n.locals)
}

// Next reads the next instruction of the body. Where the instruction is a store whose note stands for an earlier store too, Next
// returns the offset of the earlier one, and 0 otherwise.
func (n *Notes) Next(in *Instruction) (needless int) {
	takes, leaves, straight := effect(in.Op)
	if !straight {
		n.stack, n.stores = n.stack[:0], n.stores[:0]
		n.stretch++
		return 0
	}
	var taken uint32 // the lowest of the values taken: the address of a store
	for range takes {
		taken = n.pop()
	}
	var v uint32
	switch op := in.Op; {
	case op == opLocalGet:
		v = n.get(in.Index)
	case op == opLocalSet, op == opLocalTee:
		v = n.set(in.Index, taken)
	case op >= opI32Store && op <= opI64Store32:
		needless = n.store(taken, in)
	}
	if leaves > 0 {
		n.stack = append(n.stack, v)
	}
	return needless
}

func (n *Notes) pop() (v uint32) {
	if top := len(n.stack) - 1; top >= 0 {
		v = n.stack[top]
		n.stack = n.stack[:top]
	}
	return v
}

func (n *Notes) get(local uint32) uint32 {
	if int64(local) >= int64(len(n.locals)) {
		return 0 // the module is not valid
	}
	if l := n.locals[local]; l.stretch == n.stretch {
		return l.value
	}
	return n.set(local, 0)
}

// set gives a local a value and returns its number. An unknown value gets a new number.
func (n *Notes) set(local, v uint32) uint32 {
	if int64(local) >= int64(len(n.locals)) {
		return 0
	}
	if v == 0 {
		n.next++
		v = n.next
	}
	n.locals[local] = numbered{n.stretch, v}
	return v
}

func (n *Notes) store(address uint32, in *Instruction) (needless int) {
	if address == 0 {
		return 0
	}
	s := noted{value: address, anchor: in.Offset &^ (Reach - 1), at: in.At}
	if i := slices.IndexFunc(n.stores, func(o noted) bool { return o.value == s.value && o.anchor == s.anchor }); i >= 0 {
		needless, n.stores[i] = n.stores[i].at, s
		return needless
	}
	if len(n.stores) == maxNotes {
		n.stores = n.stores[:0]
	}
	n.stores = append(n.stores, s)
	return 0
}
