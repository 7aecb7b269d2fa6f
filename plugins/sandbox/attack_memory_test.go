package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// takenBytes returns what this process takes after everything that is not needed was given back: of the Go heap, and in all.
func takenBytes() (heap, all int64) {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), resident(os.Getpid())
}

// hoarders are guests that make the host keep something outside their memory, each in another way.
func hoarders() map[string]*builder {
	ok := answerAt(outputAt, 0)
	stub := func(name string, args ...any) *builder {
		b := newAdapter(2)
		f := b.wasi(name)
		var list strings.Builder
		for range maxVectors {
			list.WriteString("\x00\x00\x00\x00\x00\x00\x01\x00") // 64 KiB at 0
		}
		b.segment(16384, list.String())
		return b.step("", repeated(20, asm(args...), callf(f), opDrop), ok)
	}
	tables := func(segment []byte, code ...any) *builder {
		b := newAdapter(1)
		b.tables = [][]byte{appendU([]byte{typeFuncref, 0}, maxTableEntries)}
		b.elems = [][]byte{segment}
		return b.step("", asm(code...), ok)
	}
	entries := asm(leb(maxTableEntries), make([]byte, maxTableEntries))
	globals := newAdapter(1)
	for range maxGlobals {
		globals.global(typeI64, 1, i64c(1)...)
	}
	exports := newAdapter(1)
	for i := range maxExports - 10 {
		exports.export(strings.Repeat("x", 100)+string(rune(0x4e00+i)), 0, 0)
	}
	recursion := func(depth int64, then ...any) *builder {
		b := newAdapter(1)
		f := b.fn(tI32, tI32, "", get(0), opIf, typeEmpty, get(0), i32c(1), opI32Sub, callf(0), opDrop, opEnd, get(0))
		return b.step("", i32c(depth), callf(f), opDrop, asm(then...))
	}
	values := newAdapter(1)
	many := values.fn("", wide, "", repeated(maxParams, i32c(1)))
	args := newAdapter(1)
	args.tables = [][]byte{{typeFuncref, 0, 1}}
	taker := args.fn(wide, wide, "", repeated(maxParams, get(7)))
	args.elems = [][]byte{asm(0, i32c(0), opEnd, 1, leb(taker))}
	named := newAdapter(1)
	name := asm(1, 2, bytesOf(strings.Repeat("n", 1_000_000)))
	named.custom = asm(bytesOf("name"), 1, leb(len(name)), name)
	badAlloc := func(p int64) *builder {
		b := newAdapter(1).step("", ok)
		b.funcs[0].body = asm(0, i32c(p), opEnd)
		return b
	}
	allocGrows := newAdapter(1).step("", ok)
	allocGrows.funcs[0].body = asm(0, i32c(100), opMemoryGrow, 0, opDrop, i32c(inputAt), opEnd)
	references := newAdapter(1)
	references.tables = [][]byte{{typeFuncref, 0, 1}}
	references.elems = [][]byte{asm(0, i32c(0), opEnd, 1, 0)}
	return map[string]*builder{
		"full tables":              tables(asm(0, i32c(0), opEnd, entries)),
		"full tables, then a trap": tables(asm(0, i32c(0), opEnd, entries), opUnreachable),
		"passive segments, a trap": tables(asm(1, 0, entries), opUnreachable),
		"declared functions, trap": tables(asm(3, 0, entries), opUnreachable),
		"expressions, then a trap": tables(asm(4, i32c(0), opEnd, leb(20_000), repeated(20_000, opRefFunc, 0, opEnd)), opUnreachable),
		"entries beyond the table": tables(asm(0, i32c(1), opEnd, entries), opUnreachable),
		"references from a table":  references.step("", repeated(10_000, i32c(0), opTableGet, 0, opRefIsNull, opDrop), ok),
		"references to nothing":    newAdapter(1).step("", repeated(10_000, opRefNull, typeFuncref, opDrop), ok),
		"globals, then a trap":     globals.step("", opUnreachable),
		"exports, then a trap":     exports.step("", opUnreachable),
		"deep recursion":           recursion(20_000, ok),
		"deep recursion, a trap":   recursion(20_000, opUnreachable),
		"recursion without end":    recursion(-1, opUnreachable),
		"many results":             values.step("", repeated(100, callf(many), repeated(maxParams, opDrop)), ok),
		"many indirect arguments":  args.step("", repeated(maxParams, i32c(3)), repeated(100, i32c(0), opCallIndirect, leb(args.typ(wide, wide)), 0), repeated(maxParams, opDrop), ok),
		"growing to the end":       newAdapter(1).step("", i32c(100), opMemoryGrow, 0, opDrop, ok),
		"growing in alloc":         allocGrows,
		"growing without end":      newAdapter(1).step("", forever(i32c(1), opMemoryGrow, 0, opDrop)),
		"growing too much":         newAdapter(1).step("", repeated(1000, i32c(-1), opMemoryGrow, 0, opDrop), ok),
		"writing without end":      stub("fd_write", i32c(2), i32c(16384), i32c(maxVectors), i32c(8)),
		"writing to no file":       stub("fd_write", i32c(77), i32c(16384), i32c(maxVectors), i32c(8)),
		"random 4 GiB":             stub("random_get", i32c(0), i32c(-1)),
		"random 100 KiB":           stub("random_get", i32c(0), i32c(100_000)),
		"naps":                     stub("poll_oneoff", i32c(100), i32c(512), i32c(1), i32c(1024)),
		"clocks":                   stub("clock_time_get", i32c(1), i64c(0), i32c(1024)),
		"opening files":            stub("path_open", i32c(3), i32c(0), i32c(0), i32c(5), i32c(0), i64c(0), i64c(0), i32c(0), i32c(8)),
		"exits": func() *builder {
			b := newAdapter(1)
			f := b.wasi("proc_exit")
			return b.step("", i32c(1), callf(f), ok)
		}(),
		"a trap under a long name": named.step("", opUnreachable),
		"an answer of 1 MiB":       newAdapter(20).step("", answerAt(0, 1<<20)),
		"an answer beyond all":     newAdapter(1).step("", answerAt(1<<31, 1<<31)),
		"input to nowhere":         badAlloc(-1),
		"input across the end":     badAlloc(pageSize - 2),
		"a table of references":    tables(asm(0, i32c(0), opEnd, entries), repeated(1000, i32c(5), opTableGet, 0, opDrop)),
		"division, then a trap":    newAdapter(1).step("", i32c(1), i32c(0), 0x6d, opDrop, ok),
		"an indirect call to none": func() *builder {
			b := newAdapter(1)
			b.tables = [][]byte{{typeFuncref, 0, 1}}
			return b.step("", i32c(0), opCallIndirect, leb(b.typ("", "")), 0, ok)
		}(),
		"stores into its own notes": newAdapter(1).step("", i32c(pageSize), i32c(1), mem(opI32Store, 100), ok),
	}
}

