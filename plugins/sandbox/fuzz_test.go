package sandbox

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var fuzzLimits = Limits{MemoryPages: 320, StepFuel: 4e6, InitFuel: 30e6, FunctionBytes: 4 << 10, ModuleBytes: 64 << 10, CompileTime: time.Minute}

// plainRuntime runs modules as received, for comparison.
func plainRuntime(t testing.TB) wazero.Runtime {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).
		WithMemoryLimitPages(fuzzLimits.MemoryPages).WithCloseOnContextDone(true))
	t.Cleanup(func() { _ = r.Close(ctx) })
	require.NoError(t, instantiateWASI(ctx, r))
	return r
}

// plainGlobal stands in for the fuel of a module that has none.
type plainGlobal struct {
	api.MutableGlobal
	v uint64
}

func (g *plainGlobal) Get() uint64  { return g.v }
func (g *plainGlobal) Set(v uint64) { g.v = v }

// runPlain does with a module as received what the sandbox does with the instrumented one: initialisation, manifest and
// one step. wasm is the module, and c its instrumented form. The answer is nil when the module trapped. beyond says that the module trapped
// because it looked beyond the end of its memory, where the instrumented one has its ledger.
func runPlain(t testing.TB, r wazero.Runtime, c *code, wasm, input []byte) (answer, memory []byte, beyond bool) {
	in := &instance{code: c, fuel: &plainGlobal{v: 1 << 60}, rest: &plainGlobal{}, depth: &plainGlobal{}, random: newRandom()}
	var err error
	in.memory, err = newLinearMemory(c.memoryBytes, 0)
	require.NoError(t, err)
	defer in.memory.Free()
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), instanceKey{}, in), 20*time.Second)
	defer cancel()
	in.ctx = ctx
	compiled, err := r.CompileModule(ctx, wasm)
	require.NoError(t, err)
	defer compiled.Close(ctx)
	in.begin(1<<60, initialTime, c.seed())
	in.mod, err = r.InstantiateModule(withMemory(ctx, in.memory), compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	require.NoError(t, err, "initialisation succeeded when instrumented")
	defer in.mod.Close(ctx)
	trapped := func(err error) bool {
		var t *TrapError
		return errors.As(err, &t) && t.Kind == TrapMemory
	}
	if f := in.mod.ExportedFunction(exportInitialize); f != nil {
		err := in.call(f, 0)
		if trapped(err) {
			return nil, nil, true
		}
		require.NoError(t, err)
	}
	in.begin(1<<60, initialTime, c.seed())
	err = in.call(in.mod.ExportedFunction(exportManifest), 0)
	if trapped(err) {
		return nil, nil, true
	}
	require.NoError(t, err)
	manifest, err := in.answer(exportManifest)
	require.NoError(t, err)
	require.Equal(t, c.manifest, manifest)

	in.step, in.alloc = in.mod.ExportedFunction(exportStep), in.mod.ExportedFunction(exportAlloc)
	in.begin(1<<60, callTime, [32]byte{7})
	answer, err = in.run(input)
	if err != nil {
		require.NoError(t, ctx.Err(), "runs for ever when not instrumented")
		return nil, nil, trapped(err)
	}
	return answer, bytes.Clone(in.memory.bytes()), false
}

// compare runs a module that was accepted, checks the reset, and compares answers and memory with those of the module as
// received.
func compare(t testing.TB, r *Runtime, plain wazero.Runtime, m *Module, input []byte) {
	c, first, err := r.build(m)
	if err != nil {
		var refused *RefusedError
		require.False(t, errors.As(err, &refused) && (refused.Reason == "does not compile" || refused.Reason == rewriterFailed), "invalid after rewriting: %v", err)
		return
	}
	defer c.compiled.Close(context.Background())
	defer first.close()
	wasm, err := m.bytes()
	require.NoError(t, err)
	in, err := c.fork(c.image)
	require.NoError(t, err)
	defer in.close()
	require.True(t, in.is(c.image) && first.is(c.image))
	for range 2 {
		in.begin(r.limits.StepFuel, callTime, [32]byte{7})
		answer, err := in.run(input)
		var trapped *TrapError
		if errors.As(err, &trapped) && (trapped.Kind == TrapFuel || trapped.Kind == TrapStack) {
			return
		}
		wantAnswer, wantMemory, beyond := runPlain(t, plain, c, wasm, input)
		if !beyond {
			require.Equal(t, wantAnswer, answer, "%v", err)
		}
		if err != nil {
			return
		}
		require.True(t, beyond || bytes.Equal(wantMemory, in.memory.bytes()), "memory differs after the same step")
		restored, ok := in.reset(c.image)
		if !ok {
			return
		}
		require.True(t, in.is(c.image), "not back in the initial state after restoring %d bytes", restored)
	}
}

