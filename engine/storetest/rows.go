package storetest

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
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
		make:   func(f *filler) any { v := filled[engine.Payment](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Payment{MerchantID: merchantA, ID: "p", Status: engine.Processing} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertPayment(v.(*engine.Payment)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Payment(v.(*engine.Payment).MerchantID, v.(*engine.Payment).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdatePayment(v.(*engine.Payment)) },
		fixed:     []string{"MerchantID", "ID", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "attempt",
		make:   func(f *filler) any { v := filled[engine.Attempt](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Attempt{MerchantID: merchantA, ID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAttempt(v.(*engine.Attempt)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Attempt(v.(*engine.Attempt).MerchantID, v.(*engine.Attempt).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAttempt(v.(*engine.Attempt)) },
		fixed:     []string{"MerchantID", "PaymentID", "ID", "Number", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "card",
		make:   func(f *filler) any { v := filled[engine.StoredCard](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.StoredCard{MerchantID: merchantA, ID: "c"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertCard(v.(*engine.StoredCard)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Card(v.(*engine.StoredCard).MerchantID, v.(*engine.StoredCard).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateCard(v.(*engine.StoredCard)) },
		fixed:     []string{"MerchantID", "ID", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "operation",
		make:   func(f *filler) any { v := filled[engine.Operation](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Operation{MerchantID: merchantA, ID: "o"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertOperation(v.(*engine.Operation)) },
		read:   func(r engine.Reader, v any) (any, error) { return r.Operation(v.(*engine.Operation).ID) },
		update: func(tx engine.Tx, v any) error { return tx.UpdateOperation(v.(*engine.Operation)) },
		fixed:  []string{"MerchantID", "ID", "PaymentID", "Request"},
	},
	{
		name:      "authentication",
		make:      func(f *filler) any { v := filled[engine.Authentication](f); v.MerchantID = merchantA; return v },
		empty:     func() any { return &engine.Authentication{MerchantID: merchantA, ID: "auth"} },
		insert:    func(tx engine.Tx, v any) error { return tx.InsertAuthentication(v.(*engine.Authentication)) },
		read:      func(r engine.Reader, v any) (any, error) { return r.Authentication(v.(*engine.Authentication).ID) },
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAuthentication(v.(*engine.Authentication)) },
		fixed:     []string{"MerchantID", "ID", "PaymentID", "AttemptID", "ProfileID", "CreatedAt", "Owner", "LeaseUntil"},
		versioned: true,
	},
	{
		name:   "idempotency record",
		make:   func(f *filler) any { v := filled[engine.IdempotencyRecord](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.IdempotencyRecord{MerchantID: merchantA, Key: "k"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertIdempotency(v.(*engine.IdempotencyRecord)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Idempotency(v.(*engine.IdempotencyRecord).MerchantID, v.(*engine.IdempotencyRecord).Key)
		},
	},
	{
		name:   "card token",
		make:   func(f *filler) any { v := filled[engine.CardToken](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.CardToken{MerchantID: merchantA, Token: "t"} },
		insert: func(tx engine.Tx, v any) error { return tx.PutCardToken(v.(*engine.CardToken)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.CardToken(v.(*engine.CardToken).MerchantID, v.(*engine.CardToken).Token)
		},
		update: func(tx engine.Tx, v any) error { return tx.PutCardToken(v.(*engine.CardToken)) },
		fixed:  []string{"MerchantID", "Token"},
		put:    true,
	},
	{
		name:      "merchant",
		make:      func(f *filler) any { return filled[engine.Merchant](f) },
		empty:     func() any { return &engine.Merchant{ID: "m"} },
		insert:    func(tx engine.Tx, v any) error { return tx.InsertMerchant(v.(*engine.Merchant)) },
		read:      func(r engine.Reader, v any) (any, error) { return r.Merchant(v.(*engine.Merchant).ID) },
		update:    func(tx engine.Tx, v any) error { return tx.UpdateMerchant(v.(*engine.Merchant)) },
		fixed:     []string{"ID"},
		versioned: true,
	},
	{
		name:   "profile",
		make:   func(f *filler) any { v := filled[engine.Profile](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Profile{MerchantID: merchantA, ID: "p"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertProfile(v.(*engine.Profile)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Profile(v.(*engine.Profile).MerchantID, v.(*engine.Profile).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateProfile(v.(*engine.Profile)) },
		fixed:     []string{"MerchantID", "ID"},
		versioned: true,
	},
	{
		name:   "account",
		make:   func(f *filler) any { v := filled[engine.Account](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Account{MerchantID: merchantA, ID: "a"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAccount(v.(*engine.Account)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Account(v.(*engine.Account).MerchantID, v.(*engine.Account).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAccount(v.(*engine.Account)) },
		fixed:     []string{"MerchantID", "ID"},
		versioned: true,
	},
	{
		name:   "API key",
		make:   func(f *filler) any { v := filled[engine.APIKey](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.APIKey{MerchantID: merchantA, ID: "k", Hash: []byte("h")} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertAPIKey(v.(*engine.APIKey)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.APIKey(v.(*engine.APIKey).MerchantID, v.(*engine.APIKey).ID)
		},
		update: func(tx engine.Tx, v any) error { return tx.UpdateAPIKey(v.(*engine.APIKey)) },
		fixed:  []string{"MerchantID", "ID"},
	},
	{
		name:   "customer",
		make:   func(f *filler) any { v := filled[engine.Customer](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &engine.Customer{MerchantID: merchantA, ID: "c"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertCustomer(v.(*engine.Customer)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Customer(v.(*engine.Customer).MerchantID, v.(*engine.Customer).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateCustomer(v.(*engine.Customer)) },
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
	p := payment("p")
	p.Details.Metadata = json.RawMessage(doc)
	p.Details.Echo = map[string]json.RawMessage{"order_details": json.RawMessage(`[]`), "null": json.RawMessage(`null`)}
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*engine.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, doc, string(got.Details.Metadata))
	require.Equal(t, p.Details.Echo, got.Details.Echo)
	zero := int64(0)
	no := false
	p.Details = engine.PaymentDetails{AmountToCapture: &zero, OffSession: &no}
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePayment(p) })
	got = get(t, s, func(r engine.Reader) (*engine.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, p.Details, got.Details)

	c := &engine.Customer{MerchantID: merchantA, ID: "c", Metadata: json.RawMessage(doc)}
	a := &engine.Merchant{ID: merchantA, Details: json.RawMessage(`null`)}
	update(t, s, func(tx engine.Tx) error {
		if err := tx.InsertCustomer(c); err != nil {
			return err
		}
		return tx.InsertMerchant(a)
	})
	require.Equal(t, doc, string(get(t, s, func(r engine.Reader) (*engine.Customer, error) { return r.Customer(merchantA, "c") }).Metadata))
	require.Equal(t, `null`, string(get(t, s, func(r engine.Reader) (*engine.Merchant, error) { return r.Merchant(merchantA) }).Details))
}

func testTimes(t *testing.T, s engine.Store) {
	p := payment("p")
	p.CreatedAt = time.Date(2026, 7, 1, 10, 0, 0, 987654321, time.FixedZone("", 2*60*60))
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*engine.Payment, error) { return r.Payment(merchantA, "p") })
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
		require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.insert(tx, second) }), engine.ErrConflict, k.name)
		sameAs(t, s, k, first, "after a second insert")
		// A conflict does not break the transaction: its function may go on.
		update(t, s, func(tx engine.Tx) error {
			require.ErrorIs(t, k.insert(tx, second), engine.ErrConflict, k.name)
			return tx.InsertKeyset(k.name, []byte("went on"))
		})
		require.Equal(t, "went on", string(get(t, s, func(r engine.Reader) ([]byte, error) { return r.Keyset(k.name) })))
	}
	e := &engine.Event{ID: "evt", MerchantID: merchantA, ObjectID: "p"}
	update(t, s, func(tx engine.Tx) error { return tx.InsertEvent(e) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertEvent(e) }), engine.ErrConflict)
}
