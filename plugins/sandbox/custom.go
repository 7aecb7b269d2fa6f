package sandbox

import (
	"bytes"
	"go/version"
	"slices"
	"strings"
	"unicode/utf8"
)

// withoutCustom returns the module without its custom sections. Validity does not depend on them, and wazero makes room for as many
// names as the name section claims.
func (m *parsed) withoutCustom() []byte {
	out := slices.Clone(m.wasm[:8])
	for _, s := range m.sections {
		if s.id != secCustom {
			out = append(appendU(append(out, s.id), uint64(s.end-s.start)), m.wasm[s.start:s.end]...)
		}
	}
	return out
}

// maxName is how many bytes of a function's name are kept.
const maxName = 256

// functionNames makes a name section of the functions' names alone. It returns nil if the custom section s is another section, or
// malformed: only traces use names.
func (m *parsed) functionNames(s section) []byte {
	const functions = 1 // subsection
	r := &reader{b: m.wasm, p: s.start, end: s.end}
	if r.name() != "name" {
		return nil
	}
	for r.more() {
		id := r.byte()
		body := r.take(r.u32())
		if id != functions || r.err != nil {
			continue
		}
		sub := &reader{b: m.wasm, p: r.p - len(body), end: r.p}
		var list []byte
		n, next := 0, uint32(0)
		for range sub.several(maxFunctions, "names") {
			index, name := sub.u32(), sub.take(sub.u32())
			if _, there := m.function(index); sub.err != nil || !there || index < next || !utf8.Valid(name) {
				return nil
			}
			if len(name) > maxName {
				name = bytes.ToValidUTF8(name[:maxName], nil) // the last character may be cut
			}
			list = append(appendU(appendU(list, uint64(index)), uint64(len(name))), name...)
			n, next = n+1, index+1
		}
		if sub.err != nil {
			return nil
		}
		list = append(appendU(nil, uint64(n)), list...)
		out := append([]byte{4}, "name"...)
		out = appendU(append(out, functions), uint64(len(list)))
		return append(out, list...)
	}
	return nil
}

// producedByGo reports whether the custom section "producers" (WebAssembly tool conventions) names a Go compiler of goVersions. Anybody can
// write that into a module: believe it of modules of this program alone.
func (m *parsed) producedByGo() bool {
	return slices.ContainsFunc(m.sections, func(s section) bool {
		r := &reader{b: m.wasm, p: s.start, end: s.end}
		return s.id == secCustom && r.name() == "producers" && r.namesGo()
	})
}

// namesGo reads the fields of a section "producers".
func (r *reader) namesGo() (found bool) {
	for range r.vector() {
		field := r.name()
		for range r.vector() {
			name, release := r.name(), r.name()
			release, _, _ = strings.Cut(release, " ") // experiments follow
			found = found || field == "processed-by" && name == goProducer && slices.Contains(goVersions, version.Lang(release))
		}
	}
	return found && r.err == nil
}
