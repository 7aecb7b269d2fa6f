package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

func shortTermKey(until time.Time) *secret.Key {
	return &secret.Key{KeyID: "0a0b0c0d", WrappedKey: []byte("wrapped"), ExpiresAt: until}
}

func testShortTermKeys(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	op := operation("op_1")
	op.Instrument, op.Key = []byte("text"), shortTermKey(future)
	auth := authentication("auth_1")
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
		key := byte(i % 2) // 0 or 1, so that some rows are under the key that the walk skips
		text := func(column string) []byte { return ciphertext(key, fmt.Sprint(column, i)) }
		id := fmt.Sprint("id", i)
		update(t, s, func(tx engine.Tx) error {
			errs := []error{
				tx.InsertCard(&vault.StoredCard{MerchantID: merchantA, ID: id, KeyID: "before", WrappedKey: text("w"), Sealed: []byte("text")}),
				tx.PutCardToken(&payment.CardToken{MerchantID: merchantA, Token: id, Key: &secret.Key{KeyID: "before", WrappedKey: text("w")}}),
				tx.InsertMerchant(&account.Merchant{ID: id, Sealed: text("m")}),
				tx.InsertProfile(&account.Profile{MerchantID: merchantA, ID: id, Name: id, Sealed: text("p")}),
				tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: id, Label: id, Sealed: text("a")}),
				tx.InsertCustomer(&account.Customer{MerchantID: merchantA, ID: id, Sealed: text("c")}),
				tx.InsertAttempt(&payment.Attempt{MerchantID: merchantA, ID: id, Sealed: text("a")}),
				tx.PutExchange(drive.ExchangeRecord{OperationID: id, Sealed: text("x")}),
				tx.InsertEvent(&payment.Event{MerchantID: merchantA, ID: id, Body: text("e")}),
				tx.InsertIdempotency(&account.IdempotencyRecord{MerchantID: merchantA, Key: id, Body: text("i")}),
				tx.InsertPaymentMethod(&method.PaymentMethod{MerchantID: merchantA, ID: id, Sealed: text("m")}),
				tx.InsertJournal(&drive.JournalRecord{OperationID: id, Sealed: text("j")}),
				tx.InsertMandate(&method.Mandate{MerchantID: merchantA, ID: id, Sealed: text("m")}),
				tx.InsertAuthentication(&payment.Authentication{MerchantID: merchantA, ID: id, Sealed: text("a"), Request: text("r")}),
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
