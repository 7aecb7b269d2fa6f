package sandbox

// A module's size does not bound the compiler's memory: an instruction of three bytes may call a function of 128 parameters and results,
// and wazero keeps some 450 bytes for each. So the scan adds up what wazero 1.12 was measured to take for each kind of instruction.
// A function or module beyond the caps is refused before it is compiled. TestCompilerMemory measures again.
const (
	maxCompileMemory = 512 << 20 // bytes the compiler may need for one function; it needs them once, not for each function
	maxCompiledCode  = 96 << 20  // bytes of native code; up to five copies are there at the end
)

// weight is what one instruction costs the compiler.
type weight struct {
	memory int64 // bytes while its function is compiled
	code   int64 // bytes of native code, with what the rewriter adds
}

func (w *weight) add(memory, code int64) {
	w.memory += memory
	w.code += code
}

// The weights of instructions. Each load, division and the like has its own exit for a trap, with the values that are live there.
var (
	plainWeight    = weight{1700, 14}
	loadWeight     = weight{5200, 45}
	storeWeight    = weight{8000, 120}
	trapWeight     = weight{6000, 90} // may trap: divisions, conversions to integers
	callWeight     = weight{2100, 50}
	indirectWeight = weight{14_000, 250}
	tableWeight    = weight{4000, 70}
	growWeight     = weight{20_000, 300}
	bulkWeight     = weight{10_000, 400}
	blockWeight    = weight{4800, 40}
	labelWeight    = weight{2400, 24} // of br_table

	valueWeight = weight{450, 12} // parameter or result of a call
	phiWeight   = weight{150, 12} // parameter or result of a block; a local in one
	edgeWeight  = weight{64, 10}  // value that a branch carries along
)

func (w *weight) times(n int64, each weight) { w.add(n*each.memory, n*each.code) }

// weigh adds the weight of one instruction of module m to the function's. Call weigh before s.instruction.
func (s *functionScan) weigh(m *parsed, in *instruction) {
	w := &s.weight
	switch op := in.op; {
	case op >= opI32Load && op < opI32Store:
		w.times(1, loadWeight)
	case op >= opI32Store && op <= opI64Store32:
		w.times(1, storeWeight)
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82, op >= 0xa8 && op <= 0xab, op >= 0xae && op <= 0xb1,
		op == opPrefixMisc && in.misc <= miscTruncLast:
		w.times(1, trapWeight)
	case op == opCall:
		w.times(1, callWeight)
		if t, ok := m.function(in.index); ok {
			w.times(t.values(), valueWeight)
		}
	case op == opCallIndirect:
		w.times(1, indirectWeight)
		if int64(in.index) < int64(len(m.types)) {
			w.times(m.types[in.index].values(), valueWeight)
		}
	case op == opTableGet:
		w.times(1, tableWeight)
	case op == opMemoryGrow:
		w.times(1, growWeight)
	case op == opPrefixMisc && in.misc != miscTableSize:
		w.times(1, bulkWeight)
	case op == opBlock, op == opLoop, op == opIf:
		t := m.blockType(in.value)
		carried := len(t.results)
		if op == opLoop {
			carried = len(t.params)
		}
		s.carried = append(s.carried, carried)
		w.times(1, blockWeight)
		w.times(t.values(), phiWeight)
	case op == opEnd:
		s.carried = s.carried[:max(0, len(s.carried)-1)]
	case op == opBr, op == opBrIf:
		w.times(1, plainWeight)
		w.times(s.carries(in.index), edgeWeight)
	case op == opReturn:
		w.times(s.carries(uint32(len(s.carried)-1)), edgeWeight)
	case op == opBrTable:
		w.times(int64(len(in.labels)), labelWeight)
		for _, l := range in.labels {
			w.times(s.carries(l), edgeWeight)
		}
	default:
		w.times(1, plainWeight)
	}
}

// carries returns how many values a branch to a label takes along.
func (s *functionScan) carries(label uint32) int64 {
	if int64(label) >= int64(len(s.carried)) {
		return 0 // the validator refuses the label
	}
	return int64(s.carried[len(s.carried)-1-int(label)])
}

// blockType returns the type of a block from the number in its instruction.
func (m *parsed) blockType(v int64) funcType {
	switch {
	case v >= 0 && v < int64(len(m.types)):
		return m.types[v]
	case v < 0 && v != -0x40: // a value type; -0x40 means no type
		return funcType{results: "\x7f"}
	}
	return funcType{}
}

func (t funcType) values() int64 { return int64(len(t.params) + len(t.results)) }

// compiledWeight returns the weight of the whole function, after the scan.
func (s *functionScan) compiledWeight() weight {
	w := s.weight
	w.times(int64(s.locals*s.blocks), weight{phiWeight.memory, 0})
	return w
}
