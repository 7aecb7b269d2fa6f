package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"
)

// TestRelease signs the sums of two files, verifies them, and lets an attacker change all that can be changed.
func TestRelease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(in(name), []byte(text), 0o600))
	}
	sum := func(name string) string {
		return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("bytes of "+name)), name)
	}
	fresh := func() {
		t.Helper()
		for _, name := range []string{"payswitch.deb", "payswitch.rpm"} {
			write(name, "bytes of "+name)
		}
		write("SHA256SUMS", sum("payswitch.deb")+sum("payswitch.rpm")+sum("not-downloaded.tar.gz"))
	}
	for _, name := range []string{"release", "other"} {
		code, _, stderr := runProgram(t, nil, "plugin", "keygen", in(name))
		require.Equal(t, exitOK, code, stderr)
	}
	sign := func(key string) {
		t.Helper()
		code, stdout, stderr := runProgram(t, nil, "release", "sign", in("SHA256SUMS"), "--sign", in(key))
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, "signs the sums of 3 files")
	}
	verify := func(files ...string) (int, string, string) {
		return runProgram(t, nil, append([]string{"release", "verify", in("SHA256SUMS"), "--key", in("release.pub")}, files...)...)
	}
	fresh()
	sign("release.key")
	code, stdout, stderr := verify()
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, in("payswitch.deb")+" is genuine\n"+in("payswitch.rpm")+" is genuine\n", stdout)
	code, stdout, _ = verify(in("payswitch.rpm"))
	require.Equal(t, exitOK, code)
	require.NotContains(t, stdout, "deb")

	for name, attack := range map[string]struct {
		change func()
		files  []string
		says   string
	}{
		"another program":         {change: func() { write("payswitch.deb", "evil") }, says: "payswitch.deb differs from what was signed"},
		"other sums":              {change: func() { write("SHA256SUMS", strings.Replace(sum("payswitch.deb"), "a", "b", 1)) }, says: "was changed after it was signed"},
		"another key":             {change: func() { sign("other.key") }, says: "is signed by key"},
		"no signature":            {change: func() { require.NoError(t, os.Remove(in("SHA256SUMS.minisig"))) }, says: "SHA256SUMS.minisig is missing"},
		"a damaged signature":     {change: func() { write("SHA256SUMS.minisig", "untrusted comment: x\nRWQ\n") }, says: "no signature in minisign's format"},
		"a file that is unsigned": {change: func() { write("helper.sh", "evil") }, files: []string{"helper.sh"}, says: "helper.sh is not among the signed files"},
		"a missing file":          {change: func() {}, files: []string{"not-downloaded.tar.gz"}, says: "not-downloaded.tar.gz"},
		"nothing there": {change: func() {
			require.NoError(t, os.Remove(in("payswitch.deb")))
			require.NoError(t, os.Remove(in("payswitch.rpm")))
		}, says: "none of the 3 files"},
		"the signature of a bundle": {change: func() { // its author has the release's key, and its sums are those of evil files
			key, err := readSigningKey(in("release.key"), "")
			require.NoError(t, err)
			write("payswitch.deb", "evil")
			write("SHA256SUMS", fmt.Sprintf("%x  payswitch.deb\n", sha256.Sum256([]byte("evil"))))
			text, err := os.ReadFile(in("SHA256SUMS"))
			require.NoError(t, err)
			write("SHA256SUMS.minisig", string(minisign.SignWithComments(key, text, "payswitch bundle acme 0.1.0", "")))
		}, says: `is signed as "payswitch bundle acme 0.1.0"`},
	} {
		fresh()
		sign("release.key")
		attack.change()
		files := make([]string, len(attack.files))
		for i, f := range attack.files {
			files[i] = in(f)
		}
		code, _, stderr := verify(files...)
		require.Equal(t, exitFailed, code, name)
		require.Contains(t, stderr, attack.says, name)
	}

	for _, text := range []string{"", "x\n", sum("../payswitch.deb"), sum("payswitch.deb") + sum("payswitch.deb"), sum("payswitch.deb") + "\n" + sum("payswitch.rpm")} {
		write("SHA256SUMS", text)
		code, _, stderr := runProgram(t, nil, "release", "sign", in("SHA256SUMS"), "--sign", in("release.key"))
		require.Equal(t, exitFailed, code, text)
		require.Contains(t, stderr, "SHA256SUMS line", text)
	}
	code, _, _ = runProgram(t, nil, "release", "verify", in("SHA256SUMS"))
	require.Equal(t, exitUsage, code)
	code, _, _ = runProgram(t, nil, "release", "sign", in("SHA256SUMS"))
	require.Equal(t, exitUsage, code)
}
