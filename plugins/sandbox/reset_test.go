package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiled loads a module and returns its code.
func compiled(t testing.TB, r *Runtime, wasm []byte) (*Module, *code) {
	t.Helper()
	m, err := r.Load(wasm, nil)
	require.NoError(t, err)
	c, err := m.ready(context.Background())
	require.NoError(t, err)
	return m, c
}

// requireReset runs steps in one instance and compares it with the image after each.
func requireReset(t testing.TB, c *code, inputs ...string) {
	t.Helper()
	in, err := c.fork(c.image)
	require.NoError(t, err)
	defer in.close()
	require.True(t, in.is(c.image), "a fork is not the image")
	for _, input := range inputs {
		in.begin(c.runtime.limits.StepFuel, callTime, [32]byte{7})
		if _, err := in.run([]byte(input)); err != nil {
			return // trapped: it would be thrown away
		}
		if _, ok := in.reset(c.image); !ok {
			return // the memory has grown, so the instance is replaced and not reset
		}
		require.True(t, in.is(c.image), "input %q left something behind", input)
	}
}

// littleEndian spells the arguments of the guests below.
func littleEndian(v ...uint32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return string(b)
}

// argument loads the nth number of the input.
func argument(n uint32) []byte { return asm(i32c(inputAt), mem(opI32Load, 4*n)) }

// TestResetStores writes with every kind of store, before, on and after the borders of chunks.
func TestResetStores(t *testing.T) {
	r := newRuntime(t, Options{})
	value := func(op int) []byte {
		switch storeLocal(byte(op)) {
		case 0:
			return i32c(-1)
		case 1:
			return i64c(-1)
		case 2:
			return []byte{opF32Const, 1, 2, 3, 4}
		}
		return []byte{opF64Const, 1, 2, 3, 4, 5, 6, 7, 8}
	}
	for _, pages := range []uint64{3, 200} {
		for _, offset := range []uint32{0, 1, granule, chunkSize, 2*chunkSize - 3} {
			b := newAdapter(pages)
			var stores []byte
			for op := opI32Store; op <= opI64Store32; op++ {
				stores = asm(stores, argument(0), i32c(int64(op-opI32Store)), opI32LtS, opIf, typeEmpty,
					argument(1), value(op), mem(op, offset), opEnd)
			}
			_, c := compiled(t, r, b.step("", stores, answerAt(outputAt, 0)).build())
			for d := range uint32(10) {
				at := 2*chunkSize + 1 - d - min(offset, 2*chunkSize-8)
				requireReset(t, c, littleEndian(0, at), littleEndian(5, at), littleEndian(8, at))
			}
			last := uint32(pages)*pageSize - 8 - offset
			requireReset(t, c, littleEndian(0, last), littleEndian(0, last-chunkSize*2+9))
		}
	}
}

// TestResetFarOffset: with a static offset close to 4 GiB the sum of both addresses is beyond any memory: the store traps.
func TestResetFarOffset(t *testing.T) {
	r := newRuntime(t, Options{})
	m, c := compiled(t, r, newAdapter(2).step("", argument(0), i64c(-1), mem(0x37, 1<<32-8), answerAt(outputAt, 0)).build())
	for _, base := range []uint32{0, 7, 8, 70_000, 1 << 31, 1<<32 - 1} {
		require.Equal(t, TrapMemory, trapOf(t, m, call(littleEndian(base))).Kind)
	}
	require.NotNil(t, c)
}

