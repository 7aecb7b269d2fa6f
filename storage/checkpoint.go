package storage

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// logGuard limits the write-ahead log. SQLite itself copies the log into the database every wal_autocheckpoint pages. But it restarts the log
// only when no reader uses it, which steady reading may prevent forever. The guard holds the readers back for that moment. It also empties a
// log that is older than age. The log keeps data that was deleted from the database, such as the keys of CVCs. Where Litestream copies the
// log, the guard leaves it to Litestream, up to litestreamTimes the limit.
type logGuard struct {
	db      *DB
	conn    *liteConn
	limit   int64
	age     time.Duration
	emptied time.Time
	next    time.Time // time before which the guard does not try again
	look    time.Time // time from which the guard looks again whether Litestream copies the log
}

const (
	// guardWait is the longest time that the writer waits for views to end.
	guardWait = 50 * time.Millisecond
	// guardRest is the pause after a try, successful or not.
	guardRest = time.Second
	// guardBusy is the time to wait for readers in other processes.
	guardBusy = 100 * time.Millisecond
	// A log of litestreamTimes the limit shows that Litestream no longer empties it: Litestream has ended, and the disk would fill up.
	litestreamTimes = 16
)

func newLogGuard(db *DB, conn *liteConn, limit int64, age time.Duration) *logGuard {
	return &logGuard{db: db, conn: conn, limit: limit, age: age, emptied: time.Now()}
}

// check empties the log if its size or age is over the limit. The writer calls it between transactions.
func (g *logGuard) check() {
	size, now := g.size(), time.Now()
	if !now.Before(g.look) {
		g.look = now.Add(guardRest)
		g.conn.leavesLog()
	}
	if size <= g.limit && now.Sub(g.emptied) < g.age || size == 0 || now.Before(g.next) {
		return
	}
	g.next = now.Add(guardRest)
	if g.conn.files.check() != nil {
		return // an operator may be copying the files back
	}
	if g.conn.leavesLog() {
		if size <= litestreamTimes*g.limit {
			return
		}
		g.db.log.Warn("Litestream does not empty the write-ahead log, and payswitch does: see that Litestream runs, and try a restore", "bytes", size)
	}
	resume, ok := g.db.readers.pause(guardWait)
	if !ok {
		g.warn(size, "reads did not end in time")
		return
	}
	defer resume()
	if err := g.truncate(); err != nil {
		g.warn(size, err.Error())
		return
	}
	g.emptied = now
}

// truncate copies the whole log into the database and truncates the log file to zero bytes.
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
		return fmt.Errorf("another process reads the database: only %d of %d pages of the log were copied", copied, pages)
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

// warn logs a warning only once the log is so large that an operator must look.
func (g *logGuard) warn(size int64, why string) {
	level := slog.LevelDebug
	if size > 4*g.limit {
		level = slog.LevelWarn
	}
	g.db.log.Log(context.Background(), level, "the write-ahead log could not be emptied", "bytes", size, "reason", why)
}
