package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// finding is a broken invariant with a shortest history.
type finding struct {
	broken  string
	history []string
}

func (f *finding) String() string {
	var b strings.Builder
	for i, step := range f.history {
		fmt.Fprintf(&b, "%2d. %s\n", i+1, step)
	}
	return b.String() + "    => " + f.broken + "\n"
}

// explore visits every state of a scenario, breadth first, until it finds a broken invariant that counts (nil: each counts). It stops after
// limit states.
func (w *scenario) explore(limit int, counts func(broken string) bool) (states int, found *finding) {
	type node struct {
		parent int
		text   string
	}
	history := func(nodes []node, i int, more ...string) (out []string) {
		for ; i > 0; i = nodes[i].parent {
			out = append(out, nodes[i].text)
		}
		slices.Reverse(out)
		return append(out, more...)
	}
	type entry struct {
		s *state
		i int
	}
	first := w.start()
	seen := map[[16]byte]bool{first.key(): true}
	nodes := []node{{}}
	for level := []entry{{first, 0}}; len(level) > 0; {
		var next []entry
		for _, e := range level {
			if e.s.calm() {
				end, said := w.settleDown(e.s)
				broken := end.broken
				if broken == "" {
					broken = w.books(end)
				}
				if broken != "" && (counts == nil || counts(broken)) {
					return len(nodes), &finding{broken, history(nodes, e.i, append([]string{"-- from here on everything goes well"}, said...)...)}
				}
			}
			for _, m := range w.moves(e.s) {
				if m.next.broken != "" && (counts == nil || counts(m.next.broken)) {
					return len(nodes), &finding{m.next.broken, append(history(nodes, e.i), m.text)}
				}
				k := m.next.key()
				if seen[k] {
					continue
				}
				seen[k] = true
				nodes = append(nodes, node{e.i, m.text})
				next = append(next, entry{m.next, len(nodes) - 1})
			}
			if len(nodes) > limit {
				return len(nodes), nil
			}
		}
		level = next
	}
	return len(nodes), nil
}

