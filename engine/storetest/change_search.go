package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

func testPaymentSearch(t *testing.T, s engine.Store) {
	insert := func(n int, change func(p *payment.Payment, a *payment.Attempt)) {
		p := paymentRow(fmt.Sprintf("p%d", n))
		p.Amount, p.AttemptID, p.CreatedAt, p.Status, p.Sealed = int64(100*n), p.ID+"_1", base.Add(time.Duration(n)*time.Second), payment.Succeeded, []byte("sealed")
		p.Details.OrderReference = "order"
		a := &payment.Attempt{MerchantID: merchantA, PaymentID: p.ID, ID: p.AttemptID, Connector: "simulator", AccountID: "mca_1",
			Details: payment.AttemptDetails{PaymentMethod: "card"}}
		if change != nil {
			change(p, a)
		}
		insertPayments(t, s, p)
		update(t, s, func(tx engine.Tx) error { return tx.InsertAttempt(a) })
	}
	insert(1, nil)
	insert(3, func(p *payment.Payment, _ *payment.Attempt) { p.Status, p.CustomerID = payment.Failed, "cus_1" })
	insert(2, func(p *payment.Payment, a *payment.Attempt) {
		p.Currency, p.ProfileID, a.Connector = "USD", "pro_2", "stripe"
	})
	insert(4, func(p *payment.Payment, a *payment.Attempt) {
		a.AccountID, p.CreatedAt = "mca_2", base.Add(3*time.Second)
	})
	insert(5, func(p *payment.Payment, a *payment.Attempt) { p.MerchantID, a.MerchantID = merchantB, merchantB })
	insert(6, func(p *payment.Payment, a *payment.Attempt) { p.Status, a.ID = payment.Review, "p6_0" }) // its latest attempt is missing

	n := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		profile string
		f       request.PaymentFilter
		want    []string
	}{
		"all":             {"", request.PaymentFilter{}, []string{"p6", "p4", "p3", "p2", "p1"}},
		"id":              {"", request.PaymentFilter{PaymentID: "p2"}, []string{"p2"}},
		"other's":         {"", request.PaymentFilter{PaymentID: "p5"}, []string{}},
		"caller's":        {"pro_2", request.PaymentFilter{}, []string{"p2"}},
		"profile":         {"", request.PaymentFilter{ProfileID: "pro_1"}, []string{"p6", "p4", "p3", "p1"}},
		"customer":        {"", request.PaymentFilter{CustomerID: "cus_1"}, []string{"p3"}},
		"times":           {"", request.PaymentFilter{From: base.Add(2 * time.Second), To: base.Add(3 * time.Second)}, []string{"p4", "p3", "p2"}},
		"amounts":         {"", request.PaymentFilter{MinAmount: n(200), MaxAmount: n(300)}, []string{"p3", "p2"}},
		"connectors":      {"", request.PaymentFilter{Connectors: []string{"stripe", "adyen"}}, []string{"p2"}},
		"accounts":        {"", request.PaymentFilter{Accounts: []string{"mca_2"}}, []string{"p4"}},
		"currencies":      {"", request.PaymentFilter{Currencies: []string{"USD"}}, []string{"p2"}},
		"rare statuses":   {"", request.PaymentFilter{Statuses: []string{"failed", "review"}}, []string{"p6", "p3"}},
		"one rare status": {"", request.PaymentFilter{Statuses: []string{"failed"}}, []string{"p3"}},
		"statuses":        {"", request.PaymentFilter{Statuses: []string{"succeeded", "failed"}}, []string{"p4", "p3", "p2", "p1"}},
	} {
		find := func(f request.PaymentFilter) ([]string, int) {
			var total int
			list := get(t, s, func(r engine.Reader) (list []*payment.Payment, err error) {
				if list, err = r.FindPayments(merchantA, c.profile, f); err == nil {
					total, err = r.PaymentTotal(merchantA, c.profile, f)
				}
				return list, err
			})
			return ids(list, paymentID), total
		}
		f := c.f
		f.Limit = 10
		got, total := find(f)
		require.Equal(t, c.want, got, name)
		require.Len(t, c.want, total, name)
		f.Limit, f.Offset = 2, 1
		got, total = find(f)
		require.Equal(t, c.want[min(1, len(c.want)):min(3, len(c.want))], got, name)
		require.Len(t, c.want, total, name)
		f.Limit, f.Offset, f.Ascending = 1, 0, true
		got, _ = find(f)
		require.Equal(t, c.want[max(0, len(c.want)-1):], got, name)

		behindThat, behind := []string{}, (*listed.Place)(nil)
		for limit := 2; ; {
			list := get(t, s, func(r engine.Reader) ([]listed.Scanned, error) {
				return r.PaymentsBehind(merchantA, c.profile, c.f, behind, limit)
			})
			for _, p := range list {
				behindThat = append(behindThat, p.Payment.ID)
			}
			if len(list) < limit {
				break
			}
			behind = &list[limit-1].Place
		}
		require.Equal(t, c.want, behindThat, name)

		for window := 1; window < 8; window++ {
			scanned, windows := []string{}, 0
			var behind *listed.Place
			for {
				var next *listed.Place
				list := get(t, s, func(r engine.Reader) (list []listed.Scanned, err error) {
					list, next, err = r.ScanPayments(merchantA, c.profile, c.f, behind, window)
					return list, err
				})
				require.LessOrEqual(t, len(list), window)
				for _, p := range list {
					scanned = append(scanned, p.Payment.ID)
					require.Nil(t, p.Payment.Sealed)
					require.Empty(t, p.Payment.Details.OrderReference)
				}
				if windows++; next == nil {
					break
				}
				behind = next
			}
			require.Equal(t, c.want, scanned, "%s in windows of %d", name, window)
			require.LessOrEqual(t, windows, 5/window+1)
		}
	}
	scan := func(f request.PaymentFilter) []listed.Scanned {
		return get(t, s, func(r engine.Reader) (list []listed.Scanned, err error) {
			list, _, err = r.ScanPayments(merchantA, "", f, nil, 10)
			return list, err
		})
	}
	for _, p := range scan(request.PaymentFilter{Documents: true}) {
		require.Equal(t, "order", p.Payment.Details.OrderReference)
		require.Equal(t, map[bool]string{false: "card"}[p.Payment.ID == "p6"], p.Attempt.PaymentMethod)
		require.Nil(t, p.Payment.Sealed)
	}
	require.Equal(t, []byte("sealed"), scan(request.PaymentFilter{Email: "a@example.com"})[0].Payment.Sealed)
	require.Equal(t, "stripe", scan(request.PaymentFilter{PaymentID: "p2", Documents: true})[0].Connector)
	p := scan(request.PaymentFilter{PaymentID: "p2"})[0]
	require.Equal(t, []any{"", int64(200), payment.Succeeded, "USD", base.Add(2 * time.Second)},
		[]any{p.Connector, p.Payment.Amount, p.Payment.Status, string(p.Payment.Currency), p.Place.CreatedAt})

	counts := func(profile string, from, to time.Time) (out []string) {
		for _, c := range get(t, s, func(r engine.Reader) ([]listed.Count, error) { return r.PaymentCounts(merchantA, profile, from, to) }) {
			out = append(out, fmt.Sprint(c.Status, " ", c.N))
		}
		return out
	}
	require.Equal(t, []string{"failed 1", "review 1", "succeeded 3"}, counts("", time.Time{}, time.Time{}))
	require.Equal(t, []string{"succeeded 1"}, counts("pro_2", time.Time{}, time.Time{}))
	require.Equal(t, []string{"failed 1", "succeeded 1"}, counts("", base.Add(3*time.Second), base.Add(3*time.Second)))
}
