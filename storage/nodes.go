package storage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"payswitch/engine"
)

// unnamedNodes bounds how many nodes without a configured name share a database file.
const unnamedNodes = 64

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

var notInNodeNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// errLocked is lockFile's error for a file that a living process has locked.
var errLocked = errors.New("another process has locked the file")

// errOtherSchema is the error of a process whose database another release has migrated.
var errOtherSchema = errors.New("end this process, and start the release that migrated the database")

// errNoLocks is lockFile's error on a system whose locks do not end with their process.
var errNoLocks = errors.New("this system has no file locks that end with their process")

// LockNode gives this process a node name of its own on the database, until Close. "" takes the first free one of node_1, node_2 …
//
// With sole, no other living process has the name, because the lock of the name's file ends with its process. So leases under that name belong
// to a process that has ended. A system without such locks proves nothing: LockNode then returns name as it is, without sole.
// On PostgreSQL the name gets an ending of its own, and "" is the name of the machine. The returned name is never "".
func (d *DB) LockNode(name string) (locked string, sole bool, err error) {
	if d.path == "" {
		locked, err = lockNodePostgres(name)
		return locked, false, err
	}
	if name != "" {
		if !nodeName.MatchString(name) {
			return "", false, errNodeName(name)
		}
		err := d.lockNode(name)
		switch {
		case errors.Is(err, errNoLocks):
			return name, false, nil
		case errors.Is(err, errLocked):
			return "", false, fmt.Errorf("another process runs as node %q on %s: end it, or choose another name", name, d.path)
		}
		return name, err == nil, err
	}
	for i := 1; i <= unnamedNodes; i++ {
		name := "node_" + strconv.Itoa(i)
		err := d.lockNode(name)
		switch {
		case err == nil:
			return name, true, nil
		case errors.Is(err, errNoLocks):
			return withEnding(machineName()), false, nil
		case !errors.Is(err, errLocked):
			return "", false, err
		}
	}
	return "", false, fmt.Errorf("%d nodes without a name already run on %s: name this one", unnamedNodes, d.path)
}

// machineName returns the name of this machine as a node's name, without what such a name may not have.
func machineName() string {
	host, _ := os.Hostname()
	if host = notInNodeNames.ReplaceAllString(host, ""); len(host) > 40 {
		host = host[:40]
	}
	if !nodeName.MatchString(host) {
		return "node"
	}
	return host
}

// withEnding gives name an ending that no other process has.
func withEnding(name string) string {
	var b [4]byte
	rand.Read(b[:])
	return name + "~" + hex.EncodeToString(b[:])
}

func errNodeName(name string) error {
	return fmt.Errorf("node name %q: use at most 64 letters, digits, dots, hyphens and underscores, a letter or digit first", name)
}

func (d *DB) lockNode(name string) error {
	path, err := filepath.EvalSymlinks(d.path) // one lock for all names of the database file
	if err != nil {
		return fmt.Errorf("lock node %s: %w", name, err)
	}
	f, err := os.OpenFile(path+"."+name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock node %s: %w", name, err)
	}
	if err := lockFile(f); err != nil {
		return errors.Join(fmt.Errorf("lock node %s: %w", name, err), f.Close())
	}
	d.locks = append(d.locks, f)
	return d.sameSchema()
}

// sameSchema refuses a database that was migrated between Open and the lock of the node's name, which a migration looks for.
func (d *DB) sameSchema() error {
	return d.View(context.Background(), func(r engine.Reader) error {
		var n int
		err := r.(*tx).s.query(`SELECT count(*) FROM schema_migrations`, nil, func(row scanner) error { return row.Scan(&n) })
		if err == nil && n != d.migrations {
			err = fmt.Errorf("%s has %d migrations, and had %d when this process started: %w", d.name, n, d.migrations, errOtherSchema)
		}
		return err
	})
}
