package storage

import (
	"errors"

	"payswitch/engine/fault"
)

// The table config_version has the row 'all' for the configuration, and a row for the block list of each merchant who has one (listVersion).

// ConfigVersion implements engine.Reader.
func (t *tx) ConfigVersion() (int64, error) {
	return t.version("read the version of the configuration", "all")
}

// version reads one of the versions, 0 for one that was never raised.
func (t *tx) version(doing, name string) (int64, error) {
	v, err := one(t, doing, func(row scanner) (v int64, err error) { err = row.Scan(&v); return v, err }, `SELECT version FROM config_version WHERE name = $1`, name)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil
	}
	return v, err
}

// configured raises the version of the configuration after a write of it, once in a transaction. It passes the write's error on. Writers of configuration
// wait for each other's commits, so that versions and changes become visible in one order.
func (t *tx) configured(err error) error {
	if err != nil || t.versioned {
		return err
	}
	t.versioned = true
	return t.raiseVersion("raise the version of the configuration", "all")
}

func (t *tx) raiseVersion(doing, name string) error {
	return t.put(doing, `INSERT INTO config_version (name, version) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET version = config_version.version + 1`, name)
}
