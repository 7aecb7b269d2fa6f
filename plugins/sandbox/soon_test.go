package sandbox

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox/testdata/guest/flow"
)

// TestInterpretedIsTheSame: interpreted code does what compiled code does, to the last unit of fuel.
func TestInterpretedIsTheSame(t *testing.T) {
	sequential(t)
	modules := programs()
	for name, b := range loops() {
		modules["loop: "+name] = b
	}
	var inputs []string
	for i, n := range numbers() {
		if i%15 == 0 {
			inputs = append(inputs, littleEndian(n[:]...))
		}
	}
	w := newBoth(t, Limits{MemoryPages: 1024, StepFuel: 1e5})
	answers, traps := 0, map[TrapKind]int{}
	for name, b := range modules {
		compiled, interpreted := w.start(t, b.build())
		for _, input := range inputs {
			o := requireSameRun(t, compiled, interpreted, input, w.compiled.limits.StepFuel, name)
			traps[o.Trap]++
			if o.Trap == "" {
				answers++
			}
		}
	}
	t.Logf("%d modules: %d answers, traps %v", len(modules), answers, traps)
	require.Greater(t, answers, 100)
	require.Greater(t, traps[TrapFuel], 100)
	require.Greater(t, traps[TrapUnreachable], 0)
	require.Less(t, traps[TrapStack], 20)
}

// TestInterpretedGoIsTheSame is TestInterpretedIsTheSame for a Go program.
func TestInterpretedGoIsTheSame(t *testing.T) {
	costlyAlone(t)
	w := newBoth(t, Limits{StepFuel: 20e6})
	compiled, interpreted := w.start(t, goWasm(t))
	inputs := []string{"", "e", "ehello", "k4242", "m", "g100000", "c", "dtext", "w", string(workMessage), "b70000", "b2000000", "pbecause", "x", "s", "l", "h", "?"}
	for _, name := range flow.Names {
		inputs = append(inputs, "j"+name)
	}
	for _, input := range inputs {
		requireSameRun(t, compiled, interpreted, input, w.compiled.limits.StepFuel, input)
	}
}

// both are a runtime that compiles and one that interprets.
type both struct{ compiled, interpreted *Runtime }

func newBoth(t testing.TB, l Limits) both {
	return both{newRuntime(t, Options{Limits: l, Unoptimised: true}), newRuntime(t, Options{Limits: l, Unoptimised: true, Compiler: badCompiler("hangs"), Soon: true})}
}

func (w both) start(t testing.TB, wasm []byte) (compiled, interpreted started) {
	one := func(r *Runtime) started {
		m, err := r.Load(wasm, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = m.Close(context.Background()) })
		engine := r.wazero
		if r.interpreter != nil {
			engine = r.interpreter
		}
		c, in, err := r.buildIn(engine, m)
		require.NoError(t, err)
		in.close()
		t.Cleanup(func() { _ = c.compiled.Close(context.Background()) })
		return started{code: c}
	}
	compiled, interpreted = one(w.compiled), one(w.interpreted)
	require.False(t, compiled.code.interpreted())
	require.True(t, interpreted.code.interpreted())
	require.Equal(t, compiled.code.manifest, interpreted.code.manifest)
	require.Equal(t, compiled.code.image, interpreted.code.image, "state at the start")
	return compiled, interpreted
}

// requireSameRun compares a step in both, and the fuel that it used.
func requireSameRun(t testing.TB, compiled, interpreted started, input string, fuel int64, name string) outcome {
	t.Helper()
	want, got := compiled.run(t, []byte(input), fuel), interpreted.run(t, []byte(input), fuel)
	if got.Trap == TrapStack { // the compiled code decides then
		return got
	}
	want.Text, got.Text = "", "" // each shows the guest's stack in its way
	requireSameOutcome(t, want, got, name+" "+input)
	return want
}

