package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rank"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// newPlain returns a world with two accounts and no rules. Nothing looks at the health of accounts.
func newPlain(t testing.TB) *world {
	w := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}), filepath.Join(t.TempDir(), "p.db"))
	w.account("simulator", "")
	w.account("simulator", "")
	w.setProfile(`{"is_account_health_enabled":false}`)
	return w
}

// ruled switches on all that routing does for a payment: 100 rules, a decision manager, routing by success and cost, the health of accounts, and surcharges.
func (w *world) ruled(t testing.TB) {
	ctx := t.Context()
	const condition = `{"lhs":%q,"comparison":%q,"value":{"type":%q,"value":%s},"metadata":{}}`
	program := func(rules int, none, some string) json.RawMessage {
		var list []string
		for i := range rules {
			list = append(list, fmt.Sprintf(`{"name":"r%d","connectorSelection":%s,"statements":[{"condition":[%s,%s]}]}`, i, some,
				fmt.Sprintf(condition, "currency", "equal", "enum_variant", `"EUR"`), fmt.Sprintf(condition, "amount", "greater_than", "number", fmt.Sprint(10_000+i))))
		}
		return json.RawMessage(`{"defaultSelection":` + none + `,"metadata":{},"rules":[` + strings.Join(list, ",") + `]}`)
	}
	name, profile := "all", w.profile.ID
	const first = `{"type":"priority","data":["simulator"]}`
	c, _, err := w.CreateRouting(ctx, w.auth, routing.ConfigInput{Name: &name, Description: &name, ProfileID: &profile,
		Algorithm: json.RawMessage(`{"type":"advanced","data":` + string(program(100, first, first)) + `}`)})
	require.NoError(t, err)
	_, err = w.ActivateRouting(ctx, w.auth, c.ID, routed.ForPayment)
	require.NoError(t, err)
	_, err = w.PutDecision(ctx, w.auth, routing.DecisionInput{Name: &name, Field: "program", Program: program(20, `{"override_3ds":null}`, `{"override_3ds":"three_ds"}`)})
	require.NoError(t, err)
	charge := func(amount int) string {
		return fmt.Sprintf(`{"surcharge_details":{"surcharge":{"type":"fixed","value":{"amount":%d}},"tax_on_surcharge":null}}`, amount)
	}
	_, err = w.PutSurcharge(ctx, w.auth, routing.DecisionInput{Name: &name, Field: "algorithm", Surcharge: json.RawMessage(`{"show_surcharge_breakup_screen":true}`),
		Program: program(20, charge(7), charge(9))})
	require.NoError(t, err)
	dynamic, err := w.ToggleDynamic(ctx, w.auth, profile, rank.Success, routing.FeatureSelection,
		json.RawMessage(`{"config":{"exploration_percent":10},"costs":{"margin_percent":20,"fees":[]}}`), false)
	require.NoError(t, err)
	_, err = w.ActivateRouting(ctx, w.auth, dynamic.ID, routed.ForPayment)
	require.NoError(t, err)
	w.setProfile(`{"is_account_health_enabled":true}`)
}

// watched switches on all that stops payments: a block list of 1,000 entries, card blocking, and the guard against card testing with all of its counters.
func (w *world) watched(t testing.TB) {
	ctx := t.Context()
	require.NoError(t, w.ToggleBlocklist(ctx, w.auth, true))
	for i := range 1000 {
		_, err := w.Block(ctx, w.auth, "card_bin", fmt.Sprint(500_000+i))
		require.NoError(t, err)
	}
	guards := strings.ReplaceAll(strings.ReplaceAll(noGuards, "disabled", "enabled"), `threshold":3`, `threshold":1000`)
	w.setProfile(`{"card_testing_guard_config":{` + guards + `},
		"payment_method_blocking":{"card":{"issuing_country":["KP"],"card_subtypes":["smallcorporate"]}}}`)
}

