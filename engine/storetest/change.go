package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// changeRoom tests change.Reader and change.Tx: payments, attempts, claims of operations, events, evidence, card tokens, authentications, refunds and
// exemptions.
var changeRoom = room{
	name:  "change",
	kinds: changeKinds,
	cases: []testCase{
		{"compare and set race", testCompareAndSetRace},
		{"unknown status", testUnknownStatus},
		{"restores, and the payments to ask about", testRestores},
		{"documents come back as they were sent", testDocuments},
		{"payments: order and cursors", testPaymentOrder},
		{"payments: equal times", testPaymentTies},
		{"payments: filters", testPaymentFilters},
		{"payments: search", testPaymentSearch},
		{"attempts, operations, events and evidence in order", testChildren},
		{"attempts by the processor's names", testAttemptsAt},
		{"inserting an event twice", testEventTwice},
		{"operations: which ones are due", testDue},
		{"operations: claims never overlap", testClaimRace},
		{"operations: what is due by account", testDueByAccount},
		{"authentications", testAuthentications},
		{"authentications by the authenticator's names", testAuthenticationsAt},
		{"authentications: due times and leases", testAuthenticationLeases},
		{"card tokens", testCardTokens},
		{"expired rows", testExpired},
		{"refunds: of a payment, at an account, lists", testRefunds},
		{"disputes: of a payment, lists, counts", testDisputes},
		{"exemptions: low value", testLowValue},
		{"exemptions: rates", testExemptionRates},
		{"proposals: one of an operation", testProposals},
		{"ids of processors have one owner", testClaimedIDs},
		{"missing rows and empty lists", testChangeMissing},
		{"another merchant's payments", testPaymentScoping},
	},
}

// changeKinds are the rows that change with a payment. driveKinds has the operation.
var changeKinds = []kind{
	{
		name:   "refund",
		make:   func(f *filler) any { v := filled[payment.Refund](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.Refund{MerchantID: merchantA, ID: "r"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertRefund(v.(*payment.Refund)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Refund(v.(*payment.Refund).MerchantID, v.(*payment.Refund).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateRefund(v.(*payment.Refund)) },
		fixed:     []string{"MerchantID", "ID", "PaymentID", "AttemptID", "ProfileID", "AccountID", "Connector", "CreatedAt"},
		versioned: true,
	},
	{
		name:   "dispute",
		make:   func(f *filler) any { v := filled[disputed.Record](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &disputed.Record{MerchantID: merchantA, ID: "d"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertDispute(v.(*disputed.Record)) },
		read: func(r engine.Reader, v any) (any, error) {
			return r.Dispute(v.(*disputed.Record).MerchantID, v.(*disputed.Record).ID)
		},
		update:    func(tx engine.Tx, v any) error { return tx.UpdateDispute(v.(*disputed.Record)) },
		fixed:     []string{"MerchantID", "ID", "PaymentID", "AttemptID", "ProfileID", "AccountID", "Connector", "ProcessorID", "CreatedAt"},
		versioned: true,
	},
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
		name:      "authentication",
		make:      func(f *filler) any { v := filled[authentication.Record](f); v.MerchantID = merchantA; return v },
		empty:     func() any { return &authentication.Record{MerchantID: merchantA, ID: "auth"} },
		insert:    func(tx engine.Tx, v any) error { return tx.InsertAuthentication(v.(*authentication.Record)) },
		read:      func(r engine.Reader, v any) (any, error) { return r.Authentication(v.(*authentication.Record).ID) },
		update:    func(tx engine.Tx, v any) error { return tx.UpdateAuthentication(v.(*authentication.Record)) },
		fixed:     []string{"MerchantID", "ID", "PaymentID", "AttemptID", "ProfileID", "CreatedAt", "Owner", "LeaseUntil"},
		versioned: true,
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
}

func testChangeMissing(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"card token": func(tx engine.Tx) error { return tx.DeleteCardToken(merchantA, "x") },
		"cursor": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantA, "", request.ListInput{StartingAfter: "x"})
			return err
		},
		"cursor before": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantA, "", request.ListInput{EndingBefore: "x"})
			return err
		},
	})
	requireNone(t, s, map[string]func(tx engine.Tx) (int, error){
		"payments": func(tx engine.Tx) (int, error) {
			l, err := tx.Payments(merchantA, "", request.ListInput{})
			return len(l), err
		},
		"attempts":   func(tx engine.Tx) (int, error) { l, err := tx.Attempts(merchantA, "x"); return len(l), err },
		"operations": func(tx engine.Tx) (int, error) { l, err := tx.Operations(merchantA, "x"); return len(l), err },
		"events":     func(tx engine.Tx) (int, error) { l, err := tx.Events(merchantA, "x"); return len(l), err },
		"due":        func(tx engine.Tx) (int, error) { l, err := tx.DueOperations(5); return len(l), err },
		"claims": func(tx engine.Tx) (int, error) {
			l, err := tx.ClaimOperations("n", tx.Now().Add(time.Minute), 5)
			return len(l), err
		},
		"expired": func(tx engine.Tx) (int, error) { return tx.DeleteExpired() },
	})
}

