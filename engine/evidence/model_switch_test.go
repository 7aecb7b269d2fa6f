package evidence

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The durations of the model. A look-up that finds nothing is final after notFoundFinal.
const (
	modelLease    = time.Minute
	modelWait     = 2 * time.Minute
	leaseMargin   = 2 * time.Second // as the driver's send guard has it
	notFoundFinal = 30 * time.Second
	keyWindow     = 24 * time.Hour
)

var modelStart = time.UnixMilli(1_700_000_000_000).UTC()

// state is one moment of the model: the rows of the store, the runs in the memory of nodes, the processor, and what may still happen. Rows
// are never changed in place, so states share them.
type state struct {
	now     time.Time
	p       *payment.Payment
	a       *payment.Attempt
	ops     []*payment.Operation
	refunds []*payment.Refund
	kept    []modelMail // messages that came while an operation was under way
	runs    []*modelRun
	at      modelProcessor
	alarms  []alarm.Kind
	left    budgets
	past    []modelPast
	broken  string // the invariant that the last move broke
	unsent  bool   // the guard stopped the last move's send
}

// modelPast is an attempt that a later one has followed, and its transaction at the processor.
type modelPast struct {
	a  *payment.Attempt
	at modelProcessor
}

// focus exchanges the attempt that the moves are about for past attempt i. The same call takes that back. i below 0 exchanges nothing.
func (s *state) focus(i int) {
	if i >= 0 {
		s.a, s.past[i].a = s.past[i].a, s.a
		s.at, s.past[i].at = s.past[i].at, s.at
	}
}

// attempt returns the index among the past attempts, below 0 for the latest.
func (s *state) attempt(id string) int {
	return slices.IndexFunc(s.past, func(p modelPast) bool { return p.a.ID == id })
}

// isLatest reports whether the attempt in focus is the payment's latest.
func (s *state) isLatest() bool { return s.a.ID == s.p.AttemptID }

// budgets are what may still happen in a history.
type budgets struct{ calls, faults, crashes, jumps int8 }

type runKind string

const (
	runDrive   runKind = "drive"   // performs an operation whose intent is durable
	runFind    runKind = "find"    // resolution that holds the operation's lease
	runRecheck runKind = "recheck" // a query about an ended payment
	runSync    runKind = "sync"    // force_sync: asks and holds no lease
	runCancel  runKind = "cancel"  // a cancel that waits for the processor's answer
)

type runPhase int

const (
	toSend runPhase = iota
	waiting
	answered
)

// modelRun is work in the memory of one node. It is lost when the node dies.
type modelRun struct {
	kind     runKind
	p        *payment.Payment
	a        *payment.Attempt
	loaded   *payment.Attempt // the row that a differs from, nil if a is the row
	r        *payment.Refund
	op       *payment.Operation // the run's own copy
	node     string             // each run has a node of its own, as a node has one run of an operation
	lease    time.Time          // as in the row
	leaseEnd time.Time          // on the node's clock
	fresh    bool
	earlier  EarlierSends
	phase    runPhase
	answer   *Answer      // of a drive
	report   *sdk.Outcome // of a query; nil: the query failed
	verdict  *Verdict     // found without the processor
	askedAt  time.Time    // start of the query; zero for another run
	final    time.Time
}

func (s *state) clone() *state {
	n := *s
	n.ops, n.refunds, n.kept, n.runs, n.alarms = slices.Clone(s.ops), slices.Clone(s.refunds), slices.Clone(s.kept), slices.Clone(s.runs), slices.Clone(s.alarms)
	n.at, n.broken, n.unsent = s.at.clone(), "", false
	n.past = slices.Clone(s.past)
	for i := range n.past {
		n.past[i].at = n.past[i].at.clone()
	}
	return &n
}

func (s *state) breaks(format string, args ...any) {
	if s.broken == "" {
		s.broken = fmt.Sprintf(format, args...)
	}
}

func (s *state) row(id string) *payment.Operation {
	if i := s.index(id); i >= 0 {
		return s.ops[i]
	}
	return nil
}

func (s *state) index(id string) int {
	return slices.IndexFunc(s.ops, func(o *payment.Operation) bool { return o.ID == id })
}

