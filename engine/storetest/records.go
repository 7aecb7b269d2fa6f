package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

func testExchanges(t *testing.T, s engine.Store) {
	intent := drive.ExchangeRecord{OperationID: "op", Index: 1, At: base, RequestHash: "hash", Sealed: []byte("intent")}
	first := drive.ExchangeRecord{OperationID: "op", Index: 0, At: base, Sealed: []byte("first"), Answered: true, Sent: true, Status: 200, Duration: 1500 * time.Microsecond}
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.PutExchange(intent), tx.PutExchange(first), tx.PutExchange(drive.ExchangeRecord{OperationID: "other"}))
	})
	all := func(id string) []drive.ExchangeRecord {
		return get(t, s, func(r engine.Reader) ([]drive.ExchangeRecord, error) { return r.Exchanges(id) })
	}
	require.Equal(t, []drive.ExchangeRecord{first, intent}, all("op"))
	require.Equal(t, []drive.ExchangeRecord{{OperationID: "other"}}, all("other"))
	full := filled[drive.ExchangeRecord](new(filler))
	full.OperationID, full.Index = "op", 1
	update(t, s, func(tx engine.Tx) error { return tx.PutExchange(*full) })
	require.Equal(t, []drive.ExchangeRecord{first, *full}, all("op"))
}

func testIdempotency(t *testing.T, s engine.Store) {
	r := &account.IdempotencyRecord{MerchantID: merchantA, Key: "k", RequestHash: []byte("h"), Owner: "node_1", CreatedAt: base, ExpiresAt: base.Add(time.Hour)}
	stored := func() *account.IdempotencyRecord {
		return get(t, s, func(r engine.Reader) (*account.IdempotencyRecord, error) { return r.Idempotency(merchantA, "k") })
	}
	update(t, s, func(tx engine.Tx) error { return tx.InsertIdempotency(r) })
	theirs := *r
	theirs.Owner, theirs.Status = "node_2", 500
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.FinishIdempotency(&theirs) }), fault.ErrConflict)
	require.Equal(t, r, stored())

	done := *r
	done.Status, done.Body, done.Headers, done.ExpiresAt = 200, []byte("body"), []byte("headers"), base.Add(2*time.Hour)
	update(t, s, func(tx engine.Tx) error { return tx.FinishIdempotency(&done) })
	require.Equal(t, &done, stored())
	again := done
	again.Status = 400
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.FinishIdempotency(&again) }), fault.ErrConflict, "an answer is final")
	require.Equal(t, &done, stored())
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertIdempotency(r) }), fault.ErrConflict)

	update(t, s, func(tx engine.Tx) error { return tx.DeleteIdempotency(merchantA, "k") })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.FinishIdempotency(&done) }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.InsertIdempotency(r) })
	require.Equal(t, r, stored())
}

func testCardTokens(t *testing.T, s engine.Store) {
	c := &payment.CardToken{MerchantID: merchantA, Token: "t", PaymentID: "p", Sealed: []byte("one"), ExpiresAt: base}
	update(t, s, func(tx engine.Tx) error { return tx.PutCardToken(c) })
	c.Sealed, c.PaymentID = []byte("two"), "q"
	update(t, s, func(tx engine.Tx) error { return tx.PutCardToken(c) })
	require.Equal(t, c, get(t, s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, "t") }), "a token can be read after its expiry too")
	update(t, s, func(tx engine.Tx) error { return tx.DeleteCardToken(merchantA, "t") })
	_, err := read(s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, "t") })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testExpired(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	update(t, s, func(tx engine.Tx) error {
		var errs []error
		for i, end := range []time.Time{base, tx.Now(), future, {}} {
			errs = append(errs, tx.PutCardToken(&payment.CardToken{MerchantID: merchantA, Token: fmt.Sprint(i), ExpiresAt: end}),
				tx.InsertIdempotency(&account.IdempotencyRecord{MerchantID: merchantB, Key: fmt.Sprint(i), ExpiresAt: end}))
		}
		return errors.Join(errs...)
	})
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 4, n)
	for i := range 4 {
		_, tokenErr := read(s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, fmt.Sprint(i)) })
		_, keyErr := read(s, func(r engine.Reader) (*account.IdempotencyRecord, error) {
			return r.Idempotency(merchantB, fmt.Sprint(i))
		})
		for _, err := range []error{tokenErr, keyErr} {
			if i < 2 {
				require.ErrorIs(t, err, fault.ErrNotFound)
			} else {
				require.NoError(t, err, "the record has not expired")
			}
		}
	}
}

