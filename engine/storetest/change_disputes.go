package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/disputed"
	"payswitch/engine/listed"
	"payswitch/engine/request"
	"payswitch/sdk"
)

func disputeID(d *disputed.Record) string { return d.ID }

func testDisputes(t *testing.T, s engine.Store) {
	make := func(n int, change func(d *disputed.Record)) *disputed.Record {
		d := &disputed.Record{MerchantID: merchantA, ID: fmt.Sprintf("d%d", n), PaymentID: "pay_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "simulator",
			Stage: sdk.StageDispute, Status: sdk.DisputeOpened, Currency: "EUR", Amount: int64(100 * n), ProcessorID: fmt.Sprintf("dp_%d", n),
			CreatedAt: base.Add(time.Duration(n) * time.Second), Details: disputed.Details{Reason: "fraud\x00ulent"}}
		if change != nil {
			change(d)
		}
		return d
	}
	update(t, s, func(tx engine.Tx) error {
		for _, d := range []*disputed.Record{make(3, nil), make(1, func(d *disputed.Record) { d.Status = sdk.DisputeLost }),
			make(2, func(d *disputed.Record) { d.PaymentID, d.Currency, d.ProfileID = "pay_2", "USD", "pro_2" }),
			make(4, func(d *disputed.Record) {
				d.AccountID, d.Connector, d.Stage, d.Details.Reason = "mca_2", "stripe", sdk.StageArbitration, ""
			}),
			make(5, func(d *disputed.Record) { d.MerchantID = merchantB })} {
			if err := tx.InsertDispute(d); err != nil {
				return err
			}
		}
		return nil
	})
	of := func(paymentID string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*disputed.Record, error) { return r.DisputesOf(merchantA, paymentID) }), disputeID)
	}
	require.Equal(t, []string{"d3", "d1", "d4"}, of("pay_1"), "in the order of insertion")
	require.Empty(t, of("pay_3"))

	for name, c := range map[string]struct {
		profile string
		f       request.DisputeListInput
		want    []string
	}{
		"all":               {"", request.DisputeListInput{}, []string{"d4", "d3", "d2", "d1"}},
		"page":              {"", request.DisputeListInput{Limit: 2, Offset: 1}, []string{"d3", "d2"}},
		"behind the end":    {"", request.DisputeListInput{Offset: 9}, []string{}},
		"caller's profile":  {"pro_2", request.DisputeListInput{}, []string{"d2"}},
		"two profiles":      {"pro_2", request.DisputeListInput{ProfileID: "pro_1"}, []string{}},
		"payment":           {"", request.DisputeListInput{PaymentID: "pay_2"}, []string{"d2"}},
		"dispute":           {"", request.DisputeListInput{DisputeID: "d3"}, []string{"d3"}},
		"other's dispute":   {"", request.DisputeListInput{DisputeID: "d5"}, []string{}},
		"account":           {"", request.DisputeListInput{AccountID: "mca_2"}, []string{"d4"}},
		"reason":            {"", request.DisputeListInput{Reason: "fraudulent"}, []string{"d3", "d2", "d1"}},
		"times":             {"", request.DisputeListInput{From: base.Add(2 * time.Second), To: base.Add(3 * time.Second)}, []string{"d3", "d2"}},
		"connectors":        {"", request.DisputeListInput{Connectors: []string{"stripe", "adyen"}}, []string{"d4"}},
		"currencies":        {"", request.DisputeListInput{Currencies: []string{"USD", "GBP"}}, []string{"d2"}},
		"stages":            {"", request.DisputeListInput{Stages: []string{"arbitration", "pre_dispute"}}, []string{"d4"}},
		"statuses":          {"", request.DisputeListInput{Statuses: []string{"lost", "won"}}, []string{"d1"}},
		"several at a time": {"", request.DisputeListInput{PaymentID: "pay_1", Statuses: []string{"opened"}, AccountID: "mca_1"}, []string{"d3"}},
	} {
		got := get(t, s, func(r engine.Reader) ([]*disputed.Record, error) { return r.Disputes(merchantA, c.profile, c.f) })
		require.Equal(t, c.want, ids(got, disputeID), name)
	}
	counts := func(profile string, from, to time.Time) listed.Tally {
		return get(t, s, func(r engine.Reader) (listed.Tally, error) { return r.DisputeCounts(merchantA, profile, from, to) })
	}
	type values = map[string]int64
	require.Equal(t, listed.Tally{Connectors: values{"simulator": 3, "stripe": 1}, Currencies: values{"EUR": 3, "USD": 1},
		Stages: values{"dispute": 3, "arbitration": 1}, Statuses: values{"lost": 1, "opened": 3}}, counts("", time.Time{}, time.Time{}))
	require.Equal(t, listed.Tally{Connectors: values{"simulator": 1}, Currencies: values{"USD": 1}, Stages: values{"dispute": 1}, Statuses: values{"opened": 1}},
		counts("pro_2", time.Time{}, time.Time{}))
	require.Equal(t, values{"EUR": 1, "USD": 1}, counts("", base.Add(2*time.Second), base.Add(3*time.Second)).Currencies)
}