// TestHoarders: after dozens of steps of each, this process takes what it took after a few, and others are served.
func TestHoarders(t *testing.T) {
	costly(t)
	sequential(t)
	const first, rounds = 30, 50 // steps
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 20e6}})
	good, _ := compiled(t, r, newAdapter(1).step("", answerAt(outputAt, 0)).build())
	steps := func(m *Module, n int) {
		for range n {
			c := call("1234567")
			c.Debug = &bytes.Buffer{}
			_, err := m.Step(context.Background(), c)
			var trapped *TrapError
			if err != nil && !errors.As(err, &trapped) {
				require.NoError(t, err)
			}
		}
	}
	for name, b := range hoarders() {
		m, _ := compiled(t, r, b.build())
		steps(m, first)
		heap, all := takenBytes()
		steps(m, rounds)
		heapAfter, allAfter := takenBytes()
		require.Less(t, heapAfter-heap, int64(512<<10), "%s: bytes of heap for %d steps", name, rounds)
		require.Less(t, allAfter-all, int64(8<<20), "%s: bytes in all for %d steps", name, rounds)
		require.Empty(t, step(t, good, ""))
		require.NoError(t, m.Close(context.Background()))
	}
	heap, all := takenBytes()
	t.Logf("at the end: heap %d MiB, in all %d MiB", heap>>20, all>>20)
}

