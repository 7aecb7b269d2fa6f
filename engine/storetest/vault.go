package storetest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
	"payswitch/engine/webhook"
)

// vaultRoom tests vault.Reader and vault.Tx: keysets, cards, the keys of sealed values, and the sealed and signed rows of all rooms.
var vaultRoom = room{
	name:  "vault",
	kinds: vaultKinds,
	cases: []testCase{
		{"cards", testCards},
		{"short-term keys", testShortTermKeys},
		{"keysets", testKeysets},
		{"sealed rows", testSealedRows},
		{"signed rows", testSignedRows},
		{"missing cards and keysets", testVaultMissing},
	},
}

// vaultKinds are the rows of the vault.
var vaultKinds = []kind{
	{
		name:   "card",
		make:   func(f *filler) any { v := filled[vault.StoredCard](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &vault.StoredCard{MerchantID: merchantA, ID: "c"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertCard(v.(*vault.StoredCard)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Card(v.(*vault.StoredCard).MerchantID, v.(*vault.StoredCard).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateCard(v.(*vault.StoredCard)) },
		fixed:     []string{"MerchantID", "ID", "CreatedAt"},
		versioned: true,
	},
}

func testVaultMissing(t *testing.T, s engine.Store) {
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"card":   func(tx engine.Tx) error { return tx.DeleteCard(merchantA, "x") },
		"keyset": func(tx engine.Tx) error { _, err := tx.Keyset("x"); return err },
	})
}

func testCards(t *testing.T, s engine.Store) {
	insert := func(merchantID, id, fingerprint string) {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertCard(&vault.StoredCard{MerchantID: merchantID, ID: id, Fingerprint: fingerprint, CreatedAt: base})
		})
	}
	insert(merchantA, "c2", "same")
	insert(merchantA, "c1", "same")
	insert(merchantA, "c3", "other")
	insert(merchantB, "c1", "same")
	same := func(merchantID, fingerprint string) []string {
		list := get(t, s, func(r engine.Reader) ([]*vault.StoredCard, error) {
			return r.CardsByFingerprint(merchantID, fingerprint)
		})
		return ids(list, func(c *vault.StoredCard) string { return c.MerchantID + " " + c.ID })
	}
	require.Equal(t, []string{"merchant_a c2", "merchant_a c1"}, same(merchantA, "same"))
	require.Equal(t, []string{"merchant_b c1"}, same(merchantB, "same"))
	require.Empty(t, same(merchantA, "none"))

	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteCard(merchantB, "c2") }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteCard(merchantA, "c1") })
	require.Equal(t, []string{"merchant_a c2"}, same(merchantA, "same"))
	require.Equal(t, []string{"merchant_b c1"}, same(merchantB, "same"))
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

func shortTermKey(until time.Time) *secret.Key {
	return &secret.Key{KeyID: "0a0b0c0d", WrappedKey: []byte("wrapped"), ExpiresAt: until}
}

