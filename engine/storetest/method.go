package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
)

// methodRoom tests method.Reader and method.Tx: customers, saved payment methods, mandates and ephemeral keys.
var methodRoom = room{
	name:  "method",
	kinds: methodKinds,
	cases: []testCase{
		{"customers", testCustomers},
		{"a customer that is nearly certainly there", testKnownCustomer},
		{"documents come back as they were sent", testCustomerDocuments},
		{"customers at accounts", testCustomerAccounts},
		{"payment methods: lists", testMethodLists},
		{"payment methods: one for each card", testMethodFingerprints},
		{"mandates", testMandates},
		{"ephemeral keys", testEphemeralKeys},
		{"no customers, and another merchant's", testCustomerScoping},
	},
}

// methodKinds are the rows of customers and of what they save.
var methodKinds = []kind{
	{
		name:   "payment method",
		make:   func(f *filler) any { v := filled[method.PaymentMethod](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &method.PaymentMethod{MerchantID: merchantA, ID: "pm"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertPaymentMethod(v.(*method.PaymentMethod)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.PaymentMethod(v.(*method.PaymentMethod).MerchantID, v.(*method.PaymentMethod).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdatePaymentMethod(v.(*method.PaymentMethod)) },
		fixed:     []string{"MerchantID", "ID", "CustomerID", "LastUsedAt", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "mandate",
		make:   func(f *filler) any { v := filled[method.Mandate](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &method.Mandate{MerchantID: merchantA, ID: "man"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertMandate(v.(*method.Mandate)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Mandate(v.(*method.Mandate).MerchantID, v.(*method.Mandate).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateMandate(v.(*method.Mandate)) },
		fixed:     []string{"MerchantID", "ID", "CustomerID", "PaymentID", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "ephemeral key",
		make:   func(f *filler) any { v := filled[method.EphemeralKey](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &method.EphemeralKey{MerchantID: merchantA, ID: "eki", Hash: []byte("h")} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertEphemeralKey(v.(*method.EphemeralKey)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.EphemeralKey(v.(*method.EphemeralKey).MerchantID, v.(*method.EphemeralKey).ID)
		},
	},
	{
		name:   "customer at an account",
		make:   func(f *filler) any { v := filled[method.CustomerAccount](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &method.CustomerAccount{MerchantID: merchantA, CustomerID: "c", AccountID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.PutCustomerAccount(v.(*method.CustomerAccount)) },
		read: func(r engine.Reader, v any) (any, error) {
			c := v.(*method.CustomerAccount)
			return r.CustomerAccount(c.MerchantID, c.CustomerID, c.AccountID)
		},
		update: func(tx engine.Tx, v any) error { return tx.PutCustomerAccount(v.(*method.CustomerAccount)) },
		fixed:  []string{"MerchantID", "CustomerID", "AccountID"},
		put:    true,
	},
	{
		name:   "customer",
		make:   func(f *filler) any { v := filled[account.Customer](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &account.Customer{MerchantID: merchantA, ID: "c"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertCustomer(v.(*account.Customer)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Customer(v.(*account.Customer).MerchantID, v.(*account.Customer).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateCustomer(v.(*account.Customer)) },
		fixed:     []string{"MerchantID", "ID", "CreatedAt"},
		versioned: true,
	},
}

// testCustomerScoping counts customers of a merchant without customers.
func testCustomerScoping(t *testing.T, s engine.Store) {
	none := map[string]func(tx engine.Tx) (int, error){
		"customers": func(tx engine.Tx) (int, error) { return tx.CustomerTotal(merchantB) },
	}
	requireNone(t, s, none)
	update(t, s, func(tx engine.Tx) error { return tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: "c"}) })
	requireNone(t, s, none)
}

func methodRow(id string, change ...func(*method.PaymentMethod)) *method.PaymentMethod {
	m := &method.PaymentMethod{MerchantID: merchantA, ID: id, CustomerID: "c", Status: method.MethodActive, LastUsedAt: base, CreatedAt: base}
	for _, f := range change {
		f(m)
	}
	return m
}

func insertMethods(t testing.TB, s engine.Store, list ...*method.PaymentMethod) {
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

func methodID(m *method.PaymentMethod) string { return m.ID }

func testCustomers(t *testing.T, s engine.Store) {
	for i := range 5 {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: fmt.Sprint("c", i), CreatedAt: base.Add(time.Duration(i) * time.Second)})
		})
	}
	for _, c := range []struct {
		limit, offset int
		want          string
	}{{0, 0, "[c4 c3 c2 c1 c0]"}, {2, 0, "[c4 c3]"}, {2, 1, "[c3 c2]"}, {9, 4, "[c0]"}, {2, 5, "[]"}} {
		update(t, s, func(tx engine.Tx) error {
			got, err := tx.Customers(merchantA, c.limit, c.offset)
			require.NoError(t, err)
			require.Equal(t, c.want, fmt.Sprint(ids(got, func(c *account.Customer) string { return c.ID })))
			total, err := tx.CustomerTotal(merchantA)
			require.Equal(t, 5, total)
			return err
		})
	}
	require.Equal(t, "c4", get(t, s, func(r engine.Reader) (*account.Customer, error) { return r.CustomerUnlocked(merchantA, "c4") }).ID)
	for _, key := range [][2]string{{merchantA, "c5"}, {merchantB, "c4"}} {
		require.ErrorIs(t, s.View(t.Context(), func(r engine.Reader) error { _, err := r.CustomerUnlocked(key[0], key[1]); return err }), fault.ErrNotFound, key)
	}
}

// testKnownCustomer: the record of a known customer comes before the commit, as it is then, next to writes of other callers. A customer that is missing
// undoes nothing of the others.
func testKnownCustomer(t *testing.T, s engine.Store) {
	for i := range 4 {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: fmt.Sprint("c", i), CreatedAt: base})
		})
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			id := fmt.Sprint("c", i%5) // there is no c4
			for round := range 5 {
				var known *account.Customer
				missing := false
				err := s.Update(t.Context(), func(tx engine.Tx) error {
					known = nil
					err := tx.KnownCustomer(merchantA, id, func(c *account.Customer) error { known = c; return nil })
					if missing = errors.Is(err, fault.ErrNotFound); missing {
						err = nil
					}
					return errors.Join(err, tx.InsertCustomer(&account.Customer{MerchantID: merchantB, ID: fmt.Sprint(i, "-", round), CreatedAt: base}))
				})
				if !assert.NoError(t, err) || !assert.Equal(t, i%5 == 4, missing) {
					return
				}
				if !missing && assert.NotNil(t, known) {
					assert.Equal(t, id, known.ID)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 200, get(t, s, func(r engine.Reader) (int, error) { return r.CustomerTotal(merchantB) }))
	require.ErrorIs(t, s.Update(t.Context(), func(tx engine.Tx) error {
		return tx.KnownCustomer(merchantB, "c1", func(*account.Customer) error { t.Error("another merchant's customer"); return nil })
	}), fault.ErrNotFound)

	refused := errors.New("refused")
	require.ErrorIs(t, s.Update(t.Context(), func(tx engine.Tx) error {
		err := tx.KnownCustomer(merchantA, "c1", func(*account.Customer) error { return refused })
		return errors.Join(err, tx.InsertCustomer(&account.Customer{MerchantID: merchantB, ID: "undone", CreatedAt: base}))
	}), refused)
	require.Equal(t, 200, get(t, s, func(r engine.Reader) (int, error) { return r.CustomerTotal(merchantB) }), "the transaction is undone")
}

// testCustomerDocuments checks JSON that merchants sent with a customer.
func testCustomerDocuments(t *testing.T, s engine.Store) {
	c := &account.Customer{MerchantID: merchantA, ID: "c", Metadata: json.RawMessage(document)}
	update(t, s, func(tx engine.Tx) error { return tx.InsertCustomer(c) })
	require.Equal(t, document, string(get(t, s, func(r engine.Reader) (*account.Customer, error) { return r.Customer(merchantA, "c") }).Metadata))
}

func testCustomerAccounts(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		for _, c := range []*method.CustomerAccount{{MerchantID: merchantA, CustomerID: "c", AccountID: "a"}, {MerchantID: merchantA, CustomerID: "c", AccountID: "b"},
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
		_, err := read(s, func(r engine.Reader) (*method.CustomerAccount, error) { return r.CustomerAccount(c[0], c[1], c[2]) })
		if c[3] == "gone" {
			require.ErrorIs(t, err, fault.ErrNotFound, c)
		} else {
			require.NoError(t, err, c)
		}
	}
}

func testMethodLists(t *testing.T, s engine.Store) {
	used := func(n int) func(*method.PaymentMethod) {
		return func(m *method.PaymentMethod) { m.LastUsedAt = base.Add(time.Duration(n) * time.Second) }
	}
	insertMethods(t, s, methodRow("b", used(2)), methodRow("a", used(1)), methodRow("c", used(3)), methodRow("d", used(3)),
		methodRow("other customer", func(m *method.PaymentMethod) { m.CustomerID = "d" }),
		methodRow("other merchant", func(m *method.PaymentMethod) { m.MerchantID = merchantB }),
		methodRow("inactive", func(m *method.PaymentMethod) { m.Status = method.MethodInactive }),
		methodRow("deleted", func(m *method.PaymentMethod) { m.Status, m.Deleted = method.MethodInactive, true }))
	active := func(limit int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*method.PaymentMethod, error) { return r.PaymentMethods(merchantA, "c", limit) }), methodID)
	}
	require.Equal(t, []string{"d", "c", "b", "a"}, active(0), "the latest used first; at equal times the one created later")
	require.Equal(t, []string{"d", "c"}, active(2))
	whole := get(t, s, func(r engine.Reader) ([]*method.PaymentMethod, error) { return r.AllPaymentMethods(merchantA, "c") })
	require.Equal(t, []string{"b", "a", "c", "d", "inactive"}, ids(whole, methodID))

	one := func(id string) *method.PaymentMethod {
		return get(t, s, func(r engine.Reader) (*method.PaymentMethod, error) { return r.PaymentMethod(merchantA, id) })
	}
	update(t, s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantA, "a", base.Add(time.Hour)) })
	require.Equal(t, []string{"a", "d", "c", "b"}, active(0))
	require.EqualValues(t, 1, one("a").Version, "a use does not raise the version")
	update(t, s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantA, "a", base) })
	require.Equal(t, base.Add(time.Hour), one("a").LastUsedAt, "the time of the last use never moves back")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.TouchPaymentMethod(merchantB, "a", base) }), fault.ErrNotFound)
}

func testMethodFingerprints(t *testing.T, s engine.Store) {
	print := func(v string) func(*method.PaymentMethod) {
		return func(m *method.PaymentMethod) { m.Fingerprint = v }
	}
	insertMethods(t, s, methodRow("a", print("1")), methodRow("b", print("2")), methodRow("none"), methodRow("none either"),
		methodRow("other customer", print("1"), func(m *method.PaymentMethod) { m.CustomerID = "d" }),
		methodRow("other merchant", print("1"), func(m *method.PaymentMethod) { m.MerchantID = merchantB }))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertPaymentMethod(methodRow("again", print("1"))) }), fault.ErrConflict)
	find := func(customer, v string) (string, error) {
		m, err := read(s, func(r engine.Reader) (*method.PaymentMethod, error) {
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
	require.ErrorIs(t, err, fault.ErrNotFound)

	b := get(t, s, func(r engine.Reader) (*method.PaymentMethod, error) { return r.PaymentMethod(merchantA, "b") })
	b.Fingerprint = "1"
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdatePaymentMethod(b) }), fault.ErrConflict)
	require.EqualValues(t, 1, b.Version)
	a := get(t, s, func(r engine.Reader) (*method.PaymentMethod, error) { return r.PaymentMethod(merchantA, "a") })
	a.Fingerprint, a.Deleted = "", true
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePaymentMethod(a) })
	insertMethods(t, s, methodRow("again", print("1")))
}

