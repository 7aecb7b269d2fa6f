// Package storetest is the conformance suite of engine.Store: every store must pass it. The suite tests through the port alone. It does not
// cover files, servers or crashes; a store adds tests of its own for those.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Run runs the suite. open returns an empty store that no other test uses, and closes it when the test ends. Run calls open once for every
// subtest.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, s engine.Store)
	}{
		{"round trips of whole and of empty values", testRoundTrips},
		{"updates write every field", testUpdates},
		{"documents come back as they went in", testDocuments},
		{"times are whole milliseconds UTC", testTimes},
		{"inserting twice", testInsertTwice},
		{"unique names", testUniqueNames},
		{"compare and set", testCompareAndSet},
		{"compare and set race", testCompareAndSetRace},
		{"missing rows", testMissing},
		{"another merchant's rows", testScoping},
		{"payments: order and cursors", testPaymentOrder},
		{"payments: equal times", testPaymentTies},
		{"payments: filters", testPaymentFilters},
		{"children in order", testChildren},
		{"attempts by what a processor calls them", testAttemptsAt},
		{"operations: what is due", testDue},
		{"operations: claims never overlap", testClaimRace},
		{"operations: leases", testLeases},
		{"operations: how many are open", testOpenOperations},
		{"authentications", testAuthentications},
		{"authentications by what an authenticator calls them", testAuthenticationsAt},
		{"authentications: what is due, leases", testAuthenticationLeases},
		{"exchanges", testExchanges},
		{"journal", testJournal},
		{"journal: pages", testJournalPages},
		{"journal: what has been kept long enough", testJournalExpiry},
		{"idempotency", testIdempotency},
		{"card tokens", testCardTokens},
		{"cards", testCards},
		{"short-term keys", testShortTermKeys},
		{"sealed rows", testSealedRows},
		{"signed rows", testSignedRows},
		{"what has expired", testExpired},
		{"payment methods: lists", testMethodLists},
		{"payment methods: one for each card", testMethodFingerprints},
		{"mandates", testMandates},
		{"ephemeral keys", testEphemeralKeys},
		{"customers at accounts", testCustomerAccounts},
		{"merchants and what goes with them", testMerchants},
		{"API keys", testAPIKeys},
		{"accounts of a connector", testAccountsAt},
		{"violations", testViolations},
		{"exemptions: low value", testLowValue},
		{"exemptions: rates", testExemptionRates},
		{"customers", testCustomers},
		{"keysets", testKeysets},
		{"update: own writes, errors, clock", testUpdate},
		{"update: one that fails leaves the others alone", testFailureAmongOthers},
		{"update: panic", testPanic},
		{"update: cancelled before", testCancelledBefore},
		{"update: cancelled after", testCancelledAfter},
		{"update: many at a time", testManyWriters},
		{"view: one snapshot", testSnapshot},
		{"view: cancelled, panic", testView},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

const (
	merchantA = "merchant_a"
	merchantB = "merchant_b"
)

// base is a time in the past, in whole milliseconds.
var base = time.Date(2026, 3, 1, 12, 0, 0, int(123*time.Millisecond), time.UTC)

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

func paymentID(p *payment.Payment) string     { return p.ID }
func operationID(o *payment.Operation) string { return o.ID }
