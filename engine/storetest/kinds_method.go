package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// methodKinds are the rows of saved payment methods.
var methodKinds = []kind{
	{
		name:   "payment method",
		make:   func(f *filler) any { v := filled[engine.PaymentMethod](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.PaymentMethod{MerchantID: merchantA, ID: "pm"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertPaymentMethod(v.(*engine.PaymentMethod)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.PaymentMethod(v.(*engine.PaymentMethod).MerchantID, v.(*engine.PaymentMethod).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdatePaymentMethod(v.(*engine.PaymentMethod)) },
		fixed:     []string{"MerchantID", "ID", "CustomerID", "LastUsedAt", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "mandate",
		make:   func(f *filler) any { v := filled[engine.Mandate](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Mandate{MerchantID: merchantA, ID: "man"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertMandate(v.(*engine.Mandate)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Mandate(v.(*engine.Mandate).MerchantID, v.(*engine.Mandate).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateMandate(v.(*engine.Mandate)) },
		fixed:     []string{"MerchantID", "ID", "CustomerID", "PaymentID", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "ephemeral key",
		make:   func(f *filler) any { v := filled[engine.EphemeralKey](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.EphemeralKey{MerchantID: merchantA, ID: "eki", Hash: []byte("h")} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertEphemeralKey(v.(*engine.EphemeralKey)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.EphemeralKey(v.(*engine.EphemeralKey).MerchantID, v.(*engine.EphemeralKey).ID)
		},
	},
	{
		name:   "customer at an account",
		make:   func(f *filler) any { v := filled[engine.CustomerAccount](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.CustomerAccount{MerchantID: merchantA, CustomerID: "c", AccountID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.PutCustomerAccount(v.(*engine.CustomerAccount)) },
		read: func(r engine.Reader, v any) (any, error) {
			c := v.(*engine.CustomerAccount)
			return r.CustomerAccount(c.MerchantID, c.CustomerID, c.AccountID)
		},
		update: func(tx engine.Tx, v any) error { return tx.PutCustomerAccount(v.(*engine.CustomerAccount)) },
		fixed:  []string{"MerchantID", "CustomerID", "AccountID"},
		put:    true,
	},
}

func method(id string, change ...func(*engine.PaymentMethod)) *engine.PaymentMethod {
	m := &engine.PaymentMethod{MerchantID: merchantA, ID: id, CustomerID: "c", Status: engine.MethodActive, LastUsedAt: base, CreatedAt: base}
	for _, f := range change {
		f(m)
	}
	return m
}

func insertMethods(t testing.TB, s engine.Store, list ...*engine.PaymentMethod) {
	t.Helper()
	update(t, s, func(tx engine.Tx) error {
		for _, m := range list {
			if err := tx.InsertPaymentMethod(m); err != nil {
				return fmt.Errorf("%s: %w", m.ID, err)
			}
		}
		return nil
	})
}

func methodID(m *engine.PaymentMethod) string { return m.ID }

func testMethodLists(t *testing.T, s engine.Store) {
	used := func(n int) func(*engine.PaymentMethod) {
		return func(m *engine.PaymentMethod) { m.LastUsedAt = base.Add(time.Duration(n) * time.Second) }
	}
	insertMethods(t, s, method("b", used(2)), method("a", used(1)), method("c", used(3)), method("d", used(3)),
		method("other customer", func(m *engine.PaymentMethod) { m.CustomerID = "d" }),
		method("other merchant", func(m *engine.PaymentMethod) { m.MerchantID = merchantB }),
		method("inactive", func(m *engine.PaymentMethod) { m.Status = engine.MethodInactive }),
		method("deleted", func(m *engine.PaymentMethod) { m.Status, m.Deleted = engine.MethodInactive, true }))
	active := func(limit int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*engine.PaymentMethod, error) { return r.PaymentMethods(merchantA, "c", limit) }), methodID)
	}
	require.Equal(t, []string{"d", "c", "b", "a"}, active(0), "the latest used first; at equal times the one created later")
	require.Equal(t, []string{"d", "c"}, active(2))
	whole := get(t, s, func(r engine.Reader) ([]*engine.PaymentMethod, error) { return r.AllPaymentMethods(merchantA, "c") })
	require.Equal(t, []string{"b", "a", "c", "d", "inactive"}, ids(whole, methodID))

	one := func(id string) *engine.PaymentMethod {
		return get(t, s, func(r engine.Reader) (*engine.PaymentMethod, error) { return r.PaymentMethod(merchantA, id) })
	}
	update(t, s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantA, "a", base.Add(time.Hour)) })
	require.Equal(t, []string{"a", "d", "c", "b"}, active(0))
	require.EqualValues(t, 1, one("a").Version, "a use does not raise the version")
	update(t, s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantA, "a", base) })
	require.Equal(t, base.Add(time.Hour), one("a").LastUsedAt, "the time of the last use never moves back")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantB, "a", base) }), engine.ErrNotFound)
}

func testMethodFingerprints(t *testing.T, s engine.Store) {
	print := func(v string) func(*engine.PaymentMethod) {
		return func(m *engine.PaymentMethod) { m.Fingerprint = v }
	}
	insertMethods(t, s, method("a", print("1")), method("b", print("2")), method("none"), method("none either"),
		method("other customer", print("1"), func(m *engine.PaymentMethod) { m.CustomerID = "d" }),
		method("other merchant", print("1"), func(m *engine.PaymentMethod) { m.MerchantID = merchantB }))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertPaymentMethod(method("again", print("1"))) }), engine.ErrConflict)
	find := func(customer, v string) (string, error) {
		m, err := read(s, func(r engine.Reader) (*engine.PaymentMethod, error) {
			return r.PaymentMethodByFingerprint(merchantA, customer, v)
		})
		if err != nil {
			return "", err
		}
		return m.ID, nil
	}
	for _, c := range [][3]string{{"c", "1", "a"}, {"c", "2", "b"}, {"d", "1", "other customer"}} {
		id, err := find(c[0], c[1])
		require.NoError(t, err)
		require.Equal(t, c[2], id)
	}
	_, err := find("d", "2")
	require.ErrorIs(t, err, engine.ErrNotFound)

	b := get(t, s, func(r engine.Reader) (*engine.PaymentMethod, error) { return r.PaymentMethod(merchantA, "b") })
	b.Fingerprint = "1"
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdatePaymentMethod(b) }), engine.ErrConflict)
	require.EqualValues(t, 1, b.Version)
	a := get(t, s, func(r engine.Reader) (*engine.PaymentMethod, error) { return r.PaymentMethod(merchantA, "a") })
	a.Fingerprint, a.Deleted = "", true
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePaymentMethod(a) })
	insertMethods(t, s, method("again", print("1")))
}

