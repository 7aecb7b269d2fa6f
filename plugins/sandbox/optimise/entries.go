package optimise

// entries notes which blocks of a function of the Go compiler the function's br_table can go to. A caller enters a Go function with the
// number 0, or with the number at which a goroutine goes on:
//
//   - after a call: Go writes the return address, which holds the function's number and the block's, to the stack before the call;
//   - before the call of runtime.deferreturn, after a recovered panic: the block in front of the return address's block.
//
// README.md, "Pruned entries", describes the rewrite and why it is sound.
type entries struct {
	made    *MadeByGo // nil where the function is not certain to be Go's
	blocks  []bool    // of each block that the br_table may go to, the outermost first: whether it does
	back    []int64   // the numbers of calls and of jumps back, maxCompared of them at most
	strange bool      // the function calls in a way that Go does not

	steps   int   // instructions since the last block ended
	address int64 // block of the last return address since then; 0 where there is none
}

// maxCompared is how many numbers are compared before the br_table.
const maxCompared = 5

// bareCall is how many instructions a call of runtime.deferreturn has, at most. The call has no arguments.
const bareCall = 12

// resumed notes the blocks at which a goroutine may go on.
func (j *jumps) resumed(in *Instruction) {
	const addressBits = 16 // of a block's number in a return address
	e := &j.entries
	switch e.steps++; in.Op {
	case opI64Const:
		if in.Value>>addressBits == e.made.Number {
			e.address = in.Value & (1<<addressBits - 1)
			j.enter(e.address)
		}
	case opCall, opCallIndirect:
		if in.Op == opCall && !e.made.Suspends(in.Index) {
			return
		}
		if e.address == 0 {
			e.strange = true
		} else if e.steps <= bareCall {
			j.enter(e.address - 1)
		}
		e.address = 0
	}
}

// enter notes that the br_table may be reached with a number.
func (j *jumps) enter(number int64) {
	if to := j.target(number); to > j.loop {
		j.entries.blocks[to-j.loop-1] = true
	}
}

// prune returns the edit of the br_table. Numbers with which nothing enters the function go to a block of their own, which traps.
// Comparisons with the number of nearly every call, and with those of jumps back, come first: they cost less than the indirect branch.
func (j *jumps) prune() Edit {
	j.enter(0)
	j.enter(1) // runtime.goexit goes on there
	innermost := j.loop + len(j.entries.blocks) + 1
	label := func(to int) uint64 {
		if to > j.loop && !j.entries.blocks[to-j.loop-1] {
			return 0
		}
		return uint64(innermost - to)
	}
	code := []byte{opBlock, emptyType & 0x7f}
	for _, number := range j.entries.back {
		code = appendS(append(code, opLocalGet, 0, opI32Const), number)
		code = appendU(append(code, opI32Eq, opBrIf), label(j.target(number)))
	}
	code = appendU(append(code, opLocalGet, 0, opBrTable), uint64(len(j.targets)-1))
	for _, to := range j.targets {
		code = appendU(code, label(to))
	}
	return Edit{At: j.tableAt, End: j.tableEnd, Code: append(code, opEnd, opUnreachable)}
}