// testPaymentScoping reads and writes a payment of merchant A as merchant B. Both merchants may have the same ids.
func testPaymentScoping(t *testing.T, s engine.Store) {
	p, a, o := paymentRow("pay_1"), &payment.Attempt{MerchantID: merchantA, PaymentID: "pay_1", ID: "pay_1_1"}, operation("op_1")
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertPayment(p), tx.InsertAttempt(a), tx.InsertOperation(o),
			tx.InsertEvent(&payment.Event{ID: "e", MerchantID: merchantA, ObjectID: "pay_1"}),
			tx.PutCardToken(&payment.CardToken{MerchantID: merchantA, Token: "t", Sealed: []byte("A")}))
	})
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"cursor": func(tx engine.Tx) error {
			_, err := tx.Payments(merchantB, "", request.ListInput{StartingAfter: "pay_1"})
			return err
		},
		"card token": func(tx engine.Tx) error { return tx.DeleteCardToken(merchantB, "t") },
	})
	requireNone(t, s, map[string]func(tx engine.Tx) (int, error){
		"payments": func(tx engine.Tx) (int, error) {
			l, err := tx.Payments(merchantB, "", request.ListInput{})
			return len(l), err
		},
		"attempts":   func(tx engine.Tx) (int, error) { l, err := tx.Attempts(merchantB, "pay_1"); return len(l), err },
		"operations": func(tx engine.Tx) (int, error) { l, err := tx.Operations(merchantB, "pay_1"); return len(l), err },
		"events":     func(tx engine.Tx) (int, error) { l, err := tx.Events(merchantB, "pay_1"); return len(l), err },
	})
	other := paymentRow("pay_1")
	other.MerchantID, other.Amount = merchantB, 999
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertPayment(other), tx.InsertAttempt(&payment.Attempt{MerchantID: merchantB, PaymentID: "pay_1", ID: "pay_1_1"}),
			tx.PutCardToken(&payment.CardToken{MerchantID: merchantB, Token: "t", Sealed: []byte("B")}))
	})
	require.EqualValues(t, 100, get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "pay_1") }).Amount)
	require.Equal(t, "A", string(get(t, s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, "t") }).Sealed))
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

// A status that the engine does not know is an error, but neither a missing row nor a conflict.
func testUnknownStatus(t *testing.T, s engine.Store) {
	p := paymentRow("p")
	p.Status = "no such status"
	err := updateErr(s, func(tx engine.Tx) error { return tx.InsertPayment(p) })
	require.Error(t, err)
	require.NotErrorIs(t, err, fault.ErrNotFound)
	require.NotErrorIs(t, err, fault.ErrConflict)
}

// testDocuments checks JSON that merchants sent with a payment. Its numbers, order and duplicates must stay; only white space may go.
func testDocuments(t *testing.T, s engine.Store) {
	p := paymentRow("p")
	p.Details.Metadata = json.RawMessage(document)
	p.Details.Echo = map[string]json.RawMessage{"order_details": json.RawMessage(`[]`), "null": json.RawMessage(`null`)}
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, document, string(got.Details.Metadata))
	require.Equal(t, p.Details.Echo, got.Details.Echo)
	zero := int64(0)
	no := false
	p.Details = payment.Details{AmountToCapture: &zero, OffSession: &no}
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePayment(p) })
	got = get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, p.Details, got.Details)
}

