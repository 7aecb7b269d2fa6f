package storetest

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// kind is one kind of row. The store inserts, reads and, unless update is nil, updates it, always by the value's key.
type kind struct {
	name      string
	make      func(f *filler) any // every field set; the merchant is merchantA
	empty     func() any          // only the key set
	insert    func(tx engine.Tx, v any) error
	read      func(r engine.Reader, v any) (any, error)
	update    func(tx engine.Tx, v any) error
	fixed     []string // fields that an update leaves as they were
	versioned bool
	put       bool // inserted and replaced by one call: no conflict, and no missing row
}

var kinds = slices.Concat([]kind{
	{
		name:   "payment",
		make:   func(f *filler) any { v := filled[payment.Payment](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.Payment{MerchantID: merchantA, ID: "p", Status: payment.Processing} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertPayment(v.(*payment.Payment)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Payment(v.(*payment.Payment).MerchantID, v.(*payment.Payment).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdatePayment(v.(*payment.Payment)) },
		fixed:     []string{"MerchantID", "ID", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "attempt",
		make:   func(f *filler) any { v := filled[payment.Attempt](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.Attempt{MerchantID: merchantA, ID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAttempt(v.(*payment.Attempt)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Attempt(v.(*payment.Attempt).MerchantID, v.(*payment.Attempt).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAttempt(v.(*payment.Attempt)) },
		fixed:     []string{"MerchantID", "PaymentID", "ID", "Number", "CreatedAt"},
		versioned: true,
	},
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
	{
		name:   "operation",
		make:   func(f *filler) any { v := filled[payment.Operation](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.Operation{MerchantID: merchantA, ID: "o"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertOperation(v.(*payment.Operation)) },
		read:   func(r engine.Reader, v any) (any, error) { return r.Operation(v.(*payment.Operation).ID) },
		update: func(tx engine.Tx, v any) error { return tx.UpdateOperation(v.(*payment.Operation)) },
		fixed:  []string{"MerchantID", "ID", "PaymentID", "Request"},
	},
	{
		name:      "authentication",
		make:      func(f *filler) any { v := filled[payment.Authentication](f); v.MerchantID = merchantA; return v },
		empty:     func() any { return &payment.Authentication{MerchantID: merchantA, ID: "auth"} },
		insert:    func(tx engine.Tx, v any) error { return tx.InsertAuthentication(v.(*payment.Authentication)) },
		read:      func(r engine.Reader, v any) (any, error) { return r.Authentication(v.(*payment.Authentication).ID) },
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAuthentication(v.(*payment.Authentication)) },
		fixed:     []string{"MerchantID", "ID", "PaymentID", "AttemptID", "ProfileID", "CreatedAt", "Owner", "LeaseUntil"},
		versioned: true,
	},
	{
		name:   "idempotency record",
		make:   func(f *filler) any { v := filled[account.IdempotencyRecord](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &account.IdempotencyRecord{MerchantID: merchantA, Key: "k"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertIdempotency(v.(*account.IdempotencyRecord)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Idempotency(v.(*account.IdempotencyRecord).MerchantID, v.(*account.IdempotencyRecord).Key)
		},
	},
	{
		name:   "card token",
		make:   func(f *filler) any { v := filled[payment.CardToken](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.CardToken{MerchantID: merchantA, Token: "t"} },
		insert: func(tx engine.Tx, v any) error { return tx.PutCardToken(v.(*payment.CardToken)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.CardToken(v.(*payment.CardToken).MerchantID, v.(*payment.CardToken).Token)
		},
		update: func(tx engine.Tx, v any) error { return tx.PutCardToken(v.(*payment.CardToken)) },
		fixed:  []string{"MerchantID", "Token"},
		put:    true,
	},
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
}, methodKinds)

func field(v any, name string) reflect.Value { return reflect.ValueOf(v).Elem().FieldByName(name) }

// sameAs compares the stored row with want.
func sameAs(t *testing.T, s engine.Store, k kind, want any, msg string) {
	t.Helper()
	got := get(t, s, func(r engine.Reader) (any, error) { return k.read(r, want) })
	require.Equal(t, want, got, "%s: %s", k.name, msg)
	require.NotSame(t, want, got)
}

func testRoundTrips(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		for _, v := range []any{k.make(new(filler)), k.empty()} {
			update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
			if k.versioned {
				require.EqualValues(t, 1, field(v, "Version").Int(), "%s: version after insert", k.name)
			}
			sameAs(t, s, k, v, "after insert")
		}
	}
}

func testUpdates(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if k.update == nil {
			continue
		}
		f := new(filler)
		old := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, old) })
		other := k.make(f) // an entirely different value under the same key
		for _, name := range k.fixed {
			field(other, name).Set(field(old, name))
		}
		if k.versioned {
			field(other, "Version").SetInt(1)
		}
		update(t, s, func(tx engine.Tx) error { return k.update(tx, other) })
		if k.versioned {
			require.EqualValues(t, 2, field(other, "Version").Int(), "%s: version after update", k.name)
		}
		sameAs(t, s, k, other, "after update")

		bare := k.empty() // every field back to its zero value
		for _, name := range k.fixed {
			field(bare, name).Set(field(old, name))
		}
		if k.versioned {
			field(bare, "Version").SetInt(2)
		}
		update(t, s, func(tx engine.Tx) error { return k.update(tx, bare) })
		sameAs(t, s, k, bare, "after an update to nothing")
	}
}

// testDocuments checks JSON that merchants sent. Its numbers, order and duplicates must stay; only white space may go.
func testDocuments(t *testing.T, s engine.Store) {
	const doc = `{"z":1.10,"a":12345678901234567890,"a":"<script>&amp; ` + "\u2028" + `","e":{},"n":null}`
	p := paymentRow("p")
	p.Details.Metadata = json.RawMessage(doc)
	p.Details.Echo = map[string]json.RawMessage{"order_details": json.RawMessage(`[]`), "null": json.RawMessage(`null`)}
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, doc, string(got.Details.Metadata))
	require.Equal(t, p.Details.Echo, got.Details.Echo)
	zero := int64(0)
	no := false
	p.Details = payment.Details{AmountToCapture: &zero, OffSession: &no}
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePayment(p) })
	got = get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, p.Details, got.Details)

	c := &account.Customer{MerchantID: merchantA, ID: "c", Metadata: json.RawMessage(doc)}
	a := &account.Merchant{ID: merchantA, Details: json.RawMessage(`null`)}
	update(t, s, func(tx engine.Tx) error {
		if err := tx.InsertCustomer(c); err != nil {
			return err
		}
		return tx.InsertMerchant(a)
	})
	require.Equal(t, doc, string(get(t, s, func(r engine.Reader) (*account.Customer, error) { return r.Customer(merchantA, "c") }).Metadata))
	require.Equal(t, `null`, string(get(t, s, func(r engine.Reader) (*account.Merchant, error) { return r.Merchant(merchantA) }).Details))
}

func testTimes(t *testing.T, s engine.Store) {
	p := paymentRow("p")
	p.CreatedAt = time.Date(2026, 7, 1, 10, 0, 0, 987654321, time.FixedZone("", 2*60*60))
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, time.Date(2026, 7, 1, 8, 0, 0, 987000000, time.UTC), got.CreatedAt)
	require.True(t, got.ExpiresAt.IsZero())

	before := time.Now().Add(-time.Minute) // the database has its own clock, at most a minute off
	for _, now := range []time.Time{
		get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }),
		func() (now time.Time) {
			update(t, s, func(tx engine.Tx) error { now = tx.Now(); return nil })
			return now
		}(),
	} {
		require.Equal(t, now.Truncate(time.Millisecond), now)
		require.Equal(t, time.UTC, now.Location())
		require.WithinRange(t, now, before, time.Now().Add(time.Minute))
	}
}

func testInsertTwice(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if k.put {
			continue
		}
		f := new(filler)
		first := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, first) })
		second := k.make(f)
		for _, name := range []string{"MerchantID", "ID", "Key"} {
			if v := field(second, name); v.IsValid() {
				v.Set(field(first, name))
			}
		}
		require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.insert(tx, second) }), fault.ErrConflict, k.name)
		sameAs(t, s, k, first, "after a second insert")
		// A conflict does not break the transaction: its function may go on.
		update(t, s, func(tx engine.Tx) error {
			require.ErrorIs(t, k.insert(tx, second), fault.ErrConflict, k.name)
			return tx.InsertKeyset(k.name, []byte("went on"))
		})
		require.Equal(t, "went on", string(get(t, s, func(r engine.Reader) ([]byte, error) { return r.Keyset(k.name) })))
	}
	e := &payment.Event{ID: "evt", MerchantID: merchantA, ObjectID: "p"}
	update(t, s, func(tx engine.Tx) error { return tx.InsertEvent(e) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertEvent(e) }), fault.ErrConflict)
}