// TestResetBulk copies and fills from any place for any length.
func TestResetBulk(t *testing.T) {
	costlyAlone(t)
	r := newRuntime(t, Options{})
	for _, pages := range []uint64{80, 200} {
		_, c := compiled(t, r, newAdapter(pages).step("",
			argument(0), argument(1), argument(2), opPrefixMisc, miscMemoryFill, 0,
			argument(3), argument(0), argument(2), opPrefixMisc, miscMemoryCopy, 0, 0,
			answerAt(outputAt, 0)).build())
		size := uint32(pages * pageSize)
		for _, n := range []uint32{0, 1, 2, chunkSize - 1, chunkSize, chunkSize + 1, 3 * chunkSize, 62 * chunkSize, 63*chunkSize + 5, 64 * chunkSize} {
			for _, at := range []uint32{2 * chunkSize, 3*chunkSize - 1, 3*chunkSize - 2, 10_000, size - n} {
				requireReset(t, c, littleEndian(at, 0xee, n, 5*chunkSize-1))
			}
		}
	}
}

// TestResetHostWrites carries a value over in what the host writes for the guest.
func TestResetHostWrites(t *testing.T) {
	r := newRuntime(t, Options{})
	for name, args := range map[string][]byte{
		"clock_time_get":    asm(i32c(0), i64c(0), argument(0)),
		"clock_res_get":     asm(i32c(0), argument(0)),
		"random_get":        asm(argument(0), argument(3)),
		"args_sizes_get":    asm(argument(0), argument(1)),
		"environ_sizes_get": asm(argument(1), argument(0)),
		"fd_write":          asm(i32c(2), i32c(inputAt+8), i32c(1), argument(0)),
		"poll_oneoff":       asm(i32c(100), argument(0), i32c(1), argument(1)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, pages := range []uint64{100, 300} {
				b := newAdapter(pages)
				f := b.wasi(name)
				// fill the memory beforehand, so that zeros show as well
				b.start = b.fn("", "", "", i32c(chunkSize), i32c(0xaa), i32c(int64(pages-1)*pageSize), opPrefixMisc, miscMemoryFill, 0)
				_, c := compiled(t, r, b.step("", args, callf(f), i32c(0), opI32Sub, opIf, typeEmpty, opUnreachable, opEnd, answerAt(outputAt, 0)).build())
				in, err := c.fork(c.image)
				require.NoError(t, err)
				defer in.close()
				for _, at := range []uint32{3 * chunkSize, 4*chunkSize - 1, 4*chunkSize - 7, 90 * chunkSize} {
					in.begin(c.runtime.limits.StepFuel, callTime, [32]byte{7})
					_, err := in.run([]byte(littleEndian(at, at+chunkSize-3, 100, 100_000)))
					require.NoError(t, err)
					require.False(t, in.is(c.image), "it wrote nothing")
					_, ok := in.reset(c.image)
					require.True(t, ok)
					require.True(t, in.is(c.image), "left something behind at %#x", at)
				}
			}
		})
	}
}

func TestResetInput(t *testing.T) {
	r := newRuntime(t, Options{})
	b := newAdapter(40).step("", answerAt(outputAt, 0))
	b.funcs[0].body = asm(0, i32c(3*chunkSize-5), opEnd) // alloc
	_, c := compiled(t, r, b.build())
	requireReset(t, c, "secret", string(bytes.Repeat([]byte("s"), 300_000)), "12345", "123456")
}

func TestResetGlobals(t *testing.T) {
	r := newRuntime(t, Options{})
	b := newAdapter(1)
	b.global(typeI32, 1, i32c(5)...)
	b.global(typeI64, 0, i64c(5)...)
	b.global(typeI64, 1, i64c(5)...)
	b.global(typeF32, 1, opF32Const, 0, 0, 0, 0)
	b.global(typeF64, 1, opF64Const, 0, 0, 0, 0, 0, 0, 0, 0)
	b.export("payswitch_global", 3, 0)
	m, c := compiled(t, r, b.step("",
		i32c(outputAt), gget(0), mem(opI32Store, 0), i32c(outputAt), gget(2), mem(0x37, 4),
		gget(0), i32c(1), opI32Add, gset(0), gget(2), i64c(1), opI64Add, gset(2),
		opF32Const, 1, 2, 3, 4, gset(3), opF64Const, 1, 2, 3, 4, 5, 6, 7, 8, gset(4),
		answerAt(outputAt, 12)).build())
	require.Len(t, c.globals, 4)
	requireReset(t, c, "", "", "")
	for range 3 {
		require.Equal(t, littleEndian(5, 5, 0), step(t, m, ""))
	}
}

