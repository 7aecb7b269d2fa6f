package hold

import (
	"context"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/method"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Funds are the use cases of held funds. It is safe for concurrent use.
type Funds struct{ Changes *change.Changes }

// IncrementAuthorization raises the held amount of a payment to a new total. A refusal of the processor is no error: the payment's list of tries shows
// it. Errors: IR_16 if the payment's status, its processor, its mandate or the amount does not allow it; IR_11 if the payment's customer was deleted; HE_03
// for a total above the mandate's amount, or after its end.
func (h *Funds) IncrementAuthorization(ctx context.Context, auth account.Auth, id string, in request.IncrementInput) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return h.Changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if err := h.MayRaise(ctx, w, in.Amount); err != nil {
			return nil, err
		}
		now := h.Changes.Now().UTC().Truncate(time.Millisecond)
		h.Changes.Driver.Begin(&w.Run, sdk.OpIncrementalAuthorize, in.Amount, now)
		w.Request.Reason = in.Reason
		a := w.Attempt
		a.AddIncrement(ids.At("auth_", now)+"_"+strconv.Itoa(len(a.Details.Increments)+1), w.Operation.ID, in.Amount, now)
		a.ModifiedAt, w.Payment.ModifiedAt = now, now
		return h.intent(w)
	})
}

// MayRaise is the check of IncrementAuthorization, in the contract's order. It adds the account to w.
func (h *Funds) MayRaise(ctx context.Context, w *change.Loaded, amount int64) error {
	p, a := w.Payment, w.Attempt
	allowed := payment.IncrementAllowed(p, a)
	switch {
	case p.Status != payment.RequiresCapture:
		return fault.Refused("You cannot increment authorization this payment because it has status " + string(p.Status)).WithParam("status").WithHint(p.Status.Remedy())
	case allowed == nil || !*allowed:
		return fault.Refused("You cannot increment authorization this payment because it is not allowed for incremental_authorization").WithParam("request_incremental_authorization").
			WithHint("Create the payment with request_incremental_authorization true and capture_method manual, at a processor that raises authorizations.")
	case amount <= p.NetAmount:
		return fault.Refused("Amount should be greater than original authorized amount").WithHint("Send at least " + strconv.FormatInt(p.NetAmount+1, 10) + ".").WithParam("amount")
	case amount > payment.MaxAmount:
		return fault.Refused("amount should be less than or equal to " + strconv.Itoa(payment.MaxAmount)).WithParam("amount").WithHint("Send a whole number from 1 to " + strconv.Itoa(payment.MaxAmount) + ".")
	case a.Raising() != nil:
		return fault.Refused("You cannot increment authorization this payment because the result of an earlier increment is not known yet").WithParam("status").
			WithHint("Retrieve the payment until no item of incremental_authorizations is processing.")
	}
	if err := h.customerExists(ctx, p); err != nil {
		return err
	}
	if err := h.Changes.Methods.MandateAllows(ctx, p, a, amount); err != nil {
		return err
	}
	if err := h.Changes.WithAccount(ctx, w); err != nil {
		return err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpIncrementalAuthorize) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "incremental_authorization flow not supported", Connector: w.Account.Connector}
	}
	return nil
}

// customerExists refuses a payment whose customer was deleted: no more of that customer's money may be held.
func (h *Funds) customerExists(ctx context.Context, p *payment.Payment) error {
	if p.CustomerID == "" {
		return nil
	}
	c, err := h.Changes.Methods.Customer(ctx, account.Auth{MerchantID: p.MerchantID}, p.CustomerID)
	if fault.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return method.Living(c)
}

// ExtendAuthorization makes the processor hold the funds of a payment for longer. Errors: IR_16 if the payment's status does not allow it or the
// payment did not ask for it, IR_20 if the adapter does not offer it.
func (h *Funds) ExtendAuthorization(ctx context.Context, auth account.Auth, id string) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return h.Changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if err := h.MayExtend(ctx, w); err != nil {
			return nil, err
		}
		p, a := w.Payment, w.Attempt
		now := h.Changes.Now().UTC().Truncate(time.Millisecond)
		h.Changes.Driver.Begin(&w.Run, sdk.OpExtendAuthorization, a.Authorized-a.Captured, now)
		a.ModifiedAt, p.ModifiedAt = now, now
		return h.intent(w)
	})
}

// MayExtend is the check of ExtendAuthorization, in the contract's order. It adds the account to w.
func (h *Funds) MayExtend(ctx context.Context, w *change.Loaded) error {
	p, a := w.Payment, w.Attempt
	switch {
	case p.Status != payment.RequiresCapture && p.Status != payment.PartiallyAuthorizedAndCapturing:
		return fault.Refused("You cannot extend authorization this payment because it has status " + string(p.Status)).WithParam("status").WithHint(p.Status.Remedy())
	case !optional.IsTrue(p.Details.Extended):
		return fault.Refused("You cannot extend the authorization for this payment because authorization extension is not enabled.").WithParam("request_extended_authorization").
			WithHint("Create the payment with request_extended_authorization true.")
	}
	ops, err := h.Changes.OperationsOf(ctx, p)
	if err != nil {
		return err
	}
	if op := a.OpenOperation(ops); op != nil && op.Kind == sdk.OpExtendAuthorization {
		return fault.Refused("You cannot extend the authorization for this payment because the result of an earlier extension is not known yet").WithParam("status").WithHint("Retrieve the payment with force_sync=true, and extend again.")
	}
	if err := h.Changes.WithAccount(ctx, w); err != nil {
		return err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpExtendAuthorization) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "extend_authorization flow not supported", Connector: w.Account.Connector}
	}
	return nil
}

// intent returns the change that makes the operation of w durable and then performs it. The payment keeps its status.
func (h *Funds) intent(w *change.Loaded) (*change.Change, error) {
	w.Payment.OpenOperation = w.Operation.ID
	return h.Changes.StartRun(&change.Change{Payment: w.Payment, Attempt: w.Attempt, Relays: w.Relays}, w)
}
