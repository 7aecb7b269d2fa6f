package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

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
			if err := tx.InsertEvidence(drive.Evidence{OperationID: "op", MerchantID: merchantA, Source: id, At: base, Outcome: []byte(`{}`), Note: "n"}); err != nil {
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
	require.Equal(t, oldest, ids(evidence, func(e drive.Evidence) string { return e.Source }))
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
