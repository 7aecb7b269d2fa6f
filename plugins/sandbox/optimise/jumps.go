package optimise

import "slices"

// jumps looks for the shape in which the Go compiler writes a function: a loop around a br_table that one local selects the block
// of. Code that wants to continue at another block sets the local to the block's number and starts the loop anew. README.md,
// "Direct jumps", describes the rewrite and why it is sound.
type jumps struct {
	edits   []Edit
	entries entries
	targets []int  // for each number, the place of its block among the open ones; the last is for all larger numbers
	loop    int    // place of the loop among the open blocks
	loopAt  int    // offset of the loop
	again   bool   // a jump starts the loop anew
	local   uint32 // the local that selects the block
	known   bool   // the br_table has been read
	strange bool   // the function uses the local or the loop in a way that forbids the rewrite

	tableAt, tableEnd int // from the local.get in front of the br_table to the br_table's end

	open   []byte // the opcodes of the blocks around the instruction
	inside int    // how many of the blocks around the br_table are still open
	head   byte   // part of the loop's head: headBlocks or headLocal
	fresh  bool   // the local was set since control flow last branched or joined
	last   jumpPart
	number int64 // value of the last constant
	from   int   // offset of the if in front of it; 0 if there is none
}

const (
	headBlocks = 1 // the loop and blocks were read
	headLocal  = 2 // and then the local
)

// jumpPart is the part of a jump that the last instruction was.
type jumpPart byte

const (
	jumpNothing jumpPart = iota
	jumpIf
	jumpNumber
	jumpSet  // the local was set to the number
	jumpMade // the jump became an edit
)

func (j *jumps) reset(made *MadeByGo) {
	*j = jumps{edits: j.edits[:0], targets: j.targets[:0], open: append(j.open[:0], opBlock), entries: entries{made: made, blocks: j.entries.blocks[:0], back: append(j.entries.back[:0], 0)}}
}

// found returns the edits, or nil if the function does not have the expected shape.
func (j *jumps) found() []Edit {
	if !j.known || j.strange {
		return nil
	}
	edits := slices.Clone(j.edits)
	if !j.again {
		edits = append(edits, Edit{At: j.loopAt, End: j.loopAt + 1, Code: []byte{opBlock}})
	}
	if j.entries.made != nil && !j.entries.strange && j.local == 0 {
		edits = append(edits, j.prune())
	}
	return edits
}

func (j *jumps) next(in *Instruction) {
	if len(j.open) == 0 {
		return // behind the function's end
	}
	if j.entries.made != nil && j.known && len(j.open) == j.inside { // code behind a condition calls for a panic or a larger stack, and then the function starts anew
		j.resumed(in)
	}
	head, last := j.head, j.last
	j.head, j.last = 0, jumpNothing
	switch in.Op {
	case opLoop:
		if !j.known && in.Value == emptyType && !slices.Contains(j.open, opLoop) { // code before a nested loop runs more than once
			j.head, j.loop, j.loopAt = headBlocks, len(j.open), in.At
		}
		j.open = append(j.open, opLoop)
	case opBlock:
		if head == headBlocks && in.Value == emptyType {
			j.head = headBlocks
		}
		j.open = append(j.open, opBlock)
	case opIf:
		if in.Value == emptyType {
			j.last, j.from = jumpIf, in.At
		}
		j.open = append(j.open, opIf)
	case opI32Const:
		if last != jumpIf {
			j.from = 0
		}
		j.last, j.number = jumpNumber, in.Value
		return
	case opLocalGet:
		if j.known {
			j.strange = j.strange || in.Index == j.local && !j.fresh
		} else if head == headBlocks {
			j.head, j.local, j.tableAt = headLocal, in.Index, in.At
		}
		return
	case opLocalSet, opLocalTee:
		if j.known && in.Index == j.local {
			j.fresh = true
			if last == jumpNumber && in.Op == opLocalSet {
				j.last = jumpSet
			}
		}
		return
	case opBr:
		if j.restarts(in.Index) {
			j.jump(in, last == jumpSet)
		}
	case opBrIf:
		j.strange = j.strange || j.restarts(in.Index)
	case opBrTable:
		j.table(in, head == headLocal)
	case opEnd:
		j.close(in, last == jumpMade && j.from > 0)
	case opElse, opReturn, opUnreachable:
	default:
		return
	}
	j.fresh = false
}

// table reads a br_table. first says that it stands where the loop's br_table has to stand.
func (j *jumps) table(in *Instruction, first bool) {
	if j.known || !first {
		j.strange = j.strange || slices.ContainsFunc(in.Labels, j.restarts)
		return
	}
	j.known, j.inside, j.tableEnd = true, len(j.open), in.End
	j.entries.blocks = append(j.entries.blocks, make([]bool, len(j.open)-j.loop-1)...)
	for _, label := range in.Labels {
		j.targets = append(j.targets, j.place(label))
	}
}

// jump reads a br that starts the loop anew. set says that the instructions before it set the local to a constant.
func (j *jumps) jump(in *Instruction, set bool) {
	if !set {
		j.strange = true
		return
	}
	if to := j.target(j.number); to > j.loop && to < j.inside {
		j.edits = append(j.edits, Edit{At: in.At, End: in.End, Code: branch(opBr, len(j.open)-1-to)})
		j.last = jumpMade
		return
	}
	j.again = true
	j.enter(j.number)
	if back := &j.entries.back; len(*back) < maxCompared && !slices.Contains(*back, j.number) {
		*back = append(*back, j.number)
	}
}

// close reads an end. conditional says that the block that ends is an if around nothing but a jump.
func (j *jumps) close(in *Instruction, conditional bool) {
	n := len(j.open) - 1
	if conditional && j.open[n] == opIf {
		j.edits[len(j.edits)-1] = Edit{At: j.from, End: in.End, Code: branch(opBrIf, n-1-j.target(j.number))}
	}
	j.open = j.open[:n]
	if n < j.inside {
		j.inside, j.entries.steps, j.entries.address = n, 0, 0
	}
}

// restarts reports whether a label is the loop's.
func (j *jumps) restarts(label uint32) bool {
	return j.known && j.inside > j.loop && j.place(label) == j.loop
}

// place returns the place of a label's block among the open ones.
func (j *jumps) place(label uint32) int { return len(j.open) - 1 - int(label) }

// target returns the place of the block that has a number.
func (j *jumps) target(number int64) int {
	return j.targets[min(uint64(uint32(number)), uint64(len(j.targets)-1))]
}

// branch returns a br or br_if.
func branch(op byte, label int) []byte { return appendU([]byte{op}, uint64(label)) }
