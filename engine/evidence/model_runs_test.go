package evidence

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// The decisions hold the invariants in every history of the scenarios. With TEST_ALL the scenarios allow one more fault. Without it they allow one jump of
// the clock at most, so that the search ends soon.
func TestModel(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // the states waiting for their turn would be scanned again and again
	total, least := 0, modelStates
	all := os.Getenv("TEST_ALL") != ""
	for _, w := range modelScenarios {
		limit, w := 1_000_000, *w
		if all {
			w.left.faults++
		} else {
			w.left.jumps, least = min(w.left.jumps, 1), modelStates/10
		}
		began := time.Now()
		states, found := w.explore(limit, nil)
		total += states
		t.Logf("%s: %d states in %s", w.name, states, time.Since(began).Round(time.Millisecond))
		if found != nil {
			t.Errorf("%s:\n%s", w.name, found)
		}
		if states > limit {
			t.Logf("%s: stopped at the limit", w.name)
		}
	}
	require.Greater(t, total, least)
}

// The model finds what went wrong with decisions of an earlier version, and prints a shortest history of it.
func TestModelFindsOldFaults(t *testing.T) {
	closedOnly := func(fresh *payment.Operation, by Settler, _ time.Time) error {
		switch {
		case !fresh.Status.Open() && fresh.Status != payment.OperationPending:
			return fault.ErrConflict
		case by.Silent && !by.Lease.IsZero() && !fresh.HeldBy(by.Node, by.Lease):
			return ErrStale
		}
		return nil
	}
	var histories bytes.Buffer
	for _, old := range []struct {
		name, broken string
		world        scenario
		change       func(w *scenario)
	}{
		{"A cancel at the processor's page ends the payment at once, and no query follows.", "payment shows cancelled",
			scenario{manifest: unkeyedManifest, method: payment.CaptureAutomatic, redirects: true, cancels: true, left: budgets{calls: 2}},
			func(w *scenario) {
				w.watches = false
				w.nextCancel = func(p *payment.Payment, a *payment.Attempt, ops []*payment.Operation, invoked bool) CancelStep {
					if p.Status.Facts().Cancel && a.Authorized == 0 {
						return CancelLocally
					}
					return NextCancel(p, a, ops, invoked)
				}
			}},
		{"A look-up closes an operation that another run is sending again.", "payment shows failed",
			scenario{manifest: keyedManifest, method: payment.CaptureAutomatic, syncs: true, left: budgets{calls: 2, faults: 1, jumps: 2}},
			func(w *scenario) {
				w.maySettle, w.marks, w.remedies = closedOnly, false, false
				w.underWay = func(op *payment.Operation, _ time.Time) bool { return op.Status == payment.OperationStarted }
			}},
		{"An authorization is sent again for as long as the processor remembers its key.", "when nobody waits any more",
			scenario{manifest: keyedManifest, method: payment.CaptureAutomatic, jumps: hours, left: budgets{calls: 1, faults: 1, jumps: 2}},
			func(w *scenario) { w.payer = keyWindow }},
		{"A run whose lease has ended proves that nothing was sent.", "payment shows failed",
			scenario{manifest: keyedManifest, method: payment.CaptureAutomatic, left: budgets{calls: 1, faults: 1, crashes: 1, jumps: 2}},
			func(w *scenario) {
				w.maySettle = func(fresh *payment.Operation, by Settler, now time.Time) error {
					by.Silent = false
					return Timing{}.MaySettle(fresh, by, now)
				}
			}},
		{"A payment that failed without the processor's word is never asked about again.", "payment shows failed",
			scenario{manifest: unkeyedManifest, method: payment.CaptureAutomatic, unkeyed: true, late: true, left: budgets{calls: 1, faults: 1, jumps: 1}},
			func(w *scenario) { w.remedies = false }},
		{"Money of an attempt is forgotten once the customer has paid with another.", "of the first attempt",
			scenario{manifest: unkeyedManifest, method: payment.CaptureManual, unkeyed: true, late: true, retries: true, left: budgets{calls: 2, faults: 1, jumps: 2}},
			func(w *scenario) { w.remedies = false }},
	} {
		w := today(old.world)
		_, found := w.explore(1_000_000, nil)
		require.Nil(t, found, "%s: the decisions of today fail, too:\n%s", old.name, found)
		old.change(w)
		_, found = w.explore(1_000_000, func(broken string) bool { return strings.Contains(broken, old.broken) })
		require.NotNil(t, found, old.name)
		fmt.Fprintf(&histories, "%s\n%s\n", old.name, found)
	}
	const file = "testdata/model_old.txt"
	if *updateHistories {
		require.NoError(t, os.WriteFile(file, histories.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), histories.String(), "run go test ./engine/evidence -update and review the change")
}

var updateHistories = flag.Bool("update", false, "rewrite the histories of old faults")

// FuzzHistory plays a history that the input chooses: its first byte chooses the scenario, the second adds to it, each further byte is a move.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01\x02"))
	for i := range modelScenarios {
		f.Add([]byte{byte(i), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		f.Add([]byte{byte(i), 0, 1, 4, 2, 9, 7, 3, 1, 0, 5, 8, 2, 6, 11, 3, 0, 1, 4})
		f.Add([]byte{byte(i), 0, 3, 2, 1, 250, 17, 33, 5, 80, 6, 41, 2, 0, 9, 13, 77, 1, 3, 8, 90, 4, 5, 5, 12})
	}
	f.Fuzz(func(t *testing.T, history []byte) {
		if len(history) < 2 || len(history) > 200 {
			return
		}
		w := *modelScenarios[int(history[0])%len(modelScenarios)]
		w.left = budgets{calls: 6, faults: 4, crashes: 3, jumps: 4}
		options, messages := history[1], int(history[1]>>5)
		w.cancels, w.syncs, w.late, w.hides = w.cancels || options&1 > 0, w.syncs || options&2 > 0, w.late || options&4 > 0, w.hides || options&8 > 0
		if options&16 > 0 {
			w.messages, w.refunds = max(w.messages, messages%3), []int64{60} // a processor that decides later may say so in messages alone
		}
		s, said := w.start(), []string{w.name}
		for _, b := range history[2:] {
			moves := w.moves(s)
			if len(moves) == 0 {
				break
			}
			m := moves[int(b)%len(moves)]
			s, said = m.next, append(said, m.text)
			if s.broken != "" {
				t.Fatal((&finding{s.broken, said}).String())
			}
		}
		end, more := w.settleDown(s)
		if end.broken == "" {
			end.broken = w.books(end)
		}
		if end.broken != "" {
			t.Fatal((&finding{end.broken, append(append(said, "-- from here on everything goes well"), more...)}).String())
		}
	})
}
