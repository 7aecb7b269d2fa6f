package storage

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// pgStatistics has the database count its rows while its tables are young. PostgreSQL keeps the plan of a prepared statement until it has new
// statistics. A plan from when a table was empty may read all rows of a merchant, and the database counts by itself only once a minute.
type pgStatistics struct {
	dial   *pgDialer
	log    *slog.Logger
	served atomic.Int64
	next   atomic.Int64
	under  sync.WaitGroup
}

const (
	statisticsFirst = 50
	statisticsGrow  = 5
	statisticsLast  = 200_000 // from here on the database's own rounds are enough
)

func newPGStatistics(dial *pgDialer, log *slog.Logger) *pgStatistics {
	s := &pgStatistics{dial: dial, log: log}
	s.next.Store(statisticsFirst)
	return s
}

// observe wraps an Options.Observer.
func (s *pgStatistics) observe(observer func(int, time.Duration)) func(int, time.Duration) {
	return func(n int, took time.Duration) {
		if observer != nil {
			observer(n, took)
		}
		served, next := s.served.Add(int64(n)), s.next.Load()
		if served >= next && next < statisticsLast && s.next.CompareAndSwap(next, next*statisticsGrow) {
			s.under.Go(s.count)
		}
	}
}

// count counts the rows of young tables. A failure costs speed only.
func (s *pgStatistics) count() {
	c := newPGConn(s.dial, dialect{})
	defer c.close()
	var young []string
	err := c.query(`SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.reltuples < $1 ORDER BY 1`, []any{statisticsLast}, func(row scanner) error {
		young = append(young, "")
		return row.Scan(&young[len(young)-1])
	})
	if err == nil {
		c.script("SET default_statistics_target = 10") // a tenth of the rows, and of the time; another database may not know the setting
	}
	for _, table := range young {
		if err == nil {
			err = c.script("ANALYZE " + table)
		}
	}
	if err != nil {
		s.log.LogAttrs(context.Background(), slog.LevelWarn, "the database did not count its rows", slog.Any("error", err))
	}
}

// close waits for a count under way.
func (s *pgStatistics) close() { s.under.Wait() }
