package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/risk"
	"payswitch/engine/vault"
)

// accountRoom tests account.Reader and account.Tx: merchants, profiles, connector accounts, API keys and idempotency records. It also tests
// Reader.AccountsAt of package engine.
var accountRoom = room{
	name:  "account",
	kinds: accountKinds,
	cases: []testCase{
		{"merchants and the rows that belong to them", testMerchants},
		{"unique names", testUniqueNames},
		{"API keys", testAPIKeys},
		{"idempotency", testIdempotency},
		{"documents come back as they were sent", testMerchantDocuments},
		{"accounts of a connector", testAccountsAt},
		{"violations", testViolations},
		{"versions of accounts", testAccountVersions},
		{"how many operations are open", testOpenOperations},
		{"missing rows and empty lists", testAccountMissing},
		{"another merchant's accounts", testAccountScoping},
		{"the version of the configuration", testConfigVersion},
	},
}

// accountKinds are the rows of merchants and their configuration.
var accountKinds = []kind{
	{
		name:      "merchant",
		make:      func(f *filler) any { return filled[account.Merchant](f) },
		empty:     func() any { return &account.Merchant{ID: "m"} },
		insert:    func(tx engine.Tx, v any) error { return tx.InsertMerchant(v.(*account.Merchant)) },
		read:      func(r engine.Reader, v any) (any, error) { return r.Merchant(v.(*account.Merchant).ID) },
		update:    func(tx engine.Tx, v any) error { return tx.UpdateMerchant(v.(*account.Merchant)) },
		fixed:     []string{"ID"},
		versioned: true,
	},
	{
		name:   "profile",
		make:   func(f *filler) any { v := filled[account.Profile](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &account.Profile{MerchantID: merchantA, ID: "p"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertProfile(v.(*account.Profile)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Profile(v.(*account.Profile).MerchantID, v.(*account.Profile).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateProfile(v.(*account.Profile)) },
		fixed:     []string{"MerchantID", "ID"},
		versioned: true,
	},
	{
		name:   "account",
		make:   func(f *filler) any { v := filled[account.Account](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &account.Account{MerchantID: merchantA, ID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAccount(v.(*account.Account)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Account(v.(*account.Account).MerchantID, v.(*account.Account).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAccount(v.(*account.Account)) },
		fixed:     []string{"MerchantID", "ID"},
		versioned: true,
	},
	{
		name:  "account version",
		make:  func(f *filler) any { v := filled[account.Version](f); v.MerchantID = merchantA; return v },
		empty: func() any { return &account.Version{MerchantID: merchantA, AccountID: "a", Fingerprint: "f"} },
		insert: func(tx engine.Tx, v any) error {
			return tx.InsertAccountVersion(v.(*account.Version))
		},
		read: func(r engine.Reader, v any) (any, error) {
			k := v.(*account.Version)
			return r.AccountVersion(k.MerchantID, k.AccountID, k.Fingerprint)
		},
		update: func(tx engine.Tx, v any) error { return tx.UpdateAccountVersion(v.(*account.Version)) },
		fixed:  []string{"MerchantID", "AccountID", "Fingerprint"},
	},
	{
		name:   "API key",
		make:   func(f *filler) any { v := filled[account.APIKey](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &account.APIKey{MerchantID: merchantA, ID: "k", Hash: []byte("h")} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAPIKey(v.(*account.APIKey)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.APIKey(v.(*account.APIKey).MerchantID, v.(*account.APIKey).ID)
		},
		update: func(tx engine.Tx, v any) error { return tx.UpdateAPIKey(v.(*account.APIKey)) },
		fixed:  []string{"MerchantID", "ID"},
	},
	{
		name:   "idempotency record",
		make:   func(f *filler) any { v := filled[idempotency.Record](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &idempotency.Record{MerchantID: merchantA, Key: "k"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertIdempotency(v.(*idempotency.Record)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Idempotency(v.(*idempotency.Record).MerchantID, v.(*idempotency.Record).Key)
		},
	},
}

func testAccountMissing(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"merchant":    func(tx engine.Tx) error { return tx.DeleteMerchant("x") },
		"profile":     func(tx engine.Tx) error { return tx.DeleteProfile(merchantA, "x") },
		"account":     func(tx engine.Tx) error { return tx.DeleteAccount(merchantA, "x") },
		"idempotency": func(tx engine.Tx) error { return tx.DeleteIdempotency(merchantA, "x") },
		"idempotency end": func(tx engine.Tx) error {
			return tx.FinishIdempotency(&idempotency.Record{MerchantID: merchantA, Key: "x"})
		},
		"hash":                  func(tx engine.Tx) error { _, err := tx.APIKeyByHash([]byte("x")); return err },
		"publishable key":       func(tx engine.Tx) error { _, err := tx.MerchantByPublishableKey("x"); return err },
		"empty publishable key": func(tx engine.Tx) error { _, err := tx.MerchantByPublishableKey(""); return err },
	})
	requireNone(t, s, map[string]func(tx engine.Tx) (int, error){
		"versions": func(tx engine.Tx) (int, error) { l, err := tx.AccountVersions(merchantA, "x"); return len(l), err },
		"profiles": func(tx engine.Tx) (int, error) { l, err := tx.Profiles(merchantA); return len(l), err },
		"accounts": func(tx engine.Tx) (int, error) { l, err := tx.Accounts(merchantA); return len(l), err },
		"keys":     func(tx engine.Tx) (int, error) { l, err := tx.APIKeys(merchantA, 0, 0); return len(l), err },
	})
}

// testAccountScoping deletes and ends rows of merchant A as merchant B. Both merchants may have the same ids.
func testAccountScoping(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	insert := func(merchantID string) {
		update(t, s, func(tx engine.Tx) error {
			return errors.Join(tx.InsertProfile(&account.Profile{MerchantID: merchantID, ID: "pro"}),
				tx.InsertAccount(&account.Account{MerchantID: merchantID, ID: "acc"}),
				tx.InsertIdempotency(&idempotency.Record{MerchantID: merchantID, Key: "i"}))
		})
	}
	insert(merchantA)
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"profile":     func(tx engine.Tx) error { return tx.DeleteProfile(merchantB, "pro") },
		"account":     func(tx engine.Tx) error { return tx.DeleteAccount(merchantB, "acc") },
		"idempotency": func(tx engine.Tx) error { return tx.DeleteIdempotency(merchantB, "i") },
		"finish": func(tx engine.Tx) error {
			return tx.FinishIdempotency(&idempotency.Record{MerchantID: merchantB, Key: "i", Status: 200})
		},
	})
	insert(merchantB)
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
				tx.CountLowValue(m, "f", 1, time.Now().Add(time.Hour)), tx.CountExemption(m, "424242", "low_value", false, time.Now().Add(time.Hour)),
				tx.InsertBlocked(&risk.Entry{MerchantID: m, Data: "424242", Kind: risk.KindBIN, CreatedAt: base}))
		})
	}
	kept := func(m string) (out []bool) {
		require.NoError(t, s.View(t.Context(), func(r engine.Reader) error {
			_, card := r.Card(m, "card")
			_, method := r.PaymentMethod(m, "pm")
			used, err := r.LowValue(m, "f")
			rates, err2 := r.ExemptionRates(m, "424242")
			_, entry := r.Blocked(m, "424242")
			out = []bool{card == nil, method == nil, used.Count == 1, len(rates) == 1, entry == nil}
			return errors.Join(err, err2)
		}))
		return out
	}
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant("m1") })
	require.Equal(t, []bool{false, false, false, false, false}, kept("m1"), "saved cards and counts go with their merchant")
	require.Equal(t, []bool{true, true, true, true, true}, kept("m2"))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles("m1") }))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.Account, error) { return r.Accounts("m1") }))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*account.APIKey, error) { return r.APIKeys("m1", 0, 0) }))
	require.Equal(t, "p", get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment("m1", "p") }).ID, "payments stay")
	require.Equal(t, []string{"m2"}, of("org_1"))
	require.Len(t, get(t, s, func(r engine.Reader) ([]*account.APIKey, error) { return r.APIKeys("m2", 0, 0) }), 2)
}

