package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"payswitch/plugins/sandbox/testdata/guest/flow"
)

// forms are the two forms in which a module can run: optimised, and as it was received.
type forms struct{ optimised, received *Runtime }

func newForms(t testing.TB, l Limits) forms {
	return forms{newRuntime(t, Options{Limits: l}), newRuntime(t, Options{Limits: l, Unoptimised: true})}
}

// started is a module in one form, ready for calls.
type started struct {
	code *code
	err  error // why it is not
}

func (f forms) start(t testing.TB, wasm []byte) (optimised, received started) {
	return f.startFrom(t, wasm, func(r *Runtime, wasm []byte) (*Module, error) { return r.Load(wasm, nil) })
}

func (f forms) startFrom(t testing.TB, wasm []byte, load func(*Runtime, []byte) (*Module, error)) (optimised, received started) {
	one := func(r *Runtime) started {
		m, err := load(r, wasm)
		require.NoError(t, err)
		t.Cleanup(func() { _ = m.Close(context.Background()) })
		c, in, err := r.build(m)
		if err != nil {
			return started{err: err}
		}
		in.close()
		t.Cleanup(func() { _ = c.compiled.Close(context.Background()) })
		return started{code: c}
	}
	return one(f.optimised), one(f.received)
}

// outcome is everything that a step shows.
type outcome struct {
	Answer  []byte
	Debug   string
	Trap    TrapKind
	Text    string // of the trap
	Memory  []byte // afterwards; nil after a trap
	Globals []uint64
}

// scarce reports whether the step ended for want of fuel or stack. The forms count these differently.
func (o *outcome) scarce() bool { return o.Trap == TrapFuel || o.Trap == TrapStack }

func (s started) run(t testing.TB, input []byte, fuel int64) (o outcome) {
	in, err := s.code.fork(s.code.image)
	require.NoError(t, err)
	defer in.close()
	in.wantDebug = true
	in.begin(fuel, callTime, [32]byte{7})
	o.Answer, err = in.run(input)
	o.Debug = string(in.debugLog)
	if err != nil {
		var trapped *TrapError
		require.ErrorAs(t, err, &trapped)
		o.Trap, o.Text = trapped.Kind, trapped.Error()
		return o
	}
	o.Memory = bytes.Clone(in.memory.bytes())
	for _, g := range in.globals {
		o.Globals = append(o.Globals, g.Get())
	}
	_, ok := in.reset(s.code.image)
	require.True(t, !ok || in.is(s.code.image), "a reset left something behind")
	return o
}

// requireSame compares the two forms of a module from its start to the end of a step with each input. It returns how many steps
// ended alike with an answer, and how many with a trap.
func (f forms) requireSame(t testing.TB, wasm []byte, inputs ...string) (answers, traps int) {
	t.Helper()
	optimised, received := f.start(t, wasm)
	return f.requireSameStarted(t, optimised, received, inputs...)
}

func (f forms) requireSameStarted(t testing.TB, optimised, received started, inputs ...string) (answers, traps int) {
	t.Helper()
	if received.err != nil || optimised.err != nil {
		requireSameError(t, received.err, optimised.err)
		return 0, 1
	}
	require.Equal(t, received.code.manifest, optimised.code.manifest)
	require.Equal(t, received.code.image, optimised.code.image, "state at the start")
	for _, input := range inputs {
		want, got := received.run(t, []byte(input), f.received.limits.StepFuel), optimised.run(t, []byte(input), f.optimised.limits.StepFuel)
		if want.scarce() != got.scarce() { // one form had just enough: give both plenty
			want, got = received.run(t, []byte(input), 4*f.received.limits.StepFuel), optimised.run(t, []byte(input), 4*f.optimised.limits.StepFuel)
		}
		if want.scarce() && got.scarce() {
			traps++
			continue
		}
		requireSameOutcome(t, want, got, input)
		if want.Trap != "" {
			traps++
		} else {
			answers++
		}
	}
	return answers, traps
}