func testShortTermKeys(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	op := operation("op_1")
	op.Instrument, op.Key = []byte("text"), shortTermKey(future)
	auth := authenticationOf("auth_1")
	auth.MerchantID, auth.Instrument, auth.Key = merchantA, []byte("text"), shortTermKey(future)
	token := &payment.CardToken{MerchantID: merchantA, Token: "t", Sealed: []byte("text"), Key: shortTermKey(future)}
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertOperation(op), tx.InsertAuthentication(auth), tx.PutCardToken(token))
	})
	has := func(id string) bool {
		k, err := read(s, func(r engine.Reader) (*secret.Key, error) { return r.ShortTermKey(merchantA, id) })
		if errors.Is(err, fault.ErrNotFound) {
			return false
		}
		require.NoError(t, err)
		require.Equal(t, shortTermKey(future), k)
		_, err = read(s, func(r engine.Reader) (*secret.Key, error) { return r.ShortTermKey(merchantB, id) })
		require.ErrorIs(t, err, fault.ErrNotFound, "another merchant's")
		return true
	}
	for _, id := range []string{op.ShortTermID(), auth.ShortTermID(), token.ShortTermID()} {
		require.True(t, has(id), id)
	}
	stored := func() *payment.CardToken {
		return get(t, s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, "t") })
	}
	require.Equal(t, token, stored())

	// An update that keeps the instrument keeps the stored key, whatever key the caller's value holds.
	op.Key = &secret.Key{KeyID: "old"}
	update(t, s, func(tx engine.Tx) error { return errors.Join(tx.UpdateOperation(op), tx.UpdateAuthentication(auth)) })
	require.True(t, has(op.ShortTermID()))
	require.True(t, has(auth.ShortTermID()))

	op.Instrument, auth.Instrument = nil, nil
	require.Error(t, updateErr(s, func(tx engine.Tx) error {
		return errors.Join(tx.UpdateOperation(op), errors.New("undone"))
	}))
	require.True(t, has(op.ShortTermID()), "undone")
	update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(op) })
	require.False(t, has(op.ShortTermID()), "the instrument is cleared")
	require.True(t, has(auth.ShortTermID()))
	update(t, s, func(tx engine.Tx) error { return tx.UpdateAuthentication(auth) })
	require.False(t, has(auth.ShortTermID()), "the instrument is cleared")
	update(t, s, func(tx engine.Tx) error { return tx.DeleteCardToken(merchantA, "t") })
	require.False(t, has(token.ShortTermID()), "the token is deleted")

	ended := operation("op_2")
	ended.Instrument, ended.Key = []byte("text"), shortTermKey(base)
	update(t, s, func(tx engine.Tx) error {
		_, err := tx.DeleteExpired()
		return errors.Join(tx.InsertOperation(ended), tx.PutCardToken(token), err)
	})
	update(t, s, func(tx engine.Tx) error { _, err := tx.DeleteExpired(); return err })
	require.False(t, has(ended.ShortTermID()), "the key has expired")
	require.True(t, has(token.ShortTermID()))
}

// ciphertext returns bytes that look like the vault's ciphertext.
func ciphertext(key byte, rest string) []byte { return append([]byte{1, 0, 0, 0, key}, rest...) }

