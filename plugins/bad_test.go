package plugins_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/plugins/testdata/acme"
	"payswitch/sdk"
)

func acmeNative(t testing.TB) *plugins.Native {
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"acme": &acme.Adapter}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	return n
}

// The host stops every bad adapter within its limits while payments through another adapter go on.
func TestBadAdaptersAreStopped(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	url, arrivals := server(t, ok)
	put(t, dir, "acme.wasm", acmeModule(t))
	put(t, dir, "bad.wasm", badModule(t))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	drive := func(mode string) (*result, time.Duration) {
		d := authorize("bad", url)
		d.Account.ID, d.Account.Config["mode"] = "mca_bad", mode
		start := time.Now()
		res, err := h.Drive(context.Background(), d)
		r := &result{err: err, mayHaveLeft: res.MayHaveLeft}
		if res.Outcome != nil {
			r.status = res.Outcome.Status
		}
		return r, time.Since(start)
	}
	good, _ := drive("") // compiles
	require.NoError(t, good.err)
	_, err := h.Drive(context.Background(), authorize("acme", p.URL))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(context.Background())
	var others sync.WaitGroup
	others.Go(func() {
		for ctx.Err() == nil {
			res, err := h.Drive(context.Background(), authorize("acme", p.URL))
			if err != nil || res.Outcome.Status != sdk.StatusAuthorized {
				t.Errorf("another payment failed: %v %+v", err, res.Outcome)
				return
			}
		}
	})
	defer others.Wait()
	defer stop()
	crash := []sandbox.TrapKind{sandbox.TrapExit, sandbox.TrapUnreachable}
	for _, c := range []struct {
		mode     string
		traps    []sandbox.TrapKind // one of them
		status   sdk.OutcomeStatus
		arrivals int64
	}{
		{"memory", crash, "", 0},
		{"loop", []sandbox.TrapKind{sandbox.TrapFuel}, "", 0},
		{"recursion", []sandbox.TrapKind{sandbox.TrapExit, sandbox.TrapFuel, sandbox.TrapStack}, "", 0},
		{"panic", crash, "", 0},
		{"nil", crash, "", 0},
		{"huge", []sandbox.TrapKind{sandbox.TrapOutput}, "", 0},
		{"outside", []sandbox.TrapKind{sandbox.TrapOutput}, "", 0},
		{"garbage", nil, "", 0},
		{"two_results", nil, "", 0},
		{"verify", nil, "", 0},
		{"sends", nil, sdk.StatusUnknown, 1},
		{"queries", nil, sdk.StatusUnknown, sdk.MaxSends},
		{"late_reject", nil, sdk.StatusUnknown, 1},
		{"late_trap", crash, "", 1},
	} {
		t.Run(c.mode, func(t *testing.T) {
			arrivals.Store(0)
			r, took := drive(c.mode)
			t.Logf("%v: %v", took, r.err)
			require.Equal(t, c.arrivals, arrivals.Load())
			require.Equal(t, c.arrivals > 0, r.mayHaveLeft)
			require.Less(t, took, 5*time.Second)
			if c.status != "" {
				require.NoError(t, r.err)
				require.Equal(t, c.status, r.status)
				return
			}
			require.Error(t, r.err)
			require.Empty(t, r.status)
			if trap, is := errors.AsType[*sandbox.TrapError](r.err); c.traps != nil {
				require.True(t, is)
				require.Contains(t, c.traps, trap.Kind)
			}
			again, _ := drive("")
			require.NoError(t, again.err, "the adapter still serves other payments")
		})
	}
}

type result struct {
	err         error
	status      sdk.OutcomeStatus
	mayHaveLeft bool
}
