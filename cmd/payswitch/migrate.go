package main

import (
	"context"
	"fmt"

	"payswitch/storage"
)

// migrate updates the database. storage first copies a database that holds data.
func (p *program) migrate(ctx context.Context, args []string) error {
	f := p.flags("migrate")
	dryRun := f.Bool("dry-run", false, "list the migrations without applying them")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	names, did := []string(nil), "applied"
	if *dryRun {
		names, err = storage.Pending(ctx, c.Storage.DSN.Reveal())
		did = "pending"
	} else {
		names, err = storage.Migrate(ctx, c.Storage.DSN.Reveal())
	}
	for _, name := range names {
		fmt.Fprintln(p.stdout, did+":", name)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if len(names) == 0 {
		fmt.Fprintln(p.stdout, "the database is up to date")
	}
	return nil
}
