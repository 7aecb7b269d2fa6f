package sandbox

import (
	"fmt"
	"runtime/debug"

	"payswitch/plugins/sandbox/optimise"
)

// markKind says what the rewriter does at a place of a function body.
type markKind byte

const (
	markCharge markKind = iota // charge the basic block that starts here
	markCheck                  // the same, and stop if the fuel is gone
	markStore                  // a store: note where it wrote
	markNoted                  // a store that a later one notes: leave it as it is
	markBulk                   // memory.copy or memory.fill: charge by length, note where it wrote
	markGrow                   // memory.grow: charge by pages, keep the ledger behind the memory
	markSize                   // memory.size: take off the ledger
	markReturn                 // a return: leave through the end of the function instead
)

// mark is one place in a function body where the rewriter adds or replaces something.
type mark struct {
	at     int // offset in the module; new code goes in front of it
	end    int // end of the replaced code
	cost   int64
	kind   markKind
	op     byte   // of the load or store
	offset uint32 // static offset of the load or store
	loops  int    // number of loops around it
	retry  bool   // of a markCheck at a loop's header: the loop has no parameters
	depth  uint32 // number of blocks around it, with the added one around the body, at whose end the guest is stopped
}

// blockKind is what a structured instruction opens.
type blockKind byte

const (
	blockPlain blockKind = iota
	blockLoop
	blockIf
)

// functionScan is the result of one pass over a function body. scanBodies reuses it from function to function.
type functionScan struct {
	marks     []mark
	loops     []blockKind // the open blocks
	targeted  []bool      // for each open block, whether a branch names its label
	ifs       []int       // for each open if, the mark of the basic block around it
	locals    uint64      // parameters and declared locals
	groups    int         // groups of declared locals
	declStart int
	declEnd   int
	end       int // offset of the final end
	calls     bool
	stops     bool    // the body has a check that may stop the guest
	branched  bool    // control flow may have left the straight line from the entry
	header    int     // mark of the loop to which the straight line from the entry leads; 0 if there is no such loop
	stores    [4]bool // needs a scratch local of i32, i64, f32, f64
	addr      bool    // needs one for an address
	bulk      bool    // needs two more
	values    int64   // instructions: a bound for the values a frame holds
	blocks    uint64  // basic blocks the compiler will make of it, roughly
	weight    weight  // what its instructions cost the compiler
	carried   []int   // values that a branch to each of the open blocks takes along
	loopDepth int
	notes     optimise.Notes
}

// rewriterFailed is the reason of a refusal after a panic of the rewriter. It costs the module, not the process.
const rewriterFailed = "the rewriter failed"

// scanBodies scans all function bodies and passes each scan to visit. It refuses a module that would take too long to compile.
func (m *parsed) scanBodies(visit func(i int, s *functionScan)) (err error) {
	var s functionScan
	effort, at, code := uint64(0), 0, int64(0)
	defer func() {
		if p := recover(); p != nil {
			err = m.refusedIn(at, &RefusedError{Offset: -1, Reason: rewriterFailed, Err: fmt.Errorf("%v\n%s", p, debug.Stack())})
		}
	}()
	for i := range m.bodies {
		at = i
		if err := s.scan(m, i); err != nil {
			return err
		}
		if effort += s.blocks * s.blocks; effort > maxEffort {
			return m.refusedIn(i, refused(m.bodies[i].start, "up to here, the functions have too many basic blocks to be compiled in time"))
		}
		w := s.compiledWeight()
		if w.memory > maxCompileMemory {
			return m.refusedIn(i, refused(m.bodies[i].start, "the compiler would need about %d MiB for this function, at most %d are allowed: "+
				"it has too many calls, memory accesses, blocks or br_table labels; split it", w.memory>>20, maxCompileMemory>>20))
		}
		if code += w.code; code > maxCompiledCode {
			return m.refusedIn(i, refused(m.bodies[i].start, "up to here, the functions would become about %d MiB of native code, at most %d are allowed",
				code>>20, maxCompiledCode>>20))
		}
		visit(i, &s)
	}
	return nil
}

