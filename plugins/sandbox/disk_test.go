package sandbox

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCacheDirectory(t *testing.T) {
	costlyAlone(t)
	dir := filepath.Join(t.TempDir(), "a", "cache")
	r := newRuntime(t, Options{CacheDir: dir})
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	m, err := r.Load(goWasm(t), workMessage)
	require.NoError(t, err)
	want := step(t, m, "m")

	// the next process: the verdict and the manifest are known, nothing is compiled for them
	r = newRuntime(t, Options{CacheDir: dir})
	m, err = r.Load(goWasm(t), workMessage)
	require.NoError(t, err)
	manifest, err := m.Manifest(context.Background())
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"guest"}`, string(manifest))
	require.False(t, m.Stats().Compiled)
	require.Equal(t, want, step(t, m, "m"))

	// under other limits nothing of it counts
	r = newRuntime(t, Options{CacheDir: dir, Limits: Limits{FunctionBytes: 100}})
	_, err = r.Load(goWasm(t), nil)
	require.Error(t, err)
}

func TestCacheDirectoryOfOthers(t *testing.T) {
	for _, mode := range []os.FileMode{0o770, 0o707, 0o777} {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, mode))
		_, err := New(context.Background(), Options{CacheDir: dir})
		require.ErrorContains(t, err, "written by others")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755)) // others may read
	inner := filepath.Join(dir, "wazero-something")
	require.NoError(t, os.Mkdir(inner, 0o700))
	newRuntime(t, Options{CacheDir: dir})
	require.NoError(t, os.Chmod(inner, 0o777))
	_, err := New(context.Background(), Options{CacheDir: dir})
	require.ErrorContains(t, err, "written by others")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = New(context.Background(), Options{CacheDir: file})
	require.Error(t, err)

	if os.Geteuid() == 0 {
		foreign := t.TempDir()
		require.NoError(t, os.Chown(foreign, 12345, -1))
		_, err = New(context.Background(), Options{CacheDir: foreign})
		require.ErrorContains(t, err, "another user")
	}
}

// TestDamagedCache: files that are cut off or changed are not believed, and a directory that cannot be written to is
// only slow.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	wasm := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	r := newRuntime(t, Options{CacheDir: dir})
	m, _ := compiled(t, r, wasm)
	for _, kind := range []string{"accepted", "manifest"} {
		path := r.disk.path(m.hash, kind)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, damaged := range [][]byte{nil, whole[:10], whole[:len(whole)-1], append(bytes.Clone(whole), 1)} {
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			_, ok := r.disk.read(m.hash, kind)
			require.False(t, ok)
		}
	}
	again, _ := compiled(t, newRuntime(t, Options{CacheDir: dir}), wasm)
	require.Equal(t, "", step(t, again, ""))

	var log bytes.Buffer
	r = newRuntime(t, Options{CacheDir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, os.RemoveAll(dir))
	m, err := r.Load(wasm, nil)
	require.NoError(t, err)
	require.Contains(t, log.String(), "cannot write to the cache directory")
	_ = m
}

func TestLimitsAreChecked(t *testing.T) {
	for _, l := range []Limits{{StepFuel: -1}, {MemoryPages: 1 << 16}, {MessageBytes: 2 << 30}} {
		_, err := New(context.Background(), Options{Limits: l})
		require.Error(t, err)
	}
}