func requireSameOutcome(t testing.TB, want, got outcome, input string) {
	t.Helper()
	require.True(t, bytes.Equal(want.Memory, got.Memory), "memory differs after %.80q", input)
	want.Memory, got.Memory = nil, nil
	require.Equal(t, want, got, "input %.80q", input)
}

// requireSameError compares why a module did not start. The forms refuse the same modules, and trap alike.
func requireSameError(t testing.TB, want, got error) {
	t.Helper()
	require.Error(t, want, "only the optimised form fails: %v", got)
	require.Error(t, got, "only the received form fails: %v", want)
	kind := func(err error) TrapKind {
		if trapped, ok := errors.AsType[*TrapError](err); ok {
			return trapped.Kind
		}
		return ""
	}
	require.Equal(t, kind(want), kind(got))
}

// programs use every form of control flow and every way to make an address, as far as the optimiser could get them wrong. Each takes
// numbers as its input.
func programs() map[string]*builder {
	const p, q, wide, sum = 2, 3, 4, 5 // locals of the steps: i32, i32, i64, i32
	step := func(pages uint64, parts ...any) *builder {
		return newAdapter(pages).step(tI32+tI32+tI64+tI32, argument(0), put(p), argument(1), put(q), get(p), opI64ExtendI32, put(wide), asm(parts...),
			i32c(outputAt), get(sum), mem(opI32Store, 0), answerAt(outputAt, 64))
	}
	add := func(n int64) []byte { return asm(get(sum), i32c(10), 0x6c, i32c(n), opI32Add, put(sum)) }
	at := func(local int, delta int64) []byte {
		return asm(get(local), opI64ExtendI32, i64c(delta), opI64Add, opI32WrapI64)
	}
	store := func(address []byte, offset uint32) []byte {
		return asm(address, i64c(0x1122334455667788+int64(offset)), mem(opI64Store, offset))
	}
	load := func(address []byte, offset uint32) []byte {
		return asm(get(sum), i32c(31), 0x6c, address, mem(opI32Load, offset), opI32Add, put(sum))
	}
	count := func(n int64) []byte { return asm(get(q), i32c(1), opI32Add, tee(q), i32c(n), 0x49) } // below n, without a sign
	push := asm(get(p), i32c(8), opI32Sub, tee(p), i64c(77), mem(opI64Store, 0))

	all := map[string]*builder{
		// control flow
		"br_table":        step(1, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, get(p), opBrTable, 2, 0, 1, 2, opEnd, add(1), opEnd, add(2), opEnd, add(3)),
		"br_table nested": step(1, opLoop, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, get(q), get(p), opI32Add, opBrTable, 3, 0, 1, 0, 1, opEnd, add(1), count(9), opBrIf, 1, opEnd, add(2), count(20), opBrIf, 0, opEnd),
		"br_table result": step(1, opBlock, typeI32, i32c(5), get(p), opBrTable, 1, 0, 0, opEnd, put(sum)),
		"nested loops":    step(1, opLoop, typeEmpty, add(1), opLoop, typeEmpty, add(2), count(5), opBrIf, 0, count(9), opBrIf, 1, opEnd, count(30), opBrIf, 0, opEnd),
		"unreachable":     step(1, get(p), opIf, typeEmpty, opUnreachable, opEnd, add(4)),
		"dead code":       step(1, opBlock, typeEmpty, opBr, 0, store(get(p), 8), store(at(p, 8), 0), opDrop, opEnd, add(4)),
		"dead jump":       step(1, opBlock, typeEmpty, opBr, 0, i32c(0), put(p), opLoop, typeEmpty, opBlock, typeEmpty, get(p), opBrTable, 0, 0, opEnd, i32c(0), put(p), opBr, 0, opEnd, opEnd, add(4)),
		"conditions":      step(1, get(p), opIf, typeI32, get(q), opIf, typeI32, i32c(1), opElse, i32c(2), opEnd, opElse, i32c(3), opEnd, put(sum)),
		"returns":         step(1, get(p), opIf, typeEmpty, answerAt(inputAt, 4), opReturn, opEnd, add(1)),
		"branch out":      step(1, i64c(inputAt<<32|4), get(p), opBrIf, 0, opDrop, add(2)),
		"division":        step(1, load(get(p), 0), i32c(100), get(q), 0x6d, put(sum), load(get(p), 300_000)),
		"remainder":       step(1, load(at(p, 8), 0), i64c(100), get(q), opI64ExtendI32, 0x82, opDrop, load(at(p, 16), 300_000)),
		"to an integer":   step(1, load(get(p), 0), get(q), 0xb3, opF32Const, 0, 0, 0x80, 0x4f, 0x94, 0xa8, put(sum), load(get(p), 300_000)), // f32.mul by 2^32
		"saturating":      step(1, load(get(p), 0), get(q), 0xb3, opPrefixMisc, 0, put(sum), load(get(p), 300_000)),

		// addresses
		"up to 4 GiB":            step(1, store(get(p), 0), store(get(p), 16)),
		"around 4 GiB":           step(1, store(at(p, 16), 0), load(at(p, 16), 0)),
		"around 4 GiB, several":  step(1, store(at(p, 16), 0), store(at(p, 24), 8), load(at(p, 8), 16)),
		"around 4 GiB, directly": step(1, store(at(p, 16), 0), load(get(p), 8)),
		"around 4 GiB, far":      step(1, store(at(p, 65_528), 0), load(at(p, 65_000), 500)),
		"around 4 GiB, in steps": step(1, get(p), opI64ExtendI32, repeated(70, i64c(1000), opI64Add), opI32WrapI64, i64c(3), mem(opI64Store, 0), load(at(p, 8), 0)),
		"arguments of a call":    step(1, store(at(p, 16), 0), store(at(p, 8), 0), store(get(p), 0), push, load(get(p), 8)),
		"arguments without it":   step(1, store(at(p, 16), 0), store(at(p, 8), 0), push, load(get(p), 16)),
		"below 0":                step(1, store(get(p), 0), get(p), i32c(60_000), opI32Sub, tee(p), i64c(1), mem(opI64Store, 0), load(get(p), 4)),
		"large offset":           step(1, store(get(p), 0), store(get(p), 1<<31-1), load(get(p), 1<<32-1)),
		"largest offset":         step(1, load(get(p), 1<<32-1)),
		"offsets at the end":     step(1, load(get(p), 0), store(get(p), 8), load(get(p), 3000), load(get(p), 30)),
		"wrapped":                step(1, store(asm(get(wide), opI32WrapI64), 8), load(asm(get(wide), opI32WrapI64), 0), load(asm(get(wide), opI32WrapI64), 3000)),
		"wrapped, large":         step(1, get(wide), i64c(1<<32), opI64Add, put(wide), store(asm(get(wide), opI32WrapI64), 8), load(asm(get(wide), opI32WrapI64), 0)),
		"tee":                    step(1, get(q), tee(p), i64c(1), mem(opI64Store, 8), load(get(p), 8), store(get(p), 3000)),
		"set in between":         step(1, get(p), get(q), put(p), i64c(1), mem(opI64Store, 0), load(get(p), 0), store(get(p), 8)),
		"swapped":                step(1, get(p), get(q), put(p), put(q), store(get(p), 0), store(get(q), 0), store(get(p), 8), store(get(q), 8)),
		"copied":                 step(1, get(p), put(q), store(get(p), 0), store(get(q), 8), get(q), i32c(300), opI32Add, put(p), store(get(p), 0), store(get(q), 16)),
		"copied in a branch":     step(1, get(p), opIf, typeEmpty, get(p), put(q), opEnd, store(get(p), 0), store(get(q), 0), store(get(p), 300), store(get(q), 600)),
		"in a loop":              step(1, opLoop, typeEmpty, store(get(p), 0), store(get(p), 8), get(p), i32c(264), opI32Add, put(p), count(40), opBrIf, 0, opEnd),
		"behind a branch":        step(1, opBlock, typeEmpty, store(get(p), 0), get(q), opBrIf, 0, store(get(p), 8), opEnd, store(get(p), 16), load(get(p), 8)),
		"behind a trap":          step(1, store(get(p), 0), get(q), opIf, typeEmpty, opUnreachable, opEnd, store(get(p), 300_000)),
		"behind a call":          step(1, store(get(p), 0), get(q), callf(0), opDrop, store(get(p), 300_000)),
		"values of all widths": step(1, get(p), i32c(-1), mem(opI32Store8, 1), get(p), i32c(-2), mem(opI32Store16, 2), get(p), opF32Const, 1, 2, 3, 4, mem(opF32Store, 4),
			get(p), opF64Const, 1, 2, 3, 4, 5, 6, 7, 8, mem(opF64Store, 8), get(p), i64c(-3), mem(opI64Store32, 16), load(get(p), 3), load(get(p), 12)),

		// memory
		"fill":        step(1, store(get(p), 0), get(p), i32c(7), get(q), opPrefixMisc, miscMemoryFill, 0, load(get(p), 8)),
		"copy":        step(1, store(get(p), 0), get(p), i32c(inputAt), get(q), opPrefixMisc, miscMemoryCopy, 0, 0, load(get(p), 0), store(get(p), 8)),
		"copy itself": step(1, store(get(p), 0), get(p), i32c(3), opI32Add, get(p), get(q), opPrefixMisc, miscMemoryCopy, 0, 0, load(get(p), 8)),
		"grow":        step(1, store(get(p), 0), get(q), opMemoryGrow, 0, put(sum), store(get(p), 65_536), load(get(p), 65_540)),
		"size":        step(1, store(get(p), 0), opMemorySize, 0, put(sum), store(get(p), 8), get(q), opMemoryGrow, 0, opDrop, opMemorySize, 0, get(sum), opI32Add, put(sum)),
	}
	multi := newAdapter(1)
	block := multi.typ(tI32+tI64, tI64+tI32)
	swap := multi.fn(tI32+tI64, tI64+tI32, "", get(1), get(0))
	all["multi-value blocks"] = multi.step(tI32+tI64, argument(0), argument(1), opI64ExtendI32, opBlock, block, callf(swap), argument(2), opBrIf, 0, put(2), put(3), get(3), get(2), opEnd,
		put(2), put(3), i32c(outputAt), get(2), mem(opI32Store, 0), i32c(outputAt), get(3), mem(opI64Store, 8), answerAt(outputAt, 16))
	looping := newAdapter(1)
	both := looping.typ(tI32+tI32, tI32)
	all["multi-value loops"] = looping.step(tI32+tI32, argument(0), argument(1), opLoop, both, put(2), put(3), get(3), i32c(1), opI32Add, get(2), i32c(3), 0x6c, get(3), i32c(20), 0x49, opBrIf, 0,
		opI32Add, opEnd, put(2), i32c(outputAt), get(2), mem(opI32Store, 0), answerAt(outputAt, 4))
	table := newAdapter(1)
	table.tables = [][]byte{{typeFuncref, 0, 3}}
	one, two := table.fn(tI32, tI32, "", get(0), i32c(1), opI32Add), table.fn("", tI32, "", i32c(9))
	table.elems = [][]byte{asm(0, i32c(0), opEnd, 2, one, two)}
	all["indirect calls"] = table.step("", i32c(outputAt), argument(1), argument(0), opCallIndirect, table.typ(tI32, tI32), 0, mem(opI32Store, 0), answerAt(outputAt, 4))
	get3 := newAdapter(1)
	get3.tables = [][]byte{{typeFuncref, 0, 3}}
	all["table.get"] = get3.step(tI32, argument(0), put(2), get(2), mem(opI32Load, 0), opDrop, argument(1), opTableGet, 0, opRefIsNull, opDrop, get(2), mem(opI32Load, 300_000), opDrop, answerAt(outputAt, 4))
	deep := newAdapter(1)
	f := deep.fn(tI32, tI32, "", get(0), opIf, typeI32, get(0), i32c(1), opI32Sub, callf(0), get(0), opI32Add, opElse, i32c(0), opEnd)
	all["recursion"] = deep.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
	writing := newAdapter(1)
	write := writing.wasi("fd_write")
	text := asm(i32c(1), i32c(2048), i32c(1), i32c(2040), callf(write), opDrop)
	writing.segment(2048, "\x00\x09\x00\x00\x05\x00\x00\x00")
	writing.segment(0x900, "text\n")
	all["text before a trap"] = writing.step(tI32, argument(0), put(2), get(2), i64c(1), mem(opI64Store, 0), text, get(2), i64c(1), mem(opI64Store, 300_000), text, answerAt(outputAt, 4))
	return all
}

