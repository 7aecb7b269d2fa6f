package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine"
	"payswitch/engine/alarm"
	"payswitch/engine/port"
)

// seenEvery is the interval at which a node notes how far its database has come.
const seenEvery = 10 * time.Second

// seenFile returns the file that notes how far the database has come. It lies next to a SQLite database. For PostgreSQL it lies in
// the folder of compiled adapters, under the time at which the database was set up. A database behind the file is an older copy that was put in place by hand.
func (n *node) seenFile(ctx context.Context) (string, error) {
	if path, ok := strings.CutPrefix(n.config.Storage.DSN.Reveal(), "sqlite:"); ok {
		return path + ".seen", nil
	}
	made, err := n.db.MadeAt(ctx)
	return filepath.Join(n.config.cacheDirectory(), fmt.Sprintf("database-%d.seen", made.UnixMilli())), err
}

// afterRestore notices a database that was restored from a copy, and prepares it. Call it before requests come in.
func (n *node) afterRestore(ctx context.Context) (err error) {
	if n.seen, err = n.seenFile(ctx); err != nil {
		return err
	}
	if err := n.noticeOlder(ctx); err != nil {
		return fmt.Errorf("compare the database with %s: %w", n.seen, err)
	}
	return n.engine.AfterRestore(ctx)
}

// noticeOlder notes a restore if the database is behind what the file says, unless the restore is noted already: by a person, or by another node
// since the file was written. It reads the file first, because another node changes database and file meanwhile.
func (n *node) noticeOlder(ctx context.Context) error {
	seen, written, err := readSeen(n.seen)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now, err := n.db.Position(ctx)
	if err != nil || now >= seen {
		return err
	}
	known, err := n.restoreSince(ctx, written)
	if err != nil {
		return err
	}
	if !known {
		at, err := n.db.LastChange(ctx)
		if err != nil {
			return err
		}
		n.log.Warn("the database is older than when a node last used it: it counts as restored", keyDatabase, shownDSN(n.config.Storage.DSN), "taken_at", at)
		if err := n.db.NoteRestored(ctx, at); err != nil {
			return err
		}
	}
	return writeSeen(n.seen, now)
}

// restoreSince reports whether the database notes a restore that no node has prepared yet, or that one has prepared after a time.
func (n *node) restoreSince(ctx context.Context, since time.Time) (found bool, err error) {
	err = n.db.View(ctx, func(r engine.Reader) error {
		list, err := r.Restores()
		found = slices.ContainsFunc(list, func(r port.Restore) bool { return r.StartedAt.IsZero() || r.StartedAt.After(since) })
		return err
	})
	return found, err
}

// keepSeen notes how far the database has come until ctx ends. A failure is logged: it costs the notice of a copied file alone.
func (n *node) keepSeen(ctx context.Context) error {
	tick := time.NewTicker(seenEvery)
	defer tick.Stop()
	for {
		if err := n.noteSeen(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("payswitch could not note how far the database has come", keyFile, n.seen, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// noteSeen writes how far the database has come. A database that went back under the running node, such as a replica that lost the latest commits,
// raises an alarm. The file then stays, so that the next start notices it too.
func (n *node) noteSeen(ctx context.Context) error {
	seen, _, err := readSeen(n.seen) // before the position, because another node changes database and file meanwhile
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	at, err := n.db.Position(ctx)
	if err != nil {
		return err
	}
	if at < seen {
		n.metrics.Alarm(alarm.DatabaseBehind)
		n.log.Error("the database is older than this node has seen it: it has lost operations. Restart all nodes, so that they ask the processors",
			keyDatabase, shownDSN(n.config.Storage.DSN))
		return nil
	}
	return writeSeen(n.seen, at)
}

// readSeen returns the number in the file, and when it was written.
func readSeen(file string) (seen int64, written time.Time, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, written, err
	}
	st, err := os.Stat(file)
	if err != nil {
		return 0, written, err
	}
	if seen, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err != nil {
		return 0, written, fmt.Errorf("it holds no number: remove the file if the database was not restored: %w", err)
	}
	return seen, st.ModTime(), nil
}

// writeSeen writes the file whole or not at all.
func writeSeen(file string, at int64) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".seen-")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, at)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