// FuzzRewrite feeds the loader with modules, most of them broken. It must never panic; what it accepts must still be
// valid when instrumented and must do the same.
func FuzzRewrite(f *testing.F) {
	for _, b := range loops() {
		b.memory = appendU([]byte{0}, 2)
		f.Add(b.build(), []byte("input"))
	}
	for seed := range byte(20) {
		f.Add(generate(bytes.Repeat([]byte{seed, 77, seed * 7, 31}, 12)), []byte{1, 2, 3, 4, seed})
	}
	f.Add(allBlocks(), []byte{1})
	r := newRuntime(f, Options{Limits: fuzzLimits})
	plain := plainRuntime(f)
	f.Fuzz(func(t *testing.T, wasm, input []byte) {
		m, err := r.Load(wasm, nil)
		if err != nil {
			require.NotContains(t, err.Error(), rewriterFailed)
			return
		}
		defer m.Close(context.Background())
		compare(t, r, plain, m, input)
	})
}

// FuzzReset makes up guests that write wherever they can, and verifies that nothing of it stays.
func FuzzReset(f *testing.F) {
	sequential(f)
	costly(f)
	for seed := range byte(60) {
		f.Add(bytes.Repeat([]byte{seed, seed * 13, 200 - seed, seed * 5, 9}, 12), []byte{seed, 1, 2, 0, 3, seed, 1, 0})
		f.Add(bytes.Repeat([]byte{seed * 3, 15, seed * 11, 15, 32, seed * 7, 15}, 12), []byte{seed % 7, 0, 0, 0, 3, seed, 1, 0})
	}
	r := newRuntime(f, Options{Limits: fuzzLimits})
	plain := plainRuntime(f)
	f.Fuzz(func(t *testing.T, program, input []byte) {
		m, err := r.Load(generate(program), nil)
		require.NoError(t, err, "the generator makes valid modules only")
		defer m.Close(context.Background())
		compare(t, r, plain, m, input)
	})
}

// FuzzGoGuest drives the Go guest with anything.
func FuzzGoGuest(f *testing.F) {
	sequential(f)
	for _, s := range []string{"", "e", "ehello", "k4242", "m", "g100000", "g9000000", "c", "d", "w", string(workMessage), "b70000", "p", "x", "s"} {
		f.Add([]byte(s))
	}
	m := loadGo(f, Options{})
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > m.runtime.limits.MessageBytes {
			return
		}
		_, err := m.Step(context.Background(), Call{Now: callTime, Input: input})
		var trapped *TrapError
		if err != nil && !errors.As(err, &trapped) {
			t.Fatal(err)
		}
		if in := m.pool.take(); in != nil {
			require.True(t, in.is(m.code.Load().image), "input %q left something behind", input)
			m.pool.put(in)
		}
	})
}

// generate makes a module of straight-line code, short loops and calls that write, as the bytes of program say.
func generate(program []byte) []byte {
	p := slices.Clone(program)
	next := func() uint32 {
		if len(p) == 0 {
			return 0
		}
		v := p[0]
		p = p[1:]
		return uint32(v)
	}
	pages := [...]uint32{1, 2, 5, 66, freePages + 12}[next()%5]
	b := newAdapter(uint64(pages))
	random, clock, write := b.wasi("random_get"), b.wasi("clock_time_get"), b.wasi("fd_write")
	b.global(typeI32, 1, i32c(3)...)
	b.global(typeI64, 1, i64c(4)...)
	address := func() []byte {
		chunk, near := next()%(pages+1), next()
		at := int64(chunk)*chunkSize + int64(near) - 12
		if near > 128 { // as the input says
			return asm(argument(near%8), i32c(int64(chunk)*chunkSize), opI32Add)
		}
		return i32c(max(at, 0))
	}
	length := func() []byte {
		n := int64(next())
		if n > 128 {
			n = (n - 128) * chunkSize / 2
		}
		return i32c(n)
	}
	between := func() (stores []byte) { // what may stand between two instructions
		if n := next(); n > 200 {
			for range n - 199 {
				stores = asm(stores, i64c(int64(n)), put(5), get(3), get(5), mem(opI64Store, n))
			}
		}
		return stores
	}
	based := func() []byte { // an address that goes by local 3 or 4
		switch next() % 4 {
		case 0:
			return asm(get(3), between())
		case 1:
			return asm(get(3), opI64ExtendI32, between(), i64c(int64(next())), between(), opI64Add, between(), opI32WrapI64)
		case 2:
			return asm(get(4), between(), opI32WrapI64)
		}
		return asm(get(4), between(), tee(4), between(), opI32WrapI64)
	}
	jumping := generateJumps(b, next)
	body := asm(i32c(4096), tee(3), opI64ExtendI32, put(4))
	depth := 0
	for len(p) > 0 && len(body) < 2000 {
		switch next() % 17 {
		case 0, 1, 2, 3:
			op := opI32Store + int(next())%9
			value := [...][]byte{i32c(-2), i64c(-2), asm(opF32Const, 1, 2, 3, 4), asm(opF64Const, 1, 2, 3, 4, 5, 6, 7, 8)}[storeLocal(byte(op))]
			body = asm(body, address(), value, mem(op, next()*next()))
		case 4:
			body = asm(body, address(), i32c(0xcc), length(), opPrefixMisc, miscMemoryFill, 0)
		case 5:
			body = asm(body, address(), address(), length(), opPrefixMisc, miscMemoryCopy, 0, 0)
		case 6:
			body = asm(body, gget(0), i32c(int64(next())), opI32Add, gset(0), i64c(int64(next())), gset(1))
		case 7:
			body = asm(body, address(), length(), callf(random), opDrop)
		case 8:
			body = asm(body, i32c(int64(next()%5)), i64c(0), address(), callf(clock), opDrop)
		case 9:
			body = asm(body, i32c(1), address(), i32c(int64(next()%3)), address(), callf(write), opDrop)
		case 10:
			if depth < 5 { // do … while local 2 counts to a few
				body = asm(body, opLoop, typeEmpty)
				depth++
			}
		case 11:
			to := asm(address(), i32c(4096), opI32Add)
			if next()%2 == 0 {
				body = asm(body, to, put(3))
			} else {
				body = asm(body, to, opI64ExtendI32, put(4))
			}
		case 12:
			body = asm(body, based(), i64c(-3), mem(0x37, 2*next()))
		case 13:
			body = asm(body, based(), based(), mem(0x29, 2*next()), mem(0x37, next()), based(), based(), mem(opI32Load8U, next()), mem(opI32Store8, next()))
		case 14:
			body = asm(body, get(3), between(), i32c(int64(next()%64)), opI32Sub, tee(3), opI32Eqz, opDrop, get(3), i64c(9), mem(0x37, 0))
		case 15:
			body = asm(body, argument(next()%8), callf(jumping), opDrop)
		case 16:
			switch next() % 4 {
			case 0:
				body = asm(body, i32c(int64(next()%2)), opMemoryGrow, 0, opDrop)
			case 1:
				body = asm(body, argument(next()%4), i32c(1), 0x71, opIf, typeEmpty, answerAt(outputAt, 3), opReturn, opEnd)
			case 2:
				body = asm(body, opBlock, typeEmpty, argument(next()%4), opBrIf, 0, address(), i32c(1), mem(opI32Store, 0), opEnd)
			case 3:
				body = asm(body, argument(next()%4), opIf, typeEmpty, address(), i32c(1), mem(opI32Store8, 0), 0x05, gget(0), gset(0), opEnd)
			}
		}
	}
	for range depth {
		body = asm(body, get(2), i32c(1), opI32Add, tee(2), i32c(20), opI32LtS, opBrIf, 0, opEnd)
	}
	return b.step(tI32+tI32+tI64+tI64, body, answerAt(inputAt, 64)).build()
}

