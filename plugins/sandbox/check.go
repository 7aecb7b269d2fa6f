package sandbox

import "strings"

// wasiModule is the only module from which a guest may import.
const wasiModule = "wasi_snapshot_preview1"

// Exports of an adapter, and the prefix of the exports that the rewriter adds.
const (
	exportMemory     = "memory"
	exportAlloc      = "payswitch_alloc"
	exportManifest   = "payswitch_manifest"
	exportStep       = "payswitch_step"
	exportInitialize = "_initialize"

	reservedPrefix = "payswitch/sandbox/" // of the names the rewriter exports
)

// Caps on the size of a module's parts. Useful adapters stay far below them.
const (
	maxFunctions    = 100_000
	maxTypes        = 10_000
	maxGlobals      = 10_000
	maxExports      = 10_000
	maxTableEntries = 1 << 16 // in all tables, and again in all element segments: each instance has its own tables
	maxTables       = 16
	maxImports      = 1000
	maxSegments     = 100_000
	maxSections     = 1000
	maxTypeValues   = 1 << 16 // parameters and results of all types
	maxParams       = 128     // parameters, and results, of one function
	maxLocals       = 4096    // parameters and locals of one function
	maxLoopDepth    = 64
	maxUnchecked    = 64       // fuel that a function may cost and be entered without a check of the fuel that is left
	maxBlocks       = 16 << 10 // of one function
	maxPhis         = 4 << 20  // locals times blocks of one function: what the compiler's SSA form may grow to
	maxEffort       = 5e9      // sum of the squares of all functions' blocks
)

// The time wazero takes for a function grows with the square of its basic blocks, about 3 ns each. It grows with the cube when
// loops are nested in one another. The caps above hold one function to about a second and a module to about a quarter of
// a minute. That comes on top of the second that it takes for 3 MB of ordinary code.

// check refuses what the sandbox cannot run safely, except in function bodies, which scanBodies reads.
func (m *parsed) check(l Limits) error {
	switch {
	case len(m.bodies) > maxFunctions:
		return refused(-1, "%d functions, at most %d are allowed", len(m.bodies), maxFunctions)
	case len(m.types) > maxTypes:
		return refused(-1, "%d types, at most %d are allowed", len(m.types), maxTypes)
	case len(m.globals) > maxGlobals:
		return refused(-1, "%d globals, at most %d are allowed", len(m.globals), maxGlobals)
	case len(m.exports) > maxExports:
		return refused(-1, "%d exports, at most %d are allowed", len(m.exports), maxExports)
	case m.tables > maxTableEntries:
		return refused(-1, "tables of %d entries, at most %d are allowed", m.tables, maxTableEntries)
	case !m.hasMem:
		return refused(-1, "the module has no memory: declare one and export it as %q", exportMemory)
	case m.memMin > l.MemoryPages:
		return refused(-1, "memory of at least %d pages, at most %d are allowed", m.memMin, l.MemoryPages)
	}
	for i, t := range m.types {
		if len(t.params) > maxParams || len(t.results) > maxParams {
			return refused(-1, "type %d has %d parameters and %d results, at most %d are allowed", i, len(t.params), len(t.results), maxParams)
		}
	}
	for i, b := range m.bodies {
		if n := b.end - b.start; n > l.FunctionBytes {
			return m.refusedIn(i, refused(b.start, "body of %d bytes, at most %d are allowed", n, l.FunctionBytes))
		}
	}
	if err := m.checkImports(); err != nil {
		return err
	}
	return m.checkExports()
}

func (m *parsed) checkImports() error {
	for _, im := range m.imports {
		if im.module != wasiModule {
			return refused(im.at, "imports %q %q: only functions of %s may be imported", im.module, im.name, wasiModule)
		}
		stub, ok := wasiStubs[im.name]
		if !ok {
			return refused(im.at, "imports %q %q, which WASI preview 1 does not have", im.module, im.name)
		}
		if t := m.types[im.typ]; t.params != stub.params || t.results != stub.results {
			return refused(im.at, "imports %q %q with the wrong type", im.module, im.name)
		}
	}
	return nil
}

func (m *parsed) checkExports() error {
	for name := range m.exports {
		if strings.HasPrefix(name, reservedPrefix) {
			return refused(-1, "exports %q: names that start with %q are reserved", name, reservedPrefix)
		}
	}
	if e, ok := m.exports[exportMemory]; !ok || e.kind != 2 {
		return refused(-1, "the module does not export its memory as %q", exportMemory)
	}
	for _, want := range []struct {
		name            string
		params, results string
		optional        bool
	}{
		{name: exportAlloc, params: types(typeI32), results: types(typeI32)},
		{name: exportManifest, results: types(typeI64)},
		{name: exportStep, params: types(typeI32, typeI32), results: types(typeI64)},
		{name: exportInitialize, optional: true},
	} {
		e, ok := m.exports[want.name]
		if !ok && want.optional {
			continue
		}
		if !ok || e.kind != 0 {
			return refused(-1, "the module does not export the function %s", want.name)
		}
		if t, ok := m.function(e.index); !ok || t.params != want.params || t.results != want.results {
			return refused(-1, "the module exports %s with the wrong type", want.name)
		}
	}
	return nil
}

// types returns value types as funcType holds them.
func types(t ...byte) string { return string(t) }

// refusedIn adds a function to a refusal. i counts the functions that the module defines.
func (m *parsed) refusedIn(i int, err *RefusedError) *RefusedError {
	err.Function = len(m.imports) + i
	return err
}
