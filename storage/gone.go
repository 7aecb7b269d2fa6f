package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"modernc.org/sqlite"

	"payswitch/engine/fault"
)

// This file notices that the files of an open SQLite database were moved, deleted or replaced. SQLite itself would go on with the files that it has
// open, and the next start would not find what was written meanwhile.

// openFiles are the files of an open database, as they were when it was opened.
type openFiles struct {
	names [3]string // the database, its write-ahead log, the index of the log
	was   [3]fs.FileInfo
	log   *slog.Logger
	gone  bool // what the last check found
}

// lookAtFiles remembers the files of the database that path leads to. SQLite keeps the log next to the file, not next to a symbolic link to it.
func lookAtFiles(path, file string, log *slog.Logger) (*openFiles, error) {
	o := &openFiles{names: [3]string{path, file + "-wal", file + "-shm"}, log: log}
	for i, name := range o.names {
		st, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
		o.was[i] = st
	}
	return o, nil
}

// check returns an ErrGone if one of the files is no longer there, and logs when that begins and ends. It needs 4 to 7 microseconds (BenchmarkFilesInPlace). The goroutine
// that writes calls it.
func (o *openFiles) check() error {
	if o == nil {
		return nil
	}
	err := o.look()
	if gone := err != nil; gone != o.gone {
		if o.gone = gone; gone {
			o.log.Error("the switch takes no payment", "error", err)
		} else {
			o.log.Info("the database is in its place again")
		}
	}
	return err
}

func (o *openFiles) look() error {
	for i, name := range o.names {
		now, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return errGone(name, "is missing")
		case err != nil:
			return errGone(name, "cannot be looked at: "+err.Error())
		case !os.SameFile(o.was[i], now):
			return errGone(name, "is another file")
		}
	}
	return nil
}

func errGone(file, how string) error {
	return fmt.Errorf("%w: %s %s. Somebody moved, deleted or replaced it while the switch runs, and the switch takes no write until the file is back: "+
		"put it back, and do not stop the switch before that; see When the database file is gone in OPERATIONS.md", fault.ErrGone, file, how)
}

// keepLog makes SQLite leave the write-ahead log alone when the connection is closed. SQLite would remove the file that now has the log's name, which
// may belong to another database.
func (c *liteConn) keepLog() error {
	_, err := c.conn.(sqlite.FileControl).FileControlPersistWAL("main", 1)
	return err
}
