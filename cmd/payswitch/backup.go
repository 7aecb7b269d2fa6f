package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"payswitch/engine"
	"payswitch/engine/restore"
	"payswitch/engine/vault"
	"payswitch/storage"
)

func backupCommands() []command {
	return []command{
		{"backup verify", "check a back-up: digest, damage, schema, signatures of rows", (*program).backupVerify},
		{"backup restore", "put a back-up in the place of the database, while no node runs", (*program).backupRestore},
		{"backup noted", "note a back-up that was taken by other means, such as pg_basebackup or Litestream", (*program).backupNoted},
		{"backup restored", "note that the database was restored by other means", (*program).backupRestored},
		{"backup strays", "list processors' messages about payments that a restore has lost", (*program).backupStrays},
		{"backup", "write a back-up of the database to a new file, while nodes run or not", (*program).backup},
	}
}

// oneFile parses a command line with the name of one file.
func (p *program) oneFile(name string, args []string) (string, Config, error) {
	f := p.flags(name + " FILE")
	given, c, err := p.operandsAndConfig(f, args, 1)
	if err == nil && len(given) == 0 {
		err = usageError{name + " needs the name of a file"}
	}
	if err != nil {
		return "", c, err
	}
	return given[0], c, nil
}

func (p *program) backup(ctx context.Context, args []string) error {
	file, c, err := p.oneFile("backup", args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	done, err := storage.Copy(ctx, c.Storage.DSN.Reveal(), file)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: %d bytes in %v, as of %s\n", file, done.Bytes, done.Took.Round(time.Millisecond), done.TakenAt.UTC().Format(time.RFC3339))
	p.noteBackup(ctx, c, storage.Backup{TakenAt: done.TakenAt, Place: file})
	fmt.Fprintf(p.stdout, "Its digest is in %s.sha256: keep the two together.\n", file)
	fmt.Fprintln(p.stdout, "The master key is not in it, and nothing opens it without that key: keep both, in different places.")
	fmt.Fprintf(p.stdout, "Check it with `payswitch backup verify %s`.\n", file)
	return nil
}

// backupVerify checks a copy. It checks the signatures of the rows if the configuration has the master key.
func (p *program) backupVerify(ctx context.Context, args []string) error {
	file, c, err := p.oneFile("backup verify", args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	x, err := p.verify(ctx, file, c)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, t := range x.Tables {
		fmt.Fprintf(w, "%s\t%d\n", t.Table, t.Rows)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "newest payment: %s\n", shownTime(x.Newest))
	fmt.Fprintf(p.stdout, "%s is good\n", file)
	if path, ok := strings.CutPrefix(c.Storage.DSN.Reveal(), "sqlite:"); !x.TakenAt.IsZero() && ok && exists(path) {
		p.noteBackup(ctx, c, storage.Backup{TakenAt: x.TakenAt, VerifiedAt: time.Now(), Place: file})
	}
	return nil
}

// noteBackup notes a back-up in the database, for `payswitch doctor` and the alert. A failure to note it is only a warning: the back-up itself is
// good.
func (p *program) noteBackup(ctx context.Context, c Config, b storage.Backup) {
	if err := storage.NoteBackup(ctx, c.Storage.DSN.Reveal(), b); err != nil {
		fmt.Fprintf(p.stderr, "the back-up was not noted in the database, so that payswitch doctor does not know of it: %v\n", err)
	}
}

// backupNoted notes a back-up that payswitch did not take.
func (p *program) backupNoted(ctx context.Context, args []string) error {
	f := p.flags("backup noted")
	taken := f.String("taken", "", "the `time` that the back-up was taken at, as 2026-05-03T14:02:00Z; without it now")
	place := f.String("place", "", "where it is, in `words`, for people who look for it")
	verified := f.Bool("verified", false, "it was restored to another place and read: it is good")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	b := storage.Backup{TakenAt: time.Now(), Place: *place}
	if *taken != "" {
		if b.TakenAt, err = time.Parse(time.RFC3339, *taken); err != nil || b.TakenAt.After(time.Now()) {
			return usageError{"--taken must be a time with its zone that is not in the future, as 2026-05-03T14:02:00Z"}
		}
	}
	if *verified {
		b.VerifiedAt = time.Now()
	}
	if err := storage.NoteBackup(ctx, c.Storage.DSN.Reveal(), b); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "noted: a back-up of", shownTime(b.TakenAt))
	return nil
}

func (p *program) verify(ctx context.Context, file string, c Config) (storage.Examined, error) {
	x, err := storage.Examine(ctx, file)
	if err != nil {
		return x, err
	}
	if !x.Digest {
		fmt.Fprintf(p.stdout, "There is no %s.sha256: no digest shows whether rows without signature were damaged.\n", file)
	}
	if len(x.Pending) > 0 {
		fmt.Fprintf(p.stdout, "An earlier release has written it: a restore applies %s.\n", strings.Join(x.Pending, ", "))
		fmt.Fprintln(p.stdout, "Signatures of rows: not checked, that needs the release that wrote the file.")
		return x, nil
	}
	if x.TakenAt.IsZero() {
		fmt.Fprintln(p.stdout, "The file does not say when it was taken: `payswitch backup` has not written it.")
	} else {
		fmt.Fprintln(p.stdout, "taken at:", shownTime(x.TakenAt))
	}
	if c.Vault.current().isZero() {
		fmt.Fprintln(p.stdout, "Signatures of rows: not checked, the master key is not at hand.")
		return x, nil
	}
	db, err := storage.OpenCopy(file, newLogger(p.stderr, c.Log))
	if err != nil {
		return x, err
	}
	return x, errors.Join(p.verifyRows(ctx, db, c), db.Close())
}

func (p *program) verifyRows(ctx context.Context, db *storage.DB, c Config) error {
	v, err := openVault(ctx, db, c, newLogger(p.stderr, c.Log))
	if err != nil {
		return err
	}
	altered := 0
	err = v.AlteredRows(ctx, func(table string, row vault.SignedRow) {
		altered++
		fmt.Fprintf(p.stdout, "altered: %s:%s\n", table, strings.Join(row.Key, "/"))
	})
	if err == nil && altered > 0 {
		err = fmt.Errorf("%d rows were altered before the back-up was taken: read Altered rows in OPERATIONS.md", altered)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "Signatures of rows: every signed row is as payswitch wrote it.")
	damaged := 0
	err = v.UnreadableRows(ctx, func(table vault.SealedTable, row vault.SealedRow) {
		damaged++
		fmt.Fprintf(p.stdout, "does not open: %s:%s\n", table, strings.Join(row.Key, "/"))
	})
	if err == nil && damaged > 0 {
		err = fmt.Errorf("%d sealed values do not open, so the file was damaged after it was written: use another back-up", damaged)
	}
	return err
}

// backupRestore checks a copy and puts it in the place of the database.
func (p *program) backupRestore(ctx context.Context, args []string) error {
	file, c, err := p.oneFile("backup restore", args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	x, err := p.verify(ctx, file, c)
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	taken := x.TakenAt
	if taken.IsZero() {
		taken = x.Newest
	}
	kept, err := storage.Restore(ctx, c.Storage.DSN.Reveal(), file, taken)
	if err != nil {
		return err
	}
	if kept != "" {
		fmt.Fprintln(p.stdout, "the earlier database is now", kept)
	}
	fmt.Fprintf(p.stdout, "%s is the database now, as of %s\n", file, shownTime(taken))
	p.restoreAdvice()
	return nil
}

func (p *program) restoreAdvice() {
	fmt.Fprintln(p.stdout, "The next start of a node asks the processors about all that the copy cannot know.")
	fmt.Fprintln(p.stdout, "Read After a restore in OPERATIONS.md before you start it.")
}

// backupRestored notes a restore that payswitch did not do, such as one by Litestream. It refuses while nodes run: a node that runs does not notice the
// note, and the next one that starts would ask about operations that the other is just performing.
func (p *program) backupRestored(ctx context.Context, args []string) error {
	f := p.flags("backup restored")
	taken := f.String("taken", "", "the `time` that the database was restored to, as 2026-05-03T14:02:00Z")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, *taken)
	if err != nil {
		return usageError{"--taken must be a time with its zone, as 2026-05-03T14:02:00Z"}
	}
	if at.After(time.Now()) {
		return usageError{"--taken is in the future"}
	}
	if err := storage.RefuseInUse(ctx, c.Storage.DSN.Reveal()); err != nil {
		return fmt.Errorf("nothing was noted: %w", err)
	}
	err = p.openStore(ctx, c, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		return db.NoteRestored(ctx, at)
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "noted: the database is a copy of", shownTime(at))
	if err := storage.RefuseInUse(ctx, c.Storage.DSN.Reveal()); err != nil {
		return fmt.Errorf("the restore is noted, but a node has started meanwhile and may not have noticed it. Stop all nodes, and start them again: %w", err)
	}
	p.restoreAdvice()
	return nil
}

// backupStrays prints the kept messages, one JSON object per line.
func (p *program) backupStrays(ctx context.Context, args []string) error {
	return p.withStore(ctx, p.flags("backup strays"), args, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		var list []restore.Stray
		if err := db.View(ctx, func(r engine.Reader) (err error) { list, err = restore.Strays(r); return err }); err != nil {
			return err
		}
		out := json.NewEncoder(p.stdout)
		for _, s := range list {
			if err := out.Encode(s); err != nil {
				return err
			}
		}
		return nil
	})
}
