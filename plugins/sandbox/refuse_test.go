package sandbox

import (
	"bytes"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refusal loads a module that must be refused.
func refusal(t testing.TB, r *Runtime, wasm []byte) *RefusedError {
	t.Helper()
	_, err := r.Load(wasm, nil)
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	return refused
}

func TestRefused(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{MemoryPages: 10, FunctionBytes: 5000, ModuleBytes: 100_000}})
	ok := answerAt(outputAt, 0)
	table := func(b *builder) *builder {
		b.tables = [][]byte{{typeFuncref, 0, 4}}
		return b
	}
	with := func(change func(b *builder)) []byte {
		b := newAdapter(1)
		change(b)
		return b.step("", ok).build()
	}
	body := func(parts ...any) []byte { return table(newAdapter(1)).step("", asm(parts...), ok).build() }
	refNull := []byte{opRefNull, typeFuncref}
	for name, c := range map[string]struct {
		wasm []byte
		want string
	}{
		"not wasm":      {[]byte("\x7fELF"), "not a WebAssembly 1 module"},
		"empty":         {nil, "not a WebAssembly 1 module"},
		"component":     {[]byte("\x00asm\x0d\x00\x01\x00"), "not a WebAssembly 1 module"},
		"cut off":       {body()[:60], "too early"},
		"table.set":     {body(i32c(0), refNull, opTableSet, 0), "table.set"},
		"table.grow":    {body(refNull, i32c(1), opPrefixMisc, 15, 0, opDrop), "table.grow"},
		"table.fill":    {body(i32c(0), refNull, i32c(0), opPrefixMisc, 17, 0), "table.fill"},
		"table.copy":    {body(i32c(0), i32c(0), i32c(0), opPrefixMisc, 14, 0, 0), "table.copy"},
		"table.init":    {body(i32c(0), i32c(0), i32c(0), opPrefixMisc, 12, 0, 0), "table.init"},
		"elem.drop":     {body(opPrefixMisc, 13, 0), "elem.drop"},
		"memory.init":   {body(i32c(0), i32c(0), i32c(0), opPrefixMisc, 8, 0, 0), "memory.init"},
		"data.drop":     {body(opPrefixMisc, 9, 0), "data.drop"},
		"simd":          {body(opPrefixVector, 12, make([]byte, 16), opDrop), "SIMD"},
		"atomics":       {body(opPrefixAtomic, 3, 0), "atomic"},
		"tail call":     {body(0x12, 0), "unknown opcode 0x12"},
		"exceptions":    {body(0x06, 0x40, opEnd), "unknown opcode 0x6"},
		"misc":          {body(opPrefixMisc, 18), "unknown opcode 0xfc 18"},
		"type error":    {body(i32c(0)), "invalid"},
		"no such local": {body(get(9), opDrop), "invalid"},
		"memory 1":      {body(opMemorySize, 1, opDrop), "only one memory"},
		"long body":     {body(bytes.Repeat([]byte{opNop}, 5001)), "body of 5011 bytes, at most 5000"},
		"long module":   {append(body(), make([]byte, 100_000)...), "at most 100000"},
		"locals":        {with(func(b *builder) { b.fn("", "", string(bytes.Repeat([]byte{typeI32}, 2400))); b.fn(tI32, "", "") }), ""},
		"many locals": {with(func(b *builder) {
			b.funcs = append(b.funcs, builderFunc{b.typ("", ""), []byte{1, 0x81, 0x20, typeI32, opEnd}})
		}), "4097 locals"},
		"big memory":     {newAdapter(11).step("", ok).build(), "memory of at least 11 pages"},
		"no memory":      {with(func(b *builder) { b.memory = nil }), "no memory"},
		"shared memory":  {with(func(b *builder) { b.memory = []byte{3, 1, 2} }), "shared"},
		"memory64":       {with(func(b *builder) { b.memory = []byte{4, 1} }), "64-bit"},
		"big table":      {with(func(b *builder) { b.tables = [][]byte{appendU([]byte{typeFuncref, 0}, 1<<20)} }), "tables of 1048576"},
		"passive data":   {with(func(b *builder) { b.data = [][]byte{asm(1, bytesOf("x"))} }), "passive"},
		"mutable ref":    {with(func(b *builder) { b.global(typeFuncref, 1, refNull...) }), "holds a reference"},
		"simd global":    {with(func(b *builder) { b.global(typeVector, 1, asm(opPrefixVector, 12, make([]byte, 16))...) }), "SIMD"},
		"reserved name":  {with(func(b *builder) { b.global(typeI64, 1, opI64Const, 0); b.export(exportFuel, 3, 0) }), "reserved"},
		"reserved names": {with(func(b *builder) { b.export(reservedPrefix, 2, 0) }), "reserved"},
		"name twice":     {with(func(b *builder) { b.export("a", 2, 0); b.export("a", 2, 0) }), "twice"},
		"import env":     {with(func(b *builder) { b.imp("env", "abort", "", "") }), `imports "env" "abort"`},
		"import unknown": {with(func(b *builder) { b.imp(wasiModule, "fd_teleport", "", "") }), "does not have"},
		"import type":    {with(func(b *builder) { b.imp(wasiModule, "random_get", tI32, tI32) }), "wrong type"},
		"import memory":  {with(func(b *builder) { b.imports = []builderImport{{"env", "memory", []byte{2, 0, 1}}} }), "imports the memory"},
		"import table":   {with(func(b *builder) { b.imports = []builderImport{{"env", "t", []byte{1, typeFuncref, 0, 1}}} }), "imports the table"},
		"import global":  {with(func(b *builder) { b.imports = []builderImport{{"env", "g", []byte{3, typeI32, 1}}} }), "imports the global"},
		"import tag":     {with(func(b *builder) { b.imports = []builderImport{{"env", "g", []byte{4, 0, 0}}} }), "imports the object"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				_, err := r.Load(c.wasm, nil)
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, refusal(t, r, c.wasm), c.want)
		})
	}
}