func testMerchants(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(
			tx.InsertMerchant(&account.Merchant{ID: "m2", OrganizationID: "org_1", PublishableKey: "pk_2"}),
			tx.InsertMerchant(&account.Merchant{ID: "m1", OrganizationID: "org_1", PublishableKey: "pk_1"}),
			tx.InsertMerchant(&account.Merchant{ID: "m3", OrganizationID: "org_2"}))
	})
	of := func(org string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*account.Merchant, error) { return r.Merchants(org) }), func(m *account.Merchant) string { return m.ID })
	}
	require.Equal(t, []string{"m1", "m2"}, of("org_1"))
	require.Equal(t, []string{"m1", "m2", "m3"}, of(""))
	require.Empty(t, of("org_3"))
	require.Equal(t, "m2", get(t, s, func(r engine.Reader) (*account.Merchant, error) { return r.MerchantByPublishableKey("pk_2") }).ID)

	p := paymentRow("p")
	p.MerchantID = "m1"
	update(t, s, func(tx engine.Tx) error {
		var errs []error
		for _, m := range []string{"m1", "m2"} {
			for i := range 2 {
				errs = append(errs,
					tx.InsertProfile(&account.Profile{MerchantID: m, ID: fmt.Sprintf("pro_%d", 9-i), Name: fmt.Sprint(i), CreatedAt: base.Add(time.Duration(i) * time.Hour)}),
					tx.InsertAccount(&account.Account{MerchantID: m, ID: fmt.Sprintf("mca_%d", 9-i), Label: fmt.Sprint(i), CreatedAt: base.Add(time.Duration(i) * time.Hour)}),
					tx.InsertAPIKey(&account.APIKey{MerchantID: m, ID: fmt.Sprint("key_", i), Hash: fmt.Append(nil, m, i)}))
			}
		}
		return errors.Join(append(errs, tx.InsertPayment(p))...)
	})
	profiles := get(t, s, func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles("m1") })
	require.Equal(t, []string{"pro_9", "pro_8"}, ids(profiles, func(p *account.Profile) string { return p.ID }))
	accounts := get(t, s, func(r engine.Reader) ([]*account.Account, error) { return r.Accounts("m1") })
	require.Equal(t, []string{"mca_9", "mca_8"}, ids(accounts, func(a *account.Account) string { return a.ID }))

	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.DeleteProfile("m2", "pro_9"), tx.DeleteAccount("m2", "mca_9"))
	})
	require.Len(t, get(t, s, func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles("m2") }), 1)
	require.Len(t, get(t, s, func(r engine.Reader) ([]*account.Account, error) { return r.Accounts("m2") }), 1)

	for _, m := range []string{"m1", "m2"} {
		update(t, s, func(tx engine.Tx) error {
			return errors.Join(tx.InsertCard(&vault.StoredCard{MerchantID: m, ID: "card", Fingerprint: "f", CreatedAt: base}),
				tx.InsertPaymentMethod(&method.PaymentMethod{MerchantID: m, ID: "pm", CustomerID: "c", CreatedAt: base}),
				tx.CountLowValue(m, "f", 1, time.Now().Add(time.Hour)), tx.CountExemption(m, "424242", "low_value", false, time.Now().Add(time.Hour)))
		})
	}
	kept := func(m string) (out []bool) {
		require.NoError(t, s.View(t.Context(), func(r engine.Reader) error {
			_, card := r.Card(m, "card")
			_, method := r.PaymentMethod(m, "pm")
			used, err := r.LowValue(m, "f")
			rates, err2 := r.ExemptionRates(m, "424242")
			out = []bool{card == nil, method == nil, used.Count == 1, len(rates) == 1}
			return errors.Join(err, err2)
		}))
		return out
	}
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant("m1") })
	require.Equal(t, []bool{false, false, false, false}, kept("m1"), "saved cards and counts go with their merchant")
	require.Equal(t, []bool{true, true, true, true}, kept("m2"))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles("m1") }))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.Account, error) { return r.Accounts("m1") }))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.APIKey, error) { return r.APIKeys("m1", 0, 0) }))
	require.Equal(t, "p", get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment("m1", "p") }).ID, "payments stay")
	require.Equal(t, []string{"m2"}, of("org_1"))
	require.Len(t, get(t, s, func(r engine.Reader) ([]*account.APIKey, error) { return r.APIKeys("m2", 0, 0) }), 2)
}

