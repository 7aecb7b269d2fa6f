package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

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
	p := paymentRow("p")
	p.Status = "no such status"
	err := updateErr(s, func(tx engine.Tx) error { return tx.InsertPayment(p) })
	require.Error(t, err)
	require.NotErrorIs(t, err, fault.ErrNotFound)
	require.NotErrorIs(t, err, fault.ErrConflict)
}

func testCompareAndSet(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if !k.versioned {
			continue
		}
		f := new(filler)
		v := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
		update(t, s, func(tx engine.Tx) error { return k.update(tx, v) })
		for _, version := range []int64{0, 1, 3} {
			field(v, "Version").SetInt(version)
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrConflict, "%s version %d", k.name, version)
			require.Equal(t, version, field(v, "Version").Int(), "%s: a conflict must not raise the version", k.name)
		}
		field(v, "Version").SetInt(2)
		sameAs(t, s, k, v, "after conflicts")

		// After a rollback, the value's version is the old one again.
		failed := errors.New("failed")
		require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
			if err := k.update(tx, v); err != nil {
				return err
			}
			return failed
		}), failed)
		require.EqualValues(t, 2, field(v, "Version").Int(), "%s: version after an update that was undone", k.name)
		sameAs(t, s, k, v, "after an update that was undone")
		update(t, s, func(tx engine.Tx) error { return errors.Join(k.update(tx, v), k.update(tx, v)) })
		require.EqualValues(t, 4, field(v, "Version").Int(), k.name)
	}
}

func testCompareAndSetRace(t *testing.T, s engine.Store) {
	const rounds, callers = 5, 16
	p := paymentRow("p")
	insertPayments(t, s, p)
	for round := range int64(rounds) {
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				mine := *p
				mine.Version = round + 1
				switch err := updateErr(s, func(tx engine.Tx) error { return tx.UpdatePayment(&mine) }); {
				case err == nil:
					won.Add(1)
				case errors.Is(err, fault.ErrConflict):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, won.Load())
		require.EqualValues(t, callers-1, lost.Load())
	}
	require.EqualValues(t, rounds+1, get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") }).Version)
}

func testMissing(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		v := k.make(new(filler))
		_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, v) })
		require.ErrorIs(t, err, fault.ErrNotFound, k.name)
		if k.update != nil && !k.put {
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrNotFound, k.name)
		}
	}
	for name, f := range map[string]func(tx engine.Tx) error{
		"merchant":    func(tx engine.Tx) error { return tx.DeleteMerchant("x") },
		"profile":     func(tx engine.Tx) error { return tx.DeleteProfile(merchantA, "x") },
		"account":     func(tx engine.Tx) error { return tx.DeleteAccount(merchantA, "x") },
		"card token":  func(tx engine.Tx) error { return tx.DeleteCardToken(merchantA, "x") },
		"card":        func(tx engine.Tx) error { return tx.DeleteCard(merchantA, "x") },
		"idempotency": func(tx engine.Tx) error { return tx.DeleteIdempotency(merchantA, "x") },
		"idempotency end": func(tx engine.Tx) error {
			return tx.FinishIdempotency(&account.IdempotencyRecord{MerchantID: merchantA, Key: "x"})
		},
		"hash":             func(tx engine.Tx) error { _, err := tx.APIKeyByHash([]byte("x")); return err },
		"publishable":      func(tx engine.Tx) error { _, err := tx.MerchantByPublishableKey("x"); return err },
		"publishable none": func(tx engine.Tx) error { _, err := tx.MerchantByPublishableKey(""); return err },
		"keyset":           func(tx engine.Tx) error { _, err := tx.Keyset("x"); return err },
		"cursor": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantA, "", request.ListInput{StartingAfter: "x"})
			return err
		},
		"cursor before": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantA, "", request.ListInput{EndingBefore: "x"})
			return err
		},
	} {
		require.ErrorIs(t, updateErr(s, f), fault.ErrNotFound, name)
	}
	update(t, s, func(tx engine.Tx) error {
		for name, n := range map[string]func() (int, error){
			"payments":   func() (int, error) { l, err := tx.Payments(merchantA, "", request.ListInput{}); return len(l), err },
			"attempts":   func() (int, error) { l, err := tx.Attempts(merchantA, "x"); return len(l), err },
			"operations": func() (int, error) { l, err := tx.Operations(merchantA, "x"); return len(l), err },
			"exchanges":  func() (int, error) { l, err := tx.Exchanges("x"); return len(l), err },
			"events":     func() (int, error) { l, err := tx.Events(merchantA, "x"); return len(l), err },
			"evidence":   func() (int, error) { l, err := tx.Evidence("x"); return len(l), err },
			"profiles":   func() (int, error) { l, err := tx.Profiles(merchantA); return len(l), err },
			"accounts":   func() (int, error) { l, err := tx.Accounts(merchantA); return len(l), err },
			"keys":       func() (int, error) { l, err := tx.APIKeys(merchantA, 0, 0); return len(l), err },
			"customers":  func() (int, error) { _, total, err := tx.Customers(merchantA, 0, 0); return total, err },
			"claims": func() (int, error) {
				l, err := tx.ClaimOperations("n", tx.Now().Add(time.Minute), 5)
				return len(l), err
			},
			"expired": tx.DeleteExpired,
		} {
			got, err := n()
			require.NoError(t, err, name)
			require.Zero(t, got, name)
		}
		held, err := tx.ExtendLease("x", "n", tx.Now().Add(time.Minute))
		require.False(t, held)
		return err
	})
}

