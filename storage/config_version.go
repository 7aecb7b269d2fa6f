package storage

import (
	"errors"

	"payswitch/engine/fault"
)

// ConfigVersion implements engine.Reader.
func (t *tx) ConfigVersion() (int64, error) {
	v, err := one(t, "read the version of the configuration", func(row scanner) (v int64, err error) { return v, row.Scan(&v) },
		`SELECT version FROM config_version WHERE name = 'all'`)
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
	return t.put("raise the version of the configuration", `INSERT INTO config_version (name, version) VALUES ('all', 1)
		ON CONFLICT (name) DO UPDATE SET version = config_version.version + 1`)
}