func testUniqueNames(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	profile := func(m, id, name string) *account.Profile {
		return &account.Profile{MerchantID: m, ID: id, Name: name}
	}
	acct := func(m, id, profile, label string) *account.Account {
		return &account.Account{MerchantID: m, ID: id, ProfileID: profile, Label: label}
	}
	p2, a2 := profile(merchantA, "p2", "second"), acct(merchantA, "a2", "p1", "two")
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertProfile(profile(merchantA, "p1", "default")), tx.InsertProfile(p2),
			tx.InsertProfile(profile(merchantB, "p1", "default")),
			tx.InsertAccount(acct(merchantA, "a1", "p1", "one")), tx.InsertAccount(a2),
			tx.InsertAccount(acct(merchantA, "a3", "p2", "one")), tx.InsertAccount(acct(merchantB, "a1", "p1", "one")),
			tx.InsertAPIKey(&account.APIKey{MerchantID: merchantA, ID: "k1", Hash: []byte("hash")}),
			tx.InsertMerchant(&account.Merchant{ID: "keyless_1"}), tx.InsertMerchant(&account.Merchant{ID: "keyless_2"}))
	})
	for name, f := range map[string]func(tx engine.Tx) error{
		"profile name":       func(tx engine.Tx) error { return tx.InsertProfile(profile(merchantA, "p9", "default")) },
		"profile renamed":    func(tx engine.Tx) error { v := *p2; v.Name = "default"; return tx.UpdateProfile(&v) },
		"account label":      func(tx engine.Tx) error { return tx.InsertAccount(acct(merchantA, "a9", "p1", "one")) },
		"account relabelled": func(tx engine.Tx) error { v := *a2; v.Label = "one"; return tx.UpdateAccount(&v) },
		"key hash": func(tx engine.Tx) error {
			return tx.InsertAPIKey(&account.APIKey{MerchantID: merchantB, ID: "k1", Hash: []byte("hash")})
		},
		"publishable key": func(tx engine.Tx) error {
			return tx.InsertMerchant(&account.Merchant{ID: "m9", PublishableKey: "pk_" + merchantA})
		},
	} {
		require.ErrorIs(t, updateErr(s, f), fault.ErrConflict, name)
	}
	require.Equal(t, "second", get(t, s, func(r engine.Reader) (*account.Profile, error) { return r.Profile(merchantA, "p2") }).Name)
	for name, f := range map[string]func(tx engine.Tx) error{
		"profile": func(tx engine.Tx) error { return tx.InsertProfile(profile("nobody", "p", "p")) },
		"account": func(tx engine.Tx) error { return tx.InsertAccount(acct("nobody", "a", "p", "l")) },
		"API key": func(tx engine.Tx) error {
			return tx.InsertAPIKey(&account.APIKey{MerchantID: "nobody", ID: "k", Hash: []byte("x")})
		},
	} {
		require.ErrorIs(t, updateErr(s, f), fault.ErrNotFound, "%s of a merchant that does not exist", name)
	}
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