// ledgerEnd is beyond the ledger of a memory of one page.
const ledgerEnd = 64 * pageSize

// numbers are inputs for programs: small numbers, and numbers that are addresses in the middle and at the end of a memory of one
// page; in its ledger, and at the end of the address space.
func numbers() (all [][3]uint32) {
	for _, p := range []uint32{0, 1, 2, 7, 3000, 60_000, pageSize - 80, pageSize - 8, pageSize, ledgerEnd, 1 << 31, 1<<32 - 65_536, 1<<32 - 1000, 1<<32 - 24, 1<<32 - 8} {
		for _, q := range []uint32{0, 1, 2, 40_000, 1<<32 - 1} {
			all = append(all, [3]uint32{p, q, p & 1})
		}
	}
	return all
}

// strays reports whether a step goes beyond the end of its memory. Plain WebAssembly stops it there. In the sandbox the ledger
// follows, where the forms may differ: optimise/README.md, "What stays the same".
func strays(t testing.TB, plain wazero.Runtime, c *code, wasm []byte, input string) bool {
	_, _, beyond := runPlain(t, plain, c, wasm, []byte(input))
	return beyond
}

// TestFormsOfPrograms compares both forms of programs that use the control flow and the addresses that the optimiser rewrites.
func TestFormsOfPrograms(t *testing.T) {
	costlyAlone(t)
	f, plain := newForms(t, fuzzLimits), plainRuntime(t)
	answers, traps, edited := 0, 0, 0
	all := programs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			wasm := all[name].build()
			m, err := parse(wasm)
			require.NoError(t, err)
			o, err := m.optimise()
			require.NoError(t, err)
			if !bytes.Equal(o.wasm, wasm) {
				edited++
			}
			_, received := f.start(t, wasm)
			require.NoError(t, received.err)
			var inputs []string
			for _, n := range numbers() {
				input := littleEndian(n[:]...)
				o := received.run(t, []byte(input), fuzzLimits.StepFuel)
				stopped := o.Trap != "" && !strings.Contains(o.Text, "beyond the end") // during the step, not after it
				if stopped || !strays(t, plain, received.code, wasm, input) {
					inputs = append(inputs, input)
				}
			}
			require.Greater(t, len(inputs), 30)
			a, b := f.requireSame(t, wasm, inputs...)
			answers, traps = answers+a, traps+b
		})
	}
	t.Logf("%d programs, %d of them edited: %d answers, %d traps", len(all), edited, answers, traps)
	require.Greater(t, edited, 20)
	require.Greater(t, answers, 1000)
	require.Greater(t, traps, 500)
}

