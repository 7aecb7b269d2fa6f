package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCompilerThatLeavesAProcess: a process that a compiler started keeps the compiler's output open. The caller does not wait for that process.
func TestCompilerThatLeavesAProcess(t *testing.T) {
	costlyAlone(t)
	wasm := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	for commands, want := range map[string]string{"sleep 30 & exit 3": "exit status 3", "sleep 30 & wait": "longer than 3s"} {
		r := newRuntime(t, Options{Compiler: []string{"/bin/sh", "-c", commands}, Limits: Limits{CompileTime: 3 * time.Second}})
		m, err := r.Load(wasm, nil)
		require.NoError(t, err)
		began := time.Now()
		_, err = m.Manifest(context.Background())
		require.ErrorContains(t, err, want)
		require.Less(t, time.Since(began), 15*time.Second, commands)
	}
}

// TestWhatKilledProcessesLeft: directories and files of processes that were killed go with the next start; those of processes that run stay.
func TestWhatKilledProcessesLeft(t *testing.T) {
	temp, cache := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	past := time.Now().Add(-2 * time.Hour)
	left := []string{filepath.Join(temp, scratchDirs+"1"), filepath.Join(cache, scratchPrefix+"1")}
	for _, dir := range left {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "wazero-1"), 0o700))
		require.NoError(t, os.Chtimes(dir, past, past))
	}
	written := filepath.Join(cache, "1"+tmpSuffix)
	require.NoError(t, os.WriteFile(written, nil, 0o600))
	require.NoError(t, os.Chtimes(written, past, past))
	fresh := filepath.Join(temp, scratchDirs+"2")
	require.NoError(t, os.Mkdir(fresh, 0o700))
	link := filepath.Join(temp, scratchDirs+"3")
	require.NoError(t, os.Symlink(cache, link))
	running := newRuntime(t, Options{Compiler: itself()}).scratch.path
	require.NoError(t, os.Chtimes(running, past, past))

	newRuntime(t, Options{Compiler: itself()})
	newRuntime(t, Options{CacheDir: cache})
	for _, path := range append(left, written) {
		require.NoFileExists(t, path)
		require.NoDirExists(t, path)
	}
	require.DirExists(t, fresh)
	require.DirExists(t, cache)
	require.DirExists(t, running)
}
