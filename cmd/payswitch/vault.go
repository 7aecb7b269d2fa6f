package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"payswitch/engine/vault"
	"payswitch/storage"
)

func vaultCommands() []command {
	return []command{
		{"vault status", "show the vault's keys and how many records each key seals", (*program).vaultStatus},
		{"vault rotate", "make new keys, or with --master change the master key", (*program).vaultRotate},
		{"vault reencrypt", "move all records to the newest keys and destroy the old keys", (*program).vaultReencrypt},
		{"vault rows", "list the rows that another program has altered, or sign one of them", (*program).vaultRows},
	}
}

// withVault runs f with the vault of an up-to-date database. Running nodes go on meanwhile.
func (p *program) withVault(ctx context.Context, flags *flag.FlagSet, args []string, f func(ctx context.Context, c Config, v *vault.Vault) error) error {
	return p.withStore(ctx, flags, args, func(ctx context.Context, c Config, _ *storage.DB, v *vault.Vault) error { return f(ctx, c, v) })
}

// withStore is withVault for commands that also read the database.
func (p *program) withStore(ctx context.Context, flags *flag.FlagSet, args []string, f func(ctx context.Context, c Config, db *storage.DB, v *vault.Vault) error) error {
	c, err := p.parseConfig(flags, args)
	if err != nil {
		return err
	}
	return p.openStore(ctx, c, f)
}

// openStore runs f with the database and vault of a configuration.
func (p *program) openStore(ctx context.Context, c Config, f func(ctx context.Context, c Config, db *storage.DB, v *vault.Vault) error) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	pending, err := storage.Pending(ctx, c.Storage.DSN.Reveal())
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		return fmt.Errorf("storage.dsn (%s) has no database, or a database that needs `payswitch migrate` first", shownDSN(c.Storage.DSN))
	}
	log := newLogger(p.stderr, c.Log)
	db, err := storage.Open(ctx, c.Storage.DSN.Reveal(), storage.Options{Logger: log, Postgres: c.Storage.Postgres.options()})
	if err != nil {
		return err
	}
	v, err := openVault(ctx, db, c, log)
	if err == nil {
		err = f(ctx, c, db, v)
	}
	return errors.Join(err, db.Close())
}

func (p *program) vaultStatus(ctx context.Context, args []string) error {
	return p.withVault(ctx, p.flags("vault status"), args, func(ctx context.Context, _ Config, v *vault.Vault) error {
		list, err := v.Status(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "KEYSET\tMASTER KEY\tKEY\tSTATE\tCREATED\tRETIRED\tDESTROYED\tRECORDS")
		for _, s := range list {
			for _, k := range s.Keys {
				records := fmt.Sprint(k.Records)
				if !s.Encrypt {
					records = "-" // hashes do not name their key, so the records of this keyset cannot be counted
				}
				fmt.Fprintln(w, strings.Join([]string{s.Name, s.Master, k.ID, string(k.State), shownTime(k.CreatedAt), shownTime(k.RetiredAt),
					shownTime(k.DestroyedAt), records}, "\t"))
			}
		}
		return w.Flush()
	})
}

func shownTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

func (p *program) vaultRotate(ctx context.Context, args []string) error {
	f := p.flags("vault rotate")
	master := f.Bool("master", false, "make no new keys, but encrypt the present keys with vault.next_master_key instead of vault.master_key")
	return p.withVault(ctx, f, args, func(ctx context.Context, c Config, v *vault.Vault) error {
		if *master {
			return p.rotateMaster(ctx, c, v)
		}
		fmt.Fprintln(p.stdout, "making new keys; they are used once every node has them")
		keys, err := v.Rotate(ctx)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(p.stdout, "%s: new records are sealed under key %s\n", name, keys[name].ID)
		}
		fmt.Fprintln(p.stdout, "run `payswitch vault reencrypt` to move the others and destroy the old keys")
		return nil
	})
}

func (p *program) rotateMaster(ctx context.Context, c Config, v *vault.Vault) error {
	if c.Vault.next().isZero() {
		return problem("vault.next_master_key", "is not set: give every node the next key, besides the one in force, then run this (OPERATIONS.md)")
	}
	moved, err := v.RotateMaster(ctx)
	for _, name := range moved {
		fmt.Fprintf(p.stdout, "%s: now encrypted with the next master key\n", name)
	}
	if err != nil {
		return err
	}
	if len(moved) == 0 {
		fmt.Fprintln(p.stdout, "everything is encrypted with the next master key already")
	}
	fmt.Fprintln(p.stdout, "make vault.next_master_key the vault.master_key of every node; the old one opens older back-ups alone")
	return nil
}

func (p *program) vaultReencrypt(ctx context.Context, args []string) error {
	f := p.flags("vault reencrypt")
	noWait := f.Bool("no-wait", false, "do not wait until old keys may be destroyed; run the command again later to destroy them")
	return p.withVault(ctx, f, args, func(ctx context.Context, _ Config, v *vault.Vault) error {
		r, err := v.Reencrypt(ctx, !*noWait, func(table vault.SealedTable, moved int) {
			fmt.Fprintf(p.stdout, "%s: %d moved\n", table, moved)
		})
		if r != nil {
			p.printReport(r)
		}
		if err == nil && len(r.Unreadable) > 0 {
			err = errors.New("some records do not open: payswitch keeps their keys")
		}
		return err
	})
}

func (p *program) printReport(r *vault.ReencryptReport) {
	for _, text := range r.Unreadable {
		fmt.Fprintln(p.stdout, "does not open:", text)
	}
	for _, k := range r.Destroyed {
		fmt.Fprintf(p.stdout, "key %s destroyed\n", k.ID)
	}
	for _, k := range r.Kept {
		fmt.Fprintf(p.stdout, "key %s kept for records that do not open\n", k.ID)
	}
	for _, k := range r.Waiting {
		fmt.Fprintf(p.stdout, "nothing is under key %s; it may be destroyed from %s on\n", k.ID, shownTime(r.WaitUntil))
	}
	if len(r.Destroyed)+len(r.Kept)+len(r.Waiting) == 0 {
		fmt.Fprintln(p.stdout, "no old key is left")
	}
}