// visited returns a payment of a guest with an address, so that every counter of the guard for guests counts.
func visited(id string) *request.Input {
	return sale(1200, visa, from("203.0.113.7"), func(in *request.Input) { in.PaymentID = id })
}

// Rules, block list, guard, health and surcharge add no commit to a payment.
func TestRoutingAndRiskAddNoCommit(t *testing.T) {
	t.Parallel()
	w := newPlain(t)
	pays := func(id, number string) int64 {
		before := w.commits.Load()
		in := visited(id)
		in.Card = typedCard(number)
		v := w.pay(in)
		require.True(t, v.Payment.Status == payment.Succeeded || v.Payment.Status == payment.Failed, v.Payment.Status)
		return w.commits.Load() - before
	}
	approved, refused := pays("off_1", visa), pays("off_2", declined)
	w.ruled(t)
	w.watched(t)
	require.Equal(t, []int64{approved, refused}, []int64{pays("on_1", visa), pays("on_2", declined)})
	v := w.get("on_1", request.RetrieveInput{})
	require.EqualValues(t, 1207, v.Payment.NetAmount, "the surcharge")
	require.NotEmpty(t, v.Payment.Details.Fingerprint, "the block list")
	require.Len(t, v.Attempt.Details.Guard.Counters, 3, "the guard")
	require.NotEmpty(t, v.Attempt.Details.Routed.Config, "the rules")
	require.EqualValues(t, 2, approved, "the intent, and the result")
}

// BenchmarkRoutingAndRisk measures what routing and risk add to a payment. Each pass pays once without them and once with them, in turns, so that what else the
// machine does weighs on both alike. added-cpu-µs is the median of the differences in processor time, and added-µs that in time.
func BenchmarkRoutingAndRisk(b *testing.B) {
	for name, set := range map[string]func(w *world, t testing.TB){"routing": (*world).ruled, "risk": (*world).watched,
		"both": func(w *world, t testing.TB) { w.ruled(t); w.watched(t) }} {
		b.Run(name, func(b *testing.B) {
			off, on := newPlain(b), newPlain(b)
			set(on, b)
			pay := func(w *world, id string) (wall, cpu float64) {
				in := visited(id)
				began, before := time.Now(), cpuTime()
				if _, err := w.CreatePayment(context.Background(), w.auth, in); err != nil {
					b.Fatal(err)
				}
				return float64(time.Since(began).Nanoseconds()) / 1e3, float64((cpuTime() - before).Nanoseconds()) / 1e3
			}
			var walls, cpus, plain []float64
			for n := 0; b.Loop(); n++ {
				id := fmt.Sprint("pay_", n)
				var wall, cpu [2]float64
				for i := range 2 {
					i ^= n & 1
					wall[i], cpu[i] = pay([]*world{off, on}[i], id)
				}
				walls, cpus, plain = append(walls, wall[1]-wall[0]), append(cpus, cpu[1]-cpu[0]), append(plain, cpu[0])
			}
			b.ReportMetric(median(cpus), "added-cpu-µs")
			b.ReportMetric(median(walls), "added-µs")
			b.ReportMetric(median(plain), "without-cpu-µs")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// cpuTime returns the processor time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Activation compiles the program, so that no payment waits for it: payments route by it even where its row can no longer be read.
func TestActivationCompiles(t *testing.T) {
	t.Parallel()
	w := newPlain(t)
	name, profile := "n", w.profile.ID
	c, _, err := w.CreateRouting(t.Context(), w.auth, routing.ConfigInput{Name: &name, Description: &name, ProfileID: &profile, Algorithm: json.RawMessage(`{"type":"single","data":"simulator"}`)})
	require.NoError(t, err)
	_, err = w.ActivateRouting(t.Context(), w.auth, c.ID, routed.ForPayment)
	require.NoError(t, err)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.DeleteRoutingConfig(w.auth.MerchantID, c.ID) }))
	how := w.pay(sale(1200, visa)).Attempt.Details.Routed
	require.Equal(t, []any{routed.ByConfig, c.ID, ""}, []any{how.By, how.Config, how.Failed})
}