// TestGrownInstanceIsReplaced: memory that grew cannot be given back, so that the instance must go.
func TestGrownInstanceIsReplaced(t *testing.T) {
	r := newRuntime(t, Options{})
	m, c := compiled(t, r, newAdapter(1).step("",
		i32c(1), opMemoryGrow, 0, opDrop, i32c(pageSize), i32c(-1), mem(opI32Store, 8),
		i32c(outputAt), opMemorySize, 0, mem(opI32Store, 0), answerAt(outputAt, 4)).build())
	for i := range 5 {
		require.Equal(t, littleEndian(2), step(t, m, ""))
		require.Equal(t, uint64(i+1), m.Stats().Grown)
	}
	require.Equal(t, uint64(pageSize), c.image.size())
}

// TestImageIsWidened: a guest that looks at memory.size and grows it only when it is short gets its room once and for all.
func TestImageIsWidened(t *testing.T) {
	r := newRuntime(t, Options{})
	wasm := newAdapter(1).step("",
		opMemorySize, 0, i32c(9), opI32LtS, opIf, typeEmpty, i32c(3), opMemoryGrow, 0, opDrop, opEnd,
		answerAt(outputAt, 0)).build()
	m, err := r.Load(wasm, []byte("warm"))
	require.NoError(t, err)
	for range 5 {
		step(t, m, "")
	}
	require.Zero(t, m.Stats().Grown)
	require.GreaterOrEqual(t, m.Stats().Memory, 9*pageSize)
}

// TestResetIsExact: a guest that starts small and initialises itself to much memory has just what it wrote to put back.
func TestResetIsExact(t *testing.T) {
	r := newRuntime(t, Options{})
	b := newAdapter(1)
	b.export(exportInitialize, 0, b.fn("", "", "", i32c(300), opMemoryGrow, 0, opDrop))
	m, c := compiled(t, r, b.step("", argument(0), i32c(-1), mem(opI32Store, 0), answerAt(outputAt, 0)).build())
	requireReset(t, c, littleEndian(200*chunkSize-2), littleEndian(70*chunkSize), littleEndian(6*chunkSize-1))
	step(t, m, littleEndian(200*chunkSize))
	require.Equal(t, uint64(2*(granule+overlap)), m.Stats().BytesRestored, "the input and the store")
}

func TestNotes(t *testing.T) {
	const pages = 300
	l, err := newLinearMemory(pages*pageSize, uint64(ledgerPages(pages))*pageSize)
	require.NoError(t, err)
	defer l.Free()
	l.Reallocate(uint64(len(l.reserved)))
	require.Equal(t, uint64(pages*pageSize), l.size)
	for _, c := range []struct{ p, n uint32 }{
		{0, 0}, {5, 0}, {pages * pageSize, 0}, {0, 1}, {granule - 1, 1}, {granule - 1, 2}, {granule, granule}, {5, 64 * chunkSize},
		{200 * chunkSize, 1}, {127*chunkSize + 1, 3 * chunkSize}, {0, pages * pageSize}, {pages*pageSize - 1, 1},
	} {
		l.note(c.p, c.n)
		for k, noted := range l.notes(0, l.size) {
			lo, hi := uint64(k)*granule, uint64(k+1)*granule
			require.Equal(t, c.n > 0 && uint64(c.p) < hi && uint64(c.p)+uint64(c.n) > lo, noted != 0, fmt.Sprint(c, k))
		}
		require.False(t, l.strayed())
		l.forget()
		require.Equal(t, make([]byte, l.ledger), l.reserved[l.size:], fmt.Sprint(c))
	}
}

