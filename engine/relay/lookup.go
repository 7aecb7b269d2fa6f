package relay

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Before is what the processor said of the transaction before a capture was sent. The report afterwards shows what the capture has changed.
type Before struct {
	Status    sdk.OutcomeStatus `json:"status"`
	Held      int64             `json:"held,omitempty"` // of an authorized transaction; 0 if the report named no amount
	CaptureID string            `json:"capture_id,omitempty"`
	Captured  *int64            `json:"captured,omitempty"` // nil if the report had no totals
}

// askTime bounds the question before a capture: the capture waits for it.
const askTime = 10 * time.Second

// ask asks for the transaction before a capture is sent. Without an answer the capture is sent all the same: then fewer reports prove its end.
func (s *Relays) ask(ctx context.Context, r *Relay, w *drive.Run) {
	if r.Type != Capture || !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpSync) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	o := s.lookUp(ctx, w, "")
	if o == nil {
		return
	}
	r.Details.Before = &Before{Status: o.Status, CaptureID: o.CaptureID}
	if o.Totals != nil {
		r.Details.Before.Captured = &o.Totals.Captured
	}
	if o.Status == sdk.StatusAuthorized && o.Amount != nil {
		r.Details.Before.Held = o.Amount.Minor
	}
}

// lookUp asks for the transaction by its id. Our reference is that of the relay, which the transaction does not have: an adapter gets it for a refund, or if it
// cannot ask without it. Some search for a capture or a void by its reference.
func (s *Relays) lookUp(ctx context.Context, w *drive.Run, resolves sdk.Operation) *sdk.Outcome {
	if w.Refund != nil {
		o, _ := s.Driver.Sync(ctx, w, resolves)
		return o
	}
	own := w.Attempt.Details.Reference
	w.Attempt.Details.Reference = ""
	o, v := s.Driver.Sync(ctx, w, resolves)
	w.Attempt.Details.Reference = own
	if v.Reject != nil {
		o, _ = s.Driver.Sync(ctx, w, resolves)
	}
	return o
}

// others sums up the other captures of one transaction that have not failed: those of relays, and those of the payment that it belongs to.
type others struct {
	taken int64 // of those that have ended
	since bool  // one was made or may have been made after this relay began
}

// ownBefore is the time by which clocks of nodes may differ: what ended so long before another operation began may have ended after that.
const ownBefore = time.Hour

// othersOf returns the other captures. own is the attempt of that payment, nil without one.
func (r *Relay) othersOf(all []*Relay, own *payment.Attempt) (o others) {
	if own != nil {
		for _, c := range own.Details.Captures {
			if c.Status == payment.CaptureCharged {
				o.taken += c.Amount
			}
			o.since = o.since || c.Open() || c.Status == payment.CaptureCharged && c.At.After(r.CreatedAt.Add(-ownBefore))
		}
	}
	_, _, currency := r.Details.Data.amounts()
	for _, k := range all {
		if k.ID == r.ID || k.Type != Capture || k.Status == Failure || k.Details.Data.Capture.Currency != currency {
			continue
		}
		if k.Status == Success {
			o.taken += k.Details.Data.Capture.Amount
		}
		o.since = o.since || k.Status == Pending || !k.ModifiedAt.Before(r.CreatedAt)
	}
	return o
}

