package sandbox

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedAddresses: loads and stores that go by one local do what they did, each in the way that Go guests and others write them. As
// many addresses are shared, moved and held as should be.
func TestSharedAddresses(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	plain := plainRuntime(t)
	const p, q, wide = 2, 3, 4 // locals: 32, 32 and 64 bits
	at := func(local int, delta int64) []byte {
		return asm(get(local), opI64ExtendI32, i64c(delta), opI64Add, opI32WrapI64)
	}
	long := func(address []byte, offset uint32) []byte {
		return asm(address, i64c(int64(offset)+1), mem(opI64Store, offset))
	}
	load := func(address []byte, offset uint32) []byte { return asm(address, mem(0x29, offset)) }
	cut := asm(get(wide), opI32WrapI64)
	push := asm(get(p), i32c(8), opI32Sub, tee(p), opDrop, long(get(p), 0))
	again := asm(argument(1), put(p))
	for name, c := range map[string]struct {
		body  []byte
		edits string // a for an address, o for an offset, h for an address that is held, in the order of the code
	}{
		"one access":             {long(get(p), 8), ""},
		"one local":              {asm(long(get(p), 8), long(get(p), 0)), ""},
		"farther at last":        {asm(long(get(p), 0), long(get(p), 80)), "a"},
		"made for an argument":   {long(at(p, 24), 0), "a"},
		"arguments":              {asm(long(get(p), 0), long(at(p, 8), 0), long(at(p, 16), 8)), "aaoao"},
		"a call":                 {asm(long(get(p), 0), long(at(p, 8), 0), push, long(get(p), 0)), "aoaoa"},
		"a call of nothing":      {push, ""},
		"a call and a new frame": {asm(long(get(p), 0), push, again, long(get(p), 0), push), "aoaaoa"},
		"wrapped once":           {long(cut, 8), ""},
		"wrapped":                {asm(long(cut, 16), long(cut, 8), long(cut, 0)), "aaa"},
		"wrapped when set":       {asm(get(wide), tee(wide), opI32WrapI64, i64c(1), mem(opI64Store, 0), long(cut, 8)), "ha"},
		"wrapped later":          {asm(get(wide), tee(wide), cut, load(nil, 8), put(wide), opI32WrapI64, load(nil, 0), put(wide)), ""},
		"a store in an address":  {asm(get(p), opI64ExtendI32, long(get(q), 0), i64c(16), opI64Add, opI32WrapI64, i64c(9), mem(opI64Store, 0), long(at(p, 8), 0)), "a"},
		"a store in a wrap":      {asm(get(wide), long(get(q), 0), opI32WrapI64, i64c(9), mem(opI64Store, 0), long(cut, 8)), ""},
		"a store in a descent":   {asm(long(get(p), 16), get(p), long(get(q), 0), i32c(8), opI32Sub, put(p), long(get(p), 0)), ""},
		"a load for a store":     {asm(get(p), load(get(q), 8), mem(opI64Store, 0), get(q), load(get(p), 0), mem(opI64Store, 16)), "a"},
		"set in between":         {asm(get(p), again, i64c(3), mem(opI64Store, 0), long(get(p), 8)), ""},
		"grown in between":       {asm(long(get(p), 0), i32c(1), opMemoryGrow, 0, opDrop, long(get(p), 65000)), ""},
		"a branch in between":    {asm(long(get(p), 0), argument(2), opIf, typeEmpty, long(get(p), 80), opEnd, long(get(p), 90)), ""},
		"a large distance":       {long(at(p, 1<<16), 0), ""},
		"beyond the end":         {asm(long(get(p), 0), long(get(p), 20<<20)), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newAdapter(8).step(tI32+tI32+tI64, argument(0), put(p), argument(1), put(q), argument(0), opI64ExtendI32, put(wide), c.body, answerAt(300_000, 200))
			m, err := r.Load(b.build(), nil)
			require.NoError(t, err)
			defer m.Close(context.Background())
			for _, input := range []string{littleEndian(300_016, 300_100, 0), littleEndian(300_016, 300_100, 1), littleEndian(7, 300_000, 1), littleEndian(8*pageSize-90, 16, 0)} {
				compare(t, r, plain, m, []byte(input))
			}
			kinds := ""
			for _, e := range editsOf(t, b.build(), 2) {
				switch op := e.Code[0]; {
				case op == opLocalGet:
					kinds += "a"
				case op == opLocalTee:
					kinds += "h"
				default:
					kinds += "o"
				}
			}
			require.Equal(t, c.edits, kinds)
		})
	}
}

// What a stretch of code reaches after it has made the memory grow is not checked before.
func TestAddressAfterGrowth(t *testing.T) {
	store := func(offset uint32) []byte { return asm(get(2), i64c(1), mem(opI64Store, offset)) }
	b := newAdapter(8).step(tI32, i32c(8*pageSize-90), put(2), store(0), i32c(3), opMemoryGrow, 0, opDrop, store(150_000), answerAt(8*pageSize-90+150_000, 1))
	m, _ := compiled(t, newRuntime(t, Options{}), b.build())
	require.Equal(t, "\x01", step(t, m, ""))
}

// There are more accesses than the rewriter looks at together. The last access uses an address that was made before all of them.
func TestSharedAddressesOfALongStretch(t *testing.T) {
	r := newRuntime(t, Options{Limits: fuzzLimits})
	const p, q = 2, 3
	store := func(local int, offset uint32) []byte {
		return asm(get(local), i64c(int64(offset)), mem(opI64Store, offset))
	}
	var many []byte
	for i := range uint32(64) {
		many = asm(many, store(q, 8*i))
	}
	b := newAdapter(8).step(tI32+tI32, i32c(300_000), put(p), i32c(310_000), put(q),
		get(p), store(p, 8), get(p), i32c(8), opI32Sub, tee(p), opDrop, store(p, 0), many, i64c(7), mem(opI64Store, 16), store(p, 24), answerAt(299_992, 100))
	m, err := r.Load(b.build(), nil)
	require.NoError(t, err)
	defer m.Close(context.Background())
	compare(t, r, plainRuntime(t), m, nil)
}

// A mistake of the rewriter's costs the module, not the process.
func TestRewriterFails(t *testing.T) {
	m, err := parse(newAdapter(1).step("", answerAt(outputAt, 0)).build())
	require.NoError(t, err)
	err = m.scanBodies(func(int, *functionScan) { panic("slice bounds") })
	require.ErrorContains(t, err, rewriterFailed)
	require.ErrorAs(t, err, new(*RefusedError))
}

// TestMemoryEndsBelow4GiB: the largest memory with its ledger leaves the room below 4 GiB that shared addresses depend on.
func TestMemoryEndsBelow4GiB(t *testing.T) {
	const room = 128 << 10
	require.LessOrEqual(t, uint64(maxMemoryPages+ledgerPages(maxMemoryPages))*pageSize, uint64(1<<32-room))
}