func list(t testing.TB, s engine.Store, profile string, f request.ListInput) []string {
	t.Helper()
	return ids(get(t, s, func(r engine.Reader) ([]*payment.Payment, error) { return r.Payments(merchantA, profile, f) }), paymentID)
}

// pages walks through a list from its beginning (after) or its end (before) and returns the pages in order of arrival.
func pages(t testing.TB, s engine.Store, limit int, backwards bool, from string) (out [][]string) {
	t.Helper()
	f := request.ListInput{Limit: limit}
	if backwards {
		f.EndingBefore = from
	}
	for {
		page := list(t, s, "", f)
		if len(page) == 0 {
			return out
		}
		out = append(out, page)
		if backwards {
			f.EndingBefore = page[0]
		} else {
			f.StartingAfter = page[len(page)-1]
		}
		require.Less(t, len(out), 100, "the cursor does not move")
	}
}

func testPaymentOrder(t *testing.T, s engine.Store) {
	// The order of creation differs from the order of the ids and from the order of insertion.
	for i, n := range []int{3, 1, 5, 2, 4} {
		p := paymentRow(fmt.Sprintf("p%d", n))
		p.ID = fmt.Sprintf("%c%d", 'z'-n, n)
		p.CreatedAt = base.Add(time.Duration(n) * time.Second)
		p.Details.Description = fmt.Sprint(i)
		insertPayments(t, s, p)
	}
	newest := []string{"u5", "v4", "w3", "x2", "y1"}
	require.Equal(t, newest, list(t, s, "", request.ListInput{}))
	require.Equal(t, newest[:2], list(t, s, "", request.ListInput{Limit: 2}))
	require.Equal(t, newest[2:4], list(t, s, "", request.ListInput{Limit: 2, StartingAfter: "v4"}))
	require.Equal(t, newest[4:], list(t, s, "", request.ListInput{Limit: 2, StartingAfter: "x2"}))
	require.Empty(t, list(t, s, "", request.ListInput{StartingAfter: "y1"}))
	require.Equal(t, newest[1:3], list(t, s, "", request.ListInput{Limit: 2, EndingBefore: "x2"}), "the payments next to the cursor")
	require.Empty(t, list(t, s, "", request.ListInput{EndingBefore: "u5"}))
	require.Equal(t, newest[1:4], list(t, s, "", request.ListInput{StartingAfter: "u5", EndingBefore: "y1"}))
	require.Equal(t, newest[1:3], list(t, s, "", request.ListInput{StartingAfter: "u5", EndingBefore: "y1", Limit: 2}))

	// A payment that is new or changes does not move the page of a cursor.
	p := paymentRow("new")
	p.CreatedAt = base.Add(time.Minute)
	insertPayments(t, s, p)
	update(t, s, func(tx engine.Tx) error {
		q, err := tx.Payment(merchantA, "w3")
		if err != nil {
			return err
		}
		q.Status, q.CreatedAt = payment.Succeeded, base.Add(time.Hour)
		return tx.UpdatePayment(q)
	})
	require.Equal(t, newest[2:4], list(t, s, "", request.ListInput{Limit: 2, StartingAfter: "v4"}))

	for i := range 12 {
		p := paymentRow(fmt.Sprintf("more%d", i))
		p.CreatedAt = base.Add(-time.Hour)
		insertPayments(t, s, p)
	}
	require.Len(t, list(t, s, "", request.ListInput{}), 10, "the limit is 10 by default")
	require.Len(t, list(t, s, "", request.ListInput{Limit: 100}), 18)
}

func testPaymentTies(t *testing.T, s engine.Store) {
	for i := range 10 {
		p := paymentRow(fmt.Sprintf("p%c", "fbjaecghdi"[i]))
		p.CreatedAt = base.Add(time.Duration(i/7) * time.Millisecond)
		insertPayments(t, s, p)
	}
	whole := list(t, s, "", request.ListInput{})
	require.Len(t, whole, 10)
	require.ElementsMatch(t, []string{"pg", "ph", "pd", "pi"}[1:], whole[:3], "the three of the later millisecond come first")
	for _, limit := range []int{1, 2, 3, 7} {
		var forwards, backwards []string
		for _, page := range pages(t, s, limit, false, "") {
			forwards = append(forwards, page...)
		}
		require.Equal(t, whole, forwards, "pages of %d", limit)
		for _, page := range pages(t, s, limit, true, whole[9]) {
			backwards = append(append([]string{}, page...), backwards...)
		}
		require.Equal(t, whole[:9], backwards, "pages of %d, backwards", limit)
	}
}

