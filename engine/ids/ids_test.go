package ids

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Events sort by time, and those of one millisecond as a payment counts them.
func TestEventsSort(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000)
	var events []string
	for _, ms := range []time.Duration{0, 1} {
		for n := range 300 {
			events = append(events, NewEvent(at.Add(ms*time.Millisecond), n))
		}
	}
	require.True(t, slices.IsSorted(events))
	require.Less(t, FirstEvent(at), events[0])
	require.Less(t, events[299], FirstEvent(at.Add(time.Millisecond)))
	for _, id := range append(events, NewEvent(at, 1_000_000)) {
		require.Regexp(t, regexp.MustCompile(`^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`), id)
	}
	require.NotEqual(t, NewEvent(at, 1), NewEvent(at, 1))
}

// Made knows chosen ids from made ones, also where they are padded to the same length.
func TestMade(t *testing.T) {
	for _, id := range []string{New("pay_"), New("ref_") + "_1", New("relay_") + "_2_1", At("pay_", time.UnixMilli(1_800_000_000_000))} {
		require.True(t, Made(id), id)
	}
	for _, id := range []string{"", "1001", "1001_1", "pay_1001_1", "pay_00000000000000001001", "pay_zzzzzzzzzzzzzzzzzzzz", New(""), New("pay_") + "x", "pay_" + New("")[:19] + "-"} {
		require.False(t, Made(id), id)
	}
}
