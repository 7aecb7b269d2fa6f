package sandbox

// scratch numbers the locals a function gets for its instrumentation.
type scratch struct {
	addr   uint64
	value  [4]uint64 // by storeLocal
	source uint64
	length uint64
}

// function appends the instrumented body of the function that w.scan has just read.
func (w *rewriter) function(b []byte, i int) []byte {
	s, wasm := w.scan, w.m.wasm
	locals, b := w.locals(b)
	frame := int64(0)
	if s.stops {
		b = append(b, opBlock, typeEmpty)
	}
	if s.calls {
		frame = s.values + int64(s.locals) + 16
		b = w.enter(b, frame)
	}
	first := s.marks[0]
	switch t := w.m.types[w.m.funcs[i]]; {
	case first.kind == markCheck && len(t.params)+len(t.results) <= maxRetried:
		b = w.checkEntry(b, i, frame)
		b = w.charge(b, first.cost)
	case first.kind == markCheck:
		b = w.charge(b, first.cost)
		b = w.checkFuel(b, 0)
	case first.cost > 0:
		b = w.charge(b, first.cost)
	}
	if s.stops {
		b = append(b, opBlock)
		b = append(b, w.blockType(w.m.types[w.m.funcs[i]].results)...)
	}
	from := first.at
	for _, k := range s.marks[1:] {
		b = append(b, wasm[from:k.at]...)
		from = k.at
		switch k.kind {
		case markCheck:
			if k.retry {
				b = w.checkLoop(b, k.depth)
				b = w.charge(b, k.cost)
			} else {
				b = w.charge(b, k.cost)
				b = w.checkFuel(b, k.depth)
			}
		case markCharge:
			if k.cost > 0 {
				b = w.charge(b, k.cost)
			}
		case markStore:
			b = w.store(b, k, locals)
			from = k.end
		case markBulk:
			b = w.bulk(b, k, locals)
			from = k.end
		case markGrow:
			b = w.grow(b, k, locals)
			from = k.end
		case markSize:
			b = append(b, wasm[k.at:k.end]...)
			b = append(appendS(append(b, opI32Const), int64(w.ledgerPages)), opI32Sub)
			from = k.end
		case markReturn:
			if s.calls { // to the end, where the frame is taken off the stack's count
				b = appendU(append(b, opBr), uint64(k.depth-1))
				from++
			}
		}
	}
	b = append(b, wasm[from:s.end]...)
	if s.stops {
		b = append(b, opEnd)
		if s.calls {
			b = w.leave(b, frame)
		}
		b = append(b, opReturn, opEnd, opUnreachable)
	}
	return append(b, opEnd)
}

// locals appends the function's local declarations with the scratch locals it needs.
func (w *rewriter) locals(b []byte) (scratch, []byte) {
	s := w.scan
	var l scratch
	next := s.locals
	groups := s.groups
	var added []byte
	add := func(typ byte) uint64 {
		groups++
		added = append(added, 1, typ)
		next++
		return next - 1
	}
	if s.addr {
		l.addr = add(typeI32)
	}
	for k, typ := range [...]byte{typeI32, typeI64, typeF32, typeF64} {
		if s.stores[k] {
			l.value[k] = add(typ)
		}
	}
	if s.bulk {
		l.source, l.length = add(typeI32), add(typeI32)
	}
	b = appendU(b, uint64(groups))
	b = append(b, w.m.wasm[s.declStart:s.declEnd]...)
	return l, append(b, added...)
}

// charge takes cost from the fuel.
func (w *rewriter) charge(b []byte, cost int64) []byte {
	b = appendU(append(b, opGlobalGet), w.fuel)
	b = appendS(append(b, opI64Const), max(cost, 1))
	b = append(b, opI64Sub)
	return appendU(append(b, opGlobalSet), w.fuel)
}

// checkFuel asks for more fuel if the fuel is used up. If the host gives no more, it branches to the end of the function, depth blocks further
// out, where the guest is stopped.
func (w *rewriter) checkFuel(b []byte, depth uint32) []byte {
	return append(w.refuelIfEmpty(b, depth), opEnd)
}

// maxRetried is how many parameters and results a function may have whose entry starts anew after a check. Each would make the check
// larger.
const maxRetried = 8

// checkLoop asks for more fuel at a loop's header if the fuel is used up, and starts the loop anew. So the code behind has one way in, and the
// compiler knows there that no call has changed the memory's size and the globals. checkLoop must stand in front of the charge: otherwise the loop's
// new start would charge a second time.
func (w *rewriter) checkLoop(b []byte, depth uint32) []byte {
	b = w.refuelIfEmpty(b, depth)
	return append(b, opBr, 1, opEnd)
}

// checkEntry does the same at a function's entry: the function calls itself.
func (w *rewriter) checkEntry(b []byte, i int, frame int64) []byte {
	b = w.refuelIfEmpty(b, 0)
	for p := range w.m.types[w.m.funcs[i]].params {
		b = appendU(append(b, opLocalGet), uint64(p))
	}
	b = appendU(append(b, opCall), uint64(len(w.m.imports)+i))
	if w.scan.calls {
		b = w.leave(b, frame)
	}
	return append(b, opReturn, opEnd)
}