func testAPIKeys(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	for i := range 5 {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertAPIKey(&account.APIKey{MerchantID: merchantA, ID: fmt.Sprint("k", 9-i), Hash: fmt.Append(nil, i), CreatedAt: base.Add(time.Duration(i) * time.Second)})
		})
	}
	keys := func(limit, skip int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*account.APIKey, error) { return r.APIKeys(merchantA, limit, skip) }), func(k *account.APIKey) string { return k.ID })
	}
	require.Equal(t, []string{"k9", "k8", "k7", "k6", "k5"}, keys(0, 0))
	require.Equal(t, []string{"k8", "k7"}, keys(2, 1))
	require.Equal(t, []string{"k5"}, keys(3, 4))
	require.Empty(t, keys(3, 5))
	k := get(t, s, func(r engine.Reader) (*account.APIKey, error) { return r.APIKeyByHash([]byte("3")) })
	require.Equal(t, "k6", k.ID)
	k.RevokedAt = base
	update(t, s, func(tx engine.Tx) error { return tx.UpdateAPIKey(k) })
	require.Equal(t, k, get(t, s, func(r engine.Reader) (*account.APIKey, error) { return r.APIKeyByHash([]byte("3")) }))
}

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
			got, total, err := tx.Customers(merchantA, c.limit, c.offset)
			require.Equal(t, c.want, fmt.Sprint(ids(got, func(c *account.Customer) string { return c.ID })))
			require.Equal(t, 5, total)
			return err
		})
	}
}

func testKeysets(t *testing.T, s engine.Store) {
	insert := func(v []byte) error {
		return updateErr(s, func(tx engine.Tx) error { return tx.InsertKeyset("data", v) })
	}
	require.Error(t, insert(nil), "an empty keyset would look like a missing one")
	require.NoError(t, insert([]byte("one")))
	require.ErrorIs(t, insert([]byte("two")), fault.ErrConflict)
	require.Equal(t, "one", string(get(t, s, func(r engine.Reader) ([]byte, error) { return r.Keyset("data") })))

	change := func(name, old, v string) error {
		return updateErr(s, func(tx engine.Tx) error { return tx.UpdateKeyset(name, []byte(old), []byte(v)) })
	}
	require.NoError(t, change("data", "one", "three"))
	require.ErrorIs(t, change("data", "one", "four"), fault.ErrConflict)
	require.ErrorIs(t, change("Data", "three", "four"), fault.ErrNotFound)
	require.Error(t, change("data", "three", ""))
	require.Equal(t, "three", string(get(t, s, func(r engine.Reader) ([]byte, error) { return r.Keyset("data") })))

	_, err := read(s, func(r engine.Reader) ([]byte, error) { return r.Keyset("Data") })
	require.ErrorIs(t, err, fault.ErrNotFound)
}
