package sandbox

import (
	"fmt"
	"slices"
)

// rewriterVersion is part of the key of every file in the cache directory. Increase it with every change of what is refused, of the code
// that is added, of what the code costs, and of package optimise.
const rewriterVersion = 13

// Names of the exports that the rewriter adds, next to those of the guest's own mutable globals.
const (
	exportFuel   = reservedPrefix + "fuel"
	exportRest   = reservedPrefix + "rest"
	exportDepth  = reservedPrefix + "depth"
	exportLedger = reservedPrefix + "ledger"
	exportStart  = reservedPrefix + "start"
)

// stackUnits is how deep a guest may recurse, in units of 8 bytes: 8 MiB. A call of a function that calls others counts the function's
// instructions, parameters and locals, which is more than its frame can hold. wazero itself would let an instance's stack grow to
// 84 MB of Go heap, and double and copy it on the way.
const stackUnits = 1 << 20

// rewritten is a module ready for compilation, and what its instances need besides the code.
type rewritten struct {
	wasm    []byte
	ledger  uint32   // pages of the ledger
	globals []string // export names of the guest's mutable globals
	start   bool     // the start function is exported as exportStart
	data    []segment
	source  []byte // the module as received, to which data refers
}

// rewriter holds the state of one rewriting.
type rewriter struct {
	m           *parsed
	out         []byte
	scan        *functionScan // of the function at hand
	fuel        uint64        // indices of the injected globals
	depth       uint64
	ledger      uint64
	rest        uint64
	note        uint64 // indices of the injected functions
	enlarge     uint64
	refuel      uint64
	maxPages    uint32 // of the guest's memory
	ledgerPages uint32
	extraTypes  []funcType // those the module does not have
}

// rewrite instruments a parsed module:
//
//   - every function charges fuel, and every function that calls others counts the depth of the stack; a stopped function leaves by one way;
//   - stores note in the ledger which granules of the memory they wrote to;
//   - the ledger's pages follow the guest's memory, and memory.size does not count them;
//   - the guest's mutable globals, and the four that the rewriter adds, are exported;
//   - start function and data segments are removed. The host runs and applies them for the first instance; all others start from its
//     image.
//
// The rewriter only appends types, functions, globals and exports, so that no number changes.
func (m *parsed) rewrite(maxPages uint32) (*rewritten, error) {
	globals, functions := uint64(len(m.globals)), uint64(len(m.imports)+len(m.funcs))
	w := &rewriter{m: m, fuel: globals, depth: globals + 1, ledger: globals + 2, rest: globals + 3, note: functions, enlarge: functions + 1, refuel: functions + 2,
		maxPages: maxPages, ledgerPages: ledgerPages(maxPages)}
	res := &rewritten{data: m.data, source: m.wasm, start: m.start >= 0, ledger: w.ledgerPages}
	w.typeOf(noteType) // before the type section is written
	w.typeOf(enlargeType)
	w.typeOf(refuelType)
	code, err := w.code()
	if err != nil {
		return nil, err
	}
	w.out = make([]byte, 0, len(m.wasm)+len(code))
	w.out = append(w.out, m.wasm[:8]...)
	hasGlobals := false
	for _, s := range m.sections {
		if !hasGlobals && sectionOrder[s.id] >= sectionOrder[secGlobal] {
			hasGlobals = true
			w.section(secGlobal, w.globalSection(s))
		}
		switch s.id {
		case secGlobal, secStart, secData, secDataCount:
		case secType:
			w.section(s.id, w.typeSection(s))
		case secFunction:
			w.section(s.id, w.functionSection(s))
		case secMemory:
			w.section(s.id, w.memorySection())
		case secExport:
			w.section(s.id, w.exportSection(s, res))
		case secCode:
			w.section(s.id, code)
		case secCustom:
			if names := m.functionNames(s); names != nil { // for readable traces
				w.section(s.id, names)
			}
		default:
			w.section(s.id, m.wasm[s.start:s.end])
		}
	}
	res.wasm = w.out
	return res, nil
}

func (w *rewriter) section(id byte, body []byte) {
	w.out = append(w.out, id)
	w.out = appendU(w.out, uint64(len(body)))
	w.out = append(w.out, body...)
}