func testIdempotency(t *testing.T, s engine.Store) {
	r := &idempotency.Record{MerchantID: merchantA, Key: "k", RequestHash: []byte("h"), Owner: "node_1", CreatedAt: base, ExpiresAt: base.Add(time.Hour)}
	stored := func() *idempotency.Record {
		return get(t, s, func(r engine.Reader) (*idempotency.Record, error) { return r.Idempotency(merchantA, "k") })
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

// testMerchantDocuments checks JSON that an operator sent with a merchant.
func testMerchantDocuments(t *testing.T, s engine.Store) {
	a := &account.Merchant{ID: merchantA, Details: json.RawMessage(`null`)}
	update(t, s, func(tx engine.Tx) error { return tx.InsertMerchant(a) })
	require.Equal(t, `null`, string(get(t, s, func(r engine.Reader) (*account.Merchant, error) { return r.Merchant(merchantA) }).Details))
}

func testAccountsAt(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	update(t, s, func(tx engine.Tx) error {
		for i, a := range []account.Account{{MerchantID: merchantA, Connector: "acme"}, {MerchantID: merchantA, Connector: "other"},
			{MerchantID: merchantB, Connector: "acme", Disabled: true}} {
			a.ID, a.Label = string(rune('a'+i)), string(rune('a'+i))
			if err := tx.InsertAccount(&a); err != nil {
				return err
			}
		}
		return nil
	})
	for connector, want := range map[string]int{"acme": 2, "other": 1, "none": 0} {
		require.Equal(t, want, get(t, s, func(r engine.Reader) (int, error) { return r.AccountsAt(connector) }), connector)
	}
}

func testViolations(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	update(t, s, func(tx engine.Tx) error {
		for _, m := range []string{merchantA, merchantB} {
			if err := tx.InsertAccount(&account.Account{MerchantID: m, ID: "a", Label: "a"}); err != nil {
				return err
			}
		}
		return tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: "b", Label: "b"})
	})
	f := new(filler)
	var made []*port.Violation
	for range 5 {
		v := filled[port.Violation](f)
		v.MerchantID, v.AccountID = merchantA, "a"
		made = append([]*port.Violation{v}, made...)
		update(t, s, func(tx engine.Tx) error { return tx.InsertViolation(v, 3) })
	}
	list := func(merchant, account string, limit int) []*port.Violation {
		return get(t, s, func(r engine.Reader) ([]*port.Violation, error) { return r.Violations(merchant, account, limit) })
	}
	for _, other := range [][2]string{{merchantB, "a"}, {merchantA, "b"}} {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertViolation(&port.Violation{MerchantID: other[0], AccountID: other[1]}, 1)
		})
	}
	require.Equal(t, made[:3], list(merchantA, "a", 10), "the store keeps the newest records, newest first")
	require.Equal(t, made[:2], list(merchantA, "a", 2))
	require.Equal(t, []*port.Violation{{MerchantID: merchantB, AccountID: "a"}}, list(merchantB, "a", 10))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
		return tx.InsertViolation(&port.Violation{MerchantID: merchantA, AccountID: "none"}, 3)
	}), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteAccount(merchantA, "a") })
	require.Empty(t, list(merchantA, "a", 10), "the records go with the account")
	require.Len(t, list(merchantA, "b", 10), 1)
}