func testPaymentFilters(t *testing.T, s engine.Store) {
	for i := range 6 {
		p := paymentRow(fmt.Sprintf("p%d", i))
		p.CreatedAt = base.Add(time.Duration(i) * time.Millisecond)
		p.ProfileID = []string{"pro_1", "pro_2"}[i%2]
		p.CustomerID = []string{"", "cus_1", "cus_2"}[i%3]
		insertPayments(t, s, p)
	}
	at := func(i int) time.Time { return base.Add(time.Duration(i) * time.Millisecond) }
	half := 500 * time.Microsecond
	for name, c := range map[string]struct {
		profile string
		f       request.ListInput
		want    string
	}{
		"profile":                    {"pro_1", request.ListInput{}, "[p4 p2 p0]"},
		"customer":                   {"", request.ListInput{CustomerID: "cus_1"}, "[p4 p1]"},
		"both":                       {"pro_2", request.ListInput{CustomerID: "cus_2"}, "[p5]"},
		"nobody":                     {"", request.ListInput{CustomerID: "cus_9"}, "[]"},
		"customer after":             {"", request.ListInput{CustomerID: "cus_1", StartingAfter: "p3"}, "[p1]"},
		"customer before":            {"", request.ListInput{CustomerID: "cus_1", EndingBefore: "p3"}, "[p4]"},
		"created":                    {"", request.ListInput{Created: at(2)}, "[p2]"},
		"created lt":                 {"", request.ListInput{CreatedLT: at(2)}, "[p1 p0]"},
		"created lte":                {"", request.ListInput{CreatedLTE: at(2)}, "[p2 p1 p0]"},
		"created gt":                 {"", request.ListInput{CreatedGT: at(3)}, "[p5 p4]"},
		"created gte":                {"", request.ListInput{CreatedGTE: at(3)}, "[p5 p4 p3]"},
		"a range":                    {"", request.ListInput{CreatedGT: at(1), CreatedLT: at(4)}, "[p3 p2]"},
		"lt between milliseconds":    {"", request.ListInput{CreatedLT: at(2).Add(half)}, "[p2 p1 p0]"},
		"lte between milliseconds":   {"", request.ListInput{CreatedLTE: at(2).Add(half)}, "[p2 p1 p0]"},
		"gt between milliseconds":    {"", request.ListInput{CreatedGT: at(3).Add(half)}, "[p5 p4]"},
		"gte between milliseconds":   {"", request.ListInput{CreatedGTE: at(3).Add(half)}, "[p5 p4]"},
		"everything":                 {"pro_1", request.ListInput{CustomerID: "cus_2", CreatedGTE: at(1), CreatedLTE: at(4), StartingAfter: "p4", Limit: 3}, "[p2]"},
		"cursor of the same profile": {"pro_1", request.ListInput{StartingAfter: "p4"}, "[p2 p0]"},
	} {
		require.Equal(t, c.want, fmt.Sprint(list(t, s, c.profile, c.f)), name)
	}
	_, err := read(s, func(r engine.Reader) ([]*payment.Payment, error) {
		return r.Payments(merchantA, "pro_1", request.ListInput{StartingAfter: "p5"})
	})
	require.ErrorIs(t, err, fault.ErrNotFound, "cursor of another profile")

	update(t, s, func(tx engine.Tx) error { // the customer of a payment may change until its confirmation
		p, err := tx.Payment(merchantA, "p1")
		if err != nil {
			return err
		}
		p.CustomerID = "cus_2"
		return tx.UpdatePayment(p)
	})
	require.Equal(t, []string{"p4"}, list(t, s, "", request.ListInput{CustomerID: "cus_1"}))
	require.Equal(t, []string{"p5", "p2", "p1"}, list(t, s, "", request.ListInput{CustomerID: "cus_2"}))
}

