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

func refundID(r *payment.Refund) string { return r.ID }

func testRefunds(t *testing.T, s engine.Store) {
	make := func(n int, change func(r *payment.Refund)) *payment.Refund {
		r := &payment.Refund{MerchantID: merchantA, ID: fmt.Sprintf("r%d", n), PaymentID: "pay_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "simulator",
			Status: payment.RefundSucceeded, Currency: "EUR", Amount: int64(100 * n), ProcessorID: fmt.Sprintf("re_%d", n), Reference: fmt.Sprintf("ours_%d", n),
			CreatedAt: base.Add(time.Duration(n) * time.Second)}
		if change != nil {
			change(r)
		}
		return r
	}
	update(t, s, func(tx engine.Tx) error {
		for _, r := range []*payment.Refund{make(3, nil), make(1, func(r *payment.Refund) { r.Status = payment.RefundFailed }),
			make(2, func(r *payment.Refund) { r.PaymentID, r.Currency, r.ProfileID = "pay_2", "USD", "pro_2" }),
			make(4, func(r *payment.Refund) {
				r.AccountID, r.Connector, r.ProcessorID, r.Reference = "mca_2", "stripe", "", ""
			}),
			make(5, func(r *payment.Refund) { r.MerchantID = merchantB })} {
			if err := tx.InsertRefund(r); err != nil {
				return err
			}
		}
		return nil
	})
	of := func(paymentID string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*payment.Refund, error) { return r.RefundsOf(merchantA, paymentID) }), refundID)
	}
	require.Equal(t, []string{"r3", "r1", "r4"}, of("pay_1"), "in the order of insertion")
	require.Empty(t, of("pay_3"))

	at := func(account, processor, reference string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*payment.Refund, error) {
			return r.RefundsAt(merchantA, account, processor, reference)
		}), refundID)
	}
	require.Equal(t, []string{"r3"}, at("mca_1", "re_3", ""))
	require.Equal(t, []string{"r1"}, at("mca_1", "", "ours_1"))
	require.Equal(t, []string{"r1", "r3"}, at("mca_1", "re_3", "ours_1"), "newest first")
	require.Empty(t, at("mca_2", "re_3", "ours_1"))
	require.Empty(t, at("mca_2", "", ""), "nothing has no name")

	list := func(profile string, f request.RefundListInput) ([]string, int) {
		var total int
		l := get(t, s, func(r engine.Reader) (l []*payment.Refund, err error) {
			l, total, err = r.Refunds(merchantA, profile, f)
			return l, err
		})
		return ids(l, refundID), total
	}
	n := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		profile string
		f       request.RefundListInput
		want    []string
		total   int
	}{
		"all":               {"", request.RefundListInput{}, []string{"r4", "r3", "r2", "r1"}, 4},
		"page":              {"", request.RefundListInput{Limit: 2, Offset: 1}, []string{"r3", "r2"}, 4},
		"behind the end":    {"", request.RefundListInput{Offset: 9}, []string{}, 4},
		"caller's profile":  {"pro_2", request.RefundListInput{}, []string{"r2"}, 1},
		"two profiles":      {"pro_2", request.RefundListInput{ProfileID: "pro_1"}, []string{}, 0},
		"payment":           {"", request.RefundListInput{PaymentID: "pay_2"}, []string{"r2"}, 1},
		"refund":            {"", request.RefundListInput{RefundID: "r3"}, []string{"r3"}, 1},
		"other's refund":    {"", request.RefundListInput{RefundID: "r5"}, []string{}, 0},
		"times":             {"", request.RefundListInput{From: base.Add(2 * time.Second), To: base.Add(3 * time.Second)}, []string{"r3", "r2"}, 2},
		"amounts":           {"", request.RefundListInput{MinAmount: n(200), MaxAmount: n(300)}, []string{"r3", "r2"}, 2},
		"connectors":        {"", request.RefundListInput{Connectors: []string{"stripe", "adyen"}}, []string{"r4"}, 1},
		"accounts":          {"", request.RefundListInput{Accounts: []string{"mca_1"}}, []string{"r3", "r2", "r1"}, 3},
		"currencies":        {"", request.RefundListInput{Currencies: []string{"USD", "GBP"}}, []string{"r2"}, 1},
		"statuses":          {"", request.RefundListInput{Statuses: []string{"failed", "review"}}, []string{"r1"}, 1},
		"several at a time": {"", request.RefundListInput{PaymentID: "pay_1", Statuses: []string{"succeeded"}, Accounts: []string{"mca_1"}}, []string{"r3"}, 1},
	} {
		got, total := list(c.profile, c.f)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.total, total, name)
	}
	counts := func(profile string, from, to time.Time) listed.Tally {
		return get(t, s, func(r engine.Reader) (listed.Tally, error) { return r.RefundCounts(merchantA, profile, from, to) })
	}
	type values = map[string]int64
	require.Equal(t, listed.Tally{Connectors: values{"simulator": 3, "stripe": 1}, Currencies: values{"EUR": 3, "USD": 1}, Stages: values{"": 4},
		Statuses: values{"failed": 1, "succeeded": 3}}, counts("", time.Time{}, time.Time{}))
	require.Equal(t, listed.Tally{Connectors: values{"simulator": 1}, Currencies: values{"USD": 1}, Stages: values{"": 1}, Statuses: values{"succeeded": 1}},
		counts("pro_2", time.Time{}, time.Time{}))
	require.Equal(t, values{"EUR": 1, "USD": 1}, counts("", base.Add(2*time.Second), base.Add(3*time.Second)).Currencies)
}
