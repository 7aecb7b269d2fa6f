package storage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/storage/pgtest"
)

// A worker leaves few callers to two workers that are about to finish, and takes them in all other cases.
func TestWorkersHoldBack(t *testing.T) {
	now := time.Now().Add(time.Hour) // later than the test ends: the batches are young
	for name, c := range map[string]struct {
		others  []time.Time
		waiting int
		closed  bool
		alone   bool
		want    bool
	}{
		"two are busy":       {others: []time.Time{now, now}, waiting: 3, want: true},
		"no caller waits":    {others: []time.Time{now, now}},
		"many callers wait":  {others: []time.Time{now, now}, waiting: fullBatch},
		"one is busy":        {others: []time.Time{now, {}}, waiting: 3},
		"one of two is slow": {others: []time.Time{now, time.Now().Add(-2 * slowBatch)}, waiting: 3},
		"the writer closes":  {others: []time.Time{now, now}, waiting: 3, closed: true},
		"a database of one":  {others: []time.Time{now, now}, waiting: 3, alone: true},
	} {
		w := &worker{writer: &writer{queue: make([]*write, c.waiting), closed: c.closed}, several: !c.alone}
		w.all = append(w.all, w)
		for _, since := range c.others {
			w.all = append(w.all, &worker{writer: w.writer, since: since})
		}
		require.Equal(t, c.want, w.holdsBack(), name)
	}
}

// Two transactions that take long hold up no other caller.
func TestSlowBatchesHoldUpNobody(t *testing.T) {
	dsn := pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	var o Options
	o.Postgres.Connections = 12 // three write
	db, err := Open(t.Context(), dsn, o)
	require.NoError(t, err)
	release, ended := make(chan struct{}), make(chan error, 2)
	for range 2 {
		began := make(chan struct{})
		go func() {
			ended <- db.Update(t.Context(), func(engine.Tx) error {
				close(began)
				<-release
				return nil
			})
		}()
		<-began
	}
	require.NoError(t, db.Update(t.Context(), func(engine.Tx) error { return nil }))
	close(release)
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	require.NoError(t, db.Close())
}
