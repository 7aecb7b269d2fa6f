package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"payswitch/engine"
	"payswitch/engine/fault"
)

// pgBatchMax limits the callers of one transaction. It is smaller than SQLite's, because a transaction keeps the locks of all of them.
const pgBatchMax = 64

func (p *Postgres) defaults() {
	if p.Connections <= 0 {
		p.Connections = 16
	}
	p.Connections = max(p.Connections, 2)
	if p.StatementTimeout <= 0 {
		p.StatementTimeout = 10 * time.Second
	}
	if p.LockTimeout <= 0 {
		p.LockTimeout = 5 * time.Second
	}
}

// openPostgres is openWith for a PostgreSQL database.
func openPostgres(ctx context.Context, dsn string, o Options, migrations fs.FS) (*DB, error) {
	dial, err := newPGDialer(dsn, o)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn := newPGConn(dial, dialect{})
	defer conn.close()
	d := &DB{name: dial.name, log: o.Logger, signer: new(signer)}
	if err := d.prepare(ctx, conn, migrations, o.Migrate); err != nil {
		return nil, err
	}
	dial.migrations = d.migrations
	writing := max(1, o.Postgres.Connections/4)
	readers := newPGReaders(dial, o.Postgres.Connections-writing, d.signer)
	d.view, d.writable = readers.view, d.writablePostgres
	statistics := newPGStatistics(dial, o.Logger)
	d.writer = newWriter(d.signer, statistics.observe(o.Observer), nil, pgBatchMax)
	conns := make([]*pgConn, writing)
	for i := range conns {
		conns[i] = newPGConn(dial, pgWrites)
		d.writer.start(conns[i], true)
	}
	d.closeParts = func() error {
		d.writer.close()
		statistics.close()
		readers.close()
		for _, c := range conns {
			c.close()
		}
		return nil
	}
	return d, nil
}

// writablePostgres locks a row, which a replica, a full disk and a database that is away refuse.
func (d *DB) writablePostgres() error {
	return d.writer.do(func(etx engine.Tx) error {
		return etx.(*tx).s.query(`SELECT name FROM schema_migrations WHERE name = $1`+pgWrites.skipLocked, []any{"0001_init"}, func(scanner) error { return nil })
	})
}

// lockNodePostgres returns a name that no other process has, as a database has no lock that ends with a process of another machine. So a new
// process takes over what the one before left only when its leases have ended. A node without a configured name is called after its machine.
func lockNodePostgres(name string) (string, error) {
	if name == "" {
		name = machineName()
	}
	if !nodeName.MatchString(name) {
		return "", errNodeName(name)
	}
	return withEnding(name), nil
}

// pgReaders is the pool of connections that read.
type pgReaders struct {
	idle   chan *pgConn
	quit   chan struct{}
	signer *signer
}

func newPGReaders(dial *pgDialer, size int, s *signer) *pgReaders {
	r := &pgReaders{idle: make(chan *pgConn, size), quit: make(chan struct{}), signer: s}
	for range size {
		r.idle <- newPGConn(dial, dialect{})
	}
	return r
}

// view runs f in a read transaction, whose snapshot is from its begin.
func (r *pgReaders) view(ctx context.Context, f func(engine.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-r.quit: // checked first, because both channels may be ready
		return ErrClosed
	default:
	}
	var c *pgConn
	select {
	case c = <-r.idle:
	case <-ctx.Done():
		return ctx.Err()
	case <-r.quit:
		return ErrClosed
	}
	defer func() { // the caller does not wait for the end of the transaction, which has nothing to commit
		go func() {
			c.rollback()
			r.idle <- c
		}()
	}()
	if err := c.start(beginRead); err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	t := &tx{s: c, now: wholeMillis(c.now()), signer: r.signer.now()}
	defer func() { t.s = nil }() // a reader that f kept then fails, and does not read in another transaction
	err := f(t)
	if c.broken != nil && err != nil && !errors.Is(err, fault.ErrAway) && !errors.Is(err, fault.ErrLocked) {
		return fmt.Errorf("%w: %w", err, c.broken)
	}
	return err
}

// close waits for the views under way and closes their connections.
func (r *pgReaders) close() {
	close(r.quit)
	for range cap(r.idle) {
		(<-r.idle).close()
	}
}
