package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// checkedShapes are steps that pass every kind of check of the fuel as often as their input says. work stands behind the check.
func checkedShapes(work []byte) map[string]*builder {
	const times = 2
	count := asm(get(times), i32c(1), opI32Add, tee(times), argument(0), opI32LtS)
	calls := func(params int) *builder {
		b := newAdapter(1)
		var types string
		var args []byte
		for range params {
			types, args = types+tI32, asm(args, get(times))
		}
		callee := b.fn(tI32, tI32, "", get(0))
		f := b.fn(types, tI32, tI32, work, i32c(0), callf(callee), opDrop, get(params-1))
		return b.step(tI32, opLoop, typeEmpty, args, callf(f), get(times), 0x47, opIf, typeEmpty, opUnreachable, opEnd, count, opBrIf, 0, opEnd, answerAt(outputAt, 0))
	}
	loop := newAdapter(1)
	return map[string]*builder{
		"loop":               loop.step(tI32, opLoop, typeEmpty, work, count, opBrIf, 0, opEnd, answerAt(outputAt, 0)),
		"loop with a result": newAdapter(1).step(tI32, opLoop, typeI32, work, i32c(3), count, opBrIf, 0, opEnd, opDrop, answerAt(outputAt, 0)),
		"loop with parameters": func() *builder {
			b := newAdapter(1)
			return b.step(tI32, i32c(5), opLoop, leb(b.typ(tI32, tI32)), work, count, opBrIf, 0, opEnd, i32c(5), 0x47, opIf, typeEmpty, opUnreachable, opEnd, answerAt(outputAt, 0))
		}(),
		"function":                    calls(2),
		"function of many parameters": calls(maxRetried + 1),
	}
}

// TestRationsCostNothing: every kind of check gives the next ration without a charge of its own and goes on with the same values. A
// check behind which one pass costs more than a ration ends too.
func TestRationsCostNothing(t *testing.T) {
	for cost, work := range map[string][]byte{
		"little":             repeated(100, get(2), opDrop),
		"more than a ration": repeated(ration/2000+10, i32c(0), opMemoryGrow, 0, opDrop),
	} {
		for name, b := range checkedShapes(work) {
			t.Run(name+", "+cost, func(t *testing.T) {
				r := newRuntime(t, Options{Limits: Limits{StepFuel: 50 * ration}})
				fuel := func(rounds uint32) int64 {
					_, fuel := charged(t, r, b, littleEndian(rounds))
					return fuel
				}
				first := fuel(1)
				each := fuel(2) - first
				require.Positive(t, each)
				rounds := uint32(30*ration/each + 2) // many rations
				require.Equal(t, first+each*int64(rounds-1), fuel(rounds))

				m, _ := compiled(t, r, b.build())
				require.Equal(t, TrapFuel, trapOf(t, m, Call{Input: []byte(littleEndian(1<<31 - 1))}).Kind)
			})
		}
	}
}
