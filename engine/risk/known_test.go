package risk

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
)

// shelf is a store with the list of one merchant.
type shelf struct {
	Store
	data    []string
	added   []string // since a time that is not zero
	version int64
	whole   int // reads of the whole list
	parts   int // reads of the added entries
	slow    time.Duration
}

type shelfReader struct {
	Reader
	*shelf
}

func (s *shelf) View(_ context.Context, f func(Reader) error) error {
	err := f(shelfReader{shelf: s})
	time.Sleep(s.slow)
	return err
}

func (r shelfReader) Now() time.Time                     { return time.Now() }
func (r shelfReader) BlockVersion(string) (int64, error) { return r.version, nil }

func (r shelfReader) BlockedSince(_ string, since time.Time, limit int) ([]string, error) {
	list := r.data
	if !since.IsZero() {
		r.parts++
		return r.added, nil
	}
	r.whole++
	return list[:min(len(list), limit)], nil
}

var _ port.StoreOf[Reader, Tx] = (*shelf)(nil)

func newShelf(n int) (*Risk, *shelf) {
	s := &shelf{version: 1}
	for i := range n {
		s.data = append(s.data, fmt.Sprint(i))
	}
	return &Risk{Deps: Deps{Store: s}}, s
}

// TestKnownLists: a node reads of a long list what was added alone. The store decides about a list that is too long for memory, and while another payment
// reads the list.
func TestKnownLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // its clock stands while the test works
		has := func(r *Risk, data string) bool { return r.mayHave(t.Context(), "m1", [3]string{data, "x", "y"}) }

		r, s := newShelf(knownSmall + 1)
		require.True(t, has(r, "0"))
		require.False(t, has(r, "new"))
		s.added, s.version = []string{"new"}, 2
		require.False(t, has(r, "new"), "within knownFor")
		r.known.changed()
		require.True(t, has(r, "new"))
		require.True(t, has(r, "0"), "the others are still known")
		require.Equal(t, []int{1, 1}, []int{s.whole, s.parts})
		r.known.changed()
		require.False(t, has(r, "other"))
		require.Equal(t, []int{1, 1}, []int{s.whole, s.parts}, "the list has not changed")

		l := r.known.list("m1")
		r.known.changed()
		l.reading.Lock()
		require.True(t, has(r, "other"), "another payment reads the list: the store decides")
		l.reading.Unlock()

		r, s = newShelf(knownMost)
		require.False(t, has(r, "other"))
		s.added, s.version = []string{"new"}, 2
		r.known.changed()
		require.True(t, has(r, "other"), "one entry more than memory is for: the store decides")
		require.Zero(t, r.known.entries)
	})
}

// TestSlowReadOfAList: what a payment has read itself counts for the payment, also if the reading took longer than knownFor. Otherwise a busy machine would ask
// the store about each payment.
func TestSlowReadOfAList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s := newShelf(1)
		s.slow = 2 * knownFor
		require.False(t, r.mayHave(t.Context(), "m1", [3]string{"other", "x", "y"}))
		require.True(t, r.mayHave(t.Context(), "m1", [3]string{"0", "x", "y"}))
		s.data, s.version = []string{"other"}, 2
		require.True(t, r.mayHave(t.Context(), "m1", [3]string{"other", "x", "y"}), "the next payment reads again")
	})
}

// TestKnownListsOfManyMerchants: a node forgets lists of other merchants when all together are too long.
func TestKnownListsOfManyMerchants(t *testing.T) {
	t.Parallel()
	r, _ := newShelf(knownMost)
	for i := range knownAll/knownMost + 2 {
		require.False(t, r.mayHave(t.Context(), fmt.Sprint("m", i), [3]string{"other", "x", "y"}))
		require.LessOrEqual(t, r.known.entries, knownAll)
	}
	require.Len(t, r.known.lists, knownAll/knownMost)
}
