package sandbox

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// chase is the slowest guest for its fuel: every load waits for the one before it and for main memory.
func chase(pages int64) *builder {
	lines := int64(1)
	for lines*2*64 < pages*pageSize {
		lines *= 2
	}
	return newAdapter(uint64(pages)).step(tI32+tI32,
		opLoop, typeEmpty, // each line holds the address of the next of a random round over all
		get(2), i32c(64), 0x6c,
		get(2), i32c(1664525), 0x6c, i32c(1013904223), opI32Add, i32c(lines-1), 0x71, i32c(64), 0x6c, mem(opI32Store, 0),
		get(2), i32c(1), opI32Add, tee(2), i32c(lines), opI32LtS, opBrIf, 0, opEnd,
		i32c(0), put(2),
		forever(get(2), repeated(64, mem(opI32Load, 0)), put(2)))
}

// slowest are guests that take long for their fuel, each by another instruction.
func slowest() map[string]*builder {
	float := func(code ...any) *builder {
		return newAdapter(1).step(tF64, forever(get(2), repeated(32, code...), put(2)))
	}
	const bits, most = 0x3f, 1 << 62
	word := func(code ...any) *builder {
		return newAdapter(1).step(tI64, i64c(most), put(2), forever(get(2), repeated(32, code...), put(2)))
	}
	random := asm(get(2), i64c(6364136223846793005), 0x7e, i64c(1442695040888963407), opI64Add, tee(2))
	indirect := newAdapter(1)
	indirect.tables = [][]byte{{typeFuncref, 0, bits + 1}}
	var all []byte
	for i := range bits + 1 {
		all = append(all, leb(indirect.fn(tI64, tI64, "", get(0), i64c(int64(i)), opI64Add))...)
	}
	indirect.elems = [][]byte{asm(0, i32c(0), opEnd, bits+1, all)}
	indirect.step(tI64, forever(repeated(16, random, get(2), i64c(58), opI64ShrU, opI32WrapI64, opCallIndirect, leb(indirect.typ(tI64, tI64)), 0, put(2))))
	stub := func(name string, args ...any) *builder {
		b := newAdapter(1)
		f := b.wasi(name)
		return b.step("", forever(asm(args...), callf(f), opDrop))
	}
	return map[string]*builder{
		"loads, 4 MiB":      chase(65),
		"loads, 8 MiB":      chase(freePages),
		"loads, 12 MiB":     chase(200),
		"loads, 16 MiB":     chase(257),
		"to integer":        float(opPrefixMisc, 6, 0xb9),
		"from unsigned":     word(0xba, 0xb0),
		"square root":       float(0x9f),
		"rounded":           float(0x9e),
		"remainder":         word(i64c(3), 0x81, i64c(most), opI64Or),
		"mispredicted":      newAdapter(1).step(tI64+tI64, forever(repeated(32, random, i64c(63), opI64ShrU, opI32WrapI64, opIf, typeEmpty, get(3), i64c(1), opI64Add, put(3), opEnd))),
		"indirect calls":    indirect,
		"fill 33":           newAdapter(1).step("", forever(repeated(16, i32c(4097), i32c(1), i32c(33), opPrefixMisc, miscMemoryFill, 0))),
		"copy 4 MiB":        newAdapter(freePages).step("", forever(i32c(1), i32c(1<<22), i32c(1<<22-1), opPrefixMisc, miscMemoryCopy, 0, 0)),
		"copy 4 MiB onward": newAdapter(freePages).step("", forever(i32c(4097), i32c(4096), i32c(1<<22), opPrefixMisc, miscMemoryCopy, 0, 0)),
		"grow by nothing":   newAdapter(1).step("", forever(i32c(0), opMemoryGrow, 0, opDrop)),
		"random 32 KiB":     stub("random_get", i32c(8192), i32c(32<<10)),
		"clock":             stub("clock_time_get", i32c(0), i64c(0), i32c(8192)),
		"no instructions":   newAdapter(1).step("", forever()),
	}
}

// longestPause collects garbage for as long as run takes, and returns the longest time for which everything was stopped.
func longestPause(run func()) time.Duration {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	counts := func() []uint64 {
		metrics.Read(sample)
		return append([]uint64{}, sample[0].Value.Float64Histogram().Counts...)
	}
	before := counts()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	for {
		select {
		case <-done:
			bounds := sample[0].Value.Float64Histogram().Buckets
			longest := 0.0
			for i, n := range counts() {
				if n > before[i] && !math.IsInf(bounds[i+1], 1) {
					longest = bounds[i+1]
				}
			}
			return time.Duration(longest * 1e9)
		default:
			runtime.GC()
		}
	}
}

// TestGuestsHoldUpNobody: a guest that computes for long lets the garbage collector have its turn, and everybody else with it. Without
// rations the whole step is one pause.
func TestGuestsHoldUpNobody(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 3e9}})
	m, _ := compiled(t, r, newAdapter(1).step(tI64, i64c(1<<62), put(2), forever(get(2), repeated(32, i64c(3), 0x81, i64c(1<<62), opI64Or), put(2))).build())
	began := time.Now()
	longest := longestPause(func() { require.Equal(t, TrapFuel, trapOf(t, m, Call{}).Kind) })
	took := time.Since(began)
	t.Logf("a step of %v paused everything for %v at most", took, longest)
	require.Greater(t, took, 400*time.Millisecond, "the guest must compute for long for this test to mean anything")
	require.Less(t, longest, min(took/2, 500*time.Millisecond))
}

// TestRationsAddUp: a guest gets all of its fuel and no more, whatever a ration is.
func TestRationsAddUp(t *testing.T) {
	for _, fuel := range []int64{1000, ration - 1, ration, ration + 1, 2 * ration, 10*ration + 7} {
		r := newRuntime(t, Options{Limits: Limits{StepFuel: fuel}})
		b := newAdapter(1)
		b.global(typeI32, 1, i32c(0)...)
		m, c := compiled(t, r, b.step("", forever(gget(0), i32c(1), opI32Add, gset(0))).build())
		in, err := c.fork(c.image)
		require.NoError(t, err)
		in.begin(fuel, callTime, [32]byte{})
		_, err = in.run(nil)
		require.Error(t, err)
		rounds := int64(in.globals[0].Get())
		const each = 6 // its four instructions, the branch, and what stands behind it
		require.InDelta(t, fuel/each, rounds, 10, "%d", fuel)
		require.Negative(t, in.left())
		in.close()
		require.Equal(t, TrapFuel, trapOf(t, m, Call{}).Kind)
	}
}

// BenchmarkPause uses the slowest guests and the switch's default fuel. It measures the longest time for which a step stops everything, and how
// long the whole step takes.
func BenchmarkPause(b *testing.B) {
	const fuel = 20e6
	r := newRuntime(b, Options{Limits: Limits{StepFuel: fuel}})
	for name, guest := range slowest() {
		m, err := r.Load(guest.build(), nil)
		require.NoError(b, err)
		_, err = m.Manifest(b.Context())
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			longest, whole := time.Duration(0), time.Duration(0)
			for range b.N {
				began := time.Now()
				longest = max(longest, longestPause(func() { trapOf(b, m, Call{}) }))
				whole = max(whole, time.Since(began))
			}
			b.ReportMetric(float64(longest)/1e6, "ms-pause")
			b.ReportMetric(float64(whole)/1e6, "ms-step")
		})
	}
}
