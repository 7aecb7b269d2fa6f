package sandbox

// ration is how much fuel a guest has at a time. Guest code cannot be interrupted, and the garbage collector, for which everything stops, waits for
// it: so a guest is made to come back to the host whenever its ration is used up, which lets the collector have its turn, and is given the
// next one. The slowest code there is, loads that wait for each other and for main memory, takes 40 ns a unit: 16 ms a ration. To come back takes less than a microsecond.
const ration = 400_000

var refuelType = funcType{results: types(typeI32)}

// refuelFunction is the body of refuel(): it gives the next ration, and says whether there is no fuel left. memory.grow by nothing comes back to the
// host; so a guest needs no import for it, which would renumber its functions.
func (w *rewriter) refuelFunction(b []byte) []byte {
	const more = 0
	b = append(b, 1, 1, typeI64)
	b = append(b, opI32Const, 0, opMemoryGrow, 0, opDrop)
	take := func(b []byte) []byte { return appendU(append(b, opGlobalGet), w.rest) }
	b = appendS(append(b, opI64Const), ration) // what is missing to a ration, if there is as much
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
