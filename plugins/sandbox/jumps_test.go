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

// to returns a jump to a region by its number, out of region in; inner is how many blocks it stands in there.
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

// TestGoControlFlow: goroutines that wait in the middle of functions, panics that are recovered; stacks that grow, and jumps of all sorts come to the same
// in a guest as here.
func TestGoControlFlow(t *testing.T) {
	costlyAlone(t)
	own, err := loadOwn(newRuntime(t, Options{CacheDir: sharedCache}), goWasm(t))
	require.NoError(t, err)
	for _, m := range []*Module{loadGo(t, Options{}), own} {
		want := flow.All()
		require.Len(t, want, len(flow.Names))
		for i, name := range flow.Names {
			require.Equal(t, want[i], step(t, m, "j"+name), name)
		}
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
	parsed.goMade = parsed.producedByGo()
	require.True(t, parsed.goMade, "goVersions does not have this Go: see whether it enters functions as the older ones do, and add it")
	pruned, entered, all := 0, 0, 0
	for i := range parsed.bodies {
		for _, to := range prunedEntries(t, parsed, i) {
			pruned, all = pruned+1, all+len(to)
			for _, label := range to {
				if label != 0 {
					entered++
				}
			}
		}
	}
	require.Greater(t, pruned, 500, "functions that are recognised")
	require.Less(t, entered, all*3/4, "numbers with which the functions are entered")
}

// prunedEntries returns the labels of the br_tables that the optimiser pruned. Label 0 is the trap.
func prunedEntries(t *testing.T, m *parsed, function int) (tables [][]uint32) {
	edits, _, err := m.edits(function, &optimise.Function{})
	require.NoError(t, err)
	for _, e := range edits {
		if e.Code[0] != opBlock || len(e.Code) == 1 {
			continue
		}
		r := &reader{b: e.Code, end: len(e.Code)}
		var in instruction
		for r.more() {
			if r.next(&in); in.op == opBrTable {
				tables = append(tables, slices.Clone(in.labels))
			}
		}
		require.NoError(t, errOf(r))
	}
	return tables
}

func errOf(r *reader) error {
	if r.err != nil {
		return r.err
	}
	return nil
}

// editsOf returns the edits of a function body.
func editsOf(t *testing.T, wasm []byte, function int) []optimise.Edit {
	m, err := parse(wasm)
	require.NoError(t, err)
	edits, _, err := m.edits(function, &optimise.Function{})
	require.NoError(t, err)
	return edits
}

// TestLoopsThatDoNotRepeat: a loop around a br_table becomes a block where no jump starts the loop anew.
func TestLoopsThatDoNotRepeat(t *testing.T) {
	j := jumper{3}
	region := asm(get(1), i32c(3), opI32Add, put(1))
	for name, c := range map[string]struct {
		regions [3][]byte
		block   bool
	}{
		"no jump":            {[3][]byte{region, region, region}, true},
		"down":               {[3][]byte{j.when(get(1), 2, 0), region, region}, true},
		"up":                 {[3][]byte{region, region, j.when(get(1), 1, 2)}, false},
		"to itself":          {[3][]byte{region, j.when(get(1), 1, 1), region}, false},
		"the number is made": {[3][]byte{asm(get(1), put(0), j.again(0, 0)), region, region}, false},
		"br_if to the loop":  {[3][]byte{asm(get(1), opBrIf, j.label(0)), region, region}, false},
		"the number is read": {[3][]byte{asm(get(0), put(1)), region, region}, false},
	} {
		b := newAdapter(1)
		b.fn(tI32, tI32, tI32, j.code(c.regions[:]...), get(1))
		b.step("", answerAt(outputAt, 0))
		is := slices.ContainsFunc(editsOf(t, b.build(), 0), func(e optimise.Edit) bool { return len(e.Code) == 1 && e.Code[0] == opBlock })
		require.Equal(t, c.block, is, name)
	}
}

// madeByGo is the custom section by which a module says that the Go compiler made it.
var madeByGo = producedBy(goProducer, "go1.26.8 X:none")

func producedBy(name, release string) []byte {
	return asm(bytesOf("producers"), 1, bytesOf("processed-by"), 1, bytesOf(name), bytesOf(release))
}

// likeGo builds an adapter with a function as the Go compiler writes functions. The input of a step is the number with which the step
// enters the function.
type likeGo struct {
	*builder
	jumper
	callee int
}

const likeGoFunction = goFunctionsFrom + 1

func newLikeGo(regions int) *likeGo {
	g := &likeGo{builder: newAdapter(1), jumper: jumper{regions}}
	g.callee = g.fn(tI32, tI32, "", i32c(0))
	return g
}

// address writes a return address to memory.
func (*likeGo) address(function, block int64) []byte {
	return asm(i32c(outputAt), i64c(function<<16|block), mem(opI64Store, 8))
}

func (g *likeGo) called() []byte { return asm(i32c(0), callf(g.callee), opDrop) }

func (g *likeGo) module(custom []byte, regions ...[]byte) []byte {
	b := *g.builder
	b.custom = custom
	f := b.fn(tI32, tI32, tI32, g.code(regions...), get(1))
	b.step("", i32c(outputAt), argument(0), callf(f), mem(opI32Store, 0), answerAt(outputAt, 4))
	return b.build()
}

// regions are seven: 2 is entered from above and by a jump down alone.
func (g *likeGo) sevenRegions() [][]byte {
	const sum = 1
	add := func(n int64) []byte { return asm(get(sum), i32c(10), 0x6c, i32c(n), opI32Add, put(sum)) }
	return [][]byte{
		add(1),
		add(2),
		asm(add(3), get(sum), i32c(1000), 0x4a, opIf, typeEmpty, g.to(6, 2, 1), opEnd),
		asm(add(4), g.address(likeGoFunction, 4), add(5), add(6), g.called()),                  // a call, after which the function goes on at 4
		asm(add(7), i32c(0), opIf, typeEmpty, g.address(likeGoFunction, 2), g.called(), opEnd), // for a panic
		asm(g.address(likeGoFunction, 6), g.called()),                                          // deferreturn, where the function goes on after a recovered panic
		asm(add(8), get(sum), i32c(8), opI32Eq, opIf, typeEmpty, g.to(3, 6, 1), opEnd),         // up
	}
}

// enterable returns the numbers with which a module's steps answer. All others must trap.
func enterable(t *testing.T, m *Module) (numbers []uint32) {
	for n := range uint32(8) {
		if _, err := m.Step(context.Background(), call(littleEndian(n))); err == nil {
			numbers = append(numbers, n)
		} else {
			require.ErrorContains(t, err, "unreachable")
		}
	}
	return numbers
}

// TestPrunedEntries: a function of a Go module of this program can be entered where a goroutine may go on, and nowhere else.
func TestPrunedEntries(t *testing.T) {
	const sum = 1
	g := newLikeGo(7)
	of := func(regions [][]byte) []uint32 {
		m, err := loadOwn(newRuntime(t, Options{Limits: fuzzLimits}), g.module(madeByGo, regions...))
		require.NoError(t, err)
		return enterable(t, m)
	}
	all := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	require.Equal(t, []uint32{0, 1, 3, 4, 5, 6, 7}, of(g.sevenRegions()), "7 and above are 6")
	busy := g.sevenRegions()
	busy[5] = asm(get(sum), get(sum), opI32Add, put(sum), get(sum), get(sum), opI32Add, put(sum), get(sum), get(sum), opI32Add, put(sum), busy[5])
	require.Equal(t, []uint32{0, 1, 3, 4, 6, 7}, of(busy), "a call with arguments is not deferreturn's")
	foreign := g.sevenRegions()
	foreign[3] = asm(g.address(likeGoFunction+1, 4), g.called())
	require.Equal(t, all, of(foreign), "a call that is not as Go makes it")
	made := g.sevenRegions()
	made[0] = asm(made[0], get(sum), i32c(7), opI32Eq, opIf, typeEmpty, get(sum), put(0), g.again(0, 1), opEnd)
	require.Equal(t, all, of(made), "a number that is not constant")
}

// TestClaimsAreNotBelieved: a module that is not part of this program runs as it was received, whatever it says of its compiler. A
// module of this program that does not say so, or names a Go that is not known, is not pruned.
func TestClaimsAreNotBelieved(t *testing.T) {
	g := newLikeGo(7)
	all := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	claims := g.module(madeByGo, g.sevenRegions()...)
	dir := t.TempDir()
	for name, o := range map[string]Options{
		"here":                            {Limits: fuzzLimits},
		"as received":                     {Limits: fuzzLimits, Unoptimised: true},
		"by a compiler":                   {Compiler: itself()},
		"own code in the cache directory": {Limits: fuzzLimits, CacheDir: dir},
	} {
		r := newRuntime(t, o)
		if o.CacheDir != "" {
			own, err := loadOwn(r, claims)
			require.NoError(t, err)
			require.Equal(t, []uint32{0, 1, 3, 4, 5, 6, 7}, enterable(t, own))
			require.False(t, r.Known(own.Hash()), "the files of a module of this program are not Load's")
		}
		m, err := r.Load(claims, nil)
		require.NoError(t, err)
		require.Equal(t, all, enterable(t, m), name)
	}
	for name, custom := range map[string][]byte{"nothing": nil, "another compiler": producedBy("clang", "21"), "a Go to come": producedBy(goProducer, "go1.99.1"),
		"no version": producedBy(goProducer, "1.26"), "damaged": asm(bytesOf("producers"), 9, 9), "another section": asm(bytesOf("names"), madeByGo[10:])} {
		m, err := loadOwn(newRuntime(t, Options{Limits: fuzzLimits}), g.module(custom, g.sevenRegions()...))
		require.NoError(t, err)
		require.Equal(t, all, enterable(t, m), name)
	}
}

// TestPrunedCodeIsCharged: a pruned function pays for all code that it runs, by whichever way it gets there.
func TestPrunedCodeIsCharged(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	const sum, length = 1, 300
	var much []byte
	for range length {
		much = asm(much, get(sum), i32c(3), opI32Add, put(sum))
	}
	g := newLikeGo(4)
	for name, leave := range map[string][]byte{
		"falling": nil, "by number": g.to(2, 0, 0), "by number if": g.when(i32c(1), 2, 0), "by label": {opBr, 1}, "by label if": asm(i32c(1), opBrIf, 1),
		"by a table": asm(i32c(7), opBrTable, 1, 0, 1), "by label out of an if": asm(i32c(1), opIf, typeEmpty, opBr, 2, opEnd),
	} {
		for number := range uint32(2) { // the others are pruned
			_, fuel := chargedBy(t, r, loadOwn, g.module(madeByGo, leave, asm(get(sum), opDrop), much, g.when(i32c(0), 1, 3)), littleEndian(number))
			require.Greater(t, fuel, int64(4*length), name)
		}
	}
}
