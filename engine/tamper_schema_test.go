package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// plant changes the schema, and drops every prepared statement and cached row.
func (i *intruder) plant(statements ...string) {
	i.w.t.Helper()
	for _, s := range statements {
		_, err := i.Exec(s)
		require.NoError(i.w.t, err, s)
	}
}

// TestTriggerOnReencryption plants a trigger that redirects an account when its secrets are sealed again. The vault signs the row that it
// made, not the row that the trigger made.
func TestTriggerOnReencryption(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"AFTER UPDATE OF sealed", "BEFORE UPDATE OF sealed", "AFTER UPDATE OF signature", "AFTER UPDATE OF version"} {
		t.Run(at, func(t *testing.T) {
			ours, _ := recorder(t)
			theirs, stolen := recorder(t)
			s := shop(byReference)
			s.Manifest.Credentials = []sdk.Field{{Name: "api_key", Label: "Key", Type: "secret"}}
			w := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": s}), filepath.Join(t.TempDir(), "p.db"))
			a, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop",
				Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_secret"}`)})
			require.NoError(t, err)
			_, err = w.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: ours})
			require.NoError(t, err)
			w.pay(sale(100, visa))
			i := w.intruder()
			i.plant(`CREATE TRIGGER t ` + at + ` ON accounts WHEN OLD.base_url <> '` + theirs + `' BEGIN UPDATE accounts SET base_url = '` + theirs + `' WHERE seq = OLD.seq; END`)
			v := openQuick(t, w.db, vault.Options{Master: worldMaster(t)})
			_, err = v.Rotate(t.Context())
			require.NoError(t, err)
			time.Sleep(50 * time.Millisecond)
			_, err = v.Reencrypt(t.Context(), true, nil)
			require.NoError(t, err)
			i.forget()
			i.noticed()
			_, err = w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, fault.KindInternal, e.Kind)
			require.Zero(t, stolen.Load(), "nothing goes to the intruder")
		})
	}
}

// TestViewInPlaceOfTable replaces a table by a view. The view's rows have other ids and owners in the search than in the read.
func TestViewInPlaceOfTable(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}), filepath.Join(t.TempDir(), "p.db"))
	w.account("simulator", "")
	_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
	require.NoError(t, err)
	victim := w.pay(sale(100, visa, offSession, agreed, customer("victim")))
	i := w.intruder()
	for _, table := range []string{"payments", "payment_methods", "accounts", "profiles", "customers", "attempts", "cards"} {
		columns := ""
		for _, c := range columnsOf(t, i.DB, table) {
			expr := c.name
			if c.name == "merchant_id" {
				expr = "CASE WHEN random() % 2 THEN 'm2' ELSE merchant_id END AS merchant_id"
			}
			if columns != "" {
				columns += ", "
			}
			columns += expr
		}
		i.plant("ALTER TABLE "+table+" RENAME TO own_"+table, "CREATE VIEW "+table+" AS SELECT "+columns+" FROM own_"+table)
	}
	m2 := account.Auth{MerchantID: "m2"}
	account := victim.Attempt.AccountID
	for name, use := range map[string]func() error{
		"payment": func() error {
			_, err := w.RetrievePayment(t.Context(), m2, victim.Payment.ID, request.RetrieveInput{})
			return err
		},
		"method": func() error { _, err := w.PaymentMethod(t.Context(), m2, victim.Method.ID); return err },
		"account": func() error {
			return w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Account("m2", account); return err })
		},
		"accounts": func() error {
			return w.db.View(t.Context(), func(r engine.Reader) error { l, err := r.Accounts("m2"); return some(len(l), err) })
		},
		"attempts": func() error {
			return w.db.View(t.Context(), func(r engine.Reader) error { l, err := r.Attempts("m2", victim.Payment.ID); return some(len(l), err) })
		},
		"customer": func() error { _, err := w.Customer(t.Context(), m2, "victim"); return err },
		"card": func() error {
			return w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m2", victim.Method.ID); return err })
		},
		"methods": func() error {
			l, err := w.CustomerMethods(t.Context(), m2, "victim", method.MethodFilter{})
			return some(len(l), err)
		},
		"profile": func() error {
			return w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Profile("m2", w.profile.ID); return err })
		},
	} {
		for range 60 {
			require.Error(t, use(), name)
		}
	}
}

// some returns an error for an empty list as well.
func some(n int, err error) error {
	if err == nil && n == 0 {
		return errors.New("nothing")
	}
	return err
}

// TestOtherTypes writes values of other types into columns. The row counts as altered, the other rows keep working, and vault rows lists
// it.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ table, column, value string }{
		{"accounts", "base_url", "CAST('https://evil.test' AS BLOB)"},
		{"accounts", "label", "CAST(label AS BLOB)"},
		{"accounts", "disabled", "'no'"},
		{"accounts", "disabled", "0.5"},
		{"accounts", "disabled", "9e999"},
		{"accounts", "sealed", "7"},
		{"accounts", "signature", "7"},
		{"accounts", "operator", "7"},
		{"operations", "lease_until", "'x'"},
		{"operations", "owner", "x'00ff'"},
		{"operations", "owner", "1.5"},
		{"operations", "amount", "1.5"},
		{"operations", "amount", "-9e999"},
		{"operations", "kind", "x'00'"},
		{"operations", "status", "'started' || char(0)"},
		{"operations", "id", "CAST(id AS BLOB)"},
		{"operations", "seed", "'text'"},
	} {
		t.Run(fmt.Sprint(c.table, " ", c.column, " ", c.value), func(t *testing.T) {
			w := newWorld(t, engine.Options{}, nil)
			first, second := w.account("simulator", ""), w.account("simulator", "")
			row := "id = '" + first.ID + "'"
			if c.table == "operations" {
				row = "id = 'op_2'"
				require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
					for _, id := range []string{"op_1", "op_2", "op_3"} {
						if err := tx.InsertOperation(&payment.Operation{ID: id, MerchantID: "m1", PaymentID: "p", Status: payment.OperationStarted, LeaseUntil: time.UnixMilli(1), Amount: 5, Kind: "authorize", Seed: []byte("seed")}); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			i := w.intruder()
			i.run(`UPDATE ` + c.table + ` SET ` + c.column + ` = ` + c.value + ` WHERE ` + row)
			i.noticed()
			if c.table == "accounts" {
				v := w.pay(sale(100, visa))
				require.Equal(t, second.ID, v.Attempt.AccountID, "the other account goes on")
			} else {
				require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
					got, err := tx.ClaimOperations("node", tx.Now().Add(time.Hour), 10)
					if c.column == "owner" || c.column == "lease_until" {
						require.NoError(t, err)
						require.Len(t, got, 3, "the claim sets it anew")
						return nil
					}
					require.ErrorIs(t, err, vault.ErrAltered)
					require.Len(t, got, 2, "recovery goes on with the others")
					return nil
				}))
				if c.column == "owner" || c.column == "lease_until" {
					return
				}
			}
			require.True(t, i.noticed(), "an alarm")
			var found []vault.SignedRow
			require.NoError(t, w.vault.AlteredRows(t.Context(), func(table string, r vault.SignedRow) {
				require.Equal(t, c.table, table)
				found = append(found, r)
			}))
			require.Len(t, found, 1, "vault rows names it")
		})
	}
}
