// Package litetest gives tests quick SQLite databases. They lie in memory if the machine has a file system for that, and each is a copy of a database
// that was migrated once.
//
// Tests of every room may import litetest; the program never does.
package litetest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/storage"
)

// needed is the free space in bytes that the memory file system must have.
const needed = 2 << 30

// Run runs the tests of a package from its TestMain, and returns the exit code. Folders of t.TempDir then lie in memory, if the machine has a file
// system for that with enough room: tests do not test the speed of a disk.
func Run(m *testing.M) int {
	if dir := inMemory(); dir != "" {
		dir, err := os.MkdirTemp(dir, "payswitch-test-")
		if err == nil {
			defer os.RemoveAll(dir)
			os.Setenv("TMPDIR", dir)
		}
	}
	flag.Set("test.parallel", strconv.Itoa(2*max(2, runtime.NumCPU()))) // most tests wait more than they work; a flag on the command line overrides this
	return m.Run()
}

// empty is the content of a database that has its tables and no rows.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "payswitch-empty-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "empty.db")
	if _, err := storage.Migrate(context.Background(), "sqlite:"+file); err != nil {
		return nil, fmt.Errorf("migrate the database of tests: %w", err)
	}
	return os.ReadFile(file)
})

// Begin puts an empty database with all its tables at file, unless a file is there.
func Begin(t testing.TB, file string) {
	t.Helper()
	if _, err := os.Stat(file); err == nil {
		return
	}
	content, err := empty()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, content, 0o600))
}