// TestReferencesInLoops: ref.func made the process grow by a hundred bytes for every execution, for ever. No function may hold it, whatever
// stands around it; elements and constant globals may, which are made once for each instance.
func TestReferencesInLoops(t *testing.T) {
	r := newRuntime(t, Options{})
	ok := answerAt(0, 0)
	for name, code := range map[string][]byte{
		"in a loop":        forever(opRefFunc, 0, opDrop),
		"once":             asm(opRefFunc, 0, opDrop),
		"looked at":        asm(opRefFunc, 0, opRefIsNull, opDrop),
		"chosen":           asm(opRefFunc, 0, opRefFunc, 1, get(0), opSelectTyped, 1, typeFuncref, opDrop),
		"with a long form": asm(opRefFunc, 0x80, 0x80, 0x80, 0x80, 0, opDrop),
		"of a block":       asm(opBlock, typeFuncref, opRefFunc, 0, opEnd, opDrop),
	} {
		b := newAdapter(1)
		b.tables = [][]byte{{typeFuncref, 0, 2}}
		b.elems = [][]byte{asm(3, 0, 2, 0, 1)}
		wasm := b.step("", code, ok).build()
		refused := refusal(t, r, wasm)
		require.ErrorContains(t, refused, "ref.func", name)
		require.Equal(t, 2, refused.Function, name)
		require.Equal(t, byte(opRefFunc), wasm[refused.Offset], name)
	}
	b := newAdapter(1)
	b.global(typeFuncref, 0, opRefFunc, 0)
	b.tables = [][]byte{{typeFuncref, 0, 2}}
	b.elems = [][]byte{asm(4, i32c(0), opEnd, 1, opRefFunc, 0, opEnd)}
	m, _ := compiled(t, r, b.step("", gget(0), opRefIsNull, opDrop, ok).build())
	require.Empty(t, step(t, m, ""))
}

// TestStacksAreSmall: what an instance keeps for the guest's stack is bounded, also where every step recurses as deep as it can and returns.
func TestStacksAreSmall(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 20e9, Instances: 8}})
	b := newAdapter(1)
	b.fn(tI32, tI32, "", get(0), opIf, typeEmpty, get(0), i32c(1), opI32Sub, callf(0), opDrop, opEnd, get(0))
	deepest := int64(0)
	var deep *Module
	for depth := int64(1000); ; depth *= 2 {
		b.funcs, b.exports = b.funcs[:1], nil
		m, _ := compiled(t, r, b.step("", i32c(depth), callf(0), opDrop, answerAt(0, 0)).build())
		if _, err := m.Step(context.Background(), Call{}); err != nil {
			break
		}
		deepest, deep = depth, m
	}
	require.Greater(t, deepest, int64(20_000))
	heap, _ := takenBytes()
	var all []*instance
	for range 8 {
		in, err := deep.code.Load().fork(deep.code.Load().image)
		require.NoError(t, err)
		all = append(all, in)
		in.begin(r.limits.StepFuel, callTime, [32]byte{})
		_, err = in.run(nil)
		require.NoError(t, err)
	}
	after, _ := takenBytes()
	t.Logf("%d deep, %d KiB an instance", deepest, (after-heap)/8/1024)
	require.Less(t, (after-heap)/8, int64(24<<20))
	for _, in := range slices.Backward(all) {
		in.close()
	}
}