func (s *state) put(op *payment.Operation) { s.ops[s.index(op.ID)] = op }

func (s *state) alarm(kinds ...alarm.Kind) {
	for _, k := range kinds {
		if !slices.Contains(s.alarms, k) {
			s.alarms = append(s.alarms, k)
			slices.Sort(s.alarms)
		}
	}
}

func (s *state) drop(r *modelRun) {
	s.runs = slices.DeleteFunc(s.runs, func(x *modelRun) bool { return x == r })
}

// own makes a copy of a run that the next state may change.
func (s *state) own(r *modelRun) *modelRun {
	n := *r
	op := *r.op
	n.op = &op
	s.runs[slices.Index(s.runs, r)] = &n
	return &n
}

// modelChange stands for change.Change: rows that one transaction writes by compare-and-set on the rows that the decision read.
type modelChange struct {
	wasP, p    *payment.Payment
	wasA, a    *payment.Attempt
	wasR, r    *payment.Refund
	settled    *payment.Operation
	by         Settler
	superseded string
	watch      bool
	intents    []*payment.Operation
	alarms     []alarm.Kind
}

// commit stands for Changes.Commit, with the real decision about who may end an operation.
func (w *scenario) commit(s *state, c *modelChange) error {
	if c.p != nil && c.wasP != s.p || c.a != nil && c.wasA != s.a || c.r != nil && c.wasR != nil && !slices.Contains(s.refunds, c.wasR) {
		return fault.ErrConflict
	}
	if c.settled != nil {
		fresh := s.row(c.settled.ID)
		if err := w.maySettle(fresh, c.by, s.now); err != nil {
			return err
		}
		if fresh.Status.Open() && fresh.Leased(s.now) && !c.by.Lease.Equal(fresh.LeaseUntil) {
			s.breaks("an operation is closed by another run than the one that holds its lease")
		}
		s.put(c.settled)
	}
	if c.superseded != "" {
		if op := *s.row(c.superseded); op.Status == payment.OperationPending {
			EndPending(&op, c.p.ModifiedAt)
			if c.watch {
				op.ResolveTries = 0
				op.ResolveAt = RecheckAt(&op, c.a)
			}
			s.put(&op)
		}
	}
	s.ops = append(s.ops, c.intents...)
	if c.p != nil {
		s.p = c.p
	}
	if c.a != nil {
		s.a = c.a
	}
	if c.r != nil {
		if c.wasR == nil {
			s.refunds = append(s.refunds, c.r)
		} else {
			s.refunds[slices.Index(s.refunds, c.wasR)] = c.r
		}
	}
	s.alarm(c.alarms...)
	return nil
}

func (w *scenario) newOperation(s *state, kind sdk.Operation, amount int64) *payment.Operation {
	return &payment.Operation{ID: fmt.Sprint("op", len(s.ops)+1), AttemptID: s.a.ID, AccountID: "acc", Kind: kind, Status: payment.OperationStarted, Amount: amount, Owner: s.node(),
		LeaseUntil: s.now.Add(modelLease), StartedAt: s.now}
}

// node names the node of a run that begins now: two runs of one operation never begin at the same time.
func (s *state) node() string { return s.now.String() }

// perform begins the run of an operation whose intent is durable.
func (w *scenario) perform(s *state, op *payment.Operation, r *payment.Refund) {
	own := *op
	s.runs = append(s.runs, &modelRun{kind: runDrive, p: s.p, a: s.a, r: r, op: &own, node: op.Owner, lease: op.LeaseUntil, leaseEnd: op.LeaseUntil, fresh: true})
}

// intent makes an operation durable and begins its run.
func (w *scenario) intent(s *state, p *payment.Payment, a *payment.Attempt, op *payment.Operation, by payment.Trigger) bool {
	if payment.Move(p, a, by, s.now) != nil {
		s.breaks("no transition for a call that was allowed: %s by %s", a.Status, by)
		return true
	}
	p.OpenOperation = op.ID
	if w.commit(s, &modelChange{wasP: s.p, p: p, wasA: s.a, a: a, intents: []*payment.Operation{op}}) != nil {
		return false
	}
	w.perform(s, op, nil)
	return true
}

