package hold

import (
	"context"
	"errors"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// CancelCaptured voids a payment whose money is captured and has not settled: the processor takes the whole capture back. The payment stays as it is until
// the processor has said that it did; a refusal is no error, and state_metadata shows it. Errors: IR_16 if the payment's status, a refund, a dispute or an
// earlier void does not allow it; IR_20 if the processor does not offer it.
func (h *Funds) CancelCaptured(ctx context.Context, auth account.Auth, id, reason string) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return h.Changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		amount, err := h.VoidableAmount(ctx, w)
		if err != nil {
			return nil, err
		}
		now, a := h.Changes.Now().UTC().Truncate(time.Millisecond), w.Attempt
		h.Changes.Driver.Begin(&w.Run, sdk.OpVoid, amount, now)
		w.Request.Reason, w.Request.VoidCaptured = reason, true
		a.BeginVoid(w.Operation.ID, reason, now)
		a.ModifiedAt, w.Payment.ModifiedAt = now, now
		return h.intent(w)
	})
}

// VoidableAmount is the check of CancelCaptured. It returns the captured amount, which is voided as a whole. The payment's version decides between
// the void and a refund of the same moment: the one that commits first stands, and the other is refused.
func (h *Funds) VoidableAmount(ctx context.Context, w *change.Loaded) (int64, error) {
	p, a := w.Payment, w.Attempt
	cannot := func(why, hint string) (int64, error) {
		return 0, fault.Refused("You cannot cancel_post_capture this payment because " + why).WithParam("payment_id").WithHint(hint)
	}
	unsupported := func(what, hint string) (int64, error) {
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: what + " flow not supported", Connector: a.Connector, Hint: hint}
	}
	const refund = "Refund the payment with POST /refunds."
	switch {
	case !p.Status.Facts().Refund:
		return 0, fault.Refused("You cannot cancel_post_capture this payment because it has status " + string(p.Status)).WithParam("status").WithHint(p.Status.Remedy())
	case a.BeingVoided():
		return cannot("the result of an earlier one is not known yet", "Retrieve the payment until state_metadata.post_capture_void is not pending.")
	case p.Refunded > 0:
		return cannot("a part of it is refunded or being refunded", "Refund the rest with POST /refunds.")
	case p.Disputed() > 0:
		return cannot("a part of it is disputed", "Answer the dispute, or accept it with POST /disputes/accept/{dispute_id}.")
	case a.Captured == 0:
		return cannot("nothing of it is captured", "A payment without an amount needs no void.")
	case p.OpenOperation != "":
		return cannot("the release of its rest is under way", "Try again in a minute.")
	case charged(a) > 1:
		return unsupported("cancel_post_capture of several captures", refund)
	}
	relayed := int64(0)
	var err error
	if relayed, w.Relays, err = h.Changes.GivenBack(ctx, p, a); err != nil {
		return 0, err
	}
	if relayed > 0 {
		return cannot("a relay has refunded a part of it, or may refund one", "Refund the rest with POST /refunds.")
	}
	if err := h.Changes.WithAccount(ctx, w); err != nil {
		return 0, err
	}
	switch {
	case !w.Adapter.Manifest.Features.VoidCaptured:
		return unsupported("cancel_post_capture", refund)
	case a.TransactionID == "":
		return 0, fault.Internal(errors.New("the processor has given the payment no id"), "void payment of "+strconv.FormatInt(a.Captured, 10))
	}
	return a.Captured, nil
}

// charged returns the number of captures that the processor has made.
func charged(a *payment.Attempt) (n int) {
	for i := range a.Details.Captures {
		if a.Details.Captures[i].Status == payment.CaptureCharged {
			n++
		}
	}
	return n
}
