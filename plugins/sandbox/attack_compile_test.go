package sandbox

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func leb(n int) []byte { return appendU(nil, uint64(n)) }

func repeated(n int, parts ...any) []byte { return bytes.Repeat(asm(parts...), max(n, 0)) }

// wide is the most parameters or results that a function or block may have.
var wide = strings.Repeat(tI32, maxParams)

// compileBombs are modules that take the compiler much memory or time for their size; n says how much.
func compileBombs() map[string]func(n int) *builder {
	ok := answerAt(0, 0)
	start := func() (*builder, int) { // with a global, whose value no compiler knows
		b := newAdapter(1)
		return b, b.global(typeI32, 1, i32c(0)...)
	}
	float := func(code ...any) func(n int) *builder {
		return func(n int) *builder {
			b := newAdapter(1)
			g := b.global(typeF64, 1, opF64Const, 0, 0, 0, 0, 0, 0, 0, 0)
			return b.step("", gget(g), repeated(n, code...), gset(g), ok)
		}
	}
	word := func(code ...any) func(n int) *builder {
		return func(n int) *builder {
			b, g := start()
			return b.step("", gget(g), repeated(n, code...), gset(g), ok)
		}
	}
	block := func(b *builder, p, r string) []byte { return appendS(nil, int64(b.typ(p, r))) }
	table := func(b *builder) *builder {
		b.tables = [][]byte{{typeFuncref, 0, 4}}
		return b
	}
	within := func(code func(b *builder) []byte) func(n int) *builder { // repeated with maxParams values on the stack
		return func(n int) *builder {
			b := table(newAdapter(1))
			c := code(b)
			return b.step(tI32, repeated(maxParams, get(2)), repeated(n, c), repeated(maxParams, opDrop), ok)
		}
	}
	height := func(h int, code ...any) func(n int) *builder { // repeated over a stack of h values
		return func(n int) *builder {
			b, g := start()
			return b.step(tI32, repeated(h, gget(g)), repeated(n, code...), repeated(h-1, opI32Add), gset(g), ok)
		}
	}
	locals := func(n int, loop func(i int) []byte) *builder {
		const many = 4000
		var set, code, sum []byte
		for i := range many {
			set, sum = asm(set, get(0), i32c(int64(i)), opI32Add, put(2+i)), asm(sum, get(2+i), opI32Add)
		}
		for i := range n {
			code = asm(code, loop(2+i%many))
		}
		b, g := start()
		return b.step(strings.Repeat(tI32, many), set, opLoop, typeEmpty, code, get(1), opBrIf, 0, opEnd, i32c(0), sum, gset(g), ok)
	}
	functions := func(f func(b *builder) []byte) func(n int) *builder { // n times ten thousand of something
		return func(n int) *builder {
			b := table(newAdapter(1))
			b.global(typeI32, 1, i32c(0)...)
			b.fn("", "", "")
			code := repeated(10_000, f(b))
			for range n {
				b.fn("", "", "", code)
			}
			return b.step("", ok)
		}
	}
	return map[string]func(n int) *builder{
		"calls": func(n int) *builder {
			b := newAdapter(1)
			f := b.fn("", "", "")
			return b.step("", repeated(n, callf(f)), ok)
		},
		"calls with parameters": func(n int) *builder {
			b := newAdapter(1)
			f := b.fn(wide, "", "")
			return b.step(tI32, repeated(n, repeated(maxParams, get(2)), callf(f)), ok)
		},
		"calls with parameters and results": within(func(b *builder) []byte { return callf(b.fn(wide, wide, "", opUnreachable)) }),
		"indirect calls": func(n int) *builder {
			b := table(newAdapter(1))
			return b.step("", repeated(n, i32c(0), opCallIndirect, leb(b.typ("", "")), 0), ok)
		},
		"indirect calls with parameters and results": within(func(b *builder) []byte { return asm(i32c(0), opCallIndirect, leb(b.typ(wide, wide)), 0) }),
		"blocks with parameters":                     within(func(b *builder) []byte { return asm(opBlock, block(b, wide, wide), opEnd) }),
		"loops with parameters":                      within(func(b *builder) []byte { return asm(opLoop, block(b, wide, wide), get(0), opBrIf, 0, opEnd) }),
		"conditions with parameters":                 within(func(b *builder) []byte { return asm(get(0), opIf, block(b, wide, wide), opElse, opEnd) }),
		"branches with values": func(n int) *builder {
			b := newAdapter(1)
			return b.step(tI32, repeated(maxParams, get(2)), opBlock, block(b, wide, wide), repeated(n, get(0), opBrIf, 0), opEnd, repeated(maxParams, opDrop), ok)
		},
		"br_table with values": func(n int) *builder {
			b := newAdapter(1)
			return b.step(tI32, repeated(maxParams, get(2)), opBlock, block(b, wide, wide), get(0), opBrTable, leb(n), make([]byte, n+1), opEnd, repeated(maxParams, opDrop), ok)
		},
		"br_table": func(n int) *builder {
			return newAdapter(1).step("", opBlock, typeEmpty, get(0), opBrTable, leb(n), make([]byte, n+1), opEnd, ok)
		},
		"br_tables": func(n int) *builder {
			return newAdapter(1).step("", opBlock, typeEmpty, repeated(n, opBlock, typeEmpty, get(0), opBrTable, 50, make([]byte, 51), opEnd), opEnd, ok)
		},
		"early returns": func(n int) *builder {
			b := newAdapter(1)
			b.fn("", wide, tI32, repeated(maxParams, get(0)), repeated(n, get(0), opBrIf, 0))
			return b.step("", ok)
		},
		"deep blocks": func(n int) *builder {
			return newAdapter(1).step("", repeated(n, opBlock, typeEmpty), repeated(n, opEnd), ok)
		},
		"deep conditions": func(n int) *builder {
			return newAdapter(1).step("", repeated(n, get(0), opIf, typeEmpty), repeated(n, opEnd), ok)
		},
		"loops": func(n int) *builder {
			return newAdapter(1).step("", repeated(n, opLoop, typeEmpty, get(0), opBrIf, 0, opEnd), ok)
		},
		"many locals in loops": func(n int) *builder {
			return locals(n, func(l int) []byte {
				return asm(opLoop, typeEmpty, get(l), i32c(1), opI32Add, put(l), get(0), opBrIf, 0, opEnd)
			})
		},
		"many locals in conditions": func(n int) *builder {
			return locals(n, func(l int) []byte { return asm(get(0), opIf, typeEmpty, get(l), i32c(1), opI32Add, put(l), opEnd) })
		},
		"deep stack over blocks": height(20_000, get(0), opIf, typeEmpty, i32c(1), put(2), opEnd),
		"deep stack over loops":  height(20_000, opLoop, typeEmpty, get(0), opBrIf, 0, opEnd),
		"deep stack over growth": height(20_000, i32c(0), opMemoryGrow, 0, opDrop),
		"loads":                  word(mem(opI32Load, 0)),
		"stores": func(n int) *builder {
			b, g := start()
			return b.step("", repeated(n, gget(g), gget(g), mem(opI32Store, 4)), ok)
		},
		"fills": func(n int) *builder {
			return newAdapter(1).step("", repeated(n, get(0), get(0), get(0), opPrefixMisc, miscMemoryFill, 0), ok)
		},
		"divisions": func(n int) *builder {
			b, g := start()
			return b.step("", repeated(n, gget(g), gget(g), 0x6d, gset(g)), ok)
		},
		"table.get": func(n int) *builder {
			return table(newAdapter(1)).step("", repeated(n, get(0), opTableGet, 0, opDrop), ok)
		},
		"to integers":   float(0xaa, 0xb7),
		"reinterpreted": float(0xbd, 0xbf),
		"least":         float(0xa0, 0xa0), // not valid: refused by the compiler
		"rounded":       float(0x9e),
		"bits":          word(0x69, 0x67),
		"many calls":    functions(func(b *builder) []byte { return callf(0) }),
		"many indirect": functions(func(b *builder) []byte { return asm(i32c(0), opCallIndirect, leb(b.typ("", "")), 0) }),
		"many stores":   functions(func(*builder) []byte { return asm(gget(0), i32c(0), mem(opI32Store, 4)) }),
		"many functions": func(n int) *builder {
			b := newAdapter(1)
			f := b.fn("", "", "")
			b.funcs = append(b.funcs, slices.Repeat(b.funcs[f:], n)...)
			return b.step("", ok)
		},
	}
}