// recursing returns a module whose step calls functions within each other, as often as its input says, and answers how deep it was.
func recursing() []byte {
	b := newAdapter(1)
	b.fn(tI32, tI32, "", get(0), 0x45, opIf, typeEmpty, i32c(0), opReturn, opEnd, get(0), i32c(1), opI32Sub, callf(0), i32c(1), opI32Add)
	return b.step("", i32c(outputAt), i32c(inputAt), mem(opI32Load, 0), callf(0), mem(opI32Store, 0), answerAt(outputAt, 4)).build()
}

// TestSoon: a module of Load is interpreted first, and compiled soon after. What is too deep for the interpreter waits for that.
func TestSoon(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, Options{Compiler: itself(), Soon: true, Limits: Limits{StepFuel: 20e9}})
	m, err := r.Load(recursing(), nil)
	require.NoError(t, err)
	first, err := m.ready(t.Context())
	require.NoError(t, err)
	require.True(t, first.interpreted())
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for i := range uint32(cap(failed)) {
		all.Go(func() {
			for n := range uint32(60) {
				deep := n * 37 * (i + 1) // up to 17,464 calls
				if answer, err := m.Step(t.Context(), call(littleEndian(deep))); err != nil || string(answer) != littleEndian(deep) {
					failed <- fmt.Errorf("%d calls: %q, %w", deep, answer, err)
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	require.NoError(t, <-failed)
	require.NoError(t, m.Compiled(t.Context()))
	require.False(t, m.code.Load().interpreted())
	require.Zero(t, m.Stats().Traps[TrapStack], "the interpreter's own limit does not count as a trap of the module")
	require.LessOrEqual(t, m.Stats().Live, cap(m.pool.slots))
	require.Equal(t, TrapStack, trapOf(t, m, call(littleEndian(1<<31))).Kind)
	require.True(t, m.Rest())
	require.Equal(t, littleEndian(5000), step(t, m, littleEndian(5000)))
	require.False(t, m.code.Load().interpreted(), "the compiled code is kept")
}

// TestSoonWithoutACompiler: interpreted steps need no compiler. When it fails, the module stays interpreted. What it refuses is refused.
func TestSoonWithoutACompiler(t *testing.T) {
	t.Parallel()
	slow, err := newRuntime(t, Options{Compiler: badCompiler("hangs"), Soon: true}).Load(recursing(), nil)
	require.NoError(t, err)
	require.Equal(t, littleEndian(12), step(t, slow, littleEndian(12)))
	require.True(t, slow.code.Load().interpreted())
	require.False(t, slow.Rest(), "the compilation goes on")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, slow.Compiled(ended), context.Canceled)
	_, err = slow.Step(ended, call(littleEndian(3000)))
	require.ErrorIs(t, err, context.Canceled, "too deep for the interpreter")

	dead, err := newRuntime(t, Options{Compiler: badCompiler("dies"), Soon: true}).Load(recursing(), nil)
	require.NoError(t, err)
	_, err = dead.Manifest(t.Context())
	require.NoError(t, err)
	var crashed *CompileError
	require.ErrorAs(t, dead.Compiled(t.Context()), &crashed)
	require.Equal(t, littleEndian(12), step(t, dead, littleEndian(12)))
	_, err = dead.Step(t.Context(), call(littleEndian(3000)))
	require.ErrorAs(t, err, &crashed)

	// A module that the compiler refuses is refused, although it was interpreted.
	lazy := newRuntime(t, Options{Compiler: badCompiler("refuses"), Soon: true})
	m, err := lazy.Load(recursing(), nil)
	require.NoError(t, err)
	_, err = m.Manifest(t.Context())
	require.NoError(t, err)
	var refused *RefusedError
	require.ErrorAs(t, m.Compiled(t.Context()), &refused)
	_, err = m.Step(t.Context(), call(littleEndian(12)))
	require.ErrorAs(t, err, &refused)

	// What only the instrumented module would make valid is refused here too.
	refusing := newRuntime(t, Options{Compiler: itself(), Soon: true})
	m, err = refusing.Load(newAdapter(1).step("").build(), nil)
	require.NoError(t, err)
	_, err = m.Manifest(t.Context())
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, refused, "invalid")
}