// testSealedRows walks through every table with sealed values, as re-encryption does.
func testSealedRows(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	const rows = 7
	for i := range rows {
		key := byte(i % 2) // 0 or 1, so that the walk skips some rows, which are under its key
		text := func(column string) []byte { return ciphertext(key, fmt.Sprint(column, i)) }
		id := fmt.Sprint("id", i)
		update(t, s, func(tx engine.Tx) error {
			errs := []error{
				tx.InsertCard(&vault.StoredCard{MerchantID: merchantA, ID: id, KeyID: "before", WrappedKey: text("w"), Sealed: []byte("text")}),
				tx.PutCardToken(&payment.CardToken{MerchantID: merchantA, Token: id, Key: &secret.Key{KeyID: "before", WrappedKey: text("w")}}),
				tx.InsertMerchant(&account.Merchant{ID: id, Sealed: text("m")}),
				tx.InsertProfile(&account.Profile{MerchantID: merchantA, ID: id, Name: id, Sealed: text("p")}),
				tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: id, Label: id, Sealed: text("a")}),
				tx.InsertAccountVersion(&account.Version{MerchantID: merchantA, AccountID: id, Fingerprint: "f", Sealed: text("v")}),
				tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: id, Sealed: text("c")}),
				tx.InsertAttempt(&payment.Attempt{MerchantID: merchantA, ID: id, Sealed: text("a")}),
				tx.PutExchange(drive.ExchangeRecord{OperationID: id, Sealed: text("x")}),
				tx.InsertEvent(&payment.Event{MerchantID: merchantA, ID: id, Body: text("e")}),
				tx.InsertIdempotency(&idempotency.Record{MerchantID: merchantA, Key: id, Body: text("i")}),
				tx.InsertPaymentMethod(&method.PaymentMethod{MerchantID: merchantA, ID: id, Sealed: text("m")}),
				tx.InsertJournal(&drive.JournalRecord{OperationID: id, Sealed: text("j")}),
				tx.InsertMandate(&method.Mandate{MerchantID: merchantA, ID: id, Sealed: text("m")}),
				tx.InsertAuthentication(&authentication.Record{MerchantID: merchantA, ID: id, Sealed: text("a"), Request: text("r")}),
				tx.InsertEndpoint(&webhook.Endpoint{MerchantID: merchantA, ID: id, Sealed: text("w")}),
				tx.InsertStaffUser(&staff.User{ID: id, EmailHash: []byte(id), State: staff.Active, Sealed: text("s")}),
				tx.InsertDeliveryAttempt(&webhook.Attempt{MerchantID: merchantA, EventID: "evt", ID: id, Sealed: text("d")}),
			}
			p, o := paymentRow(id), operation(id)
			p.Sealed, o.Request = text("p"), text("o")
			return errors.Join(append(errs, tx.InsertPayment(p), tx.InsertOperation(o))...)
		})
	}
	for _, table := range vault.SealedTables() {
		name := string(table)
		counts := func() map[string]int {
			total := map[string]int{}
			for behind, windows := int64(0), 0; windows == 0 || behind > 0; windows++ {
				require.Less(t, windows, 2*rows, name)
				n, next, err := countsOf(s, table, behind)
				require.NoError(t, err, name)
				for key, v := range n {
					total[key] += v
				}
				behind = next
			}
			return total
		}
		require.Equal(t, map[string]int{"00000000": 4, "00000001": 3}, counts(), name)

		var found []vault.SealedRow
		for behind, windows := int64(0), 0; windows == 0 || behind > 0; windows++ {
			require.Less(t, windows, 2*rows, name)
			update(t, s, func(tx engine.Tx) error {
				list, next, err := tx.SealedRows(table, behind, 2, "00000001")
				found, behind = append(found, list...), next
				return err
			})
		}
		require.Len(t, found, 4, name)
		for _, r := range found {
			require.True(t, bytes.HasPrefix(r.Sealed, ciphertext(0, "")), name)
			require.Contains(t, strings.Join(r.Key, " "), "id", name)
			sealed := ciphertext(1, "anew")
			for _, want := range []bool{true, false} { // the second time the row has other ciphertext
				var did bool
				update(t, s, func(tx engine.Tx) (err error) { did, err = tx.Reseal(table, r, sealed); return err })
				require.Equal(t, want, did, name)
			}
		}
		require.Equal(t, map[string]int{"00000001": 7}, counts(), name)
	}
	moved := get(t, s, func(r engine.Reader) (*vault.StoredCard, error) { return r.Card(merchantA, "id0") })
	require.Equal(t, &vault.StoredCard{MerchantID: merchantA, ID: "id0", KeyID: "00000001", WrappedKey: ciphertext(1, "anew"),
		Sealed: []byte("text"), Version: 2}, moved)
	short := get(t, s, func(r engine.Reader) (*secret.Key, error) {
		return r.ShortTermKey(merchantA, "card_token/id0")
	})
	require.Equal(t, &secret.Key{KeyID: "00000001", WrappedKey: ciphertext(1, "anew")}, short)
	kept := get(t, s, func(r engine.Reader) (*vault.StoredCard, error) { return r.Card(merchantA, "id1") })
	require.Equal(t, "before", kept.KeyID)
	p := paymentRow("id0")
	p.Version = 1
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdatePayment(p) }), fault.ErrConflict, "a writer with the old row cannot write it back")

	_, _, err := countsOf(s, "evidence", 0)
	require.Error(t, err, "the table has no sealed values")
}

func countsOf(s engine.Store, table vault.SealedTable, behind int64) (n map[string]int, next int64, err error) {
	err = updateErr(s, func(tx engine.Tx) (err error) {
		n, next, err = tx.SealedCounts(table, behind, 2)
		return err
	})
	return n, next, err
}

// signer signs with a key of its own.
type signer string

func (k signer) SignRow(table string, row []byte) []byte {
	sum := sha256.Sum256([]byte(string(k) + "/" + table + "/" + string(row)))
	return sum[:]
}

func (k signer) Genuine(table string, row, signature []byte) bool {
	return string(k.SignRow(table, row)) == string(signature)
}

func (k signer) Altered(table string, key []string) error {
	return &vault.AlteredError{Rows: []vault.AlteredRow{{Table: table, Key: key}}}
}

