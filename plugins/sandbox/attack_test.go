package sandbox

import (
	"context"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a guest may take to be stopped; the design's figure is 250 ms, tests run on busy machines.
const patience = 3 * time.Second

// loops are guests that never end, each at its own expense to the host.
func loops() map[string]*builder {
	big := func() *builder { return newAdapter(1000) }
	fill := func(n int64) []byte { return asm(i32c(256), i32c(1), i32c(n), opPrefixMisc, miscMemoryFill, 0) }
	const mask, smallMask = 0x3dfffc0, 0x7dffc0
	next := func(mask int64) []byte { // a random address below mask in local 2
		return asm(get(2), i32c(1664525), 0x6c, i32c(1013904223), opI32Add, tee(2), i32c(mask), 0x71)
	}
	loop := func(locals string, parts ...any) *builder { return big().step(locals, forever(parts...)) }
	wasi := func(name string, args ...any) *builder {
		b := big()
		f := b.wasi(name)
		b.segment(2048, "\x00\x10\x00\x00\x00\x00\x10\x00") // an I/O vector: 1 MiB at 4096
		return b.step("", forever(asm(args...), callf(f), opDrop))
	}
	var scattered []byte
	for i := range 200 {
		scattered = asm(scattered, get(2), i32c(1), mem(opI32Store, uint32(i*71*4096)))
	}
	indirect := big()
	indirect.tables = [][]byte{{typeFuncref, 0, 1}}
	indirect.elems = [][]byte{asm(0, i32c(0), opEnd, 1, indirect.fn("", "", ""))}
	indirect.step("", forever(i32c(0), opCallIndirect, indirect.typ("", ""), 0))
	direct := big()
	direct.step("", forever(callf(direct.fn("", "", ""))))
	small := newAdapter(freePages)
	small.step(tI32, fill(120*pageSize), forever(next(smallMask), mem(opI32Load, 0), get(2), 0x73, put(2)))
	tree := newAdapter(1) // recursion without a loop: a call tree that would take for ever
	f := tree.fn(tI32, "", "", get(0), opIf, typeEmpty, get(0), i32c(1), opI32Sub, callf(0), get(0), i32c(1), opI32Sub, callf(0), opEnd)
	tree.step("", i32c(60), callf(f), opUnreachable)
	return map[string]*builder{
		"empty":           loop(""),
		"add":             loop(tI64, get(2), i64c(3), opI64Add, put(2)),
		"divide":          loop(tI64, i64c(1<<60), get(2), i64c(3), opI64Or, 0x80, put(2)),
		"square root":     loop(tF64, get(2), 0x9f, opF64Const, 0, 0, 0, 0, 0, 0, 0, 0x40, 0xa0, put(2)),
		"truncate":        loop(tF64, get(2), opPrefixMisc, 7, 0xb9, put(2)),
		"call":            direct,
		"indirect call":   indirect,
		"call tree":       tree,
		"random loads":    big().step(tI32, fill(mask+64), forever(next(mask), mem(opI32Load, 0), get(2), 0x73, put(2))),
		"random 8 MiB":    small,
		"random stores":   big().step(tI32+tI32, forever(next(mask), tee(3), i32c(1), mem(opI32Store, 0))),
		"scattered":       big().step(tI32, fill(mask), forever(scattered, get(2), i32c(64), opI32Add, i32c(0xffff), 0x71, put(2))),
		"grow by nothing": loop("", i32c(0), opMemoryGrow, 0, opDrop),
		"grow too much":   loop("", i32c(60000), opMemoryGrow, 0, opDrop),
		"fill 48 MiB":     loop("", i32c(1024), i32c(1), i32c(48<<20), opPrefixMisc, miscMemoryFill, 0),
		"copy 30 MiB":     loop("", i32c(1024), i32c(30<<20), i32c(30<<20), opPrefixMisc, miscMemoryCopy, 0, 0),
		"fill nothing":    loop("", i32c(1024), i32c(1), i32c(0), opPrefixMisc, miscMemoryFill, 0),
		"random 48 MiB":   wasi("random_get", i32c(8192), i32c(48<<20)),
		"random 1 MiB":    wasi("random_get", i32c(8192), i32c(1<<20)),
		"random nothing":  wasi("random_get", i32c(8192), i32c(0)),
		"clock":           wasi("clock_time_get", i32c(0), i64c(0), i32c(8192)),
		"write 1 MiB":     wasi("fd_write", i32c(2), i32c(2048), i32c(1), i32c(8192)),
		"yield":           wasi("sched_yield"),
		"nap":             wasi("poll_oneoff", i32c(100), i32c(256), i32c(1), i32c(512)),
	}
}

// processTime returns the processor time that this process has taken.
func processTime(t testing.TB) time.Duration { return processorTime(t, syscall.RUSAGE_SELF) }

// threadTime returns the processor time that this thread has taken: unlike a clock's, it does not count the time that others have the processor. The
// caller is locked to its thread.
func threadTime(t testing.TB) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD, getrusage(2)
	return processorTime(t, thisThread)
}

