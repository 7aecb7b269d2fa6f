package main

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPluginCompile makes an account while the switch runs: the switch compiles its adapter at once. Then it restarts the switch as after an upgrade:
// nothing is compiled. The switch compiles the adapter of its account before it is ready, so that no payment waits. With plugin compile before the start,
// the adapter is there at once.
func TestPluginCompile(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	env := func(cache string) []string {
		return append(testEnv(t, dir), "PAYSWITCH_PLUGINS__DIRECTORY="+t.TempDir(), "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+filepath.Join(dir, cache))
	}
	stop := func(p *process) {
		require.NoError(t, p.cmd.Process.Kill())
		p.exit()
	}
	healthy := func(p *process) bool { status, _ := p.text("/health"); return status == http.StatusOK }
	p := startProcess(t, env("before"), "serve")
	require.Eventually(t, func() bool { return healthy(p) }, 10*time.Second, 10*time.Millisecond)
	require.Zero(t, (&growth{running: p.running}).gauge("payswitch_adapter_instances"), "without an account there is nothing to compile")
	p.shop("shop")
	require.Eventually(t, func() bool { return (&growth{running: p.running}).gauge("payswitch_adapter_instances") > 0 }, 5*time.Minute, 50*time.Millisecond,
		"the adapter of a new account is compiled, although no payment came")
	stop(p)

	p = startProcess(t, env("after"), "serve")
	require.Eventually(t, func() bool { return healthy(p) }, time.Minute, 10*time.Millisecond)
	require.NotZero(t, (&growth{running: p.running}).gauge("payswitch_adapter_instances"), "the adapter is compiled before the first payment")
	stop(p)

	code, stdout, stderr := operate(t, env("after"), "plugin", "compile", "simulator")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `^simulator is ready \(`, stdout)
	code, _, stderr = operate(t, env("after"), "plugin", "compile", "simulater")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "prepare the adapter simulater: ")
	code, _, stderr = operate(t, env("missing"), "plugin", "compile")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "is missing, or belongs to another user")
}
