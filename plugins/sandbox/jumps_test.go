package sandbox

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox/optimise"
	"payswitch/plugins/sandbox/testdata/guest/flow"
)

// jumper builds a function as the Go compiler builds them: a loop around a br_table on local 0, which leads to regions.
type jumper struct{ regions int }

// to is a jump to a region by its number, out of region in; inner is how many blocks it stands in there.
func (j jumper) to(number int64, in, inner int) []byte {
	return asm(i32c(number), put(0), j.again(in, inner))
}

func (j jumper) again(in, inner int) []byte {
	return asm(opBr, j.label(in)+inner)
}

func (j jumper) label(in int) int { return j.regions - 1 - in }

// when is the same where condition holds.
func (j jumper) when(condition []byte, number int64, in int) []byte {
	return asm(condition, opIf, typeEmpty, j.to(number, in, 1), opEnd)
}

func (j jumper) code(regions ...[]byte) []byte {
	b := asm(opLoop, typeEmpty)
	table := appendU([]byte{opBrTable}, uint64(len(regions)-1))
	for i := range regions {
		b = asm(b, opBlock, typeEmpty)
		table = appendU(table, uint64(i))
	}
	b = asm(b, get(0), table)
	for _, r := range regions {
		b = asm(b, opEnd, r)
	}
	return asm(b, opEnd)
}

// TestJumps: a function that jumps by a number does what it did, whatever number it is entered with, and jumps as far as can be directly.
func TestJumps(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	plain := plainRuntime(t)
	const sum, times = 1, 2 // locals
	j := jumper{4}
	add := func(n int64) []byte { return asm(get(sum), i32c(10), 0x6c, i32c(n), opI32Add, put(sum)) }
	again := asm(get(times), i32c(1), opI32Add, tee(times), i32c(4), opI32LtS)
	for name, c := range map[string]struct {
		regions [4][]byte
		jumps   []byte // opcodes of the edits, in order
	}{
		"down":                  {[4][]byte{j.to(2, 0, 0), add(1), add(2), add(3)}, []byte{opBr}},
		"down if":               {[4][]byte{j.when(again, 3, 0), add(1), asm(add(2), j.when(again, 3, 2), add(9)), add(3)}, []byte{opBrIf, opBrIf}},
		"up":                    {[4][]byte{add(1), add(2), j.when(again, 1, 2), add(3)}, nil},
		"to itself":             {[4][]byte{add(1), asm(add(2), j.when(again, 1, 1)), add(4), add(3)}, nil},
		"to the last by far":    {[4][]byte{j.to(1<<31-1, 0, 0), add(1), add(2), add(3)}, []byte{opBr}},
		"to the last from last": {[4][]byte{add(1), add(2), add(4), asm(add(3), j.when(again, -1, 3))}, nil},
		"more in the if":        {[4][]byte{asm(again, opIf, typeEmpty, add(5), j.to(2, 0, 1), opEnd), add(1), add(2), add(3)}, []byte{opBr}},
		"more before the jump":  {[4][]byte{asm(again, opIf, typeEmpty, opBlock, typeEmpty, j.to(2, 0, 2), opEnd, opEnd), add(1), add(2), add(3)}, []byte{opBr}},
		"an if with else":       {[4][]byte{asm(again, opIf, typeEmpty, j.to(2, 0, 1), opElse, j.to(3, 0, 1), opEnd), add(1), add(2), add(3)}, []byte{opBr, opBr}},
		"a block of its own":    {[4][]byte{asm(opBlock, typeEmpty, again, opBrIf, 0, j.to(3, 0, 1), opEnd), add(1), add(2), add(3)}, []byte{opBr}},
		"a loop of its own":     {[4][]byte{asm(opLoop, typeEmpty, again, opBrIf, 0, opEnd), j.to(3, 1, 0), add(2), add(3)}, []byte{opBr}},
		"a jump and more":       {[4][]byte{asm(j.to(3, 0, 0), add(9)), add(1), add(2), add(3)}, []byte{opBr}},
		"the number is read":    {[4][]byte{j.to(2, 0, 0), add(1), asm(get(0), put(sum)), add(3)}, nil},
		"read where it is set":  {[4][]byte{asm(i32c(7), put(0), get(0), put(sum)), j.to(3, 1, 0), add(2), add(3)}, []byte{opBr}},
		"kept":                  {[4][]byte{asm(i32c(7), tee(0), put(sum)), j.to(3, 1, 0), add(2), add(3)}, []byte{opBr}},
		"made":                  {[4][]byte{asm(j.when(again, 2, 0), i32c(1), i32c(2), opI32Add, put(0), j.again(0, 0)), add(1), add(2), add(3)}, nil},
		"set before":            {[4][]byte{asm(i32c(2), put(0), add(1), j.again(0, 0)), add(1), add(2), add(3)}, nil},
		"br_if to the loop":     {[4][]byte{asm(j.when(again, 3, 0), i32c(2), put(0), again, opBrIf, j.label(0)), add(1), add(2), add(3)}, nil},
		"br_table to the loop":  {[4][]byte{asm(j.when(again, 3, 0), i32c(2), put(0), i32c(0), opBrTable, 1, j.label(0), j.label(0)), add(1), add(2), add(3)}, nil},
		"by a block's label":    {[4][]byte{asm(j.when(again, 2, 0), again, opBrIf, 1), add(1), add(2), add(3)}, []byte{opBrIf}},
		"another local":         {[4][]byte{asm(i32c(2), put(0), i32c(3), put(sum), j.again(0, 0)), add(1), add(2), add(3)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			{
				b := newAdapter(1)
				f := b.fn(tI32, tI32, tI32+tI32, again, opDrop, j.code(c.regions[:]...), get(sum))
				b.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
				m, err := r.Load(b.build(), nil)
				require.NoError(t, err)
				defer m.Close(context.Background())
				for _, number := range []uint32{0, 1, 2, 3, 4, 1 << 31, 1<<32 - 1} {
					compare(t, r, plain, m, []byte(littleEndian(number)))
				}
				require.Equal(t, c.jumps, jumpsOf(t, b, 0))
			}
		})
	}
}