// busy reports whether a call waits because an operation on the payment is being driven.
func (s *state) busy() bool {
	op := s.row(s.p.OpenOperation)
	return op != nil && op.Status == payment.OperationStarted && s.now.Before(op.LeaseUntil)
}

func (w *scenario) confirm(s *state) bool {
	p, a := s.p.Clone(), s.a.Clone()
	switch {
	case w.retries && s.p.Status == payment.Failed && s.p.AttemptCount == 1:
		p.AttemptCount++
		a = payment.NewAttempt(p, p.AttemptCount, s.now)
		p.AttemptID = a.ID
		s.past = append(s.past, modelPast{s.a, s.at})
		s.a, s.at = a, modelProcessor{}
		a = a.Clone()
	case !s.p.Status.Facts().Confirm:
		return false
	}
	a.AccountID, a.Private = "acc", &payment.AttemptPrivate{}
	return w.intent(s, p, a, w.newOperation(s, sdk.OpAuthorize, a.Amount), payment.TriggerSubmit)
}

func (w *scenario) capture(s *state, amount int64) bool {
	if !payment.MayCapture(s.p, s.a) || s.p.OpenOperation != "" || amount <= 0 || amount > s.p.Capturable && !optional.IsTrue(payment.OvercaptureAllowed(s.p, s.a)) {
		return false
	}
	p, a := s.p.Clone(), s.a.Clone()
	op := w.newOperation(s, sdk.OpCapture, amount)
	a.AddCapture(op.ID, amount, s.now)
	return w.intent(s, p, a, op, payment.TriggerCaptureStart)
}

// raise is hold.Funds.IncrementAuthorization.
func (w *scenario) raise(s *state, amount int64) bool {
	if s.p.Status != payment.RequiresCapture || amount <= s.p.NetAmount || s.a.Raising() != nil {
		return false
	}
	p, a, op := s.p.Clone(), s.a.Clone(), w.newOperation(s, sdk.OpIncrementalAuthorize, amount)
	a.AddIncrement(op.ID, op.ID, amount, s.now)
	p.OpenOperation = op.ID
	if w.commit(s, &modelChange{wasP: s.p, p: p, wasA: s.a, a: a, intents: []*payment.Operation{op}}) != nil {
		return false
	}
	w.perform(s, op, nil)
	return true
}

// extend is hold.Funds.ExtendAuthorization.
func (w *scenario) extend(s *state) bool {
	if s.p.Status != payment.RequiresCapture && s.p.Status != payment.PartiallyAuthorizedAndCapturing {
		return false
	}
	if op := s.a.OpenOperation(s.ops); op != nil && op.Kind == sdk.OpExtendAuthorization {
		return false
	}
	p, a, op := s.p.Clone(), s.a.Clone(), w.newOperation(s, sdk.OpExtendAuthorization, s.a.Authorized-s.a.Captured)
	p.OpenOperation = op.ID
	if w.commit(s, &modelChange{wasP: s.p, p: p, wasA: s.a, a: a, intents: []*payment.Operation{op}}) != nil {
		return false
	}
	w.perform(s, op, nil)
	return true
}

func (w *scenario) refund(s *state, amount int64) bool {
	if !s.p.Status.Facts().Refund || amount <= 0 || amount > s.p.Refundable() {
		return false
	}
	p, op := s.p.Clone(), w.newOperation(s, sdk.OpRefund, amount)
	r := &payment.Refund{ID: "ref" + op.ID, AttemptID: s.a.ID, Status: payment.RefundPending, Amount: amount, OperationID: op.ID}
	p.Refunded += amount
	p.Details.RefundCount++
	if w.commit(s, &modelChange{wasP: s.p, p: p, r: r, intents: []*payment.Operation{op}}) != nil {
		return false
	}
	w.perform(s, op, r)
	return true
}

