package storage

import (
	"context"
	"time"

	"payswitch/engine"
)

// Adapter is an adapter that is installed for all nodes of the database.
type Adapter struct {
	Name        string
	Version     string
	SHA256      string // of its module
	Pin         string // the installation's record, which the database does not read
	InstalledAt time.Time
}

const adapterColumns = `name, release, sha256, pin, installed_at, signature`

var adapterRows = signs("adapters", "name", adapterColumns)

func scanAdapter(row scanner) (a Adapter, err error) {
	var installed int64
	err = row.Scan(&a.Name, &a.Version, &a.SHA256, &a.Pin, &installed)
	a.InstalledAt = moment(installed)
	return a, err
}

// Adapters lists the installed adapters by name. With vault.ErrAltered it returns the genuine ones.
func (d *DB) Adapters(ctx context.Context) (out []Adapter, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		t := r.(*tx)
		out, err = all(t, "list adapters", genuine(t, adapterRows, scanAdapter), `SELECT `+adapterColumns+` FROM adapters ORDER BY name`)
		return err
	})
	return out, err
}

// PutAdapter installs an adapter with its module, in the place of the one of its name.
func (d *DB) PutAdapter(ctx context.Context, a Adapter, packed []byte) error {
	return d.Update(ctx, func(etx engine.Tx) error { return own(etx).putAdapter(&a, packed) })
}

func (t *tx) putAdapter(a *Adapter, packed []byte) error {
	if err := t.put("insert module", `INSERT INTO adapter_modules (sha256, packed, used_at) VALUES ($1, $2, $3)
		ON CONFLICT (sha256) DO UPDATE SET packed = excluded.packed, used_at = excluded.used_at`, a.SHA256, packed, millis(t.now)); err != nil {
		return err
	}
	return t.put("insert adapter", `INSERT INTO adapters (`+adapterColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO UPDATE SET
		release = excluded.release, sha256 = excluded.sha256, pin = excluded.pin, installed_at = excluded.installed_at, signature = excluded.signature`,
		t.signed(adapterRows, a.Name, a.Version, a.SHA256, a.Pin, millis(a.InstalledAt))...)
}

// DeleteAdapter removes an installed adapter. It returns fault.ErrNotFound without one. The module stays for operations that began with it.
func (d *DB) DeleteAdapter(ctx context.Context, name string) error {
	return d.Update(ctx, func(tx engine.Tx) error {
		return own(tx).change("delete adapter", `DELETE FROM adapters WHERE name = $1`, name)
	})
}

// Module returns a packed module, or fault.ErrNotFound. The caller compares the hash.
func (d *DB) Module(ctx context.Context, sha256 string) (packed []byte, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		packed, err = one(r.(*tx), "read module", func(row scanner) (b []byte, err error) { return b, row.Scan(&b) },
			`SELECT packed FROM adapter_modules WHERE sha256 = $1`, sha256)
		return err
	})
	return packed, err
}

// UseModules marks modules as used now. It returns those that the database has.
func (d *DB) UseModules(ctx context.Context, list []string) (known []string, err error) {
	err = d.Update(ctx, func(tx engine.Tx) error {
		known = nil
		for _, sha256 := range list {
			n, err := own(tx).exec("use module", `UPDATE adapter_modules SET used_at = $1 WHERE sha256 = $2`, millis(tx.Now()), sha256)
			if err != nil {
				return err
			}
			if n > 0 {
				known = append(known, sha256)
			}
		}
		return nil
	})
	return known, err
}

// PutModule stores a packed module, if the database does not have it.
func (d *DB) PutModule(ctx context.Context, sha256 string, packed []byte) error {
	return d.Update(ctx, func(tx engine.Tx) error {
		return own(tx).put("insert module", `INSERT INTO adapter_modules (sha256, packed, used_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			sha256, packed, millis(tx.Now()))
	})
}

// DeleteModules removes modules that were not used for longer than keep and that no adapter is installed with.
func (d *DB) DeleteModules(ctx context.Context, keep time.Duration) error {
	return d.Update(ctx, func(tx engine.Tx) error {
		_, err := own(tx).exec("delete modules", `DELETE FROM adapter_modules WHERE used_at < $1 AND sha256 NOT IN (SELECT sha256 FROM adapters)`,
			millis(tx.Now().Add(-keep)))
		return err
	})
}

// own returns an engine's transaction as the type of this package that implements it.
func own(etx engine.Tx) *tx { return etx.(*tx) }