// grown returns the body of a section with so many added elements.
func (w *rewriter) grown(s section, added int, elements []byte) []byte {
	r := &reader{b: w.m.wasm, p: s.start, end: s.end}
	n := r.count()
	b := appendU(make([]byte, 0, s.end-s.start+len(elements)+5), uint64(n+added))
	b = append(b, w.m.wasm[r.p:s.end]...)
	return append(b, elements...)
}

func (w *rewriter) typeSection(s section) []byte {
	var b []byte
	for _, t := range w.extraTypes {
		b = append(b, 0x60)
		b = appendU(b, uint64(len(t.params)))
		b = append(b, t.params...)
		b = appendU(b, uint64(len(t.results)))
		b = append(b, t.results...)
	}
	return w.grown(s, len(w.extraTypes), b)
}

// functionSection appends the types of the injected functions.
func (w *rewriter) functionSection(s section) []byte {
	types := appendU(nil, w.typeOf(noteType))
	types = appendU(types, w.typeOf(enlargeType))
	return w.grown(s, 3, appendU(types, w.typeOf(refuelType)))
}

// memorySection gives the memory its ledger and its largest size.
func (w *rewriter) memorySection() []byte {
	b := appendU([]byte{1, 1}, uint64(w.m.memMin+w.ledgerPages))
	return appendU(b, uint64(max(w.maxPages, w.m.memMin)+w.ledgerPages))
}

// globalSection appends the injected globals. s is a later section if the module has no globals. There is no fuel until the host sets it.
func (w *rewriter) globalSection(s section) []byte {
	injected := []byte{
		typeI64, 1, opI64Const, 0, opEnd, // fuel
		typeI32, 1, opI32Const, 0, opEnd, // depth
		typeI32, 1, opI32Const, // ledger
	}
	injected = append(appendS(injected, int64(int32(w.m.memMin*pageSize))), opEnd)
	injected = append(injected, typeI64, 1, opI64Const, 0, opEnd) // rest
	const n = 4
	if s.id != secGlobal {
		return append([]byte{n}, injected...)
	}
	return w.grown(s, n, injected)
}

func (w *rewriter) exportSection(s section, res *rewritten) []byte {
	var b []byte
	n := 0
	add := func(name string, kind byte, index uint64) {
		b = appendU(b, uint64(len(name)))
		b = append(b, name...)
		b = append(b, kind)
		b = appendU(b, index)
		n++
	}
	for i, g := range w.m.globals {
		if g.mutable {
			name := fmt.Sprintf("%sglobal/%d", reservedPrefix, i)
			res.globals = append(res.globals, name)
			add(name, 3, uint64(i))
		}
	}
	add(exportFuel, 3, w.fuel)
	add(exportDepth, 3, w.depth)
	add(exportLedger, 3, w.ledger)
	add(exportRest, 3, w.rest)
	if res.start {
		add(exportStart, 0, uint64(w.m.start))
	}
	return w.grown(s, n, b)
}

// code returns the instrumented code section.
func (w *rewriter) code() ([]byte, error) {
	size := 0
	for _, b := range w.m.bodies {
		size += b.end - b.start
	}
	out := appendU(make([]byte, 0, size*2), uint64(len(w.m.bodies)+3))
	var body []byte
	add := func() {
		out = appendU(out, uint64(len(body)))
		out = append(out, body...)
	}
	err := w.m.scanBodies(func(i int, s *functionScan) {
		w.scan = s
		body = w.function(body[:0], i)
		add()
	})
	body = w.noteFunction(body[:0])
	add()
	body = w.enlargeFunction(body[:0])
	add()
	body = w.refuelFunction(body[:0])
	add()
	return out, err
}

// blockType returns the type of a block without parameters that leaves results on the stack.
func (w *rewriter) blockType(results string) []byte {
	switch len(results) {
	case 0:
		return []byte{typeEmpty}
	case 1:
		return []byte{results[0]}
	}
	return appendS(nil, int64(w.typeOf(funcType{results: results})))
}

// typeOf returns the number of a function type, and adds the type if the module does not have it.
func (w *rewriter) typeOf(want funcType) uint64 {
	if i := slices.Index(w.m.types, want); i >= 0 {
		return uint64(i)
	}
	if i := slices.Index(w.extraTypes, want); i >= 0 {
		return uint64(len(w.m.types) + i)
	}
	w.extraTypes = append(w.extraTypes, want)
	return uint64(len(w.m.types) + len(w.extraTypes) - 1)
}
