package change

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPlacesInMemory: two calls confirm one payment at once, and one of them fails. The payment keeps its place. Otherwise a thief would confirm each payment
// twice, and have as many under way at a counter as he likes.
func TestPlacesInMemory(t *testing.T) {
	t.Parallel()
	var g guards
	now := time.Now()
	holds := func() []Hold { return []Hold{{Counter: "card", Threshold: 3}, {Counter: "ip", Threshold: 3}} }
	free := func() bool {
		other := []Hold{{Counter: "ip", Threshold: 3}}
		taken := g.take("another", other, now)
		g.giveBack(taken, other)
		require.Equal(t, taken == nil, other[0].Threshold == 2, "the place in memory counts against those in the store")
		return taken != nil
	}
	first, second := g.take("p", holds(), now), g.take("p", holds(), now)
	g.giveBack(second, holds())
	require.False(t, free(), "the first call goes on")
	g.giveBack(first, holds())
	require.True(t, free())

	first, second = g.take("p", holds(), now), g.take("p", holds(), now)
	g.giveBack(first, holds())
	require.False(t, free(), "the second call goes on")
	g.leave("p", []string{"card", "ip"})
	require.True(t, free(), "the payment has come to rest")

	third := g.take("p", holds(), now) // the next attempt
	g.giveBack(second, holds())        // a failure that comes late
	require.False(t, free())
	require.Len(t, third, 2)
	require.Nil(t, g.take("q", []Hold{{Counter: "a"}, {Counter: "ip"}}, now), "one place is not free")
	require.NotContains(t, g.places, "a")
	now = now.Add(GuardHeld)
	require.True(t, free(), "a place ends")
}