// cancel is Engine.cancel with the real decisions.
func (w *scenario) cancel(s *state) bool {
	p, a := s.p.Clone(), s.a.Clone()
	switch next := w.nextCancel(p, a, s.ops, false); next {
	case CancelRefused, CancelTooSoon:
		return false
	case CancelNoted:
		return w.note(s)
	case CancelLocally:
		return w.cancelLocally(s, s.p, s.a, a.PendingOperation(s.ops))
	case CancelByVoid:
		return w.intent(s, p, a, w.newOperation(s, sdk.OpVoid, a.Authorized-a.Captured), payment.TriggerVoidStart)
	}
	switch NextCancelWaiting(w.manifest) {
	case CancelBefore:
		a.Details.CancelWanted = true
		return w.intent(s, p, a, w.newOperation(s, sdk.OpVoid, a.Amount), payment.TriggerVoidStart)
	case CancelNoted:
		return w.note(s)
	}
	s.runs = append(s.runs, w.ask(s, runCancel, a.PendingOperation(s.ops)))
	return true
}

// note stores the wish to cancel.
func (w *scenario) note(s *state) bool {
	if s.a.Details.CancelWanted {
		return false
	}
	p, a := s.p.Clone(), s.a.Clone()
	a.Details.CancelWanted = true
	return w.commit(s, &modelChange{wasP: s.p, p: p, wasA: s.a, a: a}) == nil
}

func (w *scenario) cancelLocally(s *state, wasP *payment.Payment, wasA *payment.Attempt, waiting *payment.Operation) bool {
	p, a := wasP.Clone(), wasA.Clone()
	if payment.Move(p, a, payment.TriggerVoided, s.now) != nil {
		s.breaks("a cancel that was allowed has no transition from %s", a.Status)
		return true
	}
	c := &modelChange{wasP: wasP, p: p, wasA: wasA, a: a}
	if waiting != nil {
		c.superseded, c.watch = waiting.ID, w.watches
	}
	return w.commit(s, c) == nil
}

// ask begins a query. The processor answers it at once; what the run does with the answer comes later.
func (w *scenario) ask(s *state, kind runKind, op *payment.Operation) *modelRun {
	r := &modelRun{kind: kind, p: s.p, a: s.a, phase: answered, askedAt: s.now, report: s.at.answerQuery(w, op), op: &payment.Operation{}}
	if op != nil {
		own := *op
		r.op, r.r = &own, s.refundOf(op)
		r.final = w.waits().NotFoundFinal(op, w.manifest.Resolve)
	}
	return r
}

func (s *state) refundOf(op *payment.Operation) *payment.Refund {
	if op.OfRefund() {
		for _, f := range s.refunds {
			if f.OperationID == op.ID {
				return f
			}
		}
	}
	return nil
}

// forceSync is Engine.forceSync up to the query.
func (w *scenario) forceSync(s *state) bool {
	if !s.p.Status.Facts().Sync || s.a.AccountID == "" || !w.canSync() {
		return false
	}
	op := s.a.OpenOperation(s.ops)
	if captures := s.a.OpenCaptures(s.ops); op != nil && op.Kind == sdk.OpCapture && len(captures) > 1 {
		for _, op := range captures {
			if !op.Unsent() && !w.underWay(op, s.now) {
				s.runs = append(s.runs, w.ask(s, runSync, op))
			}
		}
		return true
	}
	if op != nil && (op.Unsent() || w.underWay(op, s.now)) {
		return false
	}
	s.runs = append(s.runs, w.ask(s, runSync, op))
	return true
}

func (w *scenario) canSync() bool { return slices.Contains(w.manifest.Operations, sdk.OpSync) }

// interpret derives the verdict from a report on the run's operation, as drive.Run does.
func interpretFor(op *payment.Operation, p *payment.Payment, a *payment.Attempt, r *payment.Refund, o *sdk.Outcome, final bool) Verdict {
	if op.OfRefund() {
		return InterpretRefund(op, r, o, final)
	}
	return InterpretSync(op, p, a, o, final)
}

// verdictOf returns the verdict on the answer that a run has.
func (w *scenario) verdictOf(s *state, r *modelRun) Verdict {
	switch {
	case r.verdict != nil:
		return *r.verdict
	case r.answer != nil:
		asked := sdk.Money{Minor: r.op.Amount, Currency: "EUR"}
		return JudgeDrive(r.op, asked, w.manifest, r.answer, nil, r.earlier, s.now)
	case r.report == nil:
		return Verdict{Status: payment.OperationUnknown, Text: "the query failed"}
	}
	v := interpretFor(r.op, r.p, r.a, r.r, r.report, r.askedAt.After(r.final))
	v.Again, v.AskedAt = r.final, r.askedAt
	return v
}

