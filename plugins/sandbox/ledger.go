package sandbox

import (
	"encoding/binary"

	"payswitch/plugins/sandbox/optimise"
)

// The ledger says which granules of a guest's memory were written to: one byte for each, 0 if it was not. It lies in pages of its own
// behind the guest's memory. After every store, one more store notes the granule there. This is as fast as a bit in a global, and
// exact: a reset puts back only granules that were touched.
//
// A guest can reach the ledger, because the ledger is part of the memory whose bounds the processor checks. The guest reads nothing there but
// its own notes. A write there is noted too, in the bytes that stand for the ledger itself. The note comes after the write, so that no
// write can hide itself. Such a guest is stopped when the call ends, as if it had trapped (linearMemory.strayed). The first bytes of the
// ledger stand for nothing, because a store that is noted in the memory's last granule may reach into them.
const (
	granuleBits = 10
	granule     = 1 << granuleBits
	reach       = optimise.Reach
	overlap     = reach + 8 // how far a store that is noted in one granule may reach into the next
	ledgerSlack = overlap
)

// ledgerPages returns the pages of a ledger for a memory of at most maxPages and for itself.
func ledgerPages(maxPages uint32) uint32 {
	const perPage = pageSize / granule
	return uint32((uint64(maxPages)*perPage + ledgerSlack + pageSize - perPage - 1) / (pageSize - perPage))
}

// Types of the injected functions.
var (
	noteType    = funcType{params: types(typeI32, typeI32)}
	enlargeType = funcType{params: types(typeI32), results: types(typeI32)}
)

// noteFunction appends the body of note(p, n), which notes the granules of the n bytes at p.
func (w *rewriter) noteFunction(b []byte) []byte {
	const p, n = 0, 1
	address := func(b []byte, last bool) []byte { // of the byte for the first or the last granule
		b = appendU(append(b, opGlobalGet), w.ledger)
		b = append(b, opLocalGet, p)
		if last {
			b = append(b, opLocalGet, n, opI32Add, opI32Const, 1, opI32Sub)
		}
		return append(b, opI32Const, granuleBits, opI32ShrU, opI32Add)
	}
	b = append(b, 0) // no locals
	b = append(b, opLocalGet, n, opIf, typeEmpty)
	b = appendU(append(address(b, false), opI32Const, 1, opI32Store8, 0), ledgerSlack)
	b = appendU(append(address(b, true), opI32Const, 1, opI32Store8, 0), ledgerSlack)
	b = appendS(append(b, opLocalGet, n, opI32Const), granule)
	b = append(b, opI32GtU, opIf, typeEmpty)
	b = append(appendS(append(address(b, false), opI32Const), ledgerSlack), opI32Add)
	b = append(b, opI32Const, 1)
	b = address(b, true)
	b = append(address(b, false), opI32Sub)
	b = append(b, opPrefixMisc, miscMemoryFill, 0)
	return append(b, opEnd, opEnd, opEnd)
}

// enlargeFunction appends the body of enlarge(pages): memory.grow as the guest sees it. The ledger moves to the new end and is empty,
// because an instance whose memory grew is replaced and not reset.
func (w *rewriter) enlargeFunction(b []byte) []byte {
	const pages, before = 0, 1
	own := func(b []byte) []byte { // takes the ledger's pages off
		return append(appendS(append(b, opI32Const), int64(w.ledgerPages)), opI32Sub)
	}
	b = append(b, 1, 1, typeI32)
	b = append(b, opLocalGet, pages, opI32Eqz, opIf, typeEmpty, opMemorySize, 0)
	b = append(own(b), opReturn, opEnd)
	b = append(b, opLocalGet, pages, opMemoryGrow, 0, opLocalTee, before)
	b = append(b, opI32Const, 0x7f, opI32Eq, opIf, typeEmpty, opI32Const, 0x7f, opReturn, opEnd)
	b = appendU(append(b, opGlobalGet), w.ledger)
	b = appendS(append(b, opI32Const, 0, opI32Const), int64(w.ledgerPages)*pageSize)
	b = append(b, opPrefixMisc, miscMemoryFill, 0)
	b = own(append(b, opMemorySize, 0))
	b = append(b, opI32Const, 16, opI32Shl)
	b = appendU(append(b, opGlobalSet), w.ledger)
	return append(own(append(b, opLocalGet, before)), opEnd)
}

// notes returns the ledger's bytes for the n bytes of memory at p, which may lie in the ledger itself.
func (l *linearMemory) notes(p, n uint64) []byte {
	first, end := p>>granuleBits, (p+n+granule-1)>>granuleBits
	return l.reserved[l.size+ledgerSlack:][first:end]
}

// note notes the granules of the n bytes at p. It does nothing if there is no ledger, as in tests that run a module in plain wazero.
func (l *linearMemory) note(p, n uint32) {
	if n == 0 || l.ledger == 0 {
		return
	}
	b := l.notes(uint64(p&^(granule-1)), uint64(p&(granule-1))+uint64(n))
	for i := range b {
		b[i] = 1
	}
}

// forget empties the ledger and its slack, which a guest can reach as well.
func (l *linearMemory) forget() {
	clear(l.reserved[l.size:][:ledgerSlack+l.size>>granuleBits])
}

// strayed reports whether the guest wrote to the ledger itself.
func (l *linearMemory) strayed() bool {
	own := l.notes(l.size, l.ledger)
	for ; len(own) >= 8; own = own[8:] {
		if binary.NativeEndian.Uint64(own) != 0 {
			return true
		}
	}
	return false
}