// TestLedgerIsOutOfReach: a guest that writes to the ledger is stopped, whatever it writes there, and however.
func TestLedgerIsOutOfReach(t *testing.T) {
	r := newRuntime(t, Options{})
	const pages = 3
	size := int64(pages * pageSize)
	store := func(at int64) []byte { return asm(i32c(at), i64c(0), mem(0x37, 0)) }
	fill := func(at, n int64) []byte { return asm(i32c(at), i32c(0), i32c(n), opPrefixMisc, miscMemoryFill, 0) }
	ledger := int64(ledgerPages(r.limits.MemoryPages)) * pageSize
	own := size + ledgerSlack + size>>granuleBits // the byte that says that the ledger was written to
	for name, body := range map[string][]byte{
		"first note":          store(size + ledgerSlack),
		"slack":               store(size),
		"its own note":        store(own),
		"all its own notes":   asm(store(own), store(own+8), store(own+16), store(own), fill(own, ledger>>granuleBits)),
		"the end":             store(size + ledger - 8),
		"fill all of it":      fill(size, ledger),
		"fill from before":    fill(size-100, 300),
		"by a static offset":  asm(i32c(8), i64c(0), mem(0x37, uint32(own-8))),
		"and erase the trace": asm(store(size+ledgerSlack), fill(own, ledger>>granuleBits)),
		"copy":                asm(i32c(own), i32c(64), i32c(ledger>>granuleBits), opPrefixMisc, miscMemoryCopy, 0, 0),
		"in another's name":   asm(i32c(own-200), put(2), get(2), i64c(0), mem(0x37, 0), get(2), i64c(0), mem(0x37, 200)),
		"and grow by nothing": asm(store(own), i32c(0), opMemoryGrow, 0, opDrop),
	} {
		m, _ := compiled(t, r, newAdapter(pages).step(tI32, body, answerAt(outputAt, 0)).build())
		require.Equal(t, TrapMemory, trapOf(t, m, call("")).Kind, name)
		require.Equal(t, TrapMemory, trapOf(t, m, call("")).Kind, name)
	}
	for name, at := range map[string]int64{"beyond": size + ledger, "half beyond": size + ledger - 4} {
		m, _ := compiled(t, r, newAdapter(pages).step("", store(at), answerAt(outputAt, 0)).build())
		require.Equal(t, TrapMemory, trapOf(t, m, call("")).Kind, name)
	}
	// A store that begins inside the memory and ends outside it leaves no bytes, and removes no note.
	_, c := compiled(t, r, newAdapter(pages).step("", argument(0), i64c(-1), mem(0x37, 0), i32c(size-1), i64c(0), mem(0x37, 0), i32c(outputAt),
		i32c(size), mem(opI32Load, 0), mem(opI32Store, 0), answerAt(outputAt, 4)).build())
	requireReset(t, c, littleEndian(0), littleEndian(uint32(size)-8), littleEndian(uint32(size)-3))
}

// TestMemorySizeIsTheGuests: memory.size does not include the ledger, and memory.grow answers as without a ledger.
func TestMemorySizeIsTheGuests(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{MemoryPages: 20}})
	at := int64(outputAt)
	answer := func(parts ...any) []byte {
		b := asm(i32c(at), asm(parts...), mem(opI32Store, 0))
		at += 4
		return b
	}
	grow := func(n int64) []byte { return asm(i32c(n), opMemoryGrow, 0) }
	m, _ := compiled(t, r, newAdapter(3).step("", answer(opMemorySize, 0), answer(grow(0)), answer(grow(2)), answer(opMemorySize, 0),
		answer(i32c(3*pageSize+ledgerSlack), mem(opI32Load, 0)), // where the ledger was, there are zeros
		answer(grow(16)), answer(grow(15)), answer(opMemorySize, 0), answer(grow(1)), answer(grow(-1)), answerAt(outputAt, 40)).build())
	const no = 1<<32 - 1
	for range 2 {
		require.Equal(t, littleEndian(3, 3, 3, 5, 0, no, 5, 20, no, no), step(t, m, ""))
	}
}