// TestFormsOfAttacks compares both forms of the modules that the other tests attack the sandbox with.
func TestFormsOfAttacks(t *testing.T) {
	costlyAlone(t)
	f := newForms(t, Limits{MemoryPages: 1024, StepFuel: 3e5})
	modules := map[string][]byte{}
	for name, b := range loops() {
		modules["loop: "+name] = b.build()
	}
	for name, b := range slowest() {
		modules["slow: "+name] = b.build()
	}
	for name, bomb := range compileBombs() {
		if name != "least" && !strings.HasPrefix(name, "many ") && !strings.HasPrefix(name, "deep stack") { // not valid; long and uniform
			modules["bomb: "+name] = bomb(7).build()
		}
	}
	for name, code := range hardToCompile(64, 20) {
		modules["hard: "+name] = newAdapter(1).step(string(bytes.Repeat([]byte{typeI32}, 20)), code, answerAt(0, 0)).build()
	}
	for name, wasm := range modules {
		t.Run(name, func(t *testing.T) { f.requireSame(t, wasm, "", littleEndian(1, 2, 3, 4, 5, 6, 7, 8)) })
	}
}

// TestFormsOfGo compares both forms of the Go guest: everything that it can do, and all the ways that control takes in a Go program.
func TestFormsOfGo(t *testing.T) {
	costlyAlone(t)
	f := newForms(t, Limits{})
	inputs := []string{"", "e", "ehello", "k4242", "m", "g100000", "g9000000", "c", "dtext", "w", string(workMessage), "b70000", "b2000000", "pbecause", "x", "s", "l", "r", "h", "?"}
	for _, name := range flow.Names {
		inputs = append(inputs, "j"+name)
	}
	for _, load := range []func(*Runtime, []byte) (*Module, error){loadOwn, func(r *Runtime, wasm []byte) (*Module, error) { return r.Load(wasm, nil) }} {
		optimised, received := f.startFrom(t, goWasm(t), load)
		answers, traps := f.requireSameStarted(t, optimised, received, inputs...)
		require.Equal(t, len(inputs), answers+traps)
		require.Greater(t, answers, 20)
	}
}

