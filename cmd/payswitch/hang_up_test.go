package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHangUp: SIGHUP, which a closed terminal or a rotation of logs sends, does not end a switch that takes payments. The log says what to do instead.
func TestHangUp(t *testing.T) {
	t.Parallel()
	p := startProcess(t, testEnv(t, t.TempDir()), "serve")
	key := p.shop("shop")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	require.Equal(t, "succeeded", p.must(key, "/payments", cardPayment("after"))["status"])
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 0, p.exit(), p.stderr.String())
	require.Contains(t, p.stderr.String(), "SIGHUP changes nothing")
}
