package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostileModule returns an adapter that the sandbox lets in, whose start function is body.
func hostileModule(body ...byte) []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	name := func(s string, kind, index byte) []byte {
		return append(append([]byte{byte(len(s))}, s...), kind, index)
	}
	code := func(b ...byte) []byte { return append([]byte{byte(len(b) + 2), 0}, append(b, 0x0b)...) }
	return bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 4, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7e, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 0),
		section(3, 4, 0, 1, 2, 3), section(5, 1, 0, 1),
		section(7, bytes.Join([][]byte{{4}, name("memory", 2, 0), name("payswitch_alloc", 0, 0), name("payswitch_manifest", 0, 1), name("payswitch_step", 0, 2)}, nil)...),
		section(8, 3),
		section(10, bytes.Join([][]byte{{4}, code(0x41, 0), code(0x42, 0), code(0x42, 0), code(body...)}, nil)...)}, nil)
}

// TestPluginCommandsCompileApart: a module that does not come to an end before its first step is given up in another process, and the
// command says why.
func TestPluginCommandsCompileApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hostile.wasm")
	require.NoError(t, os.WriteFile(path, hostileModule(0x03, 0x40, 0x0c, 0, 0x0b), 0o600))
	for _, args := range [][]string{{"plugin", "inspect", path}, {"plugin", "check", path}, {"plugin", "bundle", path}} {
		code, stdout, stderr := runProgram(t, nil, args...)
		require.Equal(t, exitFailed, code, "%v: %s", args, stderr)
		require.Contains(t, stdout+stderr, "guest trapped (fuel)", "%v", args)
	}
	_, _, stderr := runProgram(t, nil, "plugin", "call", "--cache", "", "--plugin", path)
	require.Contains(t, stderr, "guest trapped (fuel)")
}
