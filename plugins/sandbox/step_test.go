package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
)

// trapOf runs a step that must trap.
func trapOf(t testing.TB, m *Module, c Call) *TrapError {
	t.Helper()
	_, err := m.Step(context.Background(), c)
	var trapped *TrapError
	require.ErrorAs(t, err, &trapped)
	return trapped
}

func TestGoGuest(t *testing.T) {
	sequential(t)
	m := loadGo(t, Options{})
	manifest, err := m.Manifest(context.Background())
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"guest"}`, string(manifest))
	require.Len(t, m.Hash(), 64)
	require.Equal(t, "hello", step(t, m, "ehello"))
	require.Empty(t, step(t, m, ""))
	require.Len(t, step(t, m, string(workMessage)), 1024)

	large := strings.Repeat("x", m.runtime.limits.MessageBytes-1)
	require.Equal(t, large, step(t, m, "e"+large))
	_, err = m.Step(context.Background(), call("ee"+large))
	require.ErrorIs(t, err, ErrInputTooLarge)
}

func TestGoGuestForgets(t *testing.T) {
	m := loadGo(t, Options{})
	for range 20 {
		require.Equal(t, `1 ""`, step(t, m, "k4242424242424242"))
	}
	in := m.pool.take()
	require.NotNil(t, in)
	require.True(t, in.is(m.code.Load().image))
	require.NotContains(t, string(in.memory.bytes()), "4242424242424242")
	m.pool.put(in)
}

func TestGoGuestCollectsGarbage(t *testing.T) {
	m := loadGo(t, Options{})
	require.Equal(t, "30000000", step(t, m, "c")) // 30 MB of garbage: the collector runs during the step
	require.Equal(t, uint64(1), m.Stats().Grown)
	require.Equal(t, "hello", step(t, m, "ehello"))
}

func TestGoGuestTraps(t *testing.T) {
	sequential(t)
	m := loadGo(t, Options{})
	for input, want := range map[string]TrapKind{
		"l":        TrapFuel,
		"r":        TrapFuel,        // or TrapStack: Go copies its own stack as it grows, which uses up fuel
		"pbecause": TrapUnreachable, // panic
		"h":        TrapUnreachable, // 256 MiB: Go gives up
		"x":        TrapExit,
		"s":        TrapBlocked,
		"b2000000": TrapOutput,
	} {
		var debug bytes.Buffer
		c := call(input)
		c.Debug = &debug
		trapped := trapOf(t, m, c)
		if input == "r" && trapped.Kind == TrapStack {
			want = TrapStack
		}
		require.Equal(t, want, trapped.Kind, "%s: %v", input, trapped)
		if input == "pbecause" {
			require.Contains(t, debug.String(), "panic: guest panics: because")
		}
		require.Equal(t, "hello", step(t, m, "ehello"), "after %s", input)
	}
	stats := m.Stats()
	require.EqualValues(t, 2, stats.Traps[TrapFuel]+stats.Traps[TrapStack])
	delete(stats.Traps, TrapFuel)
	delete(stats.Traps, TrapStack)
	require.Equal(t, map[TrapKind]uint64{TrapUnreachable: 2, TrapExit: 1, TrapBlocked: 1, TrapOutput: 1}, stats.Traps)
	require.Equal(t, 1, stats.Live)
	require.Equal(t, 1, stats.Idle)
}

func TestDebugIsBounded(t *testing.T) {
	sequential(t)
	m := loadGo(t, Options{})
	var debug bytes.Buffer
	c := call("dtext")
	c.Debug = &debug
	_, err := m.Step(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, "debug: text and println\n", debug.String())

	debug.Reset()
	c.Input = []byte("d" + strings.Repeat("x", 200_000))
	_, err = m.Step(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, maxDebug, debug.Len())
}

// TestSameCallSameAnswer asks for what tends to differ: map order, random bytes, the time, scheduling.
func TestSameCallSameAnswer(t *testing.T) {
	m := loadGo(t, Options{Limits: Limits{Instances: 2}})
	c := call("m")
	want, err := m.Step(context.Background(), c)
	require.NoError(t, err)
	require.Contains(t, string(want), "2026-05-01T12:00:00.000000123Z")
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 1000 {
				got, err := m.Step(context.Background(), c)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%v: %s, not %s", err, got, want)
					return
				}
			}
		})
	}
	group.Wait()
	c.Seed[0]++
	other, err := m.Step(context.Background(), c)
	require.NoError(t, err)
	require.NotEqual(t, want, other, "the seed must matter")

	again := loadGo(t, Options{}) // another process, as far as it can tell
	same, err := again.Step(context.Background(), call("m"))
	require.NoError(t, err)
	require.Equal(t, want, same)
}

func TestClockOutOfRange(t *testing.T) {
	sequential(t)
	m := loadGo(t, Options{})
	for _, now := range []time.Time{{}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		b, err := m.Step(context.Background(), Call{Now: now, Input: []byte("m")})
		require.NoError(t, err)
		require.Contains(t, string(b), "1970-01-01T00:00:00Z")
	}
}

// TestOwnModuleFreesItsBytes: once a module runs, nothing keeps the megabytes of its source.
func TestOwnModuleFreesItsBytes(t *testing.T) {
	wasm := goWasm(t)
	var bytesOfSource weak.Pointer[byte]
	m, err := newRuntime(t, Options{CacheDir: sharedCache}).LoadOwn(fmt.Sprintf("%x", sha256.Sum256(wasm)), func() ([]byte, error) {
		source := bytes.Clone(wasm)
		bytesOfSource = weak.Make(&source[0])
		return source, nil
	}, nil)
	require.NoError(t, err)
	require.Equal(t, "hello", step(t, m, "ehello"))
	runtime.GC()
	require.Nil(t, bytesOfSource.Value())
}