// testAccountVersions lists, deletes and finds the versions of accounts and the operations that need them.
func testAccountVersions(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	version := func(merchantID, accountID, name string, rank int64, used time.Time) *account.Version {
		return &account.Version{MerchantID: merchantID, AccountID: accountID, Fingerprint: name, Rank: rank, UsedAt: used}
	}
	named := func(v *account.Version) string { return v.AccountID + " " + v.Fingerprint }
	list := func(merchantID, accountID string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*account.Version, error) { return r.AccountVersions(merchantID, accountID) }), named)
	}
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: "a"}),
			tx.InsertAccountVersion(version(merchantA, "a", "late", 9, base.Add(time.Hour))),
			tx.InsertAccountVersion(version(merchantA, "a", "early", 1, base)),
			tx.InsertAccountVersion(version(merchantA, "b", "early", 1, base)),
			tx.InsertAccountVersion(version(merchantB, "a", "early", 1, base.Add(time.Minute))))
	})
	require.Equal(t, []string{"a early", "a late"}, list(merchantA, "a"), "by rank")
	require.Equal(t, []string{"b early"}, list(merchantA, "b"))
	require.Equal(t, []string{"a early"}, list(merchantB, "a"))
	unused := func(before time.Time) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*account.Version, error) { return r.UnusedVersions(before) }), named)
	}
	require.Empty(t, unused(base))
	require.Equal(t, []string{"a early", "b early"}, unused(base.Add(time.Millisecond)))
	require.Len(t, unused(base.Add(2*time.Hour)), 4)

	update(t, s, func(tx engine.Tx) error { return tx.DeleteAccount(merchantA, "a") })
	require.Equal(t, []string{"a early", "a late"}, list(merchantA, "a"), "versions outlive their account")
	update(t, s, func(tx engine.Tx) error { return tx.DeleteAccountVersion(merchantA, "a", "early") })
	require.Equal(t, []string{"a late"}, list(merchantA, "a"))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteAccountVersion(merchantA, "a", "early") }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant(merchantA) })
	require.Empty(t, list(merchantA, "a"), "versions go with their merchant")
	require.Equal(t, []string{"a early"}, list(merchantB, "a"))

	for i, status := range []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending, payment.OperationSucceeded} {
		o := operation(fmt.Sprint("op_", i))
		o.AccountID, o.AccountVersion, o.Status = "a", fmt.Sprint("v", i/2), status
		insertOperations(t, s, o)
	}
	open := func(merchantID, accountID string) []string {
		return get(t, s, func(r engine.Reader) ([]string, error) { return r.OpenVersions(merchantID, accountID) })
	}
	require.ElementsMatch(t, []string{"v0", "v1"}, open(merchantA, "a"))
	require.Empty(t, open(merchantA, "b"))
	require.Empty(t, open(merchantB, "a"))

	at := &payment.Attempt{MerchantID: merchantA, PaymentID: "p", ID: "p_1", AccountID: "a", Details: payment.AttemptDetails{Reference: "p_1"}}
	update(t, s, func(tx engine.Tx) error { return tx.InsertAttempt(at) })
	for _, c := range []struct {
		merchantID, accountID string
		used                  bool
	}{{merchantA, "a", true}, {merchantA, "b", false}, {merchantB, "a", false}} {
		require.Equal(t, c.used, get(t, s, func(r engine.Reader) (bool, error) { return r.AccountUsed(c.merchantID, c.accountID) }))
	}
}