func compileBomb(name string, n int) *builder { return compileBombs()[name](n) }

// largest returns the most of a bomb that is let in.
func largest(t testing.TB, r *Runtime, bomb func(n int) *builder) int {
	low, high := 0, 1<<17
	for low+1+low/100 < high {
		n := (low + high) / 2
		wasm := bomb(n).build()
		if len(wasm) <= r.limits.ModuleBytes && r.examine(wasm, true) == nil {
			low = n
		} else {
			high = n
		}
	}
	return low
}

// TestCompileBombsAreRefused: the modules of the issue, and others of their kind, are refused before anything is compiled, with the place.
func TestCompileBombsAreRefused(t *testing.T) {
	r := newRuntime(t, Options{})
	for name, n := range map[string]int{
		"calls with parameters and results":          20_000, // 59 KiB, which took 3.1 GB
		"indirect calls with parameters and results": 12_000,
		"indirect calls":                             50_000,
		"blocks with parameters":                     20_000,
		"loops with parameters":                      20_000,
		"branches with values":                       60_000,
		"br_table with values":                       60_000,
		"br_table":                                   100_000,
		"br_tables":                                  1000,
		"deep blocks":                                60_000,
		"many locals in loops":                       2000,
		"many locals in conditions":                  3000,
		"deep stack over growth":                     30_000,
		"fills":                                      10_000,
		"many stores":                                150,
		"many functions":                             maxFunctions,
	} {
		wasm := compileBomb(name, n).build()
		require.Less(t, len(wasm), r.limits.ModuleBytes)
		began := processTime(t)
		refused := refusal(t, r, wasm)
		require.Less(t, processTime(t)-began, patience, name)
		if name != "many functions" {
			require.Positive(t, refused.Function, "%s: %v", name, refused)
			require.Positive(t, refused.Offset, "%s: %v", name, refused)
		}
	}
}

