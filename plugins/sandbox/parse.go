package sandbox

// Section identifiers.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
)

// sectionOrder is the place of a section in a module; 0 for an unknown one.
var sectionOrder = [...]int{secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7,
	secStart: 8, secElement: 9, secDataCount: 10, secCode: 11, secData: 12}

const pageSize = 1 << 16

type (
	// span is a range of bytes of the module.
	span struct{ start, end int }

	section struct {
		id byte
		span
	}

	funcType struct{ params, results string } // value types, one byte each

	imported struct {
		at           int
		module, name string
		typ          uint32
	}

	global struct {
		typ     byte
		mutable bool
	}

	export struct {
		kind  byte // 0 function, 1 table, 2 memory, 3 global
		index uint32
	}

	segment struct {
		at     int
		offset uint32
		data   span
	}
)

// parsed is what the checks and the rewriter need of a module. It refers to the module's bytes.
type parsed struct {
	wasm      []byte
	sections  []section
	types     []funcType
	imports   []imported // functions only: everything else is refused
	funcs     []uint32   // type of each function the module defines
	tables    uint64     // entries of all tables together
	hasMem    bool
	memMin    uint32
	memMax    uint32 // pages; 65536 if the module has no limit
	globals   []global
	exports   map[string]export
	start     int64 // function index; -1 if there is no start function
	bodies    []span
	data      []segment
	optimised bool // the module is the optimised form: stores share their notes
	goMade    bool // it is certain that the Go compiler made the module: br_tables are pruned
}