func processorTime(t testing.TB, of int) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(of, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestLoopsAreStopped(t *testing.T) {
	costlyAlone(t)
	r := newRuntime(t, Options{})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, b := range loops() {
		m, c := compiled(t, r, b.build())
		in, err := c.fork(c.image)
		require.NoError(t, err)
		var took time.Duration
		for range 2 { // the second time, the memory it touches is there already
			in.begin(r.limits.StepFuel, callTime, [32]byte{})
			began := threadTime(t)
			_, err = in.run(nil)
			took = threadTime(t) - began
			var trapped *TrapError
			require.ErrorAs(t, err, &trapped, name)
			require.Equal(t, TrapFuel, trapped.Kind, "%s: %v", name, err)
			require.Less(t, took, patience, name)
		}
		in.close()
		t.Logf("%-16s %7.2f ms", name, float64(took)/1e6)
		require.Equal(t, TrapFuel, trapOf(t, m, Call{}).Kind)
		require.NoError(t, m.Close(context.Background()))
	}
}

// TestLengthIsCharged: what a single instruction or host call does is paid for before it is done.
func TestLengthIsCharged(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 72e6}}) // 70 million of them are for the memory
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, name := range []string{"random 48 MiB", "fill 48 MiB", "copy 30 MiB"} {
		_, c := compiled(t, r, loops()[name].build())
		in, err := c.fork(c.image)
		require.NoError(t, err)
		in.begin(r.limits.StepFuel, callTime, [32]byte{})
		began := threadTime(t)
		_, err = in.run(nil)
		require.Error(t, err)
		require.Less(t, threadTime(t)-began, 20*time.Millisecond, name)
		require.True(t, in.is(c.image), "%s: it was done all the same", name)
		in.close()
	}
}

func TestMemoryIsPaidFor(t *testing.T) {
	r := newRuntime(t, Options{})
	m, _ := compiled(t, r, newAdapter(1).step("", // grow by one page for as long as that works
		opLoop, typeEmpty, i32c(1), opMemoryGrow, 0, i32c(0), opI32LtS, 0x45, opBrIf, 0, opEnd,
		i32c(outputAt), opMemorySize, 0, mem(opI32Store, 0), answerAt(outputAt, 4)).build())
	require.Equal(t, littleEndian(1024), step(t, m, "")) // dear, but affordable once
	r = newRuntime(t, Options{Limits: Limits{StepFuel: 60e6}})
	m, _ = compiled(t, r, m.wasm)
	require.Equal(t, TrapFuel, trapOf(t, m, Call{}).Kind)
}

// TestEndlessInitialisation: whatever runs before the first step runs on fuel as well.
func TestEndlessInitialisation(t *testing.T) {
	r := newRuntime(t, Options{})
	for name, b := range map[string]*builder{
		"start": func() *builder {
			b := newAdapter(1)
			b.start = b.fn("", "", "", forever())
			return b.step("", answerAt(outputAt, 0))
		}(),
		"_initialize": func() *builder {
			b := newAdapter(1)
			b.export(exportInitialize, 0, b.fn("", "", "", forever()))
			return b.step("", answerAt(outputAt, 0))
		}(),
		"manifest": func() *builder {
			b := newAdapter(1).step("", answerAt(outputAt, 0))
			b.funcs[1].body = asm(0, forever(), opEnd)
			return b
		}(),
	} {
		m, err := r.Load(b.build(), nil)
		require.NoError(t, err, "loading runs nothing")
		for range 2 {
			var trapped *TrapError
			_, err = m.Manifest(context.Background())
			require.ErrorAs(t, err, &trapped, name)
			require.Equal(t, TrapFuel, trapped.Kind)
			_, err = m.Step(context.Background(), Call{})
			require.ErrorAs(t, err, &trapped, name)
		}
	}
	// alloc and step are only run by a warm-up or a step; a warm-up that traps is done without
	b := newAdapter(1).step("", answerAt(outputAt, 0))
	b.funcs[0].body = asm(0, forever(), opEnd)
	m, err := r.Load(b.build(), []byte("warm"))
	require.NoError(t, err)
	_, err = m.Manifest(context.Background())
	require.NoError(t, err)
	require.Equal(t, TrapFuel, trapOf(t, m, Call{}).Kind)
}