// refuelIfEmpty opens an if, for the code that runs after a successful refuelling.
func (w *rewriter) refuelIfEmpty(b []byte, depth uint32) []byte {
	b = appendU(append(b, opGlobalGet), w.fuel)
	b = appendU(append(b, opI64Const, 0, opI64LtS, opIf, typeEmpty, opCall), w.refuel)
	return appendU(append(b, opBrIf), uint64(depth)+1)
}

// enter adds a frame to the depth of the stack, and stops the guest if the stack is too deep.
func (w *rewriter) enter(b []byte, frame int64) []byte {
	b = appendU(append(b, opGlobalGet), w.depth)
	b = appendS(append(b, opI32Const), frame)
	b = append(b, opI32Sub)
	b = appendU(append(b, opGlobalSet), w.depth)
	b = appendU(append(b, opGlobalGet), w.depth)
	return append(b, opI32Const, 0, opI32LtS, opBrIf, 0)
}

func (w *rewriter) leave(b []byte, frame int64) []byte {
	b = appendU(append(b, opGlobalGet), w.depth)
	b = appendS(append(b, opI32Const), frame)
	b = append(b, opI32Add)
	return appendU(append(b, opGlobalSet), w.depth)
}

// store adds the note to a store. The note comes after the store, so that a store into the ledger cannot undo its own note. The note is
// for the address plus the static offset rounded down to reach, so that it can stand for other stores as well (optimise.Notes). Stack
// before: address, value.
func (w *rewriter) store(b []byte, k mark, l scratch) []byte {
	value := l.value[storeLocal(k.op)]
	b = appendU(append(b, opLocalSet), value)
	b = appendU(append(b, opLocalTee), l.addr)
	b = appendU(append(b, opLocalGet), value)
	b = append(b, w.m.wasm[k.at:k.end]...)

	b = appendU(append(b, opGlobalGet), w.ledger)
	b = appendU(append(b, opLocalGet), l.addr)
	if anchor := k.offset &^ (reach - 1); anchor != 0 {
		b = appendS(append(b, opI32Const), int64(int32(anchor)))
		b = append(b, opI32Add)
	}
	b = append(b, opI32Const, granuleBits, opI32ShrU, opI32Add, opI32Const, 1)
	return appendU(append(b, opI32Store8, 0), ledgerSlack)
}

// bulk charges a memory.copy or memory.fill by its length and notes the granules that it wrote to. Stack before: destination, source or
// value, length.
func (w *rewriter) bulk(b []byte, k mark, l scratch) []byte {
	b = appendU(append(b, opLocalSet), l.length)
	b = appendU(append(b, opLocalSet), l.source)
	b = appendU(append(b, opLocalSet), l.addr)

	b = appendU(append(b, opGlobalGet), w.fuel)
	b = appendU(append(b, opLocalGet), l.length)
	b = append(b, opI64ExtendI32, opI64Const, bulkShift, opI64ShrU, opI64Sub)
	b = appendU(append(b, opGlobalSet), w.fuel)
	b = w.checkFuel(b, k.depth)

	b = appendU(append(b, opLocalGet), l.addr)
	b = appendU(append(b, opLocalGet), l.source)
	b = appendU(append(b, opLocalGet), l.length)
	b = append(b, w.m.wasm[k.at:k.end]...)
	b = appendU(append(b, opLocalGet), l.addr)
	b = appendU(append(b, opLocalGet), l.length)
	return appendU(append(b, opCall), w.note)
}

// grow charges a memory.grow by the growth beyond freePages. A request for more than the largest memory fails and costs nothing. Stack
// before: pages; after: the result of memory.grow.
func (w *rewriter) grow(b []byte, k mark, l scratch) []byte {
	b = appendU(append(b, opLocalSet), l.addr)
	limit := func(b []byte, pages uint32) []byte { // leaves 1 if the grown memory has more than so many pages
		b = append(b, opMemorySize, 0, opI64ExtendI32)
		b = appendU(append(b, opLocalGet), l.addr)
		b = append(b, opI64ExtendI32, opI64Add)
		return append(appendS(append(b, opI64Const), int64(pages+w.ledgerPages)), opI64GtU)
	}
	b = appendU(append(b, opGlobalGet), w.fuel)
	b = appendU(append(b, opLocalGet), l.addr)
	b = append(b, opI64ExtendI32, opI64Const, 0)
	b = appendS(append(b, opI64Const), pageCost)
	b = append(b, opI64Const, 0)
	b = append(limit(b, freePages), opSelect)
	b = append(limit(b, w.maxPages), opSelect)
	b = append(b, opI64Mul, opI64Sub)
	b = appendU(append(b, opGlobalSet), w.fuel)
	b = w.checkFuel(b, k.depth)
	b = appendU(append(b, opLocalGet), l.addr)
	return appendU(append(b, opCall), w.enlarge)
}