// measured compiles a module in a process of its own and returns what that took at most, in MiB.
func measured(t testing.TB, r *Runtime, wasm []byte) (peak int64, err error) {
	dir := t.TempDir()
	res, err := r.runCompiler(order{Limits: r.limits, Dir: dir, Wasm: wasm})
	if err != nil {
		return 0, err
	}
	if res.Error != "" {
		err = &remoteError{text: res.Error}
	}
	return res.Peak >> 20, err
}

// TestCompilerMemory: the compiler stays within its memory limit for the largest modules that the checks accept.
func TestCompilerMemory(t *testing.T) {
	costlyAlone(t)
	if raceEnabled {
		t.Skip("shadow memory counts as memory")
	}
	r := newRuntime(t, Options{Compiler: itself()})
	for _, name := range []string{"calls with parameters and results", "indirect calls", "indirect calls with parameters and results", "loads", "stores", "reinterpreted", "to integers"} {
		n := largest(t, r, compileBombs()[name])
		peak, err := measured(t, r, compileBomb(name, n).build())
		require.NoError(t, err, name)
		t.Logf("%s: %d take %d MiB", name, n, peak)
		require.Positive(t, peak)
		require.Less(t, peak, int64(768), name)
	}
}

// BenchmarkCompilerMemory measures all bombs at the size up to which they are let in.
func BenchmarkCompilerMemory(b *testing.B) {
	r := newRuntime(b, Options{Compiler: itself(), Limits: Limits{CompileTime: 2 * time.Minute, CompileMemory: 4 << 30}})
	for name, bomb := range compileBombs() {
		b.Run(name, func(b *testing.B) {
			n := largest(b, r, bomb)
			wasm := bomb(n).build()
			b.ResetTimer()
			for range b.N {
				peak, _ := measured(b, r, wasm)
				b.ReportMetric(float64(peak), "MiB")
				b.ReportMetric(float64(len(wasm))/1024, "KiB-module")
			}
		})
	}
}

