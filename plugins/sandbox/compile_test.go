package sandbox

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hardToCompile returns functions that take the compiler the longest. n is the size of each.
func hardToCompile(n, locals int) map[string][]byte {
	repeat := func(n int, parts ...any) []byte { return bytes.Repeat(asm(parts...), max(n, 0)) }
	var nests, mixed []byte
	for range n / 64 {
		nests = asm(nests, repeat(63, opLoop, typeEmpty, get(0), put(2)), repeat(63, get(0), opBrIf, 0, opEnd))
	}
	for i := range n {
		mixed = asm(mixed, opLoop, typeEmpty, get(2+i%locals), get(2+(i*7)%locals), opI32Add, put(2+(i*13)%locals), get(0), opBrIf, 0, opEnd)
	}
	return map[string][]byte{
		"flat loops":      repeat(n, opLoop, typeEmpty, get(0), opBrIf, 0, opEnd),
		"flat ifs":        repeat(n, get(0), opIf, typeEmpty, get(0), put(2), opEnd),
		"nested blocks":   asm(repeat(n, opBlock, typeEmpty), repeat(n, get(0), opBrIf, 0, opEnd)),
		"nested ifs":      asm(repeat(n, get(0), opIf, typeEmpty), repeat(n, opEnd)),
		"nested loops":    nests,
		"locals in loops": mixed,
		"fills":           repeat(n/2, get(0), get(0), get(0), opPrefixMisc, miscMemoryFill, 0),
		"jump table":      asm(repeat(n, opBlock, typeEmpty), get(0), opBrTable, appendU(nil, uint64(2*n)), make([]byte, 2*n+1), repeat(n, opEnd)),
		"stores":          repeat(5*n, get(0), get(1), mem(opI32Store, 4)),
		"divisions":       repeat(5*n, get(2), get(0), 0x6d, put(2)),
		"calls":           repeat(5*n, i32c(0), callf(0), opDrop),
	}
}

// TestCompileTimeIsBounded: whatever stays below the caps compiles in a processor time one can wait for, and what does not is
// refused without being tried.
func TestCompileTimeIsBounded(t *testing.T) {
	costlyAlone(t)
	limit := 20 * time.Second
	if raceEnabled { // which slows the compiler down tenfold where it is built with it
		limit *= 10
	}
	r := newRuntime(t, Options{})
	locals := string(bytes.Repeat([]byte{typeI32}, 200))
	for name, code := range hardToCompile(3200, len(locals)) {
		m, err := r.Load(newAdapter(1).step(locals, code, answerAt(0, 0)).build(), nil)
		require.NoError(t, err, name)
		began := processTime(t)
		_, err = m.Manifest(context.Background())
		require.NoError(t, err, name)
		took := processTime(t) - began
		t.Logf("%-16s %7.1f ms for %d bytes", name, float64(took)/1e6, len(code))
		require.Less(t, took, limit, name)
		require.NoError(t, m.Close(context.Background()))
	}
	for name, code := range hardToCompile(20_000, len(locals)) {
		if name == "stores" || name == "divisions" || name == "calls" {
			continue // linear
		}
		b := newAdapter(1).step(locals, code, answerAt(0, 0))
		require.Contains(t, refusal(t, r, b.build()).Reason, "at most", name)
	}
}

// TestCompileEffortIsBounded: many functions that each pass alone are too much together.
func TestCompileEffortIsBounded(t *testing.T) {
	b := newAdapter(1)
	code := hardToCompile(3200, 1)["flat loops"]
	for range 40 {
		b.fn(tI32, "", tI32+tI32, code)
	}
	require.Contains(t, refusal(t, newRuntime(t, Options{}), b.step("", answerAt(0, 0)).build()).Reason, "too many basic blocks")
}

func TestDeepNesting(t *testing.T) {
	r := newRuntime(t, Options{})
	code := asm(bytes.Repeat([]byte{opLoop, typeEmpty}, 65), bytes.Repeat([]byte{opEnd}, 65))
	require.ErrorContains(t, refusal(t, r, newAdapter(1).step("", code, answerAt(0, 0)).build()), "nested deeper than 64")
}
