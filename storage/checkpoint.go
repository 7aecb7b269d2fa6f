package storage

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// logGuard keeps the write-ahead log from growing without bound. SQLite copies the log into the database by itself every
// wal_autocheckpoint pages, but starts it over only when it finds no reader in it, which under steady reading may never happen.
// The guard holds the readers back for that moment. It also empties a log that is older than age, as the log keeps what was deleted from
// the database: the keys of a CVC, say.
type logGuard struct {
	db      *DB
	conn    *liteConn
	limit   int64
	age     time.Duration
	emptied time.Time
	next    time.Time // not before
}

const (
	// guardWait bounds how long the writer waits for views to end.
	guardWait = 50 * time.Millisecond
	// guardRest is how long to leave it after a try, whatever came of it.
	guardRest = time.Second
	// guardBusy is how long to wait for readers in other processes.
	guardBusy = 100 * time.Millisecond
)

func newLogGuard(db *DB, conn *liteConn, limit int64, age time.Duration) *logGuard {
	return &logGuard{db: db, conn: conn, limit: limit, age: age, emptied: time.Now()}
}

// check empties the log when it is over its limit, in size or age. The writer calls it between transactions.
func (g *logGuard) check() {
	size, now := g.size(), time.Now()
	if size <= g.limit && now.Sub(g.emptied) < g.age || size == 0 || now.Before(g.next) {
		return
	}
	g.next = now.Add(guardRest)
	resume, ok := g.db.readers.pause(guardWait)
	if !ok {
		g.warn(size, "views did not end in time")
		return
	}
	defer resume()
	if err := g.truncate(); err != nil {
		g.warn(size, err.Error())
		return
	}
	g.emptied = now
}

// truncate copies the whole log into the database and cuts the file to nothing.
func (g *logGuard) truncate() error {
	if err := g.conn.script(fmt.Sprintf("PRAGMA busy_timeout = %d", guardBusy.Milliseconds())); err != nil {
		return err
	}
	defer g.conn.script(fmt.Sprintf("PRAGMA busy_timeout = %d", g.db.busy.Milliseconds()))
	var busy, pages, copied int64
	if err := g.conn.query("PRAGMA wal_checkpoint(TRUNCATE)", nil, func(row scanner) error {
		return row.Scan(&busy, &pages, &copied)
	}); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("another process reads: %d of %d pages copied", copied, pages)
	}
	return nil
}

func (g *logGuard) size() int64 {
	st, err := os.Stat(g.db.path + "-wal")
	if err != nil {
		return 0
	}
	return st.Size()
}

// warn tells an operator only once the log is so large that something keeps it from shrinking.
func (g *logGuard) warn(size int64, why string) {
	level := slog.LevelDebug
	if size > 4*g.limit {
		level = slog.LevelWarn
	}
	g.db.log.Log(context.Background(), level, "write-ahead log not emptied", "bytes", size, "reason", why)
}