// testChildren checks the orders of the rows that belong to a payment.
func testChildren(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		for _, n := range []int{2, 10, 1} {
			if err := tx.InsertAttempt(&payment.Attempt{MerchantID: merchantA, PaymentID: "pay_1", ID: fmt.Sprintf("pay_1_%d", n), Number: n}); err != nil {
				return err
			}
		}
		if err := tx.InsertAttempt(&payment.Attempt{MerchantID: merchantA, PaymentID: "pay_1_1", ID: "pay_1_1_1", Number: 1}); err != nil {
			return err
		}
		for i, id := range []string{"c", "a", "b", "d"} {
			o := operation(id)
			o.StartedAt = base.Add(time.Duration(max(i, 1)) * time.Second) // c and a start at the same time
			if err := tx.InsertOperation(o); err != nil {
				return err
			}
			if err := tx.InsertEvent(&payment.Event{ID: id, MerchantID: merchantA, ObjectID: "pay_1", Type: "t", Body: []byte{1}, CreatedAt: o.StartedAt}); err != nil {
				return err
			}
			if err := tx.InsertEvidence(drive.Evidence{OperationID: "op", MerchantID: merchantA, Source: drive.Source(id), At: base, Outcome: []byte(`{}`), Note: "n"}); err != nil {
				return err
			}
		}
		other := operation("x")
		other.PaymentID = "pay_2"
		return tx.InsertOperation(other)
	})
	require.Equal(t, []string{"pay_1_1", "pay_1_2", "pay_1_10"}, ids(
		get(t, s, func(r engine.Reader) ([]*payment.Attempt, error) { return r.Attempts(merchantA, "pay_1") }),
		func(a *payment.Attempt) string { return a.ID }))
	oldest := []string{"c", "a", "b", "d"}
	require.Equal(t, oldest, ids(get(t, s, func(r engine.Reader) ([]*payment.Operation, error) { return r.Operations(merchantA, "pay_1") }), operationID))
	events := get(t, s, func(r engine.Reader) ([]*payment.Event, error) { return r.Events(merchantA, "pay_1") })
	require.Equal(t, oldest, ids(events, func(e *payment.Event) string { return e.ID }))
	require.Equal(t, &payment.Event{ID: "d", MerchantID: merchantA, ObjectID: "pay_1", Type: "t", Body: []byte{1}, CreatedAt: base.Add(3 * time.Second)}, events[3])
	evidence := get(t, s, func(r engine.Reader) ([]drive.Evidence, error) { return r.Evidence("op") })
	require.Equal(t, oldest, ids(evidence, func(e drive.Evidence) string { return string(e.Source) }))
	require.Equal(t, drive.Evidence{OperationID: "op", MerchantID: merchantA, Source: "c", At: base, Outcome: []byte(`{}`), Note: "n"}, evidence[0])

	event := filled[payment.Event](new(filler))
	update(t, s, func(tx engine.Tx) error { return tx.InsertEvent(event) })
	require.Equal(t, []*payment.Event{event}, get(t, s, func(r engine.Reader) ([]*payment.Event, error) { return r.Events(event.MerchantID, event.ObjectID) }))
}

func testAttemptsAt(t *testing.T, s engine.Store) {
	insert := func(merchantID, id, accountID, transactionID, reference string) {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertAttempt(&payment.Attempt{MerchantID: merchantID, PaymentID: "pay", ID: id, AccountID: accountID, TransactionID: transactionID,
				Details: payment.AttemptDetails{Reference: reference}})
		})
	}
	insert(merchantA, "a1", "acc", "tx", "ref")
	insert(merchantA, "a2", "acc", "", "")
	insert(merchantA, "a3", "acc", "tx", "other")
	insert(merchantA, "a4", "acc2", "tx", "ref")
	insert(merchantB, "a5", "acc", "tx", "ref")
	at := func(accountID, transactionID, reference string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*payment.Attempt, error) {
			return r.AttemptsAt(merchantA, accountID, transactionID, reference)
		}), func(a *payment.Attempt) string { return a.ID })
	}
	require.Equal(t, []string{"a3", "a1"}, at("acc", "tx", ""))
	require.Equal(t, []string{"a1"}, at("acc", "", "ref"))
	require.Equal(t, []string{"a3", "a1"}, at("acc", "tx", "ref"), "each attempt comes once")
	require.Equal(t, []string{"a4"}, at("acc2", "none", "ref"))
	require.Empty(t, at("acc", "", ""))

	update(t, s, func(tx engine.Tx) error {
		a, err := tx.Attempt(merchantA, "a2")
		if err != nil {
			return err
		}
		a.TransactionID, a.Details.Reference = "tx2", "ref2"
		return tx.UpdateAttempt(a)
	})
	require.Equal(t, []string{"a2"}, at("acc", "tx2", ""))
	require.Equal(t, []string{"a2"}, at("acc", "", "ref2"))
}