// testSignedRows writes all kinds of rows under one signer, and reads them under that signer and under another.
func testSignedRows(t *testing.T, s engine.Store) {
	s.SignRows(signer("a"))
	merchant(t, s, merchantA)
	f := new(filler)
	made := map[string]any{}
	for _, k := range allKinds {
		v := k.make(f)
		made[k.name] = v
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
		read := func() any { return get(t, s, func(r engine.Reader) (any, error) { return k.read(r, v) }) }
		got := read()
		if k.update != nil {
			for range 2 {
				update(t, s, func(tx engine.Tx) error { return k.update(tx, got) })
				got = read()
			}
		}
	}
	op, auth, method := made["operation"].(*payment.Operation), made["authentication"].(*authentication.Record), made["payment method"].(*method.PaymentMethod)
	op = &payment.Operation{ID: "driven", MerchantID: merchantA, PaymentID: op.PaymentID, Status: payment.OperationStarted, LeaseUntil: base}
	update(t, s, func(tx engine.Tx) error { return tx.InsertOperation(op) })

	// Calls that change a row without its value at hand.
	update(t, s, func(tx engine.Tx) error {
		if _, err := tx.ClaimOperations("node", tx.Now().Add(time.Minute), 10); err != nil {
			return err
		}
		if _, err := tx.ExtendLease(op.ID, "node", tx.Now().Add(time.Hour)); err != nil {
			return err
		}
		if _, err := tx.LeaseAuthentication(auth.ID, "node", tx.Now().Add(time.Hour)); err != nil {
			return err
		}
		return tx.TouchPaymentMethod(method.MerchantID, method.ID, tx.Now())
	})
	update(t, s, func(tx engine.Tx) error {
		_, err := tx.Operation(op.ID)
		if err == nil {
			_, err = tx.Authentication(auth.ID)
		}
		if err == nil {
			_, err = tx.PaymentMethod(method.MerchantID, method.ID)
		}
		return err
	})

	// A re-encrypted row is signed again.
	sealedOnce := ciphertext(0, "once")
	update(t, s, func(tx engine.Tx) error {
		return tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: "resealed", Sealed: sealedOnce})
	})
	reseal := func() (did bool, err error) {
		err = updateErr(s, func(tx engine.Tx) error {
			rows, _, err := tx.SealedRows(vault.SealedCustomers, 0, 100, "00000001")
			for _, r := range rows {
				if r.Key[1] == "resealed" {
					did, err = tx.Reseal(vault.SealedCustomers, r, ciphertext(1, "anew"))
				}
			}
			return err
		})
		return did, err
	}
	did, err := reseal()
	require.NoError(t, err)
	require.True(t, did)
	resealed := get(t, s, func(r engine.Reader) (*account.Customer, error) { return r.Customer(merchantA, "resealed") })
	require.Equal(t, ciphertext(1, "anew"), resealed.Sealed)

	// Under another signer no row is genuine.
	s.SignRows(signer("b"))
	signed := map[string]bool{}
	for _, k := range allKinds {
		_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, made[k.name]) })
		var altered *vault.AlteredError
		require.ErrorAs(t, err, &altered, k.name)
		require.Len(t, altered.Rows, 1, k.name)
		require.NotEmpty(t, strings.Join(altered.Rows[0].Key, ""), k.name)
		signed[altered.Rows[0].Table] = true
	}
	own := &account.Customer{MerchantID: merchantA, ID: "own"}
	update(t, s, func(tx engine.Tx) error { return tx.InsertCustomer(own) })
	list, err := read(s, func(r engine.Reader) ([]*account.Customer, error) {
		return r.Customers(merchantA, 0, 0)
	})
	require.ErrorIs(t, err, vault.ErrAltered)
	require.Empty(t, list, "a page of rows includes all rows of its count")

	// Signed again, all rows are genuine.
	update(t, s, func(tx engine.Tx) error {
		for _, table := range tx.SignedTables() {
			delete(signed, table)
			for behind, first := int64(0), true; first || behind > 0; first = false {
				rows, next, err := tx.SignedRows(table, behind, 2)
				if err != nil {
					return err
				}
				for _, r := range rows {
					if err := tx.PutSignature(table, r, signer("b").SignRow(table, r.Row)); err != nil {
						return err
					}
				}
				behind = next
			}
		}
		return nil
	})
	require.Empty(t, signed, "some signed tables are missing from the list")
	for _, k := range allKinds {
		_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, made[k.name]) })
		require.NoError(t, err, k.name)
	}
	_, _, err = signedOf(s, "journal")
	require.ErrorContains(t, err, "not signed")
}

func signedOf(s engine.Store, table string) (rows []vault.SignedRow, next int64, err error) {
	err = updateErr(s, func(tx engine.Tx) (err error) {
		rows, next, err = tx.SignedRows(table, 0, 2)
		return err
	})
	return rows, next, err
}