func TestRefusedExports(t *testing.T) {
	r := newRuntime(t, Options{})
	for _, drop := range []string{exportMemory, exportAlloc, exportManifest, exportStep} {
		b := newAdapter(1).step("", answerAt(outputAt, 0))
		for i := range b.exports {
			if b.exports[i].name == drop {
				b.exports[i].name = "other"
			}
		}
		require.ErrorContains(t, refusal(t, r, b.build()), drop)
	}
	b := newAdapter(1)
	b.export(exportInitialize, 0, b.fn(tI32, "", ""))
	require.ErrorContains(t, refusal(t, r, b.step("", answerAt(outputAt, 0)).build()), "_initialize with the wrong type")
}

func TestRefusalNamesThePlace(t *testing.T) {
	r := newRuntime(t, Options{})
	b := newAdapter(1)
	b.wasi("random_get")
	wasm := b.step("", opPrefixMisc, 9, 0, answerAt(outputAt, 0)).build()
	err := refusal(t, r, wasm)
	require.Equal(t, 3, err.Function) // after the import, alloc and manifest
	require.Equal(t, int64(bytes.LastIndex(wasm, []byte{opPrefixMisc, 9, 0})), err.Offset)
	require.ErrorContains(t, err, "function 3: data.drop")
}

// TestInjectedGlobalsAreOutOfReach: these modules are invalid as received and would be valid once the globals they name
// are there: the guest would set its own fuel and clear its own marks.
func TestInjectedGlobalsAreOutOfReach(t *testing.T) {
	r := newRuntime(t, Options{})
	for own := range 3 {
		for index := own; index < own+4; index++ {
			for _, code := range [][]byte{asm(i64c(1<<60), gset(index)), asm(gget(index), opDrop), asm(i32c(1<<30), gset(index))} {
				b := newAdapter(1)
				for range own {
					b.global(typeI64, 1, opI64Const, 0)
				}
				wasm := b.step("", code, answerAt(outputAt, 0)).build()
				require.ErrorContains(t, refusal(t, r, wasm), "does not exist")
				require.Error(t, r.validate(wasm), "wazero must see the module as received")
			}
		}
	}
	b := newAdapter(1)
	b.export("mine", 3, 0)
	require.Error(t, refusal(t, r, b.step("", answerAt(outputAt, 0)).build()))
}

// TestValidateOnly holds wazero to what validate builds upon.
func TestValidateOnly(t *testing.T) {
	r := newRuntime(t, Options{})
	require.NoError(t, r.validate(newAdapter(1).step("", answerAt(outputAt, 0)).build()))
	require.Error(t, r.validate(newAdapter(1).step("").build()))
	began := time.Now()
	require.NoError(t, r.validate(goWasm(t)))
	t.Logf("validated %d bytes in %v", len(goWasm(t)), time.Since(began))
}

func TestWazeroVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	found := regexp.MustCompile(`tetratelabs/wazero (\S+)`).FindSubmatch(mod)
	require.NotNil(t, found)
	require.Equal(t, wazeroVersion, string(found[1]), "set the constant: what is kept on disk depends on it")
}