func testEventTwice(t *testing.T, s engine.Store) {
	e := &payment.Event{ID: "evt", MerchantID: merchantA, ObjectID: "p"}
	update(t, s, func(tx engine.Tx) error { return tx.InsertEvent(e) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertEvent(e) }), fault.ErrConflict)
}

func claim(t testing.TB, s engine.Store, owner string, lease time.Duration, limit int) (out []*payment.Operation) {
	t.Helper()
	update(t, s, func(tx engine.Tx) (err error) {
		out, err = tx.ClaimOperations(owner, tx.Now().Add(lease), limit)
		return err
	})
	return out
}

func testDue(t *testing.T, s engine.Store) {
	past, future := base, time.Now().Add(time.Hour)
	for id, o := range map[string]payment.Operation{
		"due: started, lease over":             {Status: payment.OperationStarted, LeaseUntil: past},
		"due: started, never leased":           {Status: payment.OperationStarted},
		"due: unknown":                         {Status: payment.OperationUnknown, LeaseUntil: past, ResolveAt: past},
		"due: unknown, never leased":           {Status: payment.OperationUnknown, ResolveAt: past},
		"due: pending":                         {Status: payment.OperationPending, LeaseUntil: past, ResolveAt: past},
		"not: started, leased":                 {Status: payment.OperationStarted, LeaseUntil: future},
		"not: started, leased, ResolveAt over": {Status: payment.OperationStarted, LeaseUntil: future, ResolveAt: past},
		"not: unknown, leased":                 {Status: payment.OperationUnknown, LeaseUntil: future, ResolveAt: past},
		"not: unknown, later":                  {Status: payment.OperationUnknown, LeaseUntil: past, ResolveAt: future},
		"not: unknown, never":                  {Status: payment.OperationUnknown, LeaseUntil: past},
		"not: pending, later":                  {Status: payment.OperationPending, ResolveAt: future},
		"not: pending, never":                  {Status: payment.OperationPending},
		"due: succeeded, to be asked again":    {Status: payment.OperationSucceeded, LeaseUntil: past, ResolveAt: past},
		"due: declined, to be asked again":     {Status: payment.OperationDeclined, LeaseUntil: past, ResolveAt: past},
		"due: not acted, to be asked again":    {Status: payment.OperationNotActed, LeaseUntil: past, ResolveAt: past},
		"not: succeeded":                       {Status: payment.OperationSucceeded, LeaseUntil: past},
		"not: not acted, later":                {Status: payment.OperationNotActed, LeaseUntil: past, ResolveAt: future},
		"not: declined":                        {Status: payment.OperationDeclined, LeaseUntil: past},
		"not: rejected":                        {Status: payment.OperationRejected, LeaseUntil: past, ResolveAt: past},
		"not: failed":                          {Status: payment.OperationFailed, LeaseUntil: past, ResolveAt: past},
		"not: not acted":                       {Status: payment.OperationNotActed, LeaseUntil: past},
	} {
		o.ID, o.MerchantID, o.Owner = id, merchantA, "old"
		insertOperations(t, s, &o)
		// The same must hold for a row that reached this state by an update.
		id = "updated " + id
		first := o
		first.ID, first.Status, first.LeaseUntil, first.ResolveAt = id, payment.OperationSucceeded, time.Time{}, time.Time{}
		insertOperations(t, s, &first)
		o.ID = id
		update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(&o) })
	}
	got := claim(t, s, "new", time.Minute, 100)
	want := []string{}
	for _, prefix := range []string{"", "updated "} {
		for _, due := range []string{"started, lease over", "started, never leased", "unknown", "unknown, never leased", "pending",
			"succeeded, to be asked again", "not acted, to be asked again", "declined, to be asked again"} {
			want = append(want, prefix+"due: "+due)
		}
	}
	require.ElementsMatch(t, want, ids(got, operationID))
	for _, o := range got {
		require.Equal(t, "new", o.Owner)
		require.WithinRange(t, o.LeaseUntil, time.Now(), time.Now().Add(2*time.Minute))
		require.Equal(t, o, get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation(o.ID) }))
	}
	require.Empty(t, claim(t, s, "other", time.Minute, 100), "a leased operation cannot be claimed")
	for _, o := range got { // the lease has ended
		o.LeaseUntil = past
		update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
	}
	require.Len(t, claim(t, s, "other", time.Minute, 3), 3, "limit")
	require.Len(t, claim(t, s, "other", time.Minute, 100), len(want)-3)
}

