package evidence

import (
	"errors"
	"math"
	"slices"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Timing are the durations that decide what may be done about an open operation.
type Timing struct {
	Lease time.Duration // how long an operation belongs to the node that drives it
	Payer time.Duration // how long after its start an operation that can charge is sent again
	Pause time.Duration // the longest time between two looks; 0 for the growing delays alone

	// Age returns how long ago an operation began, or AgeUnknown. SentBy returns by when something of an operation had left that was stored with a time. Both hold
	// in spite of jumps of the clock. Nil takes the stored times.
	Age    func(*payment.Operation) time.Duration
	SentBy func(operationID string, stored time.Time) time.Time
}

// AgeUnknown is the age of an operation that began before jumps of the clock that hide its age. It is older than any limit.
const AgeUnknown time.Duration = math.MaxInt64

func (w Timing) age(op *payment.Operation, now time.Time) time.Duration {
	if w.Age == nil {
		return now.Sub(op.StartedAt)
	}
	return w.Age(op)
}

func (w Timing) sentBy(op *payment.Operation, t time.Time) time.Time {
	if w.SentBy == nil || t.IsZero() {
		return t
	}
	return w.SentBy(op.ID, t)
}

// Way is a way in which payswitch finds out what became of an operation. Logs and the text of an open operation show it.
type Way string

// The ways. A manifest names the ways of its adapter (sdk.ResolveBy), and a query without such a name is WayQuery.
const (
	WayMessage   Way = "webhook" // a message of the processor
	WayQuery     Way = "sync"
	WayResend    Way = Way(sdk.ResolveByIdempotentResend)
	WayNotSent   Way = "not sent"   // the proof that no request has left
	WaySentAgain Way = "sent again" // the answer to a request that had provably not left before
)

// Ways are the ways to find out about an operation that can work now, in the manifest's order. Queries by the processor's id and by our reference
// are one way: the adapter asks by the id that it has.
func (w Timing) Ways(op *payment.Operation, a *payment.Attempt, m *sdk.Manifest, now time.Time) (out []Way) {
	rule := m.Resolve
	canSync := slices.Contains(m.Operations, QueryFor(op.Kind))
	asks := false
	switch {
	case fault.Planted("send again only") && op.Status == payment.OperationUnknown:
		return []Way{WayResend}
	case fault.Planted("freeze captures") && op.Kind == sdk.OpCapture:
		return nil
	}
	for _, by := range rule.By {
		switch by {
		case sdk.ResolveByProcessorID, sdk.ResolveByReference:
			if canSync && !asks && (by == sdk.ResolveByReference || a.TransactionID != "") {
				asks, out = true, append(out, Way(by))
			}
		case sdk.ResolveByIdempotentResend:
			if op.OfDispute() {
				continue // a processor refuses a second answer, and that says nothing about the first
			}
			if op.OnHold() && !a.Holds() {
				continue // the payment has moved on: nothing is to be raised any more
			}
			if op.Status != payment.OperationPending && w.MayResend(op, rule, now) && !(op.Charges() && a.Details.CancelWanted) {
				out = append(out, Way(by))
			}
		}
	}
	if len(out) == 0 && canSync && op.Status == payment.OperationPending {
		out = append(out, WayQuery)
	}
	if asks && op.ResendAnswers >= enoughResends {
		out = slices.DeleteFunc(out, func(way Way) bool { return way == WayResend })
	}
	return out
}

// enoughResends is the number of answers without a decision after which an operation is not sent again, if the processor can be asked. The processor
// repeats its answer, and each send puts off the time from which "not found" is final.
const enoughResends = 3

// QueryFor returns the operation that asks the processor for the result of an operation.
func QueryFor(kind sdk.Operation) sdk.Operation {
	switch {
	case kind.Refunds():
		return sdk.OpRefundSync
	case kind.AboutDispute():
		return sdk.OpDisputeSync
	}
	return sdk.OpSync
}

// Unsent returns the verdict that ends an operation whose request is proven not to have left. ends is false if the operation is to be sent.
func (w Timing) Unsent(op *payment.Operation, a *payment.Attempt, now time.Time) (v Verdict, ends bool) {
	limit := giveUpUnsent(op, a)
	if op.Charges() && !fault.Planted("charge late") {
		limit = min(limit, w.Payer)
	}
	switch {
	case op.OnHold() && !a.Holds():
		return notSent("the payment has moved on before anything was sent"), true
	case op.Charges() && a.Details.CancelWanted:
		return notSent("cancelled before anything was sent"), true
	case a.Releases(op) && (op.StartedAt.After(now) || w.age(op, now) == AgeUnknown): // the clock has jumped: an early void does no harm
	case w.age(op, now) > limit:
		v := notSent("the processor could not be reached; nothing was sent")
		v.givenUp = true
		return v, true
	}
	return Verdict{}, false
}

// giveUpUnsent returns how long the engine tries to send an operation that has provably never left. Then the operation counts as not made. For
// an authorization it is the time for which the card of an unconfirmed payment is kept. A refund, an answer to a dispute or a release may take longer,
// because no payer waits for it.
func giveUpUnsent(op *payment.Operation, a *payment.Attempt) time.Duration {
	switch {
	case op.OutsidePayment():
		return 24 * time.Hour
	case a.Releases(op):
		return releaseTime
	}
	return payment.CardTokenTime
}

// MayResend reports whether the processor still remembers the operation's idempotency key, with room for a slow send. An operation that can
// charge is sent again only while the customer may still wait. So no customer is charged hours later.
func (w Timing) MayResend(op *payment.Operation, rule sdk.ResolveRule, now time.Time) bool {
	age := w.age(op, now)
	if op.Charges() && age > w.Payer && !fault.Planted("charge late") {
		return false
	}
	return age < time.Duration(rule.IdempotencyWindowSeconds)*time.Second-w.Lease
}

// LastSend returns the latest moment at which something may have left for an operation. The row has it before each send but the first.
func (w Timing) LastSend(op *payment.Operation) time.Time {
	if op.LastSendAt.IsZero() { // the operation's node stopped during the first send, which may have left until the lease ended
		return op.StartedAt.Add(w.Lease)
	}
	return op.LastSendAt
}

// NotFoundFinal returns the time from which "not found" means that the operation did not happen.
func (w Timing) NotFoundFinal(op *payment.Operation, rule sdk.ResolveRule) time.Time {
	return w.sentBy(op, w.LastSend(op)).Add(time.Duration(rule.NotFoundFinalAfterSeconds) * time.Second)
}

// NeedsCard reports whether an open operation may still need its card and CVC: for a second send, or for a customer who completes it in time.
func (w Timing) NeedsCard(op *payment.Operation, rule sdk.ResolveRule, now time.Time) bool {
	switch {
	case op.Status == payment.OperationPending:
		return w.age(op, now) < payment.CardTokenTime
	case op.LastSendAt.IsZero():
		return true
	}
	return slices.Contains(rule.By, sdk.ResolveByIdempotentResend) && w.MayResend(op, rule, now)
}

// Reschedule changes fresh, the row of an operation that stays open, after a look that brought nothing. It ends the lease and sets the next
// try: at again if that is in the future, else after a growing delay. op is the operation as the look knows it. now is the
// database's clock.
//
// Reschedule returns false, and changes nothing, if another run has taken the operation or has ended it: op.LeaseUntil names the look's lease.
func (w Timing) Reschedule(fresh, op *payment.Operation, node string, rule sdk.ResolveRule, text string, again, now time.Time) bool {
	if !fresh.HeldBy(node, op.LeaseUntil) || !fresh.Status.Open() && fresh.Status != payment.OperationPending {
		return false
	}
	switch fresh.Status {
	case payment.OperationStarted: // its node is gone, so its result is unknown until there is evidence
		fresh.Status = payment.OperationUnknown
		fresh.LastSendAt = w.LastSend(op)
	case payment.OperationUnknown:
		fresh.LastSendAt = op.LastSendAt // zero: proof that nothing left
	}
	if !w.NeedsCard(fresh, rule, now) {
		fresh.Instrument = nil
	}
	fresh.ErrorText, fresh.ResendAnswers = text, op.ResendAnswers
	fresh.ResolveTries++
	fresh.ResolveAt = now.Add(ResolveDelay(fresh.Status, fresh.ResolveTries))
	if w.Pause > 0 {
		fresh.QueryBy(now.Add(w.Pause))
	}
	if fresh.Status == payment.OperationUnknown && again.After(now) && again.Before(fresh.ResolveAt) {
		fresh.ResolveAt = again
	}
	fresh.LeaseUntil = now
	return true
}

// EarlierSends is what earlier drives of an operation may have sent.
type EarlierSends struct {
	MayHaveLeft bool
	At          time.Time // the latest time at which something may have left
}

// JudgeDrive derives the verdict from a drive of op, whose earlier drives may have sent something too, and sets op.LastSendAt.
func JudgeDrive(op *payment.Operation, asked sdk.Money, m *sdk.Manifest, r *Answer, err error, earlier EarlierSends, now time.Time) Verdict {
	if !r.MayHaveLeft {
		op.LastSendAt = earlier.At // this drive adds nothing
	}
	all := *r
	all.MayHaveLeft = r.MayHaveLeft || earlier.MayHaveLeft
	if !all.MayHaveLeft && TalksToProcessor(m) {
		op.LastSendAt = time.Time{} // proof that nothing left; an adapter without a processor gives no such proof
	} else if op.LastSendAt.IsZero() {
		op.LastSendAt = now
	}
	v := Judge(op.Kind, asked, m, &all, err)
	if v.Status == payment.OperationUnknown && provenNotDone(op.Kind, r.Exchanges, !earlier.MayHaveLeft) {
		v = Verdict{Status: payment.OperationNotActed, unsent: true, Text: "the processor takes no more requests at the moment (HTTP 429): nothing was done"}
	}
	v.over = isOver(r, m, earlier, v)
	return v
}

// Reasons why a decision must not end an operation. Neither is a conflict that deciding anew solves at once.
var (
	ErrLeased = errors.New("another run holds the operation's lease: it may be sending")
	ErrStale  = errors.New("something may have left for the processor after this run looked")
)

// Settler is a run that ends an operation.
type Settler struct {
	Node    string
	Lease   time.Time // the end of the run's lease, as the operation's row has it; zero for a run without a lease
	AskedAt time.Time // the start of the look-up that shows that the operation did not happen; zero for another end
	// Silent is true if the run brings no answer about the operation: nothing was sent, nothing was found, or nothing is known.
	Silent bool
}

// MaySettle holds the end of an operation against its row: ErrConflict for an operation that has closed, ErrLeased while another run may be
// sending it. ErrStale is for a look-up that began before the last send; and for a run that knows nothing of what another run has sent since its
// own lease ended.
func (w Timing) MaySettle(fresh *payment.Operation, by Settler, now time.Time) error {
	asks := fresh.Status == payment.OperationPending // its leaseholder only asks
	switch {
	case !fresh.Status.Open() && !asks:
		return fault.ErrConflict
	case !asks && fresh.Leased(now) && (by.Lease.IsZero() || fresh.Owner != by.Node): // a node has one run of an operation
		return ErrLeased
	case by.Silent && !by.Lease.IsZero() && !asks && !fresh.HeldBy(by.Node, by.Lease):
		return ErrStale
	case !by.AskedAt.IsZero() && !w.sentBy(fresh, fresh.LastSendAt).Before(by.AskedAt.Truncate(time.Millisecond)):
		return ErrStale
	}
	return nil
}

// ResolveStep is what resolution does with an operation that it has claimed.
type ResolveStep string

const (
	ResolveFind    ResolveStep = "find"    // find evidence, and end the operation by it
	ResolveRecheck ResolveStep = "recheck" // the operation has ended without the processor's word: ask about money
	ResolveClose   ResolveStep = "close"   // the payment has moved on: end the operation
	ResolveWait    ResolveStep = "wait"    // another operation has the payment's slot: try later
)

// NextResolve decides the step of resolution. a is the attempt of op.
func NextResolve(p *payment.Payment, a *payment.Attempt, op *payment.Operation) ResolveStep {
	pending := op.Status == payment.OperationPending
	switch {
	case !op.Status.Open() && !pending:
		return ResolveRecheck
	case pending && !op.OutsidePayment() && !op.Waits(a) && op.ID != a.Details.LateVoid:
		return ResolveClose
	case p.Occupied(a, op):
		return ResolveWait
	}
	return ResolveFind
}
