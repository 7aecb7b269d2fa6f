package plugins

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
)

// The adaptive limit falls with a processor in trouble, and rises again where callers use all of it.
func TestLimitFollowsTheProcessor(t *testing.T) {
	var lowered [][2]int
	l := newLimiter(0, time.Second, func(_ string, from, to int) { lowered = append(lowered, [2]int{from, to}) })
	round := func(inUse int, troubled int) int {
		turns := make([]turn, inUse)
		for i := range turns {
			var err error
			turns[i], err = l.acquire(t.Context(), "a")
			require.NoError(t, err)
		}
		for i, held := range turns {
			l.release(held, true, i < troubled)
		}
		if l.lanes["a"] == nil {
			return firstLimit
		}
		return l.lanes["a"].limit
	}
	require.Equal(t, firstLimit, round(100, 2), "one failure in ten is no trouble, and there is room")
	require.Equal(t, firstLimit+limitStep, round(firstLimit, 0), "one step a round, however many end in it")
	require.Equal(t, (firstLimit+limitStep)/2, round(100, 100), "one trouble halves it once")
	require.Equal(t, [][2]int{{520, 260}}, lowered)
	for range 20 {
		round(4, 4)
		round(20-16, 4)
	}
	require.Equal(t, lowestLimit, l.lanes["a"].limit)
	require.Equal(t, lowestLimit+limitStep, round(lowestLimit, 0))
	require.Equal(t, lowestLimit+2*limitStep, round(lowestLimit+limitStep, 0))
	require.Nil(t, l.lanes["b"])
	other, err := l.acquire(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, firstLimit, l.lanes["b"].limit, "another account has its own")
	l.release(other, false, false)
	require.Nil(t, l.lanes["b"], "an account that taught nothing is forgotten")
}

// Turns are handed over in order of arrival, and a caller that gives up leaves no gap.
func TestTurnsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1, time.Minute, nil)
		first, err := l.acquire(t.Context(), "a")
		require.NoError(t, err)
		order := make(chan int, 3)
		gone, leave := context.WithCancel(t.Context())
		for i := range 3 {
			ctx := t.Context()
			if i == 1 {
				ctx = gone
			}
			go func() {
				held, err := l.acquire(ctx, "a")
				if err != nil {
					order <- -i
					return
				}
				order <- i
				l.release(held, true, false)
			}()
			synctest.Wait()
		}
		leave()
		require.Equal(t, -1, <-order)
		l.release(first, true, false)
		require.Equal(t, 0, <-order)
		require.Equal(t, 2, <-order)
		synctest.Wait()
		require.Empty(t, l.lanes)

		first, err = l.acquire(t.Context(), "a")
		require.NoError(t, err)
		began := time.Now()
		_, err = l.acquire(t.Context(), "a")
		require.ErrorIs(t, err, fault.ErrBusy)
		require.Equal(t, time.Minute, time.Since(began))
		l.release(first, true, false)
	})
}