func TestStartFunctionRunsOnce(t *testing.T) {
	b := newAdapter(1)
	b.global(typeI32, 1, i32c(0)...)
	b.segment(outputAt, "data")
	b.start = b.fn("", "", "", gget(0), i32c(1), opI32Add, gset(0), i32c(outputAt+4), i32c(outputAt), mem(opI32Load, 0), mem(opI32Store, 0))
	b.export(exportInitialize, 0, b.fn("", "", "", gget(0), i32c(1), opI32Add, gset(0)))
	m, _ := compiled(t, newRuntime(t, Options{}), b.step("", i32c(outputAt), gget(0), mem(opI32Store, 8), answerAt(outputAt, 12)).build())
	for range 3 {
		require.Equal(t, "datadata\x02\x00\x00\x00", step(t, m, ""))
	}
}

func TestDeepRecursion(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 20e9}})
	plain := newAdapter(1)
	plain.fn(tI32, tI32, "", get(0), callf(0), i32c(1), opI32Add)
	fat := newAdapter(1) // a frame of many values that live across the call
	var push, sum []byte
	for i := range 1000 {
		push, sum = asm(push, i32c(int64(i)), get(0), opI32Add), asm(sum, opI32Add)
	}
	fat.fn(tI32, tI32, "", push, get(0), callf(0), sum)
	results := newAdapter(1) // through a block type that has to be made, and returns from within blocks
	results.fn(tI32, tI32+tI64+tI32, "", opBlock, typeEmpty, get(0), callf(0), opReturn, opEnd, opUnreachable)
	for name, b := range map[string]*builder{"plain": plain, "fat": fat, "results": results} {
		m, _ := compiled(t, r, b.step("", i32c(3), callf(0), opUnreachable).build())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		trapped := trapOf(t, m, Call{})
		runtime.ReadMemStats(&after)
		require.Equal(t, TrapStack, trapped.Kind, "%s: %v", name, trapped)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d MiB of stack allocated in all", name, allocated>>20)
		require.Less(t, allocated, uint64(60<<20), name)
	}
}

// TestReturnsKeepTheDepth calls a function that returns in every possible way. It calls it often enough to use the stack up if one of
// them forgot to give its frame back.
func TestReturnsKeepTheDepth(t *testing.T) {
	b := newAdapter(1)
	leaf := b.fn("", "", "")
	f := b.fn(tI32, tI32, "", callf(leaf),
		get(0), i32c(0), opI32LtS, 0x45, opIf, typeEmpty, get(0), i32c(3), 0x71, 0x45, opIf, typeEmpty, i32c(1), opReturn, opEnd, opEnd,
		opBlock, typeEmpty, get(0), i32c(1), 0x71, opBrIf, 0, i32c(2), get(0), i32c(2), 0x71, opBrTable, 1, 1, 1, opEnd,
		i32c(3))
	m, _ := compiled(t, newRuntime(t, Options{}), b.step(tI32+tI32,
		opLoop, typeEmpty, get(3), get(2), callf(f), opI32Add, put(3),
		get(2), i32c(1), opI32Add, tee(2), i32c(400_000), opI32LtS, opBrIf, 0, opEnd,
		i32c(outputAt), get(3), mem(opI32Store, 0), answerAt(outputAt, 4)).build())
	require.Equal(t, littleEndian(100_000*(1+3+2+3)), step(t, m, ""))
}

