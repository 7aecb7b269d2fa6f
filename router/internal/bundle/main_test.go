package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBundle(t *testing.T) {
	src, out := t.TempDir(), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(src, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("greet.ts", "export const greet = (name: string): string => `grüß ${name}`\n")
	app := write("app.ts", "import { greet } from './greet'\ndocument.title = greet('shop')\n")
	module := write("hyper.mts", "import { greet } from './greet'\nexport const hyper: string = greet('page')\n")
	style := write("app.css", "/* why */ .row { color : #ff0000 }\n")
	old := filepath.Join(out, "old.js")
	require.NoError(t, os.WriteFile(old, []byte("1"), 0o600))
	readme := filepath.Join(out, "README.md")
	require.NoError(t, os.WriteFile(readme, []byte("what this is"), 0o600))

	require.NoError(t, bundle(out, []string{app, module, style}))
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		return string(b)
	}
	require.Contains(t, read("app.js"), "grüß")
	require.NotContains(t, read("app.js"), "import")
	require.Contains(t, read("hyper.mjs"), "export{")
	require.Equal(t, ".row{color:red}\n", read("app.css"))
	require.NoFileExists(t, old)
	require.FileExists(t, readme)

	first := read("app.js")
	require.NoError(t, bundle(out, []string{app, module, style}))
	require.Equal(t, first, read("app.js"), "the same sources give the same bytes")

	require.ErrorContains(t, bundle(out, []string{write("bad.ts", "const a = ;")}), "bad.ts:1:10")
	require.ErrorContains(t, bundle(out, []string{write("lost.ts", "import './nowhere'")}), "nowhere")
	require.ErrorContains(t, bundle(out, []string{"app.js"}), "an entry ends in .ts, .mts or .css")
}
