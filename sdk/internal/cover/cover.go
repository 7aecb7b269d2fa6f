//go:build !wasip1

// Package cover records which rows of an adapter's tables its cases look up. Only tests turn it on; a WASM module has no part of it.
package cover

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Native is false in a WASM module.
const Native = true

// on is set while a test records.
var on atomic.Bool

var (
	mu     sync.Mutex
	tables []Table      // decline tables, in the order in which the program made them
	hits   map[any]rows // by the address of a table's first row
)

// rows are codes that were looked up.
type rows map[string]bool

// A Table is a table of codes, by the address of its first row.
type Table struct {
	At    any
	Codes []string
}

// On reports whether look-ups are recorded.
func On() bool { return on.Load() }

// Known adds a table to those of the program.
func Known(at any, codes []string) {
	mu.Lock()
	defer mu.Unlock()
	tables = append(tables, Table{at, codes})
}

// Hit records that a code of the table was looked up. all makes the codes of a table that Known does not know.
func Hit(at any, code string, all func() []string) {
	mu.Lock()
	defer mu.Unlock()
	if hits[at] == nil {
		hits[at] = rows{}
		if !slices.ContainsFunc(tables, func(t Table) bool { return t.At == at }) {
			tables = append(tables, Table{at, all()})
		}
	}
	hits[at][code] = true
}

// Start begins a recording. It reports false, and does nothing, while another one is under way.
func Start() bool {
	if !on.CompareAndSwap(false, true) {
		return false
	}
	mu.Lock()
	defer mu.Unlock()
	hits = map[any]rows{}
	return true
}

// Stop ends the recording. It returns the number of codes in the tables that were used, and those that were never looked up. If the program
// has one table, it counts even if it was not used.
func Stop() (all int, missed []string) {
	on.Store(false)
	mu.Lock()
	defer mu.Unlock()
	for _, t := range tables {
		used := hits[t.At]
		if used == nil && len(tables) > 1 {
			continue
		}
		all += len(t.Codes)
		for _, code := range t.Codes {
			if !used[code] {
				missed = append(missed, code)
			}
		}
	}
	return all, missed
}
