package sandbox

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// charged runs a step of a module, and returns its answer and the fuel that it cost.
func charged(t *testing.T, r *Runtime, b *builder, input string) (answer []byte, fuel int64) {
	t.Helper()
	return chargedBy(t, r, func(r *Runtime, wasm []byte) (*Module, error) { return r.Load(wasm, nil) }, b.build(), input)
}

func chargedBy(t *testing.T, r *Runtime, load func(*Runtime, []byte) (*Module, error), wasm []byte, input string) (answer []byte, fuel int64) {
	t.Helper()
	m, err := load(r, wasm)
	require.NoError(t, err)
	defer m.Close(context.Background())
	c, in, err := r.build(m)
	require.NoError(t, err)
	defer c.compiled.Close(context.Background())
	defer in.close()
	in.begin(r.limits.StepFuel, callTime, [32]byte{7})
	answer, err = in.run([]byte(input))
	require.NoError(t, err)
	require.EqualValues(t, stackUnits, in.depth.Get(), "every function takes its frame off the count")
	return answer, r.limits.StepFuel - in.left()
}

// TestNothingIsFree: whatever stands before it, and whichever way is taken, a long stretch of code is charged whenever it is gone through.
func TestNothingIsFree(t *testing.T) {
	const sum, times, length = 2, 3, 150
	var much []byte
	for range length {
		much = asm(much, get(sum), i32c(3), opI32Add, put(sum))
	}
	loop, block := asm(opLoop, typeEmpty, opEnd), asm(opBlock, typeEmpty, opEnd)
	c0, c1 := argument(0), argument(1)
	when := func(condition []byte, then ...[]byte) []byte {
		b := asm(condition, opIf, typeEmpty, then[0])
		if len(then) > 1 {
			b = asm(b, opElse, then[1])
		}
		return asm(b, opEnd)
	}
	optimised, unoptimised := newRuntime(t, Options{Limits: fuzzLimits}), newRuntime(t, Options{Limits: fuzzLimits, Unoptimised: true})
	for name, code := range map[string][]byte{
		"nothing":                   much,
		"a loop":                    asm(loop, much),
		"a block":                   asm(block, much),
		"if a loop":                 asm(when(c0, loop), much),
		"if a block":                asm(when(c0, block), much),
		"else a loop":               asm(when(c0, nil, loop), much),
		"a loop, else":              when(c0, loop, much),
		"a block, else":             when(c0, block, much),
		"a loop, else a block":      asm(when(c0, loop, block), much),
		"if if a loop":              asm(when(c0, when(c1, loop)), much),
		"if if a loop and":          asm(when(c0, asm(when(c1, loop), much)), much),
		"if a loop, if a loop":      asm(when(c0, loop), when(c1, loop), much),
		"if a loop, else if":        asm(when(c0, loop, when(c1, block, much)), much),
		"left before a loop":        asm(opBlock, typeEmpty, c0, opBrIf, 0, loop, opEnd, much),
		"left before a block":       asm(opBlock, typeEmpty, c0, opBrIf, 0, block, opEnd, much),
		"an if left":                asm(c0, opIf, typeEmpty, c1, opBrIf, 0, loop, opEnd, much),
		"a table":                   asm(opBlock, typeEmpty, opBlock, typeEmpty, c0, opBrTable, 1, 0, 1, opEnd, loop, opEnd, much),
		"a block in a loop":         asm(opLoop, typeEmpty, block, opEnd, when(c0, asm(opLoop, typeEmpty, block, opEnd)), much),
		"a loop that is left":       asm(opBlock, typeEmpty, opLoop, typeEmpty, c0, opBrIf, 1, loop, opEnd, opEnd, much),
		"a loop left from an if":    asm(opBlock, typeEmpty, opLoop, typeEmpty, when(c0, asm(opBr, 2)), block, opEnd, opEnd, much),
		"a return in an if":         asm(when(c0, when(c1, asm(loop, i64c(0), opReturn))), much),
		"a result of an if":         asm(c0, opIf, typeI32, loop, i32c(1), opElse, block, i32c(2), opEnd, opDrop, much),
		"a call in an if":           asm(when(c0, asm(loop, i32c(1), callf(0), opDrop)), much),
		"a growing in an if":        asm(when(c0, asm(i32c(0), opMemoryGrow, 0, opDrop, block)), much),
		"a copy in an if":           asm(when(c0, asm(i32c(0), i32c(0), i32c(0), opPrefixMisc, miscMemoryFill, 0, block)), much),
		"a store after an if":       asm(when(c0, loop), get(sum), i32c(9), mem(opI32Store, 0), much),
		"an if in a block in an if": asm(when(c0, asm(opBlock, typeEmpty, when(c1, loop), opEnd)), much),
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []*Runtime{optimised, unoptimised} {
				b := newAdapter(1)
				b.fn(tI32, tI32, "", get(0))
				round := asm(opLoop, typeEmpty, code, get(times), i32c(1), opI32Add, tee(times), i32c(50), opI32LtS, opBrIf, 0, opEnd)
				b.step(tI32+tI32, round, i32c(outputAt), get(sum), mem(opI32Store, 0), answerAt(outputAt, 4))
				for _, input := range []string{littleEndian(0, 0), littleEndian(0, 1), littleEndian(1, 0), littleEndian(1, 1)} {
					answer, fuel := charged(t, r, b, input)
					done := int64(0) // instructions of the stretch, by what they counted
					if len(answer) == 4 {
						done = int64(binary.LittleEndian.Uint32(answer)) / 3 * 4
					}
					require.GreaterOrEqual(t, fuel, done, "%q", input)
				}
			}
		})
	}
}
