package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/storage"
)

// TestPlantedSchema shows that a database is not opened if it has triggers, views in place of tables, or altered tables.
func TestPlantedSchema(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant   []string
		refused string
	}{
		"a trigger":         {[]string{`CREATE TRIGGER keeps AFTER UPDATE OF revoked_at ON api_keys BEGIN UPDATE api_keys SET revoked_at = OLD.revoked_at, signature = OLD.signature WHERE seq = OLD.seq; END`}, "trigger keeps"},
		"a view":            {[]string{`ALTER TABLE api_keys RENAME TO own_keys`, `CREATE VIEW api_keys AS SELECT * FROM own_keys`}, "view api_keys"},
		"a view beside":     {[]string{`CREATE VIEW report AS SELECT count(*) FROM payments`}, ""},
		"a table of others": {[]string{`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)`}, ""},
		"an index more":     {[]string{`CREATE INDEX mine ON payments (status)`, `ANALYZE`}, ""},
		"a column more":     {[]string{`ALTER TABLE accounts ADD COLUMN mine TEXT`}, "table accounts"},
		"an index less":     {[]string{`DROP INDEX payment_methods_card`}, "index payment_methods_card"},
		"an index of another kind": {[]string{`DROP INDEX payment_methods_card`,
			`CREATE INDEX payment_methods_card ON payment_methods (merchant_id, customer_id, fingerprint) WHERE fingerprint <> ''`}, "index payment_methods_card"},
		"a table without its unique key": {[]string{`CREATE TABLE copy AS SELECT * FROM mandates`, `DROP TABLE mandates`, `ALTER TABLE copy RENAME TO mandates`}, "table mandates"},
		"a table less":                   {[]string{`DROP TABLE short_term_keys`}, "table short_term_keys"},
		"another collation": {[]string{`PRAGMA writable_schema = ON`,
			`UPDATE sqlite_master SET sql = replace(sql, 'merchant_id   TEXT NOT NULL', 'merchant_id TEXT COLLATE NOCASE NOT NULL') WHERE name = 'api_keys'`,
			`UPDATE sqlite_master SET sql = replace(sql, 'merchant_id ', 'merchant_id /**/') WHERE name = 'api_keys'`, `PRAGMA writable_schema = RESET`}, "table api_keys"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, engine.Options{}, nil)
			w.intruder().plant(c.plant...)
			db, err := storage.Open(t.Context(), "sqlite:"+w.file, storage.Options{})
			if c.refused == "" {
				require.NoError(t, err)
				require.NoError(t, db.Close())
				return
			}
			require.ErrorContains(t, err, c.refused)
		})
	}
}
