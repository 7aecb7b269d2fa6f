package sandbox

// ration is how much fuel a guest has at a time. Guest code cannot be interrupted, and the garbage collector stops everything while it
// waits for guest code. So a guest returns to the host whenever its ration is used up, which lets the collector run, and gets the next
// ration. The slowest code known, loads that wait for each other and for main memory, takes 40 ns a unit: 16 ms a ration. The return
// takes less than a microsecond.
//
// The guest checks its fuel in front of a charge (checkLoop, checkEntry). So it may overdraw a ration by one pass through a function
// body. The next check takes that off the next ration, or stops the guest.
const ration = 400_000

var refuelType = funcType{results: types(typeI32)}

// refuelFunction appends the body of refuel(), which gives the next ration and reports whether no fuel is left. memory.grow by nothing
// returns to the host. So a guest needs no import for that, which would change the numbers of its functions.
func (w *rewriter) refuelFunction(b []byte) []byte {
	const more = 0
	b = append(b, 1, 1, typeI64)
	b = append(b, opI32Const, 0, opMemoryGrow, 0, opDrop)
	take := func(b []byte) []byte { return appendU(append(b, opGlobalGet), w.rest) }
	b = appendS(append(b, opI64Const), ration) // the fuel that fills the ration up, or the rest of the fuel if that is less
	b = appendU(append(b, opGlobalGet), w.fuel)
	b = append(b, opI64Sub, opLocalTee, more)
	b = take(b)
	b = append(b, opLocalGet, more)
	b = take(b)
	b = append(b, opI64LtS, opSelect, opLocalSet, more)
	b = append(take(b), opLocalGet, more, opI64Sub)
	b = appendU(append(b, opGlobalSet), w.rest)
	b = appendU(append(b, opGlobalGet), w.fuel)
	b = append(b, opLocalGet, more, opI64Add)
	b = appendU(append(b, opGlobalSet), w.fuel)
	b = appendU(append(b, opGlobalGet), w.fuel)
	return append(b, opI64Const, 0, opI64LtS, opEnd)
}
