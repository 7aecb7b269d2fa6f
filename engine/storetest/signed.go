package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

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
	for _, k := range kinds {
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
	op, auth, method := made["operation"].(*payment.Operation), made["authentication"].(*payment.Authentication), made["payment method"].(*method.PaymentMethod)
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
	for _, k := range kinds {
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
		list, _, err := r.Customers(merchantA, 0, 0)
		return list, err
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
	for _, k := range kinds {
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