func testMandates(t *testing.T, s engine.Store) {
	for i := range 5 {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertMandate(&engine.Mandate{MerchantID: merchantA, ID: fmt.Sprint("m", i), CustomerID: fmt.Sprint("c", i%2),
				MethodID: fmt.Sprint("pm", i), Status: engine.MandateActive, CreatedAt: base.Add(time.Duration(i) * time.Second)})
		})
	}
	update(t, s, func(tx engine.Tx) error {
		m, err := tx.Mandate(merchantA, "m4")
		if err != nil {
			return err
		}
		m.Status = engine.MandateRevoked
		return tx.UpdateMandate(m)
	})
	for _, c := range []struct {
		filter engine.MandateFilter
		want   string
	}{
		{engine.MandateFilter{}, "[m4 m3 m2 m1 m0]"},
		{engine.MandateFilter{Limit: 2}, "[m4 m3]"},
		{engine.MandateFilter{Limit: 2, Offset: 1}, "[m3 m2]"},
		{engine.MandateFilter{CustomerID: "c0"}, "[m4 m2 m0]"},
		{engine.MandateFilter{CustomerID: "c0", Status: engine.MandateActive}, "[m2 m0]"},
		{engine.MandateFilter{MethodID: "pm3"}, "[m3]"},
		{engine.MandateFilter{From: base.Add(time.Second), To: base.Add(2 * time.Second)}, "[m2 m1]"},
		{engine.MandateFilter{CustomerID: "c2"}, "[]"},
	} {
		list := get(t, s, func(r engine.Reader) ([]*engine.Mandate, error) { return r.Mandates(merchantA, c.filter) })
		require.Equal(t, c.want, fmt.Sprint(ids(list, func(m *engine.Mandate) string { return m.ID })), "%+v", c.filter)
	}
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*engine.Mandate, error) { return r.Mandates(merchantB, engine.MandateFilter{}) }))
}

func testCustomerAccounts(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		for _, c := range []*engine.CustomerAccount{{MerchantID: merchantA, CustomerID: "c", AccountID: "a"}, {MerchantID: merchantA, CustomerID: "c", AccountID: "b"},
			{MerchantID: merchantA, CustomerID: "d", AccountID: "a"}, {MerchantID: merchantB, CustomerID: "c", AccountID: "a"}} {
			if err := tx.PutCustomerAccount(c); err != nil {
				return err
			}
		}
		return nil
	})
	for range 2 {
		update(t, s, func(tx engine.Tx) error { return tx.DeleteCustomerAccounts(merchantA, "c") })
	}
	for _, c := range [][4]string{{merchantA, "c", "a", "gone"}, {merchantA, "c", "b", "gone"}, {merchantA, "d", "a", ""}, {merchantB, "c", "a", ""}} {
		_, err := read(s, func(r engine.Reader) (*engine.CustomerAccount, error) { return r.CustomerAccount(c[0], c[1], c[2]) })
		if c[3] == "gone" {
			require.ErrorIs(t, err, engine.ErrNotFound, c)
		} else {
			require.NoError(t, err, c)
		}
	}
}

func testEphemeralKeys(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	update(t, s, func(tx engine.Tx) error {
		if err := tx.InsertEphemeralKey(&engine.EphemeralKey{MerchantID: merchantA, ID: "old", Hash: []byte("1"), ExpiresAt: base}); err != nil {
			return err
		}
		return tx.InsertEphemeralKey(&engine.EphemeralKey{MerchantID: merchantA, ID: "new", Hash: []byte("2"), ExpiresAt: future})
	})
	find := func(hash string) (*engine.EphemeralKey, error) {
		return read(s, func(r engine.Reader) (*engine.EphemeralKey, error) { return r.EphemeralKeyByHash([]byte(hash)) })
	}
	k, err := find("1")
	require.NoError(t, err)
	require.Equal(t, "old", k.ID, "a key can be read after its expiry too")
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
	_, err = find("1")
	require.ErrorIs(t, err, engine.ErrNotFound)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteEphemeralKey(merchantB, "new") }), engine.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteEphemeralKey(merchantA, "new") })
	_, err = find("2")
	require.ErrorIs(t, err, engine.ErrNotFound)
}
