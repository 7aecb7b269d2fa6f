package sandbox

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox/testdata/guest/flow"
)

// madeByGo is the custom section by which a module says that the Go compiler made it.
var madeByGo = producedBy(goProducer, "go1.26.8 X:none")

func producedBy(name, release string) []byte {
	return asm(bytesOf("producers"), 1, bytesOf("processed-by"), 1, bytesOf(name), bytesOf(release))
}

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
		marks   []markKind // in order
	}{
		"down":                  {[4][]byte{j.to(2, 0, 0), add(1), add(2), add(3)}, []markKind{markJump}},
		"down if":               {[4][]byte{j.when(again, 3, 0), add(1), asm(add(2), j.when(again, 3, 2), add(9)), add(3)}, []markKind{markJumpIf, markJumpIf}},
		"up":                    {[4][]byte{add(1), add(2), j.when(again, 1, 2), add(3)}, nil},
		"to itself":             {[4][]byte{add(1), asm(add(2), j.when(again, 1, 1)), add(4), add(3)}, nil},
		"to the last by far":    {[4][]byte{j.to(1<<31-1, 0, 0), add(1), add(2), add(3)}, []markKind{markJump}},
		"to the last from last": {[4][]byte{add(1), add(2), add(4), asm(add(3), j.when(again, -1, 3))}, nil},
		"more in the if":        {[4][]byte{asm(again, opIf, typeEmpty, add(5), j.to(2, 0, 1), opEnd), add(1), add(2), add(3)}, []markKind{markJump}},
		"more before the jump":  {[4][]byte{asm(again, opIf, typeEmpty, opBlock, typeEmpty, j.to(2, 0, 2), opEnd, opEnd), add(1), add(2), add(3)}, []markKind{markJump}},
		"an if with else":       {[4][]byte{asm(again, opIf, typeEmpty, j.to(2, 0, 1), opElse, j.to(3, 0, 1), opEnd), add(1), add(2), add(3)}, []markKind{markJump, markJump}},
		"a block of its own":    {[4][]byte{asm(opBlock, typeEmpty, again, opBrIf, 0, j.to(3, 0, 1), opEnd), add(1), add(2), add(3)}, []markKind{markJump}},
		"a loop of its own":     {[4][]byte{asm(opLoop, typeEmpty, again, opBrIf, 0, opEnd), j.to(3, 1, 0), add(2), add(3)}, []markKind{markJump}},
		"a jump and more":       {[4][]byte{asm(j.to(3, 0, 0), add(9)), add(1), add(2), add(3)}, []markKind{markJump}},
		"the number is read":    {[4][]byte{j.to(2, 0, 0), add(1), asm(get(0), put(sum)), add(3)}, nil},
		"read where it is set":  {[4][]byte{asm(i32c(7), put(0), get(0), put(sum)), j.to(3, 1, 0), add(2), add(3)}, []markKind{markJump}},
		"kept":                  {[4][]byte{asm(i32c(7), tee(0), put(sum)), j.to(3, 1, 0), add(2), add(3)}, []markKind{markJump}},
		"made":                  {[4][]byte{asm(j.when(again, 2, 0), i32c(1), i32c(2), opI32Add, put(0), j.again(0, 0)), add(1), add(2), add(3)}, nil},
		"set before":            {[4][]byte{asm(i32c(2), put(0), add(1), j.again(0, 0)), add(1), add(2), add(3)}, nil},
		"br_if to the loop":     {[4][]byte{asm(j.when(again, 3, 0), i32c(2), put(0), again, opBrIf, j.label(0)), add(1), add(2), add(3)}, nil},
		"br_table to the loop":  {[4][]byte{asm(j.when(again, 3, 0), i32c(2), put(0), i32c(0), opBrTable, 1, j.label(0), j.label(0)), add(1), add(2), add(3)}, nil},
		"by a block's label":    {[4][]byte{asm(j.when(again, 2, 0), again, opBrIf, 1), add(1), add(2), add(3)}, nil},
		"another local":         {[4][]byte{asm(i32c(2), put(0), i32c(3), put(sum), j.again(0, 0)), add(1), add(2), add(3)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, producer := range [][]byte{nil, producedBy("clang", "21"), producedBy(goProducer, "go1.99.1"), producedBy(goProducer, "1.26"), asm(bytesOf("producers"), 9, 9)} {
				b := newAdapter(1)
				b.custom = producer
				f := b.fn(tI32, tI32, tI32+tI32, again, opDrop, j.code(c.regions[:]...), get(sum))
				b.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
				m, err := r.Load(b.build(), nil)
				require.NoError(t, err)
				defer m.Close(context.Background())
				for _, number := range []uint32{0, 1, 2, 3, 4, 1 << 31, 1<<32 - 1} {
					compare(t, r, plain, m, []byte(littleEndian(number)))
				}
				require.Equal(t, c.marks, jumpsOf(t, b, 0))
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

// jumpsOf lists what is done to the jumps of a function.
func jumpsOf(t *testing.T, b *builder, function int) (kinds []markKind) {
	m, err := parse(b.build())
	require.NoError(t, err)
	require.NoError(t, m.scanBodies(func(i int, s *functionScan) {
		for _, k := range s.jumps.marks {
			if i == function {
				kinds = append(kinds, k.kind)
			}
		}
	}))
	return kinds
}

// TestJumpsOfGo: a function of the Go compiler's can be entered where a goroutine may go on, and nowhere else.
func TestJumpsOfGo(t *testing.T) {
	const sum = 1
	j := jumper{7}
	add := func(n int64) []byte { return asm(get(sum), i32c(10), 0x6c, i32c(n), opI32Add, put(sum)) }
	const function = goFunctionsFrom + 1
	address := func(block int64) []byte {
		return asm(i32c(outputAt), i64c(function<<goAddressShift|block), mem(opI64Store, 8))
	}
	b := newAdapter(1)
	callee := b.fn(tI32, tI32, "", i32c(0))
	called := asm(i32c(0), callf(callee), opDrop)
	regions := func() [][]byte {
		return [][]byte{
			add(1),
			add(2),
			asm(add(3), get(sum), i32c(1000), 0x4a, opIf, typeEmpty, j.to(6, 2, 1), opEnd), // down
			asm(add(4), address(4), add(5), add(6), called),                                // a call, after which it goes on in 4
			asm(add(7), i32c(0), opIf, typeEmpty, address(2), called, opEnd),               // for a panic
			asm(address(6), called), // deferreturn, where it goes on when a panic has been recovered
			asm(add(8), get(sum), i32c(8), opI32Eq, opIf, typeEmpty, j.to(3, 6, 1), opEnd), // up
		}
	}
	enterable := func(regions [][]byte) (in []uint32) {
		b := *b
		b.custom = madeByGo
		f := b.fn(tI32, tI32, tI32, j.code(regions...), get(sum))
		require.Equal(t, function, goFunctionsFrom+f)
		b.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
		m, err := newRuntime(t, Options{Limits: fuzzLimits}).Load(b.build(), nil)
		require.NoError(t, err)
		for n := range uint32(8) {
			if _, err := m.Step(context.Background(), call(littleEndian(n))); err == nil {
				in = append(in, n)
			} else {
				require.ErrorContains(t, err, "unreachable")
			}
		}
		return in
	}
	require.Equal(t, []uint32{0, 1, 3, 4, 5, 6, 7}, enterable(regions()), "7 and above are 6")
	for name, leave := range map[string][]byte{"br": {opBr, 2}, "br_if": asm(get(sum), opBrIf, 2), "br_table": asm(get(sum), opBrTable, 1, 2, 2),
		"br_if out of an if": asm(get(sum), opIf, typeEmpty, get(sum), opBrIf, 3, opEnd)} {
		direct := regions()
		direct[0] = asm(direct[0], leave) // to 3, of which the charge stands before 2
		require.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, enterable(direct), "%s: a block that is left by its label", name)
	}
	busy := regions()
	busy[5] = asm(add(1), add(1), busy[5])
	require.Equal(t, []uint32{0, 1, 3, 4, 6, 7}, enterable(busy), "a call with arguments is not deferreturn's")
	foreign := regions()
	foreign[3] = asm(add(4), i32c(outputAt), i64c((function+1)<<goAddressShift|4), mem(opI64Store, 8), called)
	require.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, enterable(foreign), "a call that is not as Go makes it")
}

// TestJumpsAreCharged: a module that says it is Go's pays no less for it, wherever it jumps: what is charged with the code above is come to from there alone.
func TestJumpsAreCharged(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	const sum = 1
	j := jumper{4}
	var much []byte
	for range 300 {
		much = asm(much, get(sum), i32c(3), opI32Add, put(sum))
	}
	for name, leave := range map[string][]byte{
		"falling": nil, "by number": j.to(2, 0, 0), "by number if": j.when(i32c(1), 2, 0), "by label": {opBr, 1}, "by label if": asm(i32c(1), opBrIf, 1),
		"by a table": asm(i32c(7), opBrTable, 1, 0, 1), "by label out of an if": asm(i32c(1), opIf, typeEmpty, opBr, 2, opEnd),
	} {
		fuel := func(producer []byte) int64 {
			b := newAdapter(1)
			b.custom = producer
			f := b.fn(tI32, tI32, tI32, j.code(leave, asm(get(sum), opDrop), much, j.when(i32c(0), 1, 3)), get(sum))
			b.step("", i32c(0), callf(f), opDrop, answerAt(inputAt, 8))
			_, cost := charged(t, r, b, "")
			return cost
		}
		plain := fuel(nil)
		require.Greater(t, plain, int64(1200), name)
		require.GreaterOrEqual(t, fuel(madeByGo), plain, name)
	}
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
	require.True(t, parsed.byGo, "goVersions does not have this Go: see that it enters functions as the older ones do, and add it")
	pruned, blocks, joined := 0, 0, 0
	require.NoError(t, parsed.scanBodies(func(_ int, s *functionScan) {
		if j := &s.jumps; slices.ContainsFunc(j.marks, func(k mark) bool { return k.kind == markTable }) {
			pruned, blocks, joined = pruned+1, blocks+len(j.blocks), joined+len(j.ends)
		}
	}))
	require.Greater(t, pruned, 500, "functions that are recognized")
	require.Greater(t, joined, blocks/4, "blocks that are one with what is above them")
}
