package storage

import (
	"context"
	"time"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// Bounds of what is kept.
const (
	keptCandidates = 4 // of all adapters
	keptInstalled  = 5 // of one adapter
	candidateLife  = 24 * time.Hour
)

const bundleColumns = `sha256, name, release, given_at, given_by, installed_at, installed_by`

func scanBundle(row scanner) (b port.Bundle, err error) {
	var given, installed int64
	err = row.Scan(&b.SHA256, &b.Name, &b.Version, &given, &b.GivenBy, &installed, &b.InstalledBy)
	b.GivenAt, b.InstalledAt = moment(given), moment(installed)
	return b, err
}

// PutBundle keeps a candidate. It removes the oldest candidates beyond four, and those of yesterday. A bundle that is kept already stays as it is.
func (d *DB) PutBundle(ctx context.Context, b port.Bundle, file []byte) error {
	return d.Update(ctx, func(etx engine.Tx) error {
		t := own(etx)
		if err := t.put("remove old candidates", `DELETE FROM adapter_bundles WHERE installed_at = 0 AND (given_at < $1 OR sha256 NOT IN
			(SELECT sha256 FROM adapter_bundles WHERE installed_at = 0 ORDER BY given_at DESC, seq DESC LIMIT $2))`, millis(t.now.Add(-candidateLife)), keptCandidates-1); err != nil {
			return err
		}
		return t.put("keep bundle", `INSERT INTO adapter_bundles (sha256, name, release, about, bundle, given_at, given_by, installed_at, installed_by)
			VALUES ($1, $2, $3, '', $4, $5, $6, 0, '') ON CONFLICT DO NOTHING`, b.SHA256, b.Name, b.Version, file, millis(t.now), b.GivenBy)
	})
}

// InstallBundle notes that a kept bundle was installed, and removes the oldest installed ones of its adapter beyond five. With an adapter it also installs
// that for all nodes, in the same transaction. It returns fault.ErrNotFound if the bundle is not kept.
func (d *DB) InstallBundle(ctx context.Context, sha256, by string, a *Adapter, packed []byte) error {
	return d.Update(ctx, func(etx engine.Tx) error {
		t := own(etx)
		if err := t.change("note installation", `UPDATE adapter_bundles SET installed_at = $1, installed_by = $2 WHERE sha256 = $3`, millis(t.now), by, sha256); err != nil {
			return err
		}
		if a != nil {
			if err := t.putAdapter(a, packed); err != nil {
				return err
			}
		}
		return t.put("remove old bundles", `DELETE FROM adapter_bundles WHERE installed_at > 0 AND name = (SELECT name FROM adapter_bundles WHERE sha256 = $1) AND sha256 NOT IN
			(SELECT sha256 FROM adapter_bundles WHERE installed_at > 0 AND name = (SELECT name FROM adapter_bundles WHERE sha256 = $2) ORDER BY installed_at DESC, seq DESC LIMIT $3)`,
			sha256, sha256, keptInstalled)
	})
}

// Bundles lists the kept bundles of an adapter, or with "" of all, the latest first.
func (d *DB) Bundles(ctx context.Context, name string) (out []port.Bundle, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		out, err = all(r.(*tx), "list bundles", scanBundle, `SELECT `+bundleColumns+` FROM adapter_bundles WHERE ($1 = '' OR name = $2) ORDER BY installed_at DESC, given_at DESC, seq DESC`, name, name)
		return err
	})
	return out, err
}

// Bundle returns a kept bundle with its file, or fault.ErrNotFound.
func (d *DB) Bundle(ctx context.Context, sha256 string) (b port.Bundle, file []byte, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		t := r.(*tx)
		if b, err = one(t, "read bundle", scanBundle, `SELECT `+bundleColumns+` FROM adapter_bundles WHERE sha256 = $1`, sha256); err != nil {
			return err
		}
		file, err = one(t, "read bundle", func(row scanner) (f []byte, err error) { return f, row.Scan(&f) }, `SELECT bundle FROM adapter_bundles WHERE sha256 = $1`, sha256)
		return err
	})
	if err == nil && len(file) == 0 {
		err = fault.ErrNotFound
	}
	return b, file, err
}
