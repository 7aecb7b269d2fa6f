package main

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A probe runs once for all callers, and a check that hangs fails its callers without piling up.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p probe
		runs := 0
		full := errors.New("disk full")
		check := func() error { runs++; return full }
		for range 10 {
			require.ErrorIs(t, p.run(check), full)
		}
		require.Equal(t, 1, runs)
		time.Sleep(probeEvery)
		require.NoError(t, p.run(func() error { return nil }))
		time.Sleep(probeEvery)

		hangs, slow := make(chan struct{}), 0
		for range 3 {
			require.ErrorIs(t, p.run(func() error { slow++; <-hangs; return nil }), errProbeSlow)
		}
		require.Equal(t, 1, slow)
		close(hangs)
		synctest.Wait()
		require.NoError(t, p.run(check))
	})
}
