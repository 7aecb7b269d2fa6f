// Package storetest is the conformance suite of engine.Store: every store must pass it. The suite tests through the ports alone. It does not
// cover files, servers or crashes; a store adds tests of its own for those.
//
// The suite has a part for each room of the engine, in a file of the room's name. The room's ports.go states the guarantees that the part tests:
//
//	transactions.go   engine/port/store.go     atomic and durable updates, snapshots, the clock
//	vault.go          engine/vault/ports.go    keysets, cards, keys, sealed and signed rows
//	account.go        engine/account/ports.go  merchants, profiles, connector accounts, API keys, idempotency
//	method.go         engine/method/ports.go   customers, saved payment methods, mandates, ephemeral keys
//	drive.go          engine/drive/ports.go    leases of operations, exchanges, the journal
//	change*.go        engine/change/ports.go   payments, attempts, claims, events, authentications, exemptions
//	webhook.go        engine/webhook/ports.go  endpoints, deliveries, attempts
//	link.go           engine/paylink/link.go    payment links and collect links
//	routing.go        engine/routing/ports.go  routing configurations, error rules, config keys
//	staff.go          engine/staff/store.go    users, logins, one-time texts, tries, the audit
//	risk.go           engine/risk/ports.go     block lists and their jobs, counts of failures
//	facet.go          engine/facet/ports.go    the columns of lists, and the rows that fill them
//
// rows.go has the cases that every kind of row must pass: what is written is read back, Update compares and raises Version; a missing row is
// ErrNotFound, a second insert is ErrConflict; a merchant never reaches another merchant's rows.
//
// A new store is written room by room, in this order. To run one room's part:
//
//	go test ./storage -run TestConformance/vault
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// rooms are the parts of the suite, in the order in which a store is best written.
var rooms = []room{transactions, vaultRoom, accountRoom, methodRoom, driveRoom, changeRoom, webhookRoom, routingRoom, linkRoom, staffRoom, riskRoom, facetRoom}

// Run runs the suite: one subtest for each room, named after the room. open returns an empty store that no other test uses, and closes the
// store when the test ends. Run calls open once for every case, and the cases of a room
// run at the same time.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	t.Helper()
	for _, r := range rooms {
		t.Run(r.name, func(t *testing.T) {
			for _, c := range slices.Concat(rowCases(r.kinds), r.cases) {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.test(t, open(t))
				})
			}
		})
	}
}

const (
	merchantA = "merchant_a"
	merchantB = "merchant_b"
)

// base is a time in the past, in whole milliseconds.
var base = time.Date(2026, 3, 1, 12, 0, 0, int(123*time.Millisecond), time.UTC)

// document is JSON that a store could change: decimals, long numbers, order, HTML and line separators.
const document = `{"z":1.10,"a":12345678901234567890,"a":"<script>&amp; ` + "\u2028" + `","e":{},"n":null}`

func update(t testing.TB, s engine.Store, f func(tx engine.Tx) error) {
	t.Helper()
	require.NoError(t, s.Update(context.Background(), f))
}

func updateErr(s engine.Store, f func(tx engine.Tx) error) error {
	return s.Update(context.Background(), f)
}

// get reads one value in a View.
func get[T any](t testing.TB, s engine.Store, f func(r engine.Reader) (T, error)) T {
	t.Helper()
	out, err := read(s, f)
	require.NoError(t, err)
	return out
}

func read[T any](s engine.Store, f func(r engine.Reader) (T, error)) (out T, err error) {
	err = s.View(context.Background(), func(r engine.Reader) (err error) {
		out, err = f(r)
		return err
	})
	return out, err
}

func merchant(t testing.TB, s engine.Store, ids ...string) {
	t.Helper()
	update(t, s, func(tx engine.Tx) error {
		for _, id := range ids {
			if err := tx.InsertMerchant(&account.Merchant{ID: id, PublishableKey: "pk_" + id, CreatedAt: base}); err != nil {
				return err
			}
		}
		return nil
	})
}

func paymentRow(id string) *payment.Payment {
	return &payment.Payment{MerchantID: merchantA, ID: id, ProfileID: "pro_1", Status: payment.Processing, Currency: "EUR", Amount: 100, CreatedAt: base}
}

func operation(id string) *payment.Operation {
	return &payment.Operation{ID: id, MerchantID: merchantA, PaymentID: "pay_1", AttemptID: "pay_1_1", Kind: sdk.OpAuthorize,
		Status: payment.OperationStarted, StartedAt: base}
}

func insertPayments(t testing.TB, s engine.Store, list ...*payment.Payment) {
	t.Helper()
	update(t, s, func(tx engine.Tx) error {
		for _, p := range list {
			if err := tx.InsertPayment(p); err != nil {
				return fmt.Errorf("%s: %w", p.ID, err)
			}
		}
		return nil
	})
}

func insertOperations(t testing.TB, s engine.Store, list ...*payment.Operation) {
	t.Helper()
	update(t, s, func(tx engine.Tx) error {
		for _, o := range list {
			if err := tx.InsertOperation(o); err != nil {
				return fmt.Errorf("%s: %w", o.ID, err)
			}
		}
		return nil
	})
}

func ids[T any](list []T, id func(T) string) []string {
	out := []string{}
	for _, v := range list {
		out = append(out, id(v))
	}
	return out
}

func paymentID(p *payment.Payment) string { return p.ID }

func operationID(o *payment.Operation) string { return o.ID }
