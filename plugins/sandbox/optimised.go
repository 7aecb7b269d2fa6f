package sandbox

import (
	"fmt"
	"runtime/debug"

	"payswitch/plugins/sandbox/optimise"
)

// rewriteOptimised optimises a module and instruments the result. Its errors do not mean that the module is refused.
func (m *parsed) rewriteOptimised(maxPages uint32) (*rewritten, error) {
	o, err := m.optimise()
	if err != nil {
		return nil, err
	}
	res, err := o.rewrite(maxPages)
	if err != nil {
		return nil, err
	}
	res.data, res.source = m.data, m.wasm
	return res, nil
}

// optimise returns the module with optimised function bodies. The module must have passed scanBodies.
func (m *parsed) optimise() (_ *parsed, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sandbox: the optimiser failed: %v\n%s", p, debug.Stack())
		}
	}()
	code := appendU(make([]byte, 0, len(m.wasm)), uint64(len(m.bodies)))
	var body []byte
	var f optimise.Function
	for i := range m.bodies {
		if body, err = m.optimiseBody(body[:0], i, &f); err != nil {
			return nil, err
		}
		code = append(appendU(code, uint64(len(body))), body...)
	}
	out := append(make([]byte, 0, len(m.wasm)), m.wasm[:8]...)
	for _, s := range m.sections {
		content := m.wasm[s.start:s.end]
		if s.id == secCode {
			content = code
		}
		out = append(appendU(append(out, s.id), uint64(len(content))), content...)
	}
	o, err := parse(out)
	if err != nil {
		return nil, err
	}
	o.optimised = true
	return o, nil
}

// optimiseBody appends the i-th function body with the edits that f finds.
func (m *parsed) optimiseBody(b []byte, i int, f *optimise.Function) ([]byte, error) {
	body := m.bodies[i]
	edits, scratch, err := m.edits(i, f)
	if err != nil || len(edits) == 0 {
		return append(b, m.wasm[body.start:body.end]...), err
	}
	from := body.start
	if scratch > 0 { // one more group of locals
		r := &reader{b: m.wasm, p: body.start, end: body.end}
		groups := r.count()
		declared := r.p
		for range groups {
			r.u32()
			r.byte()
		}
		from = r.p
		b = append(appendU(b, uint64(groups+1)), m.wasm[declared:from]...)
		b = append(appendU(b, uint64(scratch)), typeI32)
	}
	for _, e := range edits {
		b = append(append(b, m.wasm[from:e.At]...), e.Code...)
		from = e.End
	}
	return append(b, m.wasm[from:body.end]...), nil
}

// edits finds the edits of the i-th function body, and how many locals of type i32 they need.
func (m *parsed) edits(i int, f *optimise.Function) (edits []optimise.Edit, scratch int, err error) {
	r := &reader{b: m.wasm, p: m.bodies[i].start, end: m.bodies[i].end}
	locals := uint64(len(m.types[m.funcs[i]].params))
	for range r.vector() {
		locals += uint64(r.u32())
		r.byte()
	}
	if locals > maxLocals {
		return nil, 0, nil
	}
	f.Reset(uint32(locals), m.madeByGo(i))
	var in instruction
	for r.more() {
		r.next(&in)
		one := in.toOptimise(r.p)
		f.Next(&one)
	}
	if r.err != nil {
		return nil, 0, m.refusedIn(i, r.err)
	}
	if edits, scratch = f.Edits(); locals+uint64(scratch) > maxLocals {
		return nil, 0, nil
	}
	return edits, scratch, nil
}

// goProducer is the Go compiler's name in the custom section "producers". goVersions are the versions whose way of entering functions is
// known.
const goProducer = "Go cmd/compile"

var goVersions = []string{"go1.24", "go1.25", "go1.26"}

// goFunctionsFrom is the number of a Go module's first own function in return addresses.
const goFunctionsFrom = 0x1000

// goFunction is the type of the Go compiler's functions: they take the number of a block, and return whether the goroutine is suspended.
var goFunction = funcType{params: types(typeI32), results: types(typeI32)}

// madeByGo describes the i-th function body to the optimiser. It returns nil where it is not certain that the Go compiler made the body.
func (m *parsed) madeByGo(i int) *optimise.MadeByGo {
	if !m.goMade || m.types[m.funcs[i]] != goFunction {
		return nil
	}
	return &optimise.MadeByGo{Number: goFunctionsFrom + int64(i), Suspends: func(function uint32) bool {
		t, ok := m.function(function)
		return ok && t == goFunction // all others are the host's, or parts of the runtime that run to their end
	}}
}