// parse reads the structure of a module, except function bodies. It refuses what it does not understand.
func parse(wasm []byte) (*parsed, error) {
	if len(wasm) < 8 || string(wasm[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, refused(0, "not a WebAssembly 1 module")
	}
	m := &parsed{wasm: wasm, exports: map[string]export{}, start: -1}
	r := &reader{b: wasm, p: 8, end: len(wasm)}
	last := 0
	for r.more() {
		at := r.p
		id := r.byte()
		body := r.take(r.u32())
		if r.err != nil {
			break
		}
		if id != secCustom {
			if int(id) >= len(sectionOrder) {
				return nil, refused(at, "unknown section %d", id)
			}
			if sectionOrder[id] <= last {
				return nil, refused(at, "section %d stands in the wrong place or twice", id)
			}
			last = sectionOrder[id]
		}
		s := section{id, span{r.p - len(body), r.p}}
		if len(m.sections) == maxSections {
			return nil, refused(at, "more than %d sections", maxSections)
		}
		m.sections = append(m.sections, s)
		sr := &reader{b: wasm, p: s.start, end: s.end}
		m.section(id, sr)
		if sr.err == nil && id != secCustom && sr.p != sr.end {
			sr.fail(sr.p, "section %d is longer than its contents", id)
		}
		if sr.err != nil {
			return nil, sr.err
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(m.bodies) != len(m.funcs) {
		return nil, refused(-1, "%d functions but %d bodies", len(m.funcs), len(m.bodies))
	}
	return m, nil
}

func (m *parsed) section(id byte, r *reader) {
	switch id {
	case secCustom:
		r.p = r.end // nothing depends on custom sections
	case secType:
		m.typeSection(r)
	case secImport:
		m.importSection(r)
	case secFunction:
		for range r.several(maxFunctions, "functions") {
			at := r.p
			t := r.u32()
			if int64(t) >= int64(len(m.types)) {
				r.fail(at, "type %d does not exist", t)
			}
			m.funcs = append(m.funcs, t)
		}
	case secTable:
		for range r.several(maxTables, "tables") {
			at := r.p
			if t := r.byte(); t != typeFuncref && t != typeExternref {
				r.fail(at, "table of type %#x", t)
			}
			least, _ := r.limits(1<<32 - 1)
			m.tables += uint64(least)
		}
	case secMemory:
		at := r.p
		if n := r.count(); n > 1 {
			r.fail(at, "%d memories, only one is supported", n)
		} else if n == 1 {
			m.hasMem = true
			m.memMin, m.memMax = r.limits(1 << 16)
		}
	case secGlobal:
		m.globalSection(r)
	case secExport:
		m.exportSection(r)
	case secStart:
		m.start = int64(r.u32())
	case secElement:
		m.elementSection(r)
	case secCode:
		for range r.several(maxFunctions, "function bodies") {
			n := r.u32()
			start := r.p
			r.take(n)
			m.bodies = append(m.bodies, span{start, r.p})
		}
	case secData:
		m.dataSection(r)
	case secDataCount:
		r.u32()
	}
}

func (m *parsed) typeSection(r *reader) {
	values := 0
	for range r.several(maxTypes, "types") {
		at := r.p
		if form := r.byte(); form != 0x60 {
			r.fail(at, "type of form %#x, only functions (0x60) are supported", form)
		}
		t := funcType{params: r.name(), results: r.name()}
		for _, v := range []byte(t.params + t.results) {
			r.valueType(at, v)
		}
		if values += len(t.params) + len(t.results); values > maxTypeValues {
			r.fail(at, "types of more than %d parameters and results in all", maxTypeValues)
		}
		m.types = append(m.types, t)
	}
}

func (r *reader) valueType(at int, t byte) {
	switch t {
	case typeI32, typeI64, typeF32, typeF64, typeFuncref, typeExternref:
	case typeVector:
		r.fail(at, "vector (SIMD) type: build the guest without simd128")
	default:
		r.fail(at, "unknown value type %#x", t)
	}
}

func (m *parsed) importSection(r *reader) {
	kinds := [...]string{"function", "table", "memory", "global"}
	for range r.several(maxImports, "imports") {
		im := imported{at: r.p, module: r.name(), name: r.name()}
		kind := r.byte()
		if r.err != nil {
			return
		}
		if kind != 0 {
			what := "object"
			if int(kind) < len(kinds) {
				what = kinds[kind]
			}
			r.fail(im.at, "imports the %s %q %q: only functions of %s may be imported", what, im.module, im.name, wasiModule)
			return
		}
		im.typ = r.u32()
		if int64(im.typ) >= int64(len(m.types)) {
			r.fail(im.at, "type %d does not exist", im.typ)
		}
		m.imports = append(m.imports, im)
	}
}

func (m *parsed) globalSection(r *reader) {
	for range r.several(maxGlobals, "globals") {
		at := r.p
		g := global{typ: r.byte()}
		r.valueType(at, g.typ)
		switch r.byte() {
		case 0:
		case 1:
			g.mutable = true
			if g.typ == typeFuncref || g.typ == typeExternref {
				r.fail(at, "mutable global %d holds a reference, which a reset cannot put back", len(m.globals))
			}
		default:
			r.fail(at, "global %d is neither constant nor mutable", len(m.globals))
		}
		r.constant()
		m.globals = append(m.globals, g)
	}
}

// constant skips a constant expression. plain is true if the expression is an i32.const, whose value is v.
func (r *reader) constant() (v uint32, plain bool) {
	at := r.p
	switch op := r.byte(); op {
	case opI32Const:
		v, plain = uint32(r.signed(5)), true
	case opI64Const:
		r.signed(10)
	case opF32Const:
		r.take(4)
	case opF64Const:
		r.take(8)
	case opRefNull:
		r.byte()
	case opRefFunc:
		r.u32()
	default:
		r.fail(at, "constant expression starts with opcode %#x", op)
	}
	if c := r.byte(); c != opEnd {
		r.fail(r.p-1, "constant expression of more than one instruction")
	}
	return v, plain
}

func (m *parsed) exportSection(r *reader) {
	for range r.several(maxExports, "exports") {
		at := r.p
		name := r.name()
		e := export{kind: r.byte(), index: r.u32()}
		if _, twice := m.exports[name]; twice {
			r.fail(at, "exports %q twice", name)
		}
		m.exports[name] = e
	}
}

// elementSection counts the entries of tables and skips them. wazero trusts the counts of this section and makes room for so many
// entries.
func (m *parsed) elementSection(r *reader) {
	entries := 0
	for range r.several(maxTables*64, "element segments") {
		at := r.p
		flag := r.u32()
		if flag > 7 {
			r.fail(at, "element segment of kind %d", flag)
		}
		if flag&1 == 0 { // active: the place in the table follows
			if flag&2 != 0 {
				r.u32()
			}
			r.constant()
		}
		if flag&3 != 0 {
			r.byte() // type
		}
		for range r.several(maxTableEntries-entries, "further table entries") {
			entries++
			if flag&4 != 0 {
				r.constant()
			} else {
				r.u32()
			}
		}
	}
}

func (m *parsed) dataSection(r *reader) {
	for i := range r.several(maxSegments, "data segments") {
		s := segment{at: r.p}
		if flag := r.u32(); flag != 0 {
			r.fail(s.at, "data segment %d is passive or not for memory 0", i)
			return
		}
		offset, plain := r.constant()
		if !plain {
			r.fail(s.at, "offset of data segment %d is not an i32.const", i)
		}
		n := r.u32()
		s.offset, s.data.start = offset, r.p
		r.take(n)
		s.data.end = r.p
		m.data = append(m.data, s)
	}
}

// limits reads the size limits of a table or memory.
func (r *reader) limits(most uint32) (least, max uint32) {
	at := r.p
	flag := r.byte()
	if flag > 1 {
		r.fail(at, "shared or 64-bit memory (limits flag %d)", flag)
	}
	least, max = r.u32(), most
	if flag == 1 {
		max = r.u32()
	}
	return least, max
}

// function returns the type of a function by its index, imports first.
func (m *parsed) function(index uint32) (funcType, bool) {
	n := int64(index) - int64(len(m.imports))
	switch {
	case n < 0:
		return m.types[m.imports[index].typ], true
	case n < int64(len(m.funcs)):
		return m.types[m.funcs[n]], true
	}
	return funcType{}, false
}
