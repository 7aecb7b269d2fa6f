package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// seenEvery is the interval at which a node notes how far its database has come.
const seenEvery = 10 * time.Second

// seenFile returns the file next to the database that notes how far the database has come, "" for a database that is no file. A database behind
// it is an older copy that was put in place by hand.
func (c Config) seenFile() string {
	if path, ok := strings.CutPrefix(c.Storage.DSN.Reveal(), "sqlite:"); ok {
		return path + ".seen"
	}
	return ""
}

// afterRestore notices a database that was restored from a copy, and prepares it. Call it before requests come in.
func (n *node) afterRestore(ctx context.Context) error {
	if file := n.config.seenFile(); file != "" {
		if err := n.noticeOlder(ctx, file); err != nil {
			return fmt.Errorf("compare the database with %s: %w", file, err)
		}
	}
	return n.engine.AfterRestore(ctx)
}

// noticeOlder notes a restore if the database is behind what the file says. It reads the file first: another node moves both on.
func (n *node) noticeOlder(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	seen, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return fmt.Errorf("it holds no number: remove the file if the database was not restored: %w", err)
	}
	now, err := n.db.Position(ctx)
	if err != nil || now >= seen {
		return err
	}
	at, err := n.db.LastChange(ctx)
	if err != nil {
		return err
	}
	n.log.Warn("the database is older than when a node last used it: it counts as restored", keyDatabase, shownDSN(n.config.Storage.DSN), "taken_at", at)
	if err := n.db.NoteRestored(ctx, at); err != nil {
		return err
	}
	return n.noteSeen(ctx, file)
}

// keepSeen notes how far the database has come until ctx ends. A failure is logged: it costs the notice of a copied file alone.
func (n *node) keepSeen(ctx context.Context) error {
	file := n.config.seenFile()
	if file == "" {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(seenEvery)
	defer tick.Stop()
	for {
		if err := n.noteSeen(ctx, file); err != nil && ctx.Err() == nil {
			n.log.Warn("payswitch could not note how far the database has come", keyFile, file, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// noteSeen writes the file whole or not at all.
func (n *node) noteSeen(ctx context.Context, file string) error {
	at, err := n.db.Position(ctx)
	if err != nil {
		return err
	}
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