// TestNeedlessNotes: stores that are covered by the note of another are put back all the same. Nothing is taken for covered that a branch,
// a loop or a new value of the local may have led past the note.
func TestNeedlessNotes(t *testing.T) {
	r := newRuntime(t, Options{})
	const p, q = 2, 3 // locals: addresses
	at := func(local int, offset uint32) []byte { return asm(get(local), i32c(-1), mem(opI32Store, offset)) }
	both := asm(argument(0), put(p), argument(1), put(q))
	again := asm(argument(1), put(p))
	for name, c := range map[string]struct {
		body  []byte
		notes int // stores that need a note, without those that set up
	}{
		"in reach":              {asm(at(p, 0), at(p, 8), at(p, reach-4), at(p, 4)), 1},
		"out of reach":          {asm(at(p, 0), at(p, reach), at(p, 9*reach)), 3},
		"downwards":             {asm(at(p, reach-4), at(p, 0)), 1},
		"two locals":            {asm(at(p, 0), at(q, 0), at(p, 4), at(q, 4)), 2},
		"a new value":           {asm(at(p, 0), again, at(p, 4)), 2},
		"an old value":          {asm(at(p, 0), get(p), argument(1), put(p), i32c(-1), mem(opI32Store, 4), at(p, 8)), 2},
		"tee":                   {asm(at(p, 0), argument(1), tee(p), i32c(-1), mem(opI32Store, 0), at(p, 4)), 2},
		"if not":                {asm(i32c(0), opIf, typeEmpty, at(p, 0), opEnd, at(p, 4)), 2},
		"else":                  {asm(argument(2), opIf, typeEmpty, at(p, 0), opElse, at(p, 4), opEnd, at(p, 8)), 3},
		"before and in an if":   {asm(at(p, 0), argument(2), opIf, typeEmpty, at(p, 4), opEnd, at(p, 8)), 3},
		"jumped over":           {asm(opBlock, typeEmpty, argument(2), opBrIf, 0, at(p, 0), opEnd, at(p, 4)), 2},
		"changed in an if":      {asm(at(p, 0), argument(2), opIf, typeEmpty, again, opEnd, at(p, 4)), 2},
		"changed at loop's end": {asm(at(p, 0), opLoop, typeEmpty, at(p, 4), get(p), argument(1), 0x47, again, opBrIf, 0, opEnd), 2},
		"wrapped": {asm(argument(0), opI64ExtendI32, put(4), get(4), opI32WrapI64, i32c(-1), mem(opI32Store, 0), get(4), opI32WrapI64, i32c(-1),
			mem(opI32Store, 8)), 1},
		"arithmetic": {asm(at(p, 0), get(p), i32c(5000), opI32Add, i32c(-1), mem(opI32Store, 0)), 2},
	} {
		wasm := newAdapter(10).step(tI32+tI32+tI64, both, c.body, answerAt(outputAt, 0)).build()
		_, c2 := compiled(t, r, wasm)
		for _, flag := range []uint32{0, 1} {
			for _, x := range []uint32{300_000, 300_000 + granule - 1, 300_000 - 300_000%granule - 4, 10*pageSize - 10*reach} {
				requireReset(t, c2, littleEndian(x, 200_001, flag), littleEndian(100_000, x, flag))
			}
		}
		m, err := parse(wasm)
		require.NoError(t, err)
		m, err = m.optimise()
		require.NoError(t, err)
		notes := 0
		require.NoError(t, m.scanBodies(func(_ int, s *functionScan) {
			for _, k := range s.marks {
				if k.kind == markStore {
					notes++
				}
			}
		}))
		require.Equal(t, c.notes, notes, name)
	}
}
