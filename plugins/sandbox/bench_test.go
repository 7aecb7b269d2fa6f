package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The Go guest with a request of 2 KB in and an answer of 1 KB out.
func BenchmarkStep(b *testing.B) {
	m := loadGo(b, Options{})
	c := call(string(workMessage))
	step(b, m, string(workMessage))
	took := make([]time.Duration, 0, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if _, err := m.Step(context.Background(), c); err != nil {
			b.Fatal(err)
		}
		if len(took) < cap(took) {
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	us := func(d time.Duration) float64 { return float64(d) / 1e3 }
	b.ReportMetric(us(took[len(took)/2]), "us-median")
	b.ReportMetric(us(took[len(took)*99/100]), "us-p99")
}

// The same on as many goroutines as there are processors: compare -cpu 1,2.
func BenchmarkStepParallel(b *testing.B) {
	m := loadGo(b, Options{})
	step(b, m, string(workMessage))
	b.RunParallel(func(pb *testing.PB) {
		c := call(string(workMessage))
		for pb.Next() {
			if _, err := m.Step(context.Background(), c); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// What two threads do against one, in turns of some 20 ms so that both meet the same machine; the median of the turns. It needs two
// processors that nothing else runs on.
func BenchmarkStepScaling(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("one processor")
	}
	m := loadGo(b, Options{})
	step(b, m, string(workMessage))
	const steps = 200
	// turn is how many steps a second n threads make.
	turn := func(n int) float64 {
		var all sync.WaitGroup
		began := time.Now()
		for range n {
			all.Go(func() {
				c := call(string(workMessage))
				for range steps {
					if _, err := m.Step(context.Background(), c); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		return float64(n*steps) / time.Since(began).Seconds()
	}
	turn(2)
	var ratios []float64
	for b.Loop() {
		ratios = append(ratios, 1/turn(1)*turn(2))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-two-threads")
}

// The least there is to a step: the Go guest answers what it was given.
func BenchmarkStepEcho(b *testing.B) {
	m := loadGo(b, Options{})
	step(b, m, "ehello")
	for b.Loop() {
		if _, err := m.Step(context.Background(), call("ehello")); err != nil {
			b.Fatal(err)
		}
	}
}

// The reset alone, of what the step of BenchmarkStep wrote to.
func BenchmarkReset(b *testing.B) {
	m := loadGo(b, Options{})
	step(b, m, string(workMessage))
	c := m.code.Load()
	in, err := c.fork(c.image)
	require.NoError(b, err)
	defer in.close()
	in.begin(m.runtime.limits.StepFuel, callTime, [32]byte{})
	_, err = in.run(workMessage)
	require.NoError(b, err)
	notes := bytes.Clone(in.memory.notes(0, in.memory.size))
	restored := 0
	for b.Loop() {
		copy(in.memory.notes(0, in.memory.size), notes)
		restored, _ = in.reset(c.image)
	}
	b.ReportMetric(float64(restored), "bytes/op")
}

// A new instance from the image, as after a trap or when memory grew.
func BenchmarkFork(b *testing.B) {
	m := loadGo(b, Options{})
	step(b, m, "e")
	c := m.code.Load()
	for b.Loop() {
		in, err := c.fork(c.image)
		if err != nil {
			b.Fatal(err)
		}
		in.close()
	}
}

// From bytes to the first answer, with nothing on disk.
func BenchmarkColdCompile(b *testing.B) {
	wasm := goWasm(b)
	for b.Loop() {
		r, err := New(context.Background(), Options{})
		require.NoError(b, err)
		firstAnswer(b, r, wasm)
	}
}

// The same with the compiled code on disk.
func BenchmarkWarmLoad(b *testing.B) {
	dir, wasm := b.TempDir(), goWasm(b)
	run := func() {
		r, err := New(context.Background(), Options{CacheDir: dir})
		require.NoError(b, err)
		firstAnswer(b, r, wasm)
	}
	run()
	for b.Loop() {
		run()
	}
}

// What start-up pays for an adapter that is not called: New, Load and Manifest with everything on disk.
func BenchmarkStartUp(b *testing.B) {
	dir, wasm := b.TempDir(), goWasm(b)
	run := func() {
		r, err := New(context.Background(), Options{CacheDir: dir})
		require.NoError(b, err)
		m, err := r.Load(wasm, workMessage)
		require.NoError(b, err)
		_, err = m.Manifest(context.Background())
		require.NoError(b, err)
		require.NoError(b, r.Close(context.Background()))
	}
	run()
	for b.Loop() {
		run()
	}
}

func firstAnswer(b *testing.B, r *Runtime, wasm []byte) {
	m, err := r.Load(wasm, workMessage)
	require.NoError(b, err)
	require.Equal(b, "hello", step(b, m, "ehello"))
	require.NoError(b, r.Close(context.Background()))
}

// TestNoGrowth runs many steps, with traps and memory that grows among them, and compares what is held before and after.
// SANDBOX_STEPS sets how many; the default is small.
func TestNoGrowth(t *testing.T) {
	costly(t)
	sequential(t)
	steps, err := strconv.Atoi(os.Getenv("SANDBOX_STEPS"))
	if err != nil {
		steps = 2000
	}
	m := loadGo(t, Options{})
	measure := func() (heap uint64, mappings int) {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		maps, _ := os.ReadFile(filepath.Join("/proc/self/maps"))
		return s.HeapAlloc, slices.Index(append(maps, 0), 0) // bytes of the list of mappings
	}
	one := func(i int) {
		switch {
		case i%100 == 50:
			trapOf(t, m, call("p"))
		case i%100 == 75:
			step(t, m, "g9000000")
		default:
			step(t, m, string(workMessage))
		}
	}
	for i := range 200 {
		one(i)
	}
	heap, mappings := measure()
	for i := range steps {
		one(i)
	}
	heapAfter, mappingsAfter := measure()
	summary := fmt.Sprintf("%d steps: heap %d → %d KiB, list of mappings %d → %d bytes, %+v", steps, heap>>10, heapAfter>>10, mappings, mappingsAfter, m.Stats())
	t.Log(summary)
	require.Less(t, heapAfter, heap+heap/4+1<<20, summary)
	require.LessOrEqual(t, mappingsAfter, mappings+4096, summary)
	require.Equal(t, 1, m.Stats().Live)
}
