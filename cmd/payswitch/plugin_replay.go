package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/plugins"
	"payswitch/storage"
)

// errDifferent is the error of plugin replay if an operation was not the same: exitDifferent.
var errDifferent = errors.New("not the same")

// pluginReplay runs recorded operations again: one operation, those of a payment, or those of the last hours. It sends nothing and only reads the database.
func (p *program) pluginReplay(ctx context.Context, args []string) (err error) {
	f := p.flags("plugin replay [OPERATION]")
	file := f.String("plugin", "", "run the adapter in this .wasm `file` instead of each operation's own build")
	since := f.Duration("since", 0, "replay all operations of the last `time`, as 24h, instead of one operation")
	payment := f.String("payment", "", "replay all operations of the payment with this `id`, instead of one operation")
	connector := f.String("connector", "", "with --since: replay only the operations of the connector with this `name`; with --plugin the default is the file's adapter")
	asCase := f.Bool("cases", false, "print the operation as a case and a sample for the adapter's testdata, instead of a report; secrets and personal data are replaced")
	asJSON := f.Bool("json", false, "print the report as JSON")
	given, c, err := p.operandsAndConfig(f, args, 1)
	one, many := len(given) > 0, *since > 0 || *payment != ""
	switch {
	case err != nil:
		return err
	case *since < 0:
		return usageError{"--since takes a positive duration, as 24h"}
	case !one && !many:
		return usageError{"plugin replay needs an operation, --payment or --since, as: payswitch plugin replay op_0193500b2f4d8a6b4c1e9f00112233aa"}
	case one && (many || *connector != ""):
		return usageError{"plugin replay takes either an operation or the flags --payment, --since and --connector"}
	}
	if *asCase && !one {
		return usageError{"plugin replay --cases takes one operation, as: payswitch plugin replay --cases op_0193500b2f4d8a6b4c1e9f00112233aa"}
	}
	r, err := p.openReplayer(ctx, c, *file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close(context.WithoutCancel(ctx))) }()
	if *asCase {
		return r.printCases(ctx, given[0], p)
	}
	r.report.whole = one || *payment != ""
	if one {
		err = r.operation(ctx, given[0])
	} else {
		err = r.many(ctx, *since, *connector, *payment)
	}
	if err != nil {
		return err
	}
	if *asJSON {
		err = p.printJSON(&r.report)
	} else {
		r.report.print(p.stdout)
	}
	if err != nil {
		return err
	}
	return r.report.verdict()
}

// replayer runs the recordings of a journal with the adapters of a host.
type replayer struct {
	db      *storage.DB
	journal *drive.Journal
	host    *plugins.Host
	build   string // hash of the build to run; "": the recorded builds
	adapter string // name of that build's adapter
	report  replayReport
}

func (p *program) openReplayer(ctx context.Context, c Config, file string) (_ *replayer, err error) {
	r := &replayer{report: replayReport{Operations: []*replayedOperation{}}}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close(context.WithoutCancel(ctx)))
		}
	}()
	dsn := c.Storage.DSN.Reveal()
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && !exists(path) {
		return nil, fmt.Errorf("there is no database %s: name the switch's in storage.dsn (%s)", path, variableOf("storage.dsn"))
	}
	if r.db, err = storage.Open(ctx, dsn, storage.Options{Postgres: c.Storage.Postgres.options()}); err != nil {
		return nil, err
	}
	vault, err := openVault(ctx, r.db, c, newLogger(p.stderr, c.Log))
	if err != nil {
		return nil, err
	}
	r.journal = engine.NewJournal(r.db, vault)
	if r.host, err = p.openHost(ctx, c, shared(c, r.db)); err != nil {
		return nil, err
	}
	if file == "" {
		return r, nil
	}
	wasm, err := readWASM(file)
	if err != nil {
		return nil, fmt.Errorf("--plugin: %w", err)
	}
	info, err := r.host.Load(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("--plugin %s: %w", file, err)
	}
	r.build, r.adapter = info.Hash, info.Name
	r.report.Plugin = &replayedBuild{Name: info.Name, Version: info.Manifest.Version, SHA256: info.Hash}
	return r, nil
}

func (r *replayer) close(ctx context.Context) error {
	var errs []error
	if r.host != nil {
		errs = append(errs, r.host.Close(ctx))
	}
	if r.db != nil {
		errs = append(errs, r.db.Close())
	}
	return errors.Join(errs...)
}

// operation replays every recording of one operation.
func (r *replayer) operation(ctx context.Context, id string) error {
	records, err := r.journal.Operation(ctx, id)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		err := r.db.View(ctx, func(v engine.Reader) error { _, err := v.Operation(id); return err })
		switch {
		case errors.Is(err, fault.ErrNotFound):
			return fmt.Errorf("no operation %s is in the database: operations begin with op_ and are in the log under operation_id", id)
		case err != nil:
			return err
		}
		return fmt.Errorf("the journal has no recording of operation %s: it is older than journal.keep, or its node ended before the operation did", id)
	}
	for _, record := range records {
		if err := r.replay(ctx, record); err != nil {
			return err
		}
	}
	return nil
}

// many replays the operations of the last time (0: of all times), of all payments or of one.
func (r *replayer) many(ctx context.Context, last time.Duration, connector, payment string) error {
	f := drive.JournalFilter{Connector: connector, PaymentID: payment}
	if last > 0 {
		f.Since = time.Now().Add(-last)
	}
	if connector == "" {
		f.Adapter = r.adapter
	}
	err := r.journal.Each(ctx, f, func(record *drive.JournalRecord) error { return r.replay(ctx, record) })
	if err == nil && payment != "" && len(r.report.Operations) == 0 {
		err = fmt.Errorf("the journal has no recording of payment %s", payment)
	}
	return err
}

// replay runs one record and adds the result to the report. An error ends the command.
func (r *replayer) replay(ctx context.Context, record *drive.JournalRecord) error {
	rec, err := r.journal.Open(record)
	var replayed *plugins.Replayed
	if err == nil {
		replayed, err = r.host.Replay(ctx, r.build, rec)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, plugins.ErrNoBuild) {
		err = fmt.Errorf("build %s of %s is gone: put its file into plugins.directory, or run another with --plugin", record.AdapterHash, record.Adapter)
	}
	r.report.add(record, rec, replayed, err)
	return nil
}