// look derives the verdict on a relay that the processor has not named. It reads a report on the transaction, which may show what others have done. final is true
// if a report that nothing happened can be believed. What a report leaves in doubt stays pending, and why says what is in doubt.
func (r *Relay) look(o *sdk.Outcome, by others, final bool) (v evidence.Verdict, why string) {
	var done, not bool
	why = "The processor's report does not show whether the operation was done."
	switch r.Type {
	case Void:
		done, not = r.lookVoid(o)
	case Increment:
		done, not = r.lookRaise(o)
	default:
		if by.since {
			why = "Another capture of this transaction is pending or ended later, so the processor's report does not show whether this one was done."
		}
		done, not = r.lookCapture(o, by)
	}
	switch {
	case done:
		made := *o
		made.Amount = nil // the transaction's
		if r.Type != Capture || r.named() || r.Details.Before.CaptureID == o.CaptureID {
			made.CaptureID = "" // an earlier capture's
		}
		made.Status = map[Type]sdk.OutcomeStatus{Void: sdk.StatusVoided, Increment: sdk.StatusAuthorized, Capture: sdk.StatusCaptured}[r.Type]
		return evidence.Verdict{Status: payment.OperationSucceeded, Outcome: &made}, ""
	case not && !r.Details.Unanswered:
		why = "The processor has accepted the operation and has not done it yet."
	case not && final:
		return evidence.Verdict{Status: payment.OperationNotActed, Text: "the processor has not done it: its report on the transaction shows no " + string(r.Type)}, ""
	case not:
		why = "The processor's report shows nothing, but it may come too early to be final."
	case o.Status == sdk.StatusPending:
		why = "The processor has not ended the operation yet."
	}
	return evidence.Verdict{Status: payment.OperationPending}, why
}

// lookVoid reads a report about a void. A transaction that holds nothing and has taken nothing is voided. A part that was captured leaves open what
// became of the rest.
func (r *Relay) lookVoid(o *sdk.Outcome) (done, not bool) {
	t := o.Totals
	switch o.Status {
	case sdk.StatusVoided:
		return true, false
	case sdk.StatusDeclined: // nothing was ever held
		return r.Details.Data.Void.Amount == nil, r.Details.Data.Void.Amount != nil
	case sdk.StatusAuthorized, sdk.StatusNotFound:
		return false, true
	case sdk.StatusCaptured:
		return false, t != nil && t.Refunded == 0 && t.Captured > 0 && t.Captured >= t.Authorized && !o.Released
	}
	return false, false
}

// lookRaise reads a report about a raise. Only a report that names the held amount, of a transaction without captures, proves anything about it.
func (r *Relay) lookRaise(o *sdk.Outcome) (done, not bool) {
	total, held := r.Details.Data.Increment.Total, int64(0)
	switch t := o.Totals; {
	case o.Status == sdk.StatusNotFound:
		return false, true
	case o.Status != sdk.StatusAuthorized, t != nil && t.Captured > 0:
		return false, false
	case t != nil:
		held = t.Authorized
	case o.Amount != nil:
		held = o.Amount.Minor
	}
	return held == total, held > 0 && held < total
}

// lookCapture compares the report with the one from before the capture was sent, and with the earlier relays.
func (r *Relay) lookCapture(o *sdk.Outcome, by others) (done, not bool) {
	amount, before, t := r.Details.Data.Capture.Amount, r.Details.Before, o.Totals
	switch {
	case t != nil && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured):
		if before == nil || before.Captured == nil {
			return false, t.Refunded == 0 && t.Captured == by.taken // relays have made all captures that the report shows
		}
		was := max(*before.Captured, by.taken)
		return was == *before.Captured && !by.since && t.Captured == was+amount, t.Refunded == 0 && t.Captured == was
	case t != nil || before == nil || by.since || before.Status != sdk.StatusAuthorized:
		return false, false
	case o.Status == sdk.StatusCaptured:
		return o.Amount == nil || o.Amount.Minor == amount, false
	case o.Status == sdk.StatusNotFound: // an adapter may conclude this from the amount that the caller says is held
		return false, before.Held == r.Details.Data.Capture.Authorized
	}
	return false, o.Status == sdk.StatusAuthorized
}

// noted returns the text of a relay that waits.
func (r *Relay) noted() string {
	if r.Details.Unanswered {
		return "The processor's answer was lost."
	}
	return "The processor has accepted the operation and has not said yet how it ended."
}

// named reports whether the processor has named what the relay made. The id of the transaction names no capture.
func (r *Relay) named() bool {
	return r.ReferenceID != "" && r.ReferenceID != r.ResourceID && (r.Type.refunds() || r.Type == Capture)
}