// scan reads a function body, refuses what is not supported, and finds the places to instrument. Code is charged where it is entered: at
// the function's entry, at a loop's header and after a block's end, each time for all code up to the next of these places. Code behind a
// condition is charged whether the condition holds or not: it is little, and separate charges would cost a guest a tenth of its speed. Code after
// a condition is charged with the code in front of it, because control flow may skip the charges within.
//
// The code after a block that no branch leads out of is charged with the code in the block.
//
// Fuel is checked at function entries and loop headers only, so that at most one pass through a function body runs between two checks.
func (s *functionScan) scan(m *parsed, i int) *RefusedError {
	body := m.bodies[i]
	r := &reader{b: m.wasm, p: body.start, end: body.end}
	t := m.types[m.funcs[i]]
	*s = functionScan{marks: s.marks[:0], loops: append(s.loops[:0], blockPlain), targeted: append(s.targeted[:0], false), ifs: s.ifs[:0], locals: uint64(len(t.params)), notes: s.notes,
		carried: append(s.carried[:0], len(t.results))}
	s.groups = r.count()
	s.declStart = r.p
	for range s.groups {
		s.locals += uint64(r.u32())
		at := r.p
		r.valueType(at, r.byte())
	}
	s.declEnd = r.p
	if s.locals > maxLocals {
		r.fail(s.declStart, "%d locals, at most %d are allowed", s.locals, maxLocals)
	}
	if r.err == nil {
		s.notes.Reset(uint32(s.locals))
	}
	s.marks = append(s.marks, mark{at: r.p, kind: markCheck})
	total := uint32(len(m.globals))
	current := 0 // the mark of the present basic block
	var in instruction
	for r.more() && len(s.loops) > 0 {
		r.next(&in)
		if r.err != nil {
			break
		}
		if (in.op == opGlobalGet || in.op == opGlobalSet) && in.index >= total {
			r.fail(in.at, "global %d does not exist", in.index)
			break
		}
		s.weigh(m, &in)
		current = s.instruction(r, &in, current)
		if m.optimised {
			s.share(in.toOptimise(r.p))
		}
	}
	if r.err == nil && (len(s.loops) > 0 || r.p != r.end) {
		r.fail(r.p, "function body does not end where it should")
	}
	if r.err == nil && s.blocks > maxBlocks {
		r.fail(s.declStart, "%d basic blocks, at most %d are allowed in one function", s.blocks, maxBlocks)
	}
	if r.err == nil && s.locals*s.blocks > maxPhis {
		r.fail(s.declStart, "%d locals over %d basic blocks are too many for one function", s.locals, s.blocks)
	}
	if r.err != nil {
		return m.refusedIn(i, r.err)
	}
	s.end = r.end - 1
	s.entry()
	return nil
}

// entry decides whether the function's entry checks the fuel. It need not if a loop follows at once, whose header checks. Nor need it if the
// function is so short that the check of its caller is enough.
func (s *functionScan) entry() {
	first := &s.marks[0]
	if s.header > 0 {
		s.marks[s.header].cost += first.cost
		*first = mark{at: first.at, kind: markCharge}
		return
	}
	total := int64(0)
	for _, k := range s.marks {
		total += k.cost
	}
	if !s.stops && !s.calls && total <= maxUnchecked {
		first.kind = markCharge
		return
	}
	s.stops = true
}