// TestFormsKeepApart: the forms share no file of a cache directory, whether this process compiles or another.
func TestFormsKeepApart(t *testing.T) {
	wasm := programs()["arguments of a call"].build()
	for name, compiler := range map[string][]string{"here": nil, "apart": itself()} {
		dir := t.TempDir()
		known := map[bool]bool{}
		for _, unoptimised := range []bool{false, true, false, true} {
			r := newRuntime(t, Options{CacheDir: dir, Compiler: compiler, Unoptimised: unoptimised})
			sum := sha256.Sum256(wasm)
			require.Equal(t, known[unoptimised], r.Known(hex.EncodeToString(sum[:])), "%s, unoptimised %t", name, unoptimised)
			m, err := r.Load(wasm, nil)
			require.NoError(t, err)
			require.Len(t, step(t, m, littleEndian(300, 7)), 64)
			known[unoptimised] = true
			native, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
			require.NoError(t, err)
			require.Len(t, native, len(known), "native code of each form")
		}
	}
}

// FuzzOptimise makes up functions that jump, branch and access memory in the ways that the optimiser rewrites, and compares the
// forms with each other.
func FuzzOptimise(f *testing.F) {
	sequential(f)
	costly(f)
	for seed := range byte(60) {
		f.Add(bytes.Repeat([]byte{seed, seed * 13, 200 - seed, seed * 5, 9}, 12), []byte{seed, 1, 2, 0, 3, seed, 1, 0})
		f.Add(bytes.Repeat([]byte{seed * 3, 12, seed * 11, 13, 32, seed * 7, 14}, 12), []byte{seed % 7, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff})
	}
	both, plain := newForms(f, fuzzLimits), plainRuntime(f)
	f.Fuzz(func(t *testing.T, program, input []byte) {
		wasm := generate(program)
		_, received := both.start(t, wasm)
		if received.err == nil {
			if o := received.run(t, input, fuzzLimits.StepFuel); o.scarce() || strays(t, plain, received.code, wasm, string(input)) {
				return
			}
		}
		both.requireSame(t, wasm, string(input))
	})
}
