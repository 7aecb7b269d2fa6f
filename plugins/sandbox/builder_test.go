package sandbox

import "slices"

// builder assembles small modules for the tests.
type builder struct {
	types   []funcType
	imports []builderImport
	funcs   []builderFunc
	tables  [][]byte
	memory  []byte // limits; nil for none
	globals [][]byte
	exports []builderExport
	start   int // -1 for none
	elems   [][]byte
	data    [][]byte
	count   int // of the data count section, -1 for none
	custom  []byte
}

type (
	builderImport struct {
		module, name string
		desc         []byte
	}
	builderFunc struct {
		typ  int
		body []byte
	}
	builderExport struct {
		name  string
		kind  byte
		index int
	}
)

// asm joins instructions: bytes, opcode ints, strings of bytes, and nested code.
func asm(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case byte:
			b = append(b, p)
		case []byte:
			b = append(b, p...)
		default:
			panic("code of unknown type")
		}
	}
	return b
}

func i32c(v int64) []byte { return appendS([]byte{opI32Const}, int64(int32(uint32(v)))) }
func i64c(v int64) []byte { return appendS([]byte{opI64Const}, v) }
func get(i int) []byte    { return appendU([]byte{opLocalGet}, uint64(i)) }
func put(i int) []byte    { return appendU([]byte{opLocalSet}, uint64(i)) }
func tee(i int) []byte    { return appendU([]byte{opLocalTee}, uint64(i)) }
func gget(i int) []byte   { return appendU([]byte{opGlobalGet}, uint64(i)) }
func gset(i int) []byte   { return appendU([]byte{opGlobalSet}, uint64(i)) }
func callf(i int) []byte  { return appendU([]byte{opCall}, uint64(i)) }

// mem returns a load or store with its static offset.
func mem(op int, offset uint32) []byte { return appendU([]byte{byte(op), 0}, uint64(offset)) }

func bytesOf(s string) []byte { return append(appendU(nil, uint64(len(s))), s...) }

func (b *builder) typ(params, results string) int {
	t := funcType{params, results}
	if i := slices.Index(b.types, t); i >= 0 {
		return i
	}
	b.types = append(b.types, t)
	return len(b.types) - 1
}

func (b *builder) imp(module, name, params, results string) int {
	b.imports = append(b.imports, builderImport{module, name, appendU([]byte{0}, uint64(b.typ(params, results)))})
	return len(b.imports) - 1
}

// wasi imports a WASI function. Imports must come before functions.
func (b *builder) wasi(name string) int {
	s := wasiStubs[name]
	return b.imp(wasiModule, name, s.params, s.results)
}

// fn adds a function with locals of the given types; its final end is added.
func (b *builder) fn(params, results, locals string, parts ...any) int {
	body := appendU(nil, uint64(len(locals)))
	for _, l := range []byte(locals) {
		body = append(body, 1, l)
	}
	body = append(body, asm(parts...)...)
	b.funcs = append(b.funcs, builderFunc{b.typ(params, results), append(body, opEnd)})
	return len(b.imports) + len(b.funcs) - 1
}

func (b *builder) export(name string, kind byte, index int) {
	b.exports = append(b.exports, builderExport{name, kind, index})
}

func (b *builder) global(typ byte, mutable byte, init ...byte) int {
	b.globals = append(b.globals, append([]byte{typ, mutable}, append(init, opEnd)...))
	return len(b.globals) - 1
}

func (b *builder) segment(offset int64, s string) {
	b.data = append(b.data, asm(0, i32c(offset), opEnd, bytesOf(s)))
}

func (b *builder) build() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, n int, body []byte) {
		if n > 0 {
			body = append(appendU(nil, uint64(n)), body...)
			out = append(appendU(append(out, id), uint64(len(body))), body...)
		}
	}
	var s []byte
	for _, t := range b.types {
		s = asm(s, 0x60, bytesOf(t.params), bytesOf(t.results))
	}
	section(secType, len(b.types), s)
	s = nil
	for _, im := range b.imports {
		s = asm(s, bytesOf(im.module), bytesOf(im.name), im.desc)
	}
	section(secImport, len(b.imports), s)
	s = nil
	for _, f := range b.funcs {
		s = appendU(s, uint64(f.typ))
	}
	section(secFunction, len(b.funcs), s)
	section(secTable, len(b.tables), slices.Concat(b.tables...))
	section(secMemory, min(len(b.memory), 1), b.memory)
	section(secGlobal, len(b.globals), slices.Concat(b.globals...))
	s = nil
	for _, e := range b.exports {
		s = appendU(asm(s, bytesOf(e.name), e.kind), uint64(e.index))
	}
	section(secExport, len(b.exports), s)
	if b.start >= 0 {
		start := appendU(nil, uint64(b.start))
		out = append(out, secStart, byte(len(start)))
		out = append(out, start...)
	}
	section(secElement, len(b.elems), slices.Concat(b.elems...))
	if b.count >= 0 {
		out = append(out, secDataCount, 1, byte(b.count))
	}
	s = nil
	for _, f := range b.funcs {
		s = append(appendU(s, uint64(len(f.body))), f.body...)
	}
	section(secCode, len(b.funcs), s)
	section(secData, len(b.data), slices.Concat(b.data...))
	if b.custom != nil {
		out = append(appendU(append(out, secCustom), uint64(len(b.custom))), b.custom...)
	}
	return out
}

const (
	tI32, tI64, tF32, tF64 = "\x7f", "\x7e", "\x7d", "\x7c"

	inputAt  = 4096 // where adapters made by newAdapter take their input
	outputAt = 8192
)

// newAdapter returns a module with everything but payswitch_step.
func newAdapter(pages uint64) *builder {
	return &builder{start: -1, count: -1, memory: appendU([]byte{0}, pages)}
}

// step adds the exports of an adapter. The step gets pointer and length in locals 0 and 1, and locals of the given types
// from 2 on. Its answer is the i64 that parts leave.
func (b *builder) step(locals string, parts ...any) *builder {
	b.export("memory", 2, 0)
	b.export(exportAlloc, 0, b.fn(tI32, tI32, "", i32c(inputAt)))
	b.export(exportManifest, 0, b.fn("", tI64, "", i64c(outputAt<<32|2)))
	b.export(exportStep, 0, b.fn(tI32+tI32, tI64, locals, parts...))
	return b
}

// answerAt returns the i64 that answers n bytes at p.
func answerAt(p, n int64) []byte { return i64c(p<<32 | n) }

// forever loops over parts.
func forever(parts ...any) []byte {
	return asm(opLoop, typeEmpty, asm(parts...), opBr, 0, opEnd, opUnreachable)
}
