package main

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/engine/compress"
)

// TestShrink: the file has every file that matches, in folders too, and no test. A pattern without a file is an error. Equal files give equal bytes.
func TestShrink(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{"a.go": {Data: []byte("package a")}, "a_test.go": {Data: []byte("package a")}, "b/c/d.txt": {Data: []byte("text")}, "e.md": {Data: []byte("# E")}}
	packed, err := shrink(folder, []string{"*.go", "b"})
	require.NoError(t, err)
	again, err := shrink(folder, []string{"*.go", "b"})
	require.NoError(t, err)
	require.Equal(t, packed, again)
	z, err := compress.Files(packed)
	require.NoError(t, err)
	found := map[string]string{}
	require.NoError(t, fs.WalkDir(z, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = fs.ReadFile(z, name)
			found[name] = string(text)
		}
		return err
	}))
	require.Equal(t, map[string]string{"a.go": "package a", "b/c/d.txt": "text"}, found)
	_, err = shrink(folder, []string{"*.json"})
	require.ErrorContains(t, err, "*.json")
}