func TestBadAnswers(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{MessageBytes: 100_000}})
	for name, c := range map[string]struct {
		p, n int64
		ok   bool
	}{
		"beyond":          {2 * pageSize, 1, false},
		"across":          {2*pageSize - 1, 2, false},
		"far":             {1<<32 - 1, 1, false},
		"wraps":           {1<<32 - 1, 2, false},
		"all":             {0, 1<<32 - 1, false},
		"too large":       {0, 100_001, false},
		"largest":         {0, 100_000, true},
		"up to the end":   {2*pageSize - 1, 1, true},
		"empty":           {0, 0, true},
		"empty, at end":   {2 * pageSize, 0, true},
		"empty, far away": {1<<32 - 1, 0, false},
	} {
		m, _ := compiled(t, r, newAdapter(2).step("", answerAt(c.p, c.n)).build())
		if c.ok {
			require.Len(t, step(t, m, ""), int(c.n), name)
			continue
		}
		require.Equal(t, TrapOutput, trapOf(t, m, Call{}).Kind, name)
		b := newAdapter(2).step("", answerAt(0, 0))
		b.funcs[1].body = asm(0, answerAt(c.p, c.n), opEnd) // the manifest
		bad, err := r.Load(b.build(), nil)
		require.NoError(t, err)
		_, err = bad.Manifest(context.Background())
		require.Error(t, err, name)
	}
	for _, p := range []int64{2 * pageSize, 1<<32 - 1, 2*pageSize - 4} {
		b := newAdapter(2).step("", answerAt(0, 0))
		b.funcs[0].body = asm(0, i32c(p), opEnd) // alloc
		m, _ := compiled(t, r, b.build())
		require.Equal(t, TrapOutput, trapOf(t, m, call("12345")).Kind)
	}
	m, err := r.Load(newAdapter(0).step("", answerAt(0, 0)).build(), nil) // no memory at all
	require.NoError(t, err)
	_, err = m.Manifest(context.Background())
	var trapped *TrapError
	require.ErrorAs(t, err, &trapped)
	require.Equal(t, TrapOutput, trapped.Kind)
}

func TestTrapKinds(t *testing.T) {
	r := newRuntime(t, Options{})
	importing := func(name string, args ...any) *builder {
		b := newAdapter(1)
		f := b.wasi(name)
		return b.step("", asm(args...), callf(f), opUnreachable)
	}
	for want, all := range map[TrapKind][]*builder{
		TrapUnreachable: {
			newAdapter(1).step("", opUnreachable),
			newAdapter(1).step("", i32c(1), i32c(0), 0x6d, opUnreachable),
			newAdapter(1).step("", opF64Const, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0xaa, opUnreachable),
		},
		TrapMemory: {
			newAdapter(1).step("", i32c(pageSize*int64(1+ledgerPages(r.limits.MemoryPages))-3), mem(opI32Load, 0), opUnreachable),
			newAdapter(1).step("", i32c(pageSize*8), i32c(0), i32c(1), opPrefixMisc, miscMemoryFill, 0, opUnreachable),
			newAdapter(1).step("", i32c(pageSize), i32c(0), i32c(1), opPrefixMisc, miscMemoryFill, 0, answerAt(outputAt, 0)),
		},
		TrapExit:    {importing("proc_exit", i32c(0))},
		TrapBlocked: {importing("poll_oneoff", i32c(0), i32c(0), i32c(2), i32c(0))},
	} {
		for _, b := range all {
			m, _ := compiled(t, r, b.build())
			for range 2 {
				require.Equal(t, want, trapOf(t, m, Call{}).Kind)
				require.Zero(t, m.Stats().Live)
			}
		}
	}
}

// TestStubsAnswerNothing: every function of WASI can be called with nonsense and does no harm.
func TestStubsAnswerNothing(t *testing.T) {
	r := newRuntime(t, Options{})
	for name, s := range wasiStubs {
		for _, v := range []int64{0, 3, 1000, pageSize - 1, -1} {
			b := newAdapter(1)
			f := b.wasi(name)
			var args []byte
			for _, p := range []byte(s.params) {
				if p == typeI64 {
					args = asm(args, i64c(v))
				} else {
					args = asm(args, i32c(v))
				}
			}
			if s.results != "" {
				args = asm(args, callf(f), opDrop)
			} else {
				args = asm(args, callf(f))
			}
			m, c := compiled(t, r, b.step("", args, answerAt(outputAt, 0)).build())
			requireReset(t, c, "")
			if _, err := m.Step(context.Background(), Call{}); err != nil {
				require.Contains(t, []string{"proc_exit", "poll_oneoff", "random_get"}, name, "%v", err)
			}
		}
	}
}

func TestLongNamesStayOutOfErrors(t *testing.T) {
	b := newAdapter(1).step("", opUnreachable)
	long := strings.Repeat("x", 50_000)
	names := asm(bytesOf("name"), 1)
	sub := asm(1, 2, bytesOf(long))
	b.custom = asm(appendU(names, uint64(len(sub))), sub)
	m, _ := compiled(t, newRuntime(t, Options{}), b.build())
	require.Less(t, len(trapOf(t, m, Call{}).Error()), 4000)
}
