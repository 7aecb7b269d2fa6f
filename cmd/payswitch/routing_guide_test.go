package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutingGuide runs the blocks of the guide.
func TestRoutingGuide(t *testing.T) { followGuide(t, "engine/routing/README.md") }

var updateTable = flag.Bool("update", false, "write the error table")

// TestErrorTable compares the built-in error table with the adapters' tables of decline codes. With -update it writes the table anew, and keeps
// the head and the section of the simulator.
func TestErrorTable(t *testing.T) {
	const file = root + "/engine/routing/errors.txt"
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, _ := strings.Cut(string(was), "@")
	_, simulator, found := strings.Cut(rest, "\n@simulator\n")
	require.True(t, found)
	tables, err := filepath.Glob(root + "/plugins/*/declines.txt")
	require.NoError(t, err)
	require.Len(t, tables, 12)
	var b strings.Builder
	b.WriteString(head)
	for _, table := range tables {
		text, err := os.ReadFile(table)
		require.NoError(t, err)
		b.WriteString("@" + filepath.Base(filepath.Dir(table)) + "\n")
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if doubt := len(words) > 1 && words[1] == "in_doubt"; len(words) > 0 && !doubt && !strings.HasPrefix(line, "#") { // no decline has a code in doubt
				b.WriteString(strings.Join(words, " ") + "\n")
			}
		}
	}
	b.WriteString("@simulator\n" + simulator)
	if *updateTable {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		return
	}
	require.Equal(t, b.String(), string(was), "run this test with -update")
}
