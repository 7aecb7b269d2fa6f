package sandbox

import (
	"go/version"
	"slices"
	"strings"
)

// The Go compiler does without structured control flow: a function is a loop around a br_table, and whoever goes to another basic block sets a
// local to the block's number and starts the loop anew. A jump then costs a look at the fuel and an indirect branch, and as everything may come
// from everywhere, wazero keeps little in registers and checks each address once more in each block. So
//
//   - a jump to a block that stands further on goes there directly. That is so for every module: it is what the jump does;
//   - in functions of the Go compiler, numbers that nobody has lead to the trap at the function's end, no longer to their blocks. A third of the
//     blocks are then reached from above alone, and are one with what is there; another third by direct jumps alone.
//
// Who enters a Go function has the number 0, or one of a place where a goroutine goes on: after a call, of which the return address is put on
// the goroutine's stack before the call, or, after a recovered panic, before the call of runtime.deferreturn, whose block is the one before that of
// the return address (cmd/internal/obj/wasm and cmd/link/internal/ld of Go; the return address is the function's number and the block's).
const (
	goFunctionsFrom = 0x1000 // what a function's number in an address is above its place among those defined
	goAddressShift  = 16
	bareCall        = 12 // instructions at most that call deferreturn, which has no arguments, and a few more
)

// goProducer is how the Go compiler calls itself in the custom section "producers", and goVersions are those known to do as said.
const goProducer = "Go cmd/compile"

var goVersions = []string{"go1.24", "go1.25", "go1.26"}

// jumps is what is found of this in a function body, by a look at it before all others.
type jumps struct {
	marks []mark // of the jumps that go directly, and of the br_table
	ends  []int  // offsets of the ends of blocks that are reached from above alone

	blocks  []jumpBlock // those that the br_table goes to, the outermost first
	targets []int       // for each number the place of its block among the open ones; the last is for all numbers beyond
	table   mark
	loop    int    // the loop's place among the open blocks
	local   uint32 // holds the number
	known   bool   // the br_table has been read
	strange bool   // the local is used for something else as well, a block is left by its label, or a call is not as Go makes it

	open    []blockKind // the blocks around the instruction at hand
	inside  int         // so many of those around the br_table are still open
	steps   int         // instructions since the last of its blocks ended
	address int64       // the last block's number that was part of a return address since then; 0 for none
	head    byte        // of the loop: 1 the blocks are being read, 2 and the local
	fresh   bool        // the local has been set since control flow last branched or joined
	last    jumpPart
	number  int64 // the constant's value
	from    int   // where the if before it stands; 0 if there is none
}

// jumpBlock is a block that the br_table goes to.
type jumpBlock struct {
	end     int  // offset of its end
	entered bool // the function may be entered with its number, or a jump goes back to it
	jumped  bool // a jump goes to it directly
}

// jumpPart is what has just been read of a jump.
type jumpPart byte

const (
	jumpNothing jumpPart = iota
	jumpIf
	jumpNumber
	jumpSet  // the local has been set to the number
	jumpMade // and the jump has been marked
)

// goFunction is the type of what the Go compiler compiles: the number goes in, and whether the goroutine has stopped comes out.
var goFunction = funcType{params: types(typeI32), results: types(typeI32)}

// emptyType is the type of a block with neither parameters nor results, as a signed number.
const emptyType = typeEmpty - 0x80

// find looks for jumps in the i-th function body, whose code starts at start.
func (j *jumps) find(m *parsed, i, start int) {
	*j = jumps{marks: j.marks[:0], ends: j.ends[:0], blocks: j.blocks[:0], targets: j.targets[:0], open: append(j.open[:0], blockPlain)}
	r := &reader{b: m.wasm, p: start, end: m.bodies[i].end}
	compiledByGo := m.byGo && m.types[m.funcs[i]] == goFunction
	var in instruction
	for r.more() && len(j.open) > 0 {
		r.next(&in)
		if compiledByGo {
			j.resumed(m, &in, int64(goFunctionsFrom+i))
		}
		j.next(&in, r.p)
	}
	switch {
	case r.err != nil || !j.known || j.strange:
		j.marks = j.marks[:0]
	case compiledByGo && j.local == 0:
		j.prune()
	}
}

// prune finds the blocks that are reached from above alone.
func (j *jumps) prune() {
	j.enter(0)
	j.enter(1) // where runtime.goexit goes on
	for _, b := range j.blocks {
		if !b.entered && !b.jumped {
			j.ends = append(j.ends, b.end)
		}
	}
	slices.Reverse(j.ends)
	j.marks = append(j.marks, j.table)
}

// resumed notes the blocks that a goroutine may go on at. function is the function's number in addresses.
func (j *jumps) resumed(m *parsed, in *instruction, function int64) {
	if !j.known || len(j.open) != j.inside { // what stands behind a condition is called for panics and for a larger stack, after which the function starts anew
		return
	}
	switch j.steps++; in.op {
	case opI64Const:
		if in.value>>goAddressShift == function {
			j.address = in.value & (1<<goAddressShift - 1)
			j.enter(j.address)
		}
	case opCall, opCallIndirect:
		if t, ok := m.function(in.index); in.op == opCall && (!ok || t != goFunction) { // the host's, or a part of the runtime that runs to its end
			return
		}
		if j.address == 0 {
			j.strange = true
		} else if j.steps <= bareCall {
			j.enter(j.address - 1)
		}
		j.address = 0
	}
}