func testClaimRace(t *testing.T, s engine.Store) {
	const operations, claimers = 60, 4
	for i := range operations {
		insertOperations(t, s, operation(fmt.Sprintf("op_%02d", i)))
	}
	var mu sync.Mutex
	owners := map[string]string{}
	var wg sync.WaitGroup
	for c := range claimers {
		wg.Go(func() {
			me := fmt.Sprintf("node_%d", c)
			for {
				var got []*payment.Operation
				if err := updateErr(s, func(tx engine.Tx) (err error) {
					got, err = tx.ClaimOperations(me, tx.Now().Add(time.Minute), 7)
					return err
				}); err != nil {
					t.Error(err)
					return
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, o := range got {
					if owners[o.ID] != "" {
						t.Errorf("%s was claimed by %s and by %s", o.ID, owners[o.ID], me)
					}
					owners[o.ID] = me
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Len(t, owners, operations)
	for id, owner := range owners {
		require.Equal(t, owner, get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation(id) }).Owner)
	}
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
				tx.InsertIdempotency(&idempotency.Record{MerchantID: merchantB, Key: fmt.Sprint(i), ExpiresAt: end}))
		}
		return errors.Join(errs...)
	})
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 4, n)
	for i := range 4 {
		_, tokenErr := read(s, func(r engine.Reader) (*payment.CardToken, error) { return r.CardToken(merchantA, fmt.Sprint(i)) })
		_, keyErr := read(s, func(r engine.Reader) (*idempotency.Record, error) {
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

// testDueByAccount lists what is due account by account, and claims single rows.
func testDueByAccount(t *testing.T, s engine.Store) {
	for i, account := range []string{"a", "a", "a", "b"} {
		o := operation(fmt.Sprint("op_", i))
		o.AccountID, o.Status, o.ResolveAt = account, payment.OperationUnknown, base.Add(time.Duration(i)*time.Second)
		insertOperations(t, s, o)
	}
	due := func(perAccount int) []change.DueOperation {
		return get(t, s, func(r engine.Reader) ([]change.DueOperation, error) { return r.DueOperations(perAccount) })
	}
	all := due(10)
	require.Len(t, all, 4)
	for i := range all[1:] {
		require.True(t, all[i].At.Before(all[i+1].At), "those first that are due longest")
	}
	two := due(2)
	require.Equal(t, []change.DueOperation{all[0], all[1], all[3]}, two, "of each account at most two")
	require.Equal(t, two[0].Account, two[1].Account)
	require.NotEqual(t, two[0].Account, two[2].Account)

	var got []*payment.Operation
	take := func(limit int, rows ...int64) {
		update(t, s, func(tx engine.Tx) (err error) {
			got, err = tx.ClaimOperations("me", tx.Now().Add(time.Minute), limit, rows...)
			return err
		})
	}
	take(10, all[3].Row, all[1].Row)
	require.ElementsMatch(t, []string{"op_3", "op_1"}, ids(got, operationID))
	require.Equal(t, "me", got[0].Owner)
	take(10, all[1].Row, all[0].Row)
	require.Equal(t, []string{"op_0"}, ids(got, operationID), "the other is leased")
	require.Equal(t, []change.DueOperation{all[2]}, due(10))
	take(0, all[2].Row)
	require.Empty(t, got)
}