func testMandates(t *testing.T, s engine.Store) {
	for i := range 5 {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertMandate(&method.Mandate{MerchantID: merchantA, ID: fmt.Sprint("m", i), CustomerID: fmt.Sprint("c", i%2),
				MethodID: fmt.Sprint("pm", i), Status: method.MandateActive, CreatedAt: base.Add(time.Duration(i) * time.Second)})
		})
	}
	update(t, s, func(tx engine.Tx) error {
		m, err := tx.Mandate(merchantA, "m4")
		if err != nil {
			return err
		}
		m.Status = method.MandateRevoked
		return tx.UpdateMandate(m)
	})
	for _, c := range []struct {
		filter method.MandateFilter
		want   string
	}{
		{method.MandateFilter{}, "[m4 m3 m2 m1 m0]"},
		{method.MandateFilter{Limit: 2}, "[m4 m3]"},
		{method.MandateFilter{Limit: 2, Offset: 1}, "[m3 m2]"},
		{method.MandateFilter{CustomerID: "c0"}, "[m4 m2 m0]"},
		{method.MandateFilter{CustomerID: "c0", Status: method.MandateActive}, "[m2 m0]"},
		{method.MandateFilter{MethodID: "pm3"}, "[m3]"},
		{method.MandateFilter{From: base.Add(time.Second), To: base.Add(2 * time.Second)}, "[m2 m1]"},
		{method.MandateFilter{CustomerID: "c2"}, "[]"},
	} {
		list := get(t, s, func(r engine.Reader) ([]*method.Mandate, error) { return r.Mandates(merchantA, c.filter) })
		require.Equal(t, c.want, fmt.Sprint(ids(list, func(m *method.Mandate) string { return m.ID })), "%+v", c.filter)
	}
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*method.Mandate, error) { return r.Mandates(merchantB, method.MandateFilter{}) }))
}

func testEphemeralKeys(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	update(t, s, func(tx engine.Tx) error {
		if err := tx.InsertEphemeralKey(&method.EphemeralKey{MerchantID: merchantA, ID: "old", Hash: []byte("1"), ExpiresAt: base}); err != nil {
			return err
		}
		return tx.InsertEphemeralKey(&method.EphemeralKey{MerchantID: merchantA, ID: "new", Hash: []byte("2"), ExpiresAt: future})
	})
	find := func(hash string) (*method.EphemeralKey, error) {
		return read(s, func(r engine.Reader) (*method.EphemeralKey, error) { return r.EphemeralKeyByHash([]byte(hash)) })
	}
	k, err := find("1")
	require.NoError(t, err)
	require.Equal(t, "old", k.ID, "a key can be read after its expiry too")
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
	_, err = find("1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteEphemeralKey(merchantB, "new") }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteEphemeralKey(merchantA, "new") })
	_, err = find("2")
	require.ErrorIs(t, err, fault.ErrNotFound)
}