// TestCompileBombsElsewhere: sections that the compiler would expand to much code, and counts above the number of elements.
func TestCompileBombsElsewhere(t *testing.T) {
	r := newRuntime(t, Options{})
	ok := answerAt(0, 0)
	with := func(change func(b *builder)) []byte {
		b := newAdapter(1)
		change(b)
		return b.step("", ok).build()
	}
	lies := leb(1 << 31)
	section := func(id byte, body []byte) []byte { return appendU([]byte{id}, uint64(len(body))) }
	raw := func(id byte, body []byte) []byte { // in place of all other sections
		return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), section(id, body), body)
	}
	tables := func(b *builder) { b.tables = [][]byte{{typeFuncref, 0, 4}} }
	for name, c := range map[string]struct {
		wasm []byte
		want string
	}{
		"types without end":      {raw(secType, lies), "types, at most"},
		"imports without end":    {raw(secImport, lies), "imports, at most"},
		"functions without end":  {raw(secFunction, lies), "functions, at most"},
		"tables without end":     {raw(secTable, lies), "tables, at most"},
		"globals without end":    {raw(secGlobal, lies), "globals, at most"},
		"exports without end":    {raw(secExport, lies), "exports, at most"},
		"segments without end":   {raw(secElement, lies), "element segments, at most"},
		"bodies without end":     {raw(secCode, lies), "function bodies, at most"},
		"data without end":       {raw(secData, lies), "data segments, at most"},
		"memories without end":   {raw(secMemory, lies), "vector of"},
		"more types than bytes":  {raw(secType, leb(9000)), "vector of 9000 elements"},
		"parameters without end": {raw(secType, asm(1, 0x60, lies, 0)), "too early"},
		"locals without end":     {with(func(b *builder) { b.funcs = append(b.funcs, builderFunc{b.typ("", ""), asm(1, lies, typeI32, opEnd)}) }), "locals"},
		"groups without end":     {with(func(b *builder) { b.funcs = append(b.funcs, builderFunc{b.typ("", ""), asm(lies, 1, typeI32, opEnd)}) }), "vector of"},
		"labels without end":     {newAdapter(1).step("", i32c(0), opBrTable, lies, 0, ok).build(), "vector of"},
		"entries without end":    {with(func(b *builder) { tables(b); b.elems = [][]byte{asm(0, i32c(0), opEnd, lies)} }), "further table entries"},
		"passive without end":    {with(func(b *builder) { tables(b); b.elems = [][]byte{asm(1, 0, lies)} }), "further table entries"},
		"expressions without end": {with(func(b *builder) {
			tables(b)
			b.elems = [][]byte{asm(5, typeFuncref, leb(60_000))}
		}), "vector of 60000"},
		"segments of many entries": {with(func(b *builder) {
			tables(b)
			b.elems = slices.Repeat([][]byte{asm(3, 0, leb(1000), make([]byte, 1000))}, 100)
		}), "further table entries"},
		"element segments":      {with(func(b *builder) { tables(b); b.elems = slices.Repeat([][]byte{asm(0, i32c(0), opEnd, 0)}, 5000) }), "element segments"},
		"unknown element kind":  {with(func(b *builder) { tables(b); b.elems = [][]byte{asm(8, 0)} }), "of kind 8"},
		"many tables":           {with(func(b *builder) { b.tables = slices.Repeat([][]byte{{typeFuncref, 0, 0}}, 17) }), "17 tables"},
		"wide types":            {with(func(b *builder) { b.types = slices.Repeat([]funcType{{wide, wide}}, 300) }), "parameters and results in all"},
		"custom sections":       {append(newAdapter(1).step("", ok).build(), repeated(2000, secCustom, 1, 0)...), "sections"},
		"data segments":         {with(func(b *builder) { b.data = slices.Repeat([][]byte{asm(0, i32c(0), opEnd, 0)}, maxSegments+1) }), "data segments"},
		"exports":               {with(func(b *builder) { b.exports = make([]builderExport, maxExports+1) }), "exports"},
		"ref.func":              {with(func(b *builder) { f := b.fn("", "", ""); b.fn("", "", "", opRefFunc, leb(f), opDrop) }), "ref.func"},
		"ref.func in dead code": {with(func(b *builder) { b.fn("", "", "", opReturn, opRefFunc, 0, opDrop) }), "ref.func"},
		"ref.func in the middle": {with(func(b *builder) {
			b.fn("", "", "", i32c(0), opIf, typeEmpty, opElse, opRefFunc, 0, opRefIsNull, opDrop, opEnd)
		}), "ref.func"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, refusal(t, r, c.wasm), c.want) })
	}
}

// TestNamesAreNotBelieved: wazero makes room for as many names as the name section says. What is wrong with it costs the names.
func TestNamesAreNotBelieved(t *testing.T) {
	r := newRuntime(t, Options{})
	lies := leb(1 << 31)
	sub := func(id byte, body ...any) []byte {
		b := asm(body...)
		return asm(bytesOf("name"), id, leb(len(b)), b)
	}
	for name, custom := range map[string][]byte{
		"function names without end": sub(1, lies),
		"more names than bytes":      sub(1, leb(50_000), 0, bytesOf("f")),
		"local names without end":    sub(2, 1, 0, lies),
		"locals of many functions":   sub(2, lies),
		"a long name without end":    sub(1, 1, 0, lies),
		"not UTF-8":                  sub(1, 1, 0, 2, 0xff, 0xfe),
		"a function there is not":    sub(1, 1, leb(1000), bytesOf("f")),
		"cut off":                    asm(bytesOf("name"), 1),
		"a subsection without end":   asm(bytesOf("name"), 1, lies),
		"a module name without end":  sub(0, lies),
	} {
		b := newAdapter(1).step("", opUnreachable)
		b.custom = custom
		m, err := r.Load(b.build(), nil)
		require.NoError(t, err, name)
		_, err = m.Step(context.Background(), Call{})
		var trapped *TrapError
		require.ErrorAs(t, err, &trapped, name)
	}
	b := newAdapter(1).step("", opUnreachable)
	b.custom = sub(1, 1, 2, bytesOf("the step"))
	m, err := r.Load(b.build(), nil)
	require.NoError(t, err)
	_, err = m.Step(context.Background(), Call{})
	require.ErrorContains(t, err, "the step", "good names are kept")
}
