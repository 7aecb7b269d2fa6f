package plugins

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIsPublic(t *testing.T) {
	for _, s := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.0", "198.17.255.255", "2606:4700::1111", "2a00:1450::1"} {
		require.True(t, isPublic(netip.MustParseAddr(s)), s)
	}
	for _, s := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "192.0.0.8", "192.0.2.1",
		"192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
		"3fff::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "2606:4700::1111%eth0", "fec0::1", "ff02::1",
	} {
		require.False(t, isPublic(netip.MustParseAddr(s)), s)
	}
	require.False(t, isPublic(netip.Addr{}))
}

func TestIsLoopbackName(t *testing.T) {
	for _, s := range []string{"localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"} {
		require.True(t, isLoopbackName(s), s)
	}
	for _, s := range []string{"", "localhost.", "localhost.example", "0.0.0.0", "10.0.0.1", "::ffff:10.0.0.1", "127.1", "2130706433"} {
		require.False(t, isLoopbackName(s), s)
	}
}

func TestArchiveForgetsWhatNobodyUses(t *testing.T) {
	a, err := openArchive(t.TempDir(), time.Hour)
	require.NoError(t, err)
	hashes := map[string]string{}
	for _, name := range []string{"old", "old but loaded", "young", "asked for"} {
		hashes[name] = hashOf([]byte(name))
		require.NoError(t, a.keep(hashes[name], moduleOf([]byte(name)).read))
		require.NoError(t, a.keep(hashes[name], moduleOf([]byte("kept already")).read))
	}
	left := filepath.Join(a.dir, "new-123")
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	past := time.Now().Add(-2 * time.Hour)
	for _, path := range []string{a.path(hashes["old"]), a.path(hashes["old but loaded"]), a.path(hashes["asked for"]), left} {
		require.NoError(t, os.Chtimes(path, past, past))
	}
	wasm, err := a.read(hashes["asked for"])
	require.NoError(t, err)
	require.Equal(t, "asked for", string(wasm))
	require.NoError(t, a.prune(func(hash string) bool { return hash == hashes["old but loaded"] }))
	_, err = a.read(hashes["old"])
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, name := range []string{"old but loaded", "young", "asked for"} {
		_, err := a.read(hashes[name])
		require.NoError(t, err, name)
	}
	require.NoFileExists(t, left)
}