// key identifies a state: everything that can make a difference later, times relative to now.
func (s *state) key() (k [16]byte) {
	b := make([]byte, 0, 512)
	num := func(n int64) { b = binary.AppendVarint(b, n) }
	text := func(t string) { b = append(append(b, t...), 0) }
	when := func(t time.Time) {
		if t.IsZero() {
			num(1 << 40)
		} else {
			num(int64(t.Sub(s.now) / time.Millisecond))
		}
	}
	flag := func(f bool) {
		if f {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	own := func(p *payment.Payment, a *payment.Attempt) {
		text(string(a.Status))
		text(p.OpenOperation)
		text(a.TransactionID)
		text(a.Details.LateVoid)
		num(a.Authorized)
		num(a.Captured)
		num(p.Refunded)
		num(p.Details.RefundedTotal)
		flag(a.Details.CancelWanted)
		flag(a.Details.Released)
		flag(a.EndedWithoutMoney())
		num(a.Amount)
		for _, r := range a.Details.Increments {
			text(string(r.Status))
			num(r.Amount)
		}
		for _, c := range a.Details.Captures {
			text(string(c.Status))
			text(c.ProcessorID)
			num(c.Amount)
		}
		flag(a.Details.Hold != nil && a.Details.Hold.Extended != nil)
		flag(extended(a))
	}
	operation := func(op *payment.Operation) {
		num(int64(s.attempt(op.AttemptID)))
		text(string(op.Kind))
		text(string(op.Status))
		num(op.Amount)
		flag(op.Owner != "")
		when(op.LeaseUntil)
		when(op.StartedAt)
		when(op.LastSendAt)
		when(op.ClosedAt)
		num(int64(op.ResolveTries))
		when(op.ResolveAt)
	}
	outcome := func(o *sdk.Outcome) {
		if o == nil {
			text("-")
			return
		}
		text(string(o.Status))
		text(o.CaptureID)
		if o.Hold != nil && o.Hold.Extended != nil {
			flag(*o.Hold.Extended)
		}
		if o.Totals != nil {
			num(o.Totals.Authorized)
			num(o.Totals.Captured)
			num(o.Totals.Refunded)
		}
	}
	own(s.p, s.a)
	for _, op := range s.ops {
		operation(op)
	}
	for _, r := range s.refunds {
		text(string(r.Status))
		num(r.Amount)
	}
	for _, m := range s.kept {
		text(m.op)
		outcome(m.out)
	}
	for _, r := range s.runs {
		text(string(r.kind))
		text(r.op.ID)
		num(int64(r.phase))
		flag(r.fresh)
		if flag(r.p == s.p && r.a == s.a); r.p != s.p || r.a != s.a {
			own(r.p, r.a)
		}
		operation(r.op)
		when(r.lease)
		when(r.leaseEnd)
		row := s.row(r.op.ID)
		flag(row != nil && row.Owner == r.node)
		flag(r.earlier.MayHaveLeft)
		when(r.earlier.At)
		outcome(r.report)
		when(r.askedAt)
		when(r.final)
		if r.answer != nil {
			outcome(r.answer.Outcome)
			flag(r.answer.MayHaveLeft)
		}
		if r.verdict != nil {
			text(string(r.verdict.Status))
		}
	}
	processor := func(at *modelProcessor) {
		text(string(at.txn))
		num(at.held)
		num(at.most)
		num(at.taken)
		num(at.returned)
		flag(at.hidden)
		flag(at.extended)
		text(at.extending)
		for _, a := range at.done {
			text(a.op)
			flag(a.err)
			outcome(a.out)
		}
		for _, op := range at.queue {
			text("q" + op.ID)
		}
		for _, op := range at.accepted {
			text("c" + op.ID)
		}
		for _, m := range at.mail {
			text(m.op)
			outcome(m.out)
			num(int64(m.times))
		}
	}
	processor(&s.at)
	for i := range s.past {
		own(s.p, s.past[i].a)
		processor(&s.past[i].at)
	}
	for _, x := range s.alarms {
		text(string(x))
	}
	b = append(b, byte(s.left.calls), byte(s.left.faults), byte(s.left.crashes), byte(s.left.jumps))
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}

// modelScenarios are the worlds that the model test explores whole.
var modelScenarios = []*scenario{
	today(scenario{name: "charged at once, refunded, processor late", manifest: keyedManifest, method: payment.CaptureAutomatic, late: true, declines: true,
		refunds: []int64{60}, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 2}}),
	today(scenario{name: "charged at once, refunded, messages twice", manifest: unkeyedManifest, method: payment.CaptureAutomatic, unkeyed: true, messages: 2,
		refunds: []int64{60}, left: budgets{calls: 2, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "held, captured in part, cancelled", manifest: keyedManifest, method: payment.CaptureManual, captures: []int64{40, 100}, cancels: true, late: true,
		left: budgets{calls: 2, faults: 1, crashes: 1, jumps: 2}}),
	today(scenario{name: "held, captured in two parts", manifest: keyedManifest, method: payment.CaptureManualMultiple, captures: []int64{40, 60}, messages: 1, late: true,
		left: budgets{calls: 3, faults: 1, jumps: 1}}),
	today(scenario{name: "several captures accepted, named in messages", manifest: keyedManifest, method: payment.CaptureManualMultiple, captures: []int64{40, 60}, messages: 1,
		captureLater: laterByID, declines: true, cancels: true, left: budgets{calls: 4}}),
	today(scenario{name: "several captures accepted, answers lost", manifest: keyedManifest, method: payment.CaptureManualMultiple, captures: []int64{40, 60}, messages: 1,
		captureLater: laterByID, declines: true, left: budgets{calls: 3, faults: 1}}),
	today(scenario{name: "several captures accepted, totals alone", manifest: unkeyedManifest, method: payment.CaptureManualMultiple, unkeyed: true, captures: []int64{40},
		captureLater: laterByTotal, syncs: true, left: budgets{calls: 4, faults: 1, jumps: 1}}),
	today(scenario{name: "at the processor's page, no keys, cancelled and asked", manifest: unkeyedManifest, method: payment.CaptureAutomatic, redirects: true, unkeyed: true,
		cancels: true, syncs: true, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "at the processor's page, voided there, messages twice", manifest: voidingManifest, method: payment.CaptureManual, redirects: true, cancels: true,
		messages: 2, captures: []int64{100}, left: budgets{calls: 2, faults: 1, jumps: 1}}),
	today(scenario{name: "queries lag, processor late, hours pass", manifest: unkeyedManifest, method: payment.CaptureManual, unkeyed: true, hides: true, late: true, jumps: hours,
		cancels: true, syncs: true, left: budgets{calls: 2, faults: 2, crashes: 1, jumps: 2}}),
	today(scenario{name: "an authorization under attack", manifest: keyedManifest, method: payment.CaptureAutomatic, late: true, hides: true, cancels: true, syncs: true,
		left: budgets{calls: 2, faults: 2, crashes: 2, jumps: 2}}),
	today(scenario{name: "confirmed again after it failed, processor late", manifest: unkeyedManifest, method: payment.CaptureManual, unkeyed: true, retries: true, late: true,
		left: budgets{calls: 2, faults: 1, jumps: 2}}),
	today(scenario{name: "confirmed again after it failed, charged at once, messages", manifest: unkeyedManifest, method: payment.CaptureAutomatic, unkeyed: true, retries: true,
		late: true, messages: 1, declines: true, left: budgets{calls: 2, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "held, raised, captured, cancelled", manifest: keyedManifest, method: payment.CaptureManual, raises: []int64{130}, captures: []int64{100, 130}, cancels: true,
		late: true, declines: true, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "raised without keys, messages, asked", manifest: unkeyedManifest, method: payment.CaptureManual, unkeyed: true, raises: []int64{130, 150}, captures: []int64{130},
		syncs: true, messages: 1, late: true, left: budgets{calls: 3, faults: 1, jumps: 1}}),
	today(scenario{name: "captured above what is held", manifest: keyedManifest, method: payment.CaptureManual, over: true, captures: []int64{40, 130}, refunds: []int64{130}, cancels: true,
		late: true, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "approved in part, as allowed", manifest: keyedManifest, method: payment.CaptureManual, approves: 60, allowsLess: true, captures: []int64{20, 60}, cancels: true,
		late: true, syncs: true, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "approved in part, and not allowed", manifest: keyedManifest, method: payment.CaptureManual, approves: 60, captures: []int64{60}, cancels: true,
		late: true, syncs: true, messages: 1, left: budgets{calls: 2, faults: 1, crashes: 1, jumps: 2}}),
	today(scenario{name: "held for longer, captured, cancelled", manifest: keyedManifest, method: payment.CaptureManual, extends: true, captures: []int64{100}, cancels: true,
		late: true, declines: true, left: budgets{calls: 3, faults: 1, crashes: 1, jumps: 1}}),
	today(scenario{name: "held for longer later, by messages", manifest: unkeyedManifest, method: payment.CaptureManual, unkeyed: true, extends: true, extendsLater: true,
		captures: []int64{100}, messages: 1, left: budgets{calls: 3, faults: 1, jumps: 1}}),
	today(scenario{name: "a part approved, held for longer, captured in parts", manifest: keyedManifest, method: payment.CaptureManualMultiple, approves: 60, allowsLess: true,
		extends: true, extendsLater: true, captures: []int64{20, 40}, messages: 1, left: budgets{calls: 4, faults: 1}}),
	today(scenario{name: "raised, held for longer, captured above it, refunded", manifest: keyedManifest, method: payment.CaptureManual, raises: []int64{130}, extends: true, over: true,
		captures: []int64{140}, refunds: []int64{140}, left: budgets{calls: 5, faults: 1}}),
}

// modelStates is the least number of states that the scenarios have together: the test must not become empty unseen.
const modelStates = 250_000