// In a loop around it, the br_table is come to with the number of the last jump, too.
func TestJumpsWithinALoop(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	const sum, times = 1, 2
	j := jumper{3}
	add := func(n int64) []byte { return asm(get(sum), i32c(10), 0x6c, i32c(n), opI32Add, put(sum)) }
	again := asm(get(times), i32c(1), opI32Add, tee(times), i32c(5), opI32LtS)
	b := newAdapter(1)
	f := b.fn(tI32, tI32, tI32+tI32, opLoop, typeEmpty, j.code(asm(add(1), j.when(again, 2, 0)), add(2), add(3)), again, opBrIf, 0, opEnd, get(sum))
	b.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
	m, err := r.Load(b.build(), nil)
	require.NoError(t, err)
	defer m.Close(context.Background())
	for number := range uint32(3) {
		compare(t, r, plainRuntime(t), m, []byte(littleEndian(number)))
	}
	require.Empty(t, jumpsOf(t, b, 0))
}

// jumpsOf lists the opcodes of the jumps that a function gets.
func jumpsOf(t *testing.T, b *builder, function int) (ops []byte) {
	for _, e := range editsOf(t, b.build(), function) {
		if op := e.Code[0]; op == opBr || op == opBrIf {
			ops = append(ops, op)
		}
	}
	return ops
}

// TestGoControlFlow: goroutines that wait in the middle of functions, panics that are recovered, stacks that grow, and jumps of all sorts come to the same
// in a guest as here.
func TestGoControlFlow(t *testing.T) {
	m := loadGo(t, Options{})
	want := flow.All()
	require.Len(t, want, len(flow.Names))
	for i, name := range flow.Names {
		require.Equal(t, want[i], step(t, m, "j"+name), name)
	}
	parsed, err := parse(goWasm(t))
	require.NoError(t, err)
	direct := 0
	for i := range parsed.bodies {
		if slices.ContainsFunc(editsOf(t, parsed.wasm, i), func(e optimise.Edit) bool { return e.Code[0] == opBr }) {
			direct++
		}
	}
	require.Greater(t, direct, 500, "functions with direct jumps: does Go write its functions as before?")
}

// editsOf returns the edits of a function body.
func editsOf(t *testing.T, wasm []byte, function int) []optimise.Edit {
	m, err := parse(wasm)
	require.NoError(t, err)
	edits, _, err := m.edits(function, &optimise.Function{})
	require.NoError(t, err)
	return edits
}
