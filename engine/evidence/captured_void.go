package evidence

import (
	"cmp"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"

	"time"
)

// voidsAll reports whether an answer or report says that the whole capture is voided: it names no smaller amount, and nothing that is still captured.
func voidsAll(o *sdk.Outcome, a *payment.Attempt) bool {
	return o.Status == sdk.StatusVoided && (o.Amount == nil || o.Amount.Minor >= a.Captured) && (o.Totals == nil || o.Totals.Captured == 0)
}

// ofTheWhole returns the verdict on a void of a captured payment, unknown if the processor says that it voided something else than the whole capture.
func ofTheWhole(v Verdict, a *payment.Attempt) Verdict {
	if v.Outcome == nil || v.Outcome.Status != sdk.StatusVoided || !v.mismatch && voidsAll(v.Outcome, a) {
		return v
	}
	v.Status, v.Alarm, v.Text = payment.OperationUnknown, cmp.Or(v.Alarm, alarm.ImpossibleOutcome), "the processor reports a void that does not take back the whole capture"
	return v
}

// voidCaptured books the end of a void of a captured payment. Only the processor's word that it has voided changes the payment.
func (b *Booking) voidCaptured(v Verdict, now time.Time) error {
	o := v.Outcome
	switch {
	case o != nil && o.Status == sdk.StatusVoided:
		return b.bookReversal(o, now)
	case o != nil && o.Status == sdk.StatusPending, b.Attempt.Status == payment.VoidedPostCharge: // other evidence was faster
		b.Attempt.ModifiedAt, b.Payment.ModifiedAt = now, now
		return nil
	}
	text := v.Text
	if o != nil && o.Decline != nil {
		text = sdk.Clip(o.Decline.Code+": "+o.Decline.Message, maxVoidText)
	}
	b.voidRecord(payment.VoidFailed, text, now)
	return nil
}

// maxVoidText bounds the text of a refused void.
const maxVoidText = 1000

// voidRecord changes the record of the latest void.
func (b *Booking) voidRecord(to payment.VoidStatus, text string, now time.Time) *payment.CapturedVoid {
	said := payment.CapturedVoid{}
	if had := b.Attempt.Details.CapturedVoid; had != nil {
		said = *had
	}
	said.Status, said.Text, said.At = to, text, now
	b.Attempt.Details.CapturedVoid = &said
	b.Attempt.ModifiedAt, b.Payment.ModifiedAt = now, now
	return &said
}

// bookReversal books that the processor has voided the captured payment.
func (b *Booking) bookReversal(o *sdk.Outcome, now time.Time) error {
	if b.Attempt.Status == payment.VoidedPostCharge {
		return nil
	}
	said := b.voidRecord(payment.VoidSucceeded, "", now)
	said.Reference = cmp.Or(o.Reference, o.TransactionID, said.Reference)
	if said.Reason != "" {
		b.Payment.Details.CancellationReason, b.Attempt.Details.CancelReason = said.Reason, said.Reason
	}
	if b.Payment.Refunded > 0 || b.Payment.Disputed() > 0 { // the customer gets the money twice
		b.Alarms = append(b.Alarms, alarm.RefundExceeds)
	}
	return payment.Move(b.Payment, b.Attempt, payment.TriggerVoidedCaptured, now)
}

// reportsReversal reports whether a report says that the processor has voided the captured payment. Only adapters that void captured payments can say so: at
// others such a report is about the rest that was not captured. So is a report without totals after a partial capture that payswitch has not voided.
func reportsReversal(a *payment.Attempt, o *sdk.Outcome, m *sdk.Manifest) bool {
	return voidsAll(o, a) && m.Features.VoidCaptured &&
		(a.Status == payment.Charged || a.Status == payment.PartialCharged && (a.Details.CapturedVoid != nil || o.Totals != nil))
}

// MayBeRelease reports whether a message may be about the release of a partial capture's rest, and not about the void of the captured payment. Messages
// repeat and come late. The processor's answer to a query shows what is true now.
func MayBeRelease(a *payment.Attempt, o *sdk.Outcome) bool {
	return a.Captured > 0 && a.Details.Released && a.Details.CapturedVoid != nil && o.Status == sdk.StatusVoided && o.Totals == nil
}

// readCapturedVoid derives the verdict on a void of a captured payment from a sync's report on the payment.
func readCapturedVoid(a *payment.Attempt, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	switch {
	case voidsAll(o, a):
		return Verdict{Status: payment.OperationSucceeded, Outcome: o}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case o.Status == sdk.StatusCaptured && final:
		return Verdict{Status: payment.OperationNotActed, Text: "the void did not happen: the payment is still captured"}
	}
	if notYet.Text != "" {
		notYet.Text = "the processor's report has the status " + string(o.Status) + ", which does not show whether the capture was voided"
	}
	return notYet
}