// generateJumps adds a function that jumps by numbers, as the Go compiler makes them or a little different. No jump up is taken more
// than a few times.
func generateJumps(b *builder, next func() uint32) int {
	const times, sum = 1, 2
	regions := make([][]byte, 1+next()%6)
	j := jumper{len(regions)}
	for in := range regions {
		to := int64(next() % uint32(len(regions)+1))
		again := asm(get(times), i32c(1), opI32Add, tee(times), i32c(30), opI32LtS)
		condition := again
		if next()%2 == 0 {
			condition = asm(again, argument(next()%3), i32c(int64(next())), opI32GtU, 0x71) // and
		}
		region := asm(i32c(int64(in)*8+300), get(sum), i32c(3), 0x6c, i32c(int64(in)), opI32Add, tee(sum), mem(opI32Store, 0))
		for range next() % 3 {
			region = asm(region, j.when(condition, to, in))
			to = int64(next() % uint32(len(regions)+1))
		}
		switch next() % 8 {
		case 0:
			region = asm(region, again, opIf, typeEmpty, region, opElse, j.to(to, in, 1), opEnd)
		case 1:
			region = asm(region, condition, opIf, typeEmpty, region, j.to(to, in, 1), opEnd)
		case 2:
			region = asm(region, opBlock, typeEmpty, condition, opBrIf, 0, again, opI32Eqz, opBrIf, 0, j.to(to, in, 1), opEnd)
		case 3:
			region = asm(region, again, opI32Eqz, opIf, typeEmpty, get(sum), opReturn, opEnd, j.to(to, in, 0))
		case 4:
			if next()%4 == 0 {
				region = asm(region, condition, opBrIf, int(next())%(j.label(in)+1))
			}
		case 5:
			if next()%4 == 0 {
				region = asm(region, i32c(int64(in)), tee(0), get(0), opI32Add, opDrop)
			}
		}
		regions[in] = region
	}
	return b.fn(tI32, tI32, tI32+tI32, j.code(regions...), get(sum))
}

// allBlocks uses every way to nest and leave blocks, with results.
func allBlocks() []byte {
	b := newAdapter(1)
	two := b.typ("", tI32+tI64)
	f := b.fn(tI32, tI32+tI64, "", opBlock, two, i32c(1), i64c(2), get(0), opBrIf, 0, opReturn, opEnd)
	g := b.fn(tI32, tI32, "", get(0), opIf, typeI32, get(0), callf(f), 0xa7, opI32Add, opI32Add, opElse, i32c(4), opReturn, opEnd)
	return b.step("", i32c(outputAt), get(1), callf(g), mem(opI32Store, 0), answerAt(outputAt, 4)).build()
}