// testOpenOperations counts started, unknown and pending operations, including those that never become due.
func testOpenOperations(t *testing.T, s engine.Store) {
	count := func(merchantID, accountID string) int {
		t.Helper()
		return get(t, s, func(r engine.Reader) (int, error) { return r.OpenOperations(merchantID, accountID) })
	}
	n := 0
	for _, status := range []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending,
		payment.OperationSucceeded, payment.OperationDeclined, payment.OperationRejected, payment.OperationFailed, payment.OperationNotActed} {
		open := status == payment.OperationStarted || status == payment.OperationUnknown || status == payment.OperationPending
		for _, at := range []time.Time{{}, base, time.Now().Add(time.Hour)} {
			n++
			o := operation(fmt.Sprint("op_", n))
			o.AccountID, o.Status, o.ResolveAt = "acc", status, at
			insertOperations(t, s, o)
			require.Equal(t, map[bool]int{true: 1}[open], count(merchantA, "acc"), "%s inserted, due %s", status, at)
			if open { // a lease, taken and extended, does not close it
				claim(t, s, "me", time.Hour, 10)
				update(t, s, func(tx engine.Tx) error { _, err := tx.ExtendLease(o.ID, "me", tx.Now().Add(time.Minute)); return err })
				require.Equal(t, 1, count(merchantA, "acc"), "%s leased, due %s", status, at)
			}
			o.Status = payment.OperationSucceeded
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
			require.Zero(t, count(merchantA, "acc"), "%s closed", status)
			o.Status = status
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
			require.Equal(t, map[bool]int{true: 1}[open], count(merchantA, "acc"), "%s by an update, due %s", status, at)
			o.Status = payment.OperationFailed
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
		}
	}
	for i, account := range []string{"one", "two", "two", ""} {
		o := operation(fmt.Sprint("open_", i))
		o.AccountID = account
		insertOperations(t, s, o)
	}
	other := operation("other")
	other.MerchantID, other.AccountID = merchantB, "two"
	update(t, s, func(tx engine.Tx) error {
		require.NoError(t, tx.InsertOperation(other))
		n, err := tx.OpenOperations(merchantB, "two")
		require.Equal(t, 1, n, "the transaction counts its own writes")
		return err
	})

	var merchants []string // nil: all
	listed := func(limit int, statuses ...payment.OperationStatus) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*payment.Operation, error) {
			return r.OperationsWithStatus(merchants, statuses, limit)
		}), operationID)
	}
	waits := operation("waits")
	waits.Status, waits.StartedAt = payment.OperationUnknown, base.Add(-time.Minute)
	insertOperations(t, s, waits)
	require.Equal(t, []string{"waits", "open_0", "open_1", "open_2", "open_3", "other"}, listed(10, payment.OperationStarted, payment.OperationUnknown))
	require.Equal(t, []string{"waits", "open_0"}, listed(2, payment.OperationStarted, payment.OperationUnknown))
	require.Equal(t, []string{"waits"}, listed(10, payment.OperationUnknown))
	require.Empty(t, listed(10, payment.OperationPending))
	merchants = []string{merchantB}
	require.Equal(t, []string{"other"}, listed(1, payment.OperationStarted, payment.OperationUnknown), "others' older operations take no place")
	merchants = []string{merchantB, merchantA}
	require.Len(t, listed(10, payment.OperationStarted, payment.OperationUnknown), 6)
	merchants = nil
	waits.Status = payment.OperationSucceeded
	update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(waits) })
	require.Empty(t, listed(10, payment.OperationUnknown), "it has ended")

	resolved := func(limit int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*payment.Operation, error) { return r.ResolvedOperations(merchants, limit) }), operationID)
	}
	require.Empty(t, resolved(10))
	waits.Resolution, waits.ClosedAt = &payment.Resolution{Outcome: payment.FoundDeclined, By: "Ada", Why: "statement", Was: payment.OperationUnknown, At: base}, base
	update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(waits) })
	later := *waits
	later.ID, later.ClosedAt = "later", base.Add(time.Minute)
	insertOperations(t, s, &later)
	require.Equal(t, []string{"later", "waits"}, resolved(10))
	require.Equal(t, []string{"later"}, resolved(1))
	merchants = []string{merchantB}
	require.Empty(t, resolved(10))
	merchants = nil
	require.Equal(t, waits.Resolution, get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation("waits") }).Resolution)
	require.Equal(t, []int{1, 2, 4, 1, 0, 0}, []int{count(merchantA, "one"), count(merchantA, "two"), count(merchantA, ""), count(merchantB, ""),
		count(merchantB, "one"), count("nobody", "")})
}