// next takes in an instruction that goes up to end.
func (j *jumps) next(in *instruction, end int) {
	head, last := j.head, j.last
	j.head, j.last = 0, jumpNothing
	switch in.op {
	case opLoop:
		if !j.known && in.value == emptyType && !slices.Contains(j.open, blockLoop) { // within another, it would be come to from above more than once
			j.head, j.loop = 1, len(j.open)
		}
		j.open = append(j.open, blockLoop)
	case opBlock:
		if head == 1 && in.value == emptyType {
			j.head = 1
		}
		j.open = append(j.open, blockPlain)
	case opIf:
		if in.value == emptyType {
			j.last, j.from = jumpIf, in.at
		}
		j.open = append(j.open, blockIf)
	case opI32Const:
		if last != jumpIf {
			j.from = 0
		}
		j.last, j.number = jumpNumber, in.value
		return
	case opLocalGet:
		if j.known {
			j.strange = j.strange || in.index == j.local && !j.fresh
		} else if head == 1 {
			j.head, j.local = 2, in.index
		}
		return
	case opLocalSet, opLocalTee:
		if j.known && in.index == j.local {
			j.fresh = true
			if last == jumpNumber && in.op == opLocalSet {
				j.last = jumpSet
			}
		}
		return
	case opBr:
		if j.again(in.index) {
			j.jump(in, end, last == jumpSet)
		}
		j.strange = j.strange || j.within(in.index)
	case opBrIf:
		j.strange = j.strange || j.again(in.index) || j.within(in.index)
	case opBrTable:
		j.dispatch(in, end, head == 2)
	case opEnd:
		j.close(in, end, last == jumpMade && j.from > 0)
	case opElse, opReturn, opUnreachable:
	default:
		return
	}
	j.fresh = false
}

// dispatch takes in a br_table. first says that it may be the one that all jumps go to.
func (j *jumps) dispatch(in *instruction, end int, first bool) {
	if j.known || !first {
		j.strange = j.strange || slices.ContainsFunc(in.labels, j.again) || slices.ContainsFunc(in.labels, j.within)
		return
	}
	j.known, j.inside = true, len(j.open)
	j.table = mark{at: in.at, end: end, kind: markTable, depth: uint32(len(j.open))}
	for _, label := range in.labels {
		j.targets = append(j.targets, j.place(label))
	}
	j.blocks = slices.Grow(j.blocks, len(j.open)-j.loop-1)[:len(j.open)-j.loop-1]
	clear(j.blocks)
}

// jump takes in a br that starts the loop anew; set says that the local has just been set to a constant.
func (j *jumps) jump(in *instruction, end int, set bool) {
	switch to := j.target(j.number); {
	case !set:
		j.strange = true
	case to > j.loop && to < j.inside:
		j.block(to).jumped = true
		j.marks = append(j.marks, mark{at: in.at, end: end, kind: markJump, label: uint32(len(j.open) - 1 - to)})
		j.last = jumpMade
	default:
		j.enter(j.number)
	}
}

// close takes in an end. conditional says that nothing but a jump is in an if that ends here.
func (j *jumps) close(in *instruction, end int, conditional bool) {
	n := len(j.open) - 1
	if conditional && j.open[n] == blockIf {
		k := &j.marks[len(j.marks)-1]
		k.at, k.end, k.kind, k.label = j.from, end, markJumpIf, k.label-1
	}
	j.open = j.open[:n]
	if !j.known || n >= j.inside {
		return
	}
	j.inside, j.steps, j.address = n, 0, 0
	if n > j.loop {
		j.block(n).end = in.at
	}
}

// again reports whether a label is that of the loop.
func (j *jumps) again(label uint32) bool {
	return j.known && j.inside > j.loop && j.place(label) == j.loop
}

// within reports whether a label is that of a block that the br_table goes to. Go does not leave them by it, and whoever did would come to where
// nothing is charged.
func (j *jumps) within(label uint32) bool {
	return j.known && j.place(label) > j.loop && j.place(label) < j.inside
}

// place is the place of a label's block among the open ones.
func (j *jumps) place(label uint32) int { return len(j.open) - 1 - int(label) }

// target is the place of the block that has a number.
func (j *jumps) target(number int64) int {
	return j.targets[min(uint64(uint32(number)), uint64(len(j.targets)-1))]
}

// block is the block at a place within the loop.
func (j *jumps) block(place int) *jumpBlock { return &j.blocks[place-j.loop-1] }

// enter notes that the br_table may be reached with a number.
func (j *jumps) enter(number int64) {
	if to := j.target(number); to > j.loop {
		j.block(to).entered = true
	}
}

// rewrite appends the br_table, in which the numbers that nobody has lead to the end of the function.
func (j *jumps) rewrite(b []byte) []byte {
	b = appendU(append(b, opBrTable), uint64(len(j.targets)-1))
	for _, to := range j.targets {
		label := int(j.table.depth) - 1 - to
		if to > j.loop && !j.block(to).entered {
			label = int(j.table.depth)
		}
		b = appendU(b, uint64(label))
	}
	return b
}

// byKnownGo reads the rest of the custom section "producers" (WebAssembly tool conventions), and reports whether one of the Go compilers known made the
// module.
func (r *reader) byKnownGo() (found bool) {
	for range r.vector() {
		field := r.name()
		for range r.vector() {
			name, release := r.name(), r.name()
			release, _, _ = strings.Cut(release, " ") // experiments follow
			found = found || field == "processed-by" && name == goProducer && slices.Contains(goVersions, version.Lang(release))
		}
	}
	return found && r.err == nil
}
