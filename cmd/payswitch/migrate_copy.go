package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"payswitch/storage"
)

// migrateCopy moves a SQLite database to PostgreSQL while the switch runs, but for the last step.
func (p *program) migrateCopy(ctx context.Context, args []string) error {
	f := p.flags("migrate copy --from sqlite:FILE --to postgres://…")
	from := f.String("from", "", "the `address` of the SQLite database, as in storage.dsn; with --config, that of the configuration")
	config := f.String("config", "", "read the configuration from this `file`; without the flag, from none")
	to := f.String("to", "", "the `address` of an empty PostgreSQL database; leave the password to the file that PGPASSFILE names")
	cancel := f.Bool("cancel", false, "give up a copy that is not complete: the database --from is in use again")
	if err := parse(f, args); err != nil {
		return err
	}
	if *from == "" && *config != "" {
		c, err := loadConfig(defaultConfig(), *config, true, p.env)
		if err != nil {
			return err
		}
		*from = c.Storage.DSN.Reveal()
	}
	if *from == "" || *to == "" {
		return usageError{"migrate copy needs --from and --to"}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if *cancel {
		if err := storage.CancelMove(ctx, *from, *to); err != nil {
			return fmt.Errorf("migrate copy: %w", err)
		}
		fmt.Fprintln(p.stdout, "The copy was cancelled. The switch goes on with the database that it had. Drop the database that was copied into.")
		return nil
	}
	done, err := storage.Move(ctx, *from, *to, storage.MoveOptions{Report: func(line string) { fmt.Fprintln(p.stdout, line) }})
	if errors.Is(err, context.Canceled) {
		return errors.New("migrate copy: ended before the copy was complete; the switch goes on with the database that it had, and the same command goes on with the copy")
	}
	if err != nil {
		return fmt.Errorf("migrate copy: %w", err)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ntable\trows\tchecksum")
	for _, t := range done.Tables {
		fmt.Fprintf(w, "%s\t%d\t%s\n", t.Table, t.Rows, t.Checksum)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "\nComplete after %v. The database was closed for %v.\n", done.Took.Round(time.Millisecond), done.Closed.Round(time.Millisecond))
	fmt.Fprintln(p.stdout, "Set storage.dsn to the new address and start the switch. The old database refuses to serve: keep it until you have a back-up of the new one.")
	return nil
}