func testConfigVersion(t *testing.T, s engine.Store) {
	version := func() int64 {
		return get(t, s, func(r engine.Reader) (int64, error) { return r.ConfigVersion() })
	}
	changes := func(name string, f func(tx engine.Tx) error) {
		t.Helper()
		before := version()
		update(t, s, f)
		require.Greater(t, version(), before, name)
	}
	m := &account.Merchant{ID: "m_versions"}
	p := &account.Profile{MerchantID: m.ID, ID: "pro", Name: "p"}
	a := &account.Account{MerchantID: m.ID, ID: "mca", ProfileID: "pro", Connector: "c", Label: "l"}
	k := &account.APIKey{MerchantID: m.ID, ID: "key", Hash: []byte("hash")}
	changes("merchant made", func(tx engine.Tx) error { return tx.InsertMerchant(m) })
	changes("merchant changed", func(tx engine.Tx) error { return tx.UpdateMerchant(m) })
	changes("profile made", func(tx engine.Tx) error { return tx.InsertProfile(p) })
	changes("profile changed", func(tx engine.Tx) error { return tx.UpdateProfile(p) })
	changes("account made", func(tx engine.Tx) error { return tx.InsertAccount(a) })
	changes("account changed", func(tx engine.Tx) error { return tx.UpdateAccount(a) })
	changes("key made", func(tx engine.Tx) error { return tx.InsertAPIKey(k) })
	changes("key revoked", func(tx engine.Tx) error { k.RevokedAt = tx.Now(); return tx.UpdateAPIKey(k) })
	before := version()
	update(t, s, func(tx engine.Tx) error {
		for range 3 {
			if err := tx.UpdateMerchant(m); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, before+1, version(), "once in a transaction")
	undone := errors.New("undone")
	require.ErrorIs(t, s.Update(t.Context(), func(tx engine.Tx) error { return errors.Join(tx.UpdateMerchant(m), undone) }), undone)
	update(t, s, func(tx engine.Tx) error {
		return tx.InsertRefund(&payment.Refund{MerchantID: m.ID, ID: "ref", PaymentID: "pay"})
	})
	require.Equal(t, before+1, version(), "neither an undone write nor one of payments changes it")
	changes("account deleted", func(tx engine.Tx) error { return tx.DeleteAccount(m.ID, a.ID) })
	changes("profile deleted", func(tx engine.Tx) error { return tx.DeleteProfile(m.ID, p.ID) })
	changes("merchant deleted", func(tx engine.Tx) error { return tx.DeleteMerchant(m.ID) })
}