// testScoping reads and writes all rows of merchant A as merchant B.
func testScoping(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	for _, k := range kinds {
		if k.name == "merchant" {
			continue
		}
		v := k.make(new(filler))
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
		if k.name != "operation" && k.name != "authentication" { // ids of these rows are unique over all merchants, so a caller needs no merchant to read them
			field(v, "MerchantID").SetString(merchantB)
			_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, v) })
			require.ErrorIs(t, err, fault.ErrNotFound, "read %s", k.name)
		}
		if k.update != nil && !k.put {
			field(v, "MerchantID").SetString(merchantB)
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrNotFound, "update %s", k.name)
		}
		field(v, "MerchantID").SetString(merchantA)
		sameAs(t, s, k, v, "after another merchant's tries")
	}
	p, a, o := paymentRow("pay_1"), &payment.Attempt{MerchantID: merchantA, PaymentID: "pay_1", ID: "pay_1_1"}, operation("op_1")
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertPayment(p), tx.InsertAttempt(a), tx.InsertOperation(o),
			tx.InsertEvent(&payment.Event{ID: "e", MerchantID: merchantA, ObjectID: "pay_1"}),
			tx.InsertProfile(&account.Profile{MerchantID: merchantA, ID: "pro"}), tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: "acc"}),
			tx.PutCardToken(&payment.CardToken{MerchantID: merchantA, Token: "t", Sealed: []byte("A")}),
			tx.InsertIdempotency(&account.IdempotencyRecord{MerchantID: merchantA, Key: "i"}))
	})
	for name, f := range map[string]func(tx engine.Tx) error{
		"cursor": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantB, "", request.ListInput{StartingAfter: "pay_1"})
			return err
		},
		"profile":     func(tx engine.Tx) error { return tx.DeleteProfile(merchantB, "pro") },
		"account":     func(tx engine.Tx) error { return tx.DeleteAccount(merchantB, "acc") },
		"card token":  func(tx engine.Tx) error { return tx.DeleteCardToken(merchantB, "t") },
		"idempotency": func(tx engine.Tx) error { return tx.DeleteIdempotency(merchantB, "i") },
		"finish": func(tx engine.Tx) error {
			return tx.FinishIdempotency(&account.IdempotencyRecord{MerchantID: merchantB, Key: "i", Status: 200})
		},
	} {
		require.ErrorIs(t, updateErr(s, f), fault.ErrNotFound, name)
	}
	update(t, s, func(tx engine.Tx) error {
		list, err := tx.Payments(merchantB, "", request.ListInput{})
		require.NoError(t, err)
		require.Empty(t, list)
		attempts, err := tx.Attempts(merchantB, "pay_1")
		require.NoError(t, err)
		require.Empty(t, attempts)
		operations, err := tx.Operations(merchantB, "pay_1")
		require.NoError(t, err)
		require.Empty(t, operations)
		events, err := tx.Events(merchantB, "pay_1")
		require.NoError(t, err)
		require.Empty(t, events)
		_, customers, err := tx.Customers(merchantB, 0, 0)
		require.NoError(t, err)
		require.Zero(t, customers)
		return nil
	})
	// Both merchants may have the same ids.
	other := paymentRow("pay_1")
	other.MerchantID, other.Amount = merchantB, 999
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertPayment(other), tx.InsertAttempt(&payment.Attempt{MerchantID: merchantB, PaymentID: "pay_1", ID: "pay_1_1"}),
			tx.InsertProfile(&account.Profile{MerchantID: merchantB, ID: "pro"}), tx.InsertAccount(&account.Account{MerchantID: merchantB, ID: "acc"}),
			tx.PutCardToken(&payment.CardToken{MerchantID: merchantB, Token: "t", Sealed: []byte("B")}),
			tx.InsertIdempotency(&account.IdempotencyRecord{MerchantID: merchantB, Key: "i"}))
	})
	require.EqualValues(t, 100, get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "pay_1") }).Amount)
	require.Equal(t, "A", string(get(t, s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, "t") }).Sealed))
}