// instruction notes one instruction and returns the mark of the basic block to which the next one belongs.
func (s *functionScan) instruction(r *reader, in *instruction, current int) int {
	s.marks[current].cost += in.cost()
	s.values++
	begin := func(kind markKind, blocks uint64) int {
		s.mark(mark{at: r.p, kind: kind})
		s.blocks += blocks
		return len(s.marks) - 1
	}
	switch op := in.op; {
	case op >= opI32Load && op <= opI64Store32:
		if op >= opI32Store {
			s.store(mark{at: in.at, end: r.p, op: op, offset: in.offset})
		}
	case op == opPrefixMisc && in.misc > miscTruncLast && in.misc != miscTableSize:
		s.mark(mark{at: in.at, end: r.p, kind: markBulk})
		s.bulk, s.addr, s.stops = true, true, true
		s.blocks += 8
	case op == opMemoryGrow:
		s.mark(mark{at: in.at, end: r.p, kind: markGrow})
		s.addr, s.stops = true, true
		s.blocks += 8
	case op == opMemorySize:
		s.mark(mark{at: in.at, end: r.p, kind: markSize})
	case op == opCall || op == opCallIndirect:
		s.calls, s.branched = true, true
	case op == opBr:
		s.branched = true
		s.target(in.index)
	case op == opUnreachable:
		s.branched = true
	case op == opReturn:
		s.branched = true
		s.mark(mark{at: in.at, kind: markReturn})
	case op == opBlock:
		s.open(blockPlain)
		s.blocks++
	case op == opIf:
		s.branched = true
		s.open(blockIf)
		s.ifs = append(s.ifs, current)
		s.blocks += 3
	case op == opLoop:
		s.open(blockLoop)
		if !s.branched {
			s.header = len(s.marks)
		}
		s.branched, s.stops = true, true
		if s.loopDepth++; s.loopDepth > maxLoopDepth {
			r.fail(in.at, "loops nested deeper than %d", maxLoopDepth)
		}
		header := begin(markCheck, 4)
		s.marks[header].retry = in.value < 0
		return header
	case op == opElse || op == opBrIf:
		s.branched = true
		s.blocks++
		if op == opBrIf {
			s.target(in.index)
		}
		if op == opElse && len(s.ifs) > 0 {
			return s.ifs[len(s.ifs)-1]
		}
	case op == opBrTable:
		s.branched = true
		s.blocks += uint64(len(in.labels) - 1)
		for _, label := range in.labels {
			s.target(label)
		}
	case op == opEnd:
		n := len(s.loops) - 1
		kind, targeted := s.loops[n], s.targeted[n]
		s.loops, s.targeted = s.loops[:n], s.targeted[:n]
		switch {
		case kind == blockLoop: // no branch leads to its end
			s.loopDepth--
		case kind == blockIf: // the charges within may have been skipped
			current, s.ifs = s.ifs[len(s.ifs)-1], s.ifs[:len(s.ifs)-1]
		case kind == blockPlain && n > 0 && (targeted || s.marks[current].loops != s.loopDepth): // else the code in front pays
			return begin(markCharge, 0)
		}
	}
	return current
}

// open enters a block, a loop or an if.
func (s *functionScan) open(kind blockKind) {
	s.loops, s.targeted = append(s.loops, kind), append(s.targeted, false)
}

// target notes that a branch names a label.
func (s *functionScan) target(label uint32) {
	if n := len(s.targeted) - 1 - int(label); n >= 0 {
		s.targeted[n] = true
	}
}

// mark appends a mark with the number of blocks and loops around it.
func (s *functionScan) mark(k mark) {
	k.depth, k.loops = uint32(len(s.loops)), s.loopDepth
	s.marks = append(s.marks, k)
}

// store marks a store that needs a note.
func (s *functionScan) store(k mark) {
	k.kind = markStore
	s.addr = true
	s.stores[storeLocal(k.op)] = true
	s.mark(k)
}

// share removes the note of an earlier store if the note of this instruction stands for it.
func (s *functionScan) share(in optimise.Instruction) {
	needless := s.notes.Next(&in)
	if needless == 0 {
		return
	}
	for k := len(s.marks) - 1; k >= 0; k-- {
		if s.marks[k].at == needless && s.marks[k].kind == markStore {
			s.marks[k].kind = markNoted
			return
		}
	}
}

// storeLocal returns which scratch local the value of a store needs: 0 i32, 1 i64, 2 f32, 3 f64.
func storeLocal(op byte) int {
	switch op {
	case opI32Store, opI32Store8, opI32Store16:
		return 0
	case opF32Store:
		return 2
	case opF64Store:
		return 3
	}
	return 1
}