// finish does what a run does with its answer. It returns false while the run has to wait.
func (w *scenario) finish(s *state, old *modelRun) bool {
	r := s.own(old)
	switch r.kind {
	case runDrive:
		v := w.verdictOf(s, r)
		if errors.Is(w.settle(s, r, v), ErrLeased) {
			return false // it tries again until the other run has ended
		}
		s.drop(r)
		if op := s.row(r.op.ID); op.OfRefund() && (op.Status == payment.OperationUnknown || op.Status == payment.OperationPending) {
			r = &modelRun{kind: runSync, p: s.p, a: s.a, r: s.refundOf(op), op: op}
			if v := w.fromMessages(s, r); BringsRefundNews(r.r, v) {
				w.settle(s, r, v)
			}
		}
	case runFind:
		w.resolved(s, r, w.verdictOf(s, r))
		s.drop(r)
	case runRecheck:
		s.drop(r)
		if r.report != nil {
			w.rechecked(s, r)
		}
		w.recheckLater(s, r.op.ID, r.node, r.report != nil)
	case runSync:
		s.drop(r)
		w.synced(s, r)
	case runCancel:
		s.drop(r)
		w.cancelAsked(s, r)
	}
	return true
}

func (w *scenario) rechecked(s *state, r *modelRun) {
	switch NextRecheck(r.p, r.a, r.op) {
	case RecheckEnded:
		if w.remedies {
			w.remedy(s, r.report)
		}
	case RecheckHeld:
		if w.bookEvidence(s, r.p, r.a, r.report) {
			s.alarm(alarm.LateEvidence)
		}
	case RecheckRefund:
		w.refundEvidence(s, s.refundOf(r.op), r.op, r.report)
	}
}

func (w *scenario) recheckLater(s *state, id, node string, answered bool) {
	fresh := *s.row(id)
	if fresh.Owner == node && !fresh.Status.Open() && fresh.Status != payment.OperationPending {
		RecheckLater(&fresh, s.a, answered, s.now)
		s.put(&fresh)
	}
}

// restLapses marks a history in which the rest of a capture lapses at the processor.
const restLapses = "rest_lapses"

// synced books what force_sync learned.
func (w *scenario) synced(s *state, r *modelRun) {
	if r.report == nil {
		return
	}
	if r.op.ID == "" {
		w.bookEvidence(s, r.p, r.a, r.report)
		return
	}
	v := w.verdictOf(s, r)
	if v.Status == payment.OperationUnknown || r.op.Status == payment.OperationPending && v.Status == payment.OperationPending && !BringsNews(r.a, v) {
		return
	}
	w.settle(s, r, v)
}

func (w *scenario) bookEvidence(s *state, p *payment.Payment, a *payment.Attempt, o *sdk.Outcome) bool {
	b, alarm := BookEvidence(p, a, w.manifest, o, s.now)
	if alarm != "" {
		s.alarm(alarm)
	}
	if b == nil || w.commit(s, &modelChange{wasP: p, p: b.Payment, wasA: a, a: b.Attempt}) != nil {
		return false
	}
	if b.Attempt.Status == payment.PartialCharged && w.method == payment.CaptureManual { // payswitch does not know whether the rest is released: it lapses by itself
		s.alarm(restLapses)
	}
	return true
}

// cancelAsked goes on with a cancel for which the processor was asked.
func (w *scenario) cancelAsked(s *state, r *modelRun) {
	if s.p != r.p || s.a != r.a { // the decision is made again from fresh rows
		w.cancel(s)
		return
	}
	r.a = r.a.Clone()
	switch AfterCancelAsked(r.a, w.verdictOf(s, r)) {
	case CancelNoted:
		w.note(s)
	case CancelLocally:
		w.cancelLocally(s, s.p, s.a, s.row(r.op.ID))
	case CancelSettles:
		r.loaded = s.a // settling writes the wish with its own change
		w.settle(s, r, w.verdictOf(s, r))
	}
}

