package sandbox

import (
	"encoding/binary"

	"payswitch/plugins/sandbox/optimise"
)

// The ledger says which granules of a guest's memory were written to: a byte for each, not 0 if it was. It stands in pages of its own
// behind the guest's memory, where every store notes itself, after it has been done, with one more store. That is as quick as a
// bit in a global, and exact: a reset puts back what was touched, not what stands near to it.
//
// A guest can reach the ledger, as it is not beyond what the processor checks. What it reads there is nothing but its own
// tracks. A write there is noted as well, by bytes of the ledger that stand for the ledger, and as the note comes after the write no
// write can hide itself: whoever strays is stopped when the call ends, as if it had trapped (linearMemory.strayed). The first bytes are left out, for
// what is noted in the memory's last granule and reaches into the ledger.
const (
	granuleBits = 10
	granule     = 1 << granuleBits
	reach       = optimise.Reach
	overlap     = reach + 8 // how far what is noted in one granule may reach into the next
	ledgerSlack = overlap
)

// ledgerPages is how many pages the ledger of a memory of at most maxPages takes, with the bytes for itself.
func ledgerPages(maxPages uint32) uint32 {
	const perPage = pageSize / granule
	return uint32((uint64(maxPages)*perPage + ledgerSlack + pageSize - perPage - 1) / (pageSize - perPage))
}

// Types of the injected functions.
var (
	noteType    = funcType{params: types(typeI32, typeI32)}
	enlargeType = funcType{params: types(typeI32), results: types(typeI32)}
)

// noteFunction is the body of note(p, n): what n bytes at p touch has been written to.
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

// enlargeFunction is the body of enlarge(pages): memory.grow as the guest sees it. The ledger moves to the new end and is empty: an instance
// whose memory grew is not reset but replaced.
func (w *rewriter) enlargeFunction(b []byte) []byte {
	const pages, before = 0, 1
	own := func(b []byte) []byte { // pages to pages without the ledger's
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

// ledger returns the bytes for the n bytes of memory from p on, which may be beyond what the guest has.
func (l *linearMemory) notes(p, n uint64) []byte {
	first, end := p>>granuleBits, (p+n+granule-1)>>granuleBits
	return l.reserved[l.size+ledgerSlack:][first:end]
}

// note notes what n bytes at p touch, where there is a ledger: a module that is run as received, for comparison, has none.
func (l *linearMemory) note(p, n uint32) {
	if n == 0 || l.ledger == 0 {
		return
	}
	b := l.notes(uint64(p&^(granule-1)), uint64(p&(granule-1))+uint64(n))
	for i := range b {
		b[i] = 1
	}
}

// forget empties the ledger. The slack is not part of any note, but within a guest's reach.
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