// claim lets resolution take a due operation, up to the point where the processor has its say.
func (w *scenario) claim(s *state, id string) bool {
	row := *s.row(id)
	if at, ok := row.DueAt(); !ok || s.now.Before(at) {
		return false
	}
	row.Owner, row.LeaseUntil = s.node(), s.now.Add(modelLease)
	s.put(&row)
	op := row
	r := &modelRun{kind: runFind, p: s.p, a: s.a, op: &op, r: s.refundOf(&op), node: row.Owner, lease: row.LeaseUntil, leaseEnd: row.LeaseUntil, phase: answered}
	switch NextResolve(s.p, s.a, &op) {
	case ResolveRecheck:
		step := NextRecheck(s.p, s.a, &op)
		if step == RecheckNothing || step == RecheckWait || !w.canSync() {
			w.recheckLater(s, id, r.node, step != RecheckWait)
			return true
		}
		r.kind, r.report, r.askedAt = runRecheck, s.at.answerQuery(w, &op), s.now
		s.runs = append(s.runs, r)
		return true
	case ResolveClose:
		EndPending(&op, s.now)
		s.put(&op)
		return true
	case ResolveWait:
		w.reschedule(s, &op, r.node, "another operation is under way", time.Time{})
		return true
	}
	w.look(s, r)
	s.runs = append(s.runs, r)
	return true
}

// look is Driver.FindEvidence up to its send or query.
func (w *scenario) look(s *state, r *modelRun) {
	if r.op.Unsent() {
		if v, ends := w.waits().Unsent(r.op, r.a, s.now); ends {
			r.verdict = &v
		} else {
			w.resend(r)
		}
		return
	}
	v := w.fromMessages(s, r)
	ways := w.waits().Ways(r.op, r.a, w.manifest, s.now)
	if len(ways) == 0 || v.Status == payment.OperationSucceeded || v.Status == payment.OperationDeclined {
		r.verdict = &v
		return
	}
	if ways[r.op.ResolveTries%len(ways)] == WayResend {
		w.resend(r)
		return
	}
	q := w.ask(s, runFind, r.op)
	r.report, r.askedAt, r.final = q.report, q.askedAt, q.final
}

func (w *scenario) resend(r *modelRun) {
	r.phase = toSend
	if r.earlier.MayHaveLeft = r.op.Status == payment.OperationStarted || !r.op.LastSendAt.IsZero(); r.earlier.MayHaveLeft {
		r.earlier.At = w.waits().LastSend(r.op)
	}
}

// fromMessages is Driver.EvidenceFromWebhooks.
func (w *scenario) fromMessages(s *state, r *modelRun) Verdict {
	for _, k := range slices.Backward(s.kept) {
		if k.op == r.op.ID {
			if v := interpretFor(r.op, r.p, r.a, r.r, k.out, false); v.Status != payment.OperationUnknown && !v.Empty() {
				return v
			}
		}
	}
	return Verdict{Status: payment.OperationUnknown, Text: "waits"}
}

// resolved is the end of Engine.resolve.
func (w *scenario) resolved(s *state, r *modelRun, v Verdict) {
	news := true
	if v.Status == payment.OperationPending && r.op.Status == payment.OperationPending {
		if news = r.op.OfRefund() && BringsRefundNews(r.r, v) || !r.op.OfRefund() && BringsNews(r.a, v); !news && r.a.Details.CancelWanted && s.p.Status == payment.RequiresCustomerAction {
			w.reschedule(s, r.op, r.node, v.Text, v.Again)
			w.cancel(s)
			return
		}
	}
	if v.Status == payment.OperationUnknown && v.Alarm != "" {
		s.alarm(v.Alarm)
	}
	if v.Status == payment.OperationUnknown || !news || errors.Is(w.settle(s, r, v), ErrStale) {
		w.reschedule(s, r.op, r.node, v.Text, v.Again)
	}
}

// reschedule is Driver.Reschedule.
func (w *scenario) reschedule(s *state, op *payment.Operation, node, text string, again time.Time) {
	fresh := *s.row(op.ID)
	if w.waits().Reschedule(&fresh, op, node, w.manifest.Resolve, text, again, s.now) {
		s.put(&fresh)
	}
}
