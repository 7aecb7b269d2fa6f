package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

func refundNotFound() error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "Refund does not exist in our records.", Param: "refund_id", Hint: fault.CheckID}
}

// CreateRefund gives all or a part of a captured payment back. The amount of a refund counts from its creation until it fails, so that several
// refunds together never exceed the captured amount. A scheduled refund is sent by background work.
func (e *Engine) CreateRefund(ctx context.Context, auth account.Auth, in *request.RefundInput) (*payment.Refund, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if in.MerchantID != "" && in.MerchantID != auth.MerchantID {
		return nil, fault.BadFormat("merchant_id", "merchant_id from merchant account")
	}
	var made *change.Loaded
	v, err := e.changes.Decide(ctx, auth, in.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		made = w
		return e.createRefund(ctx, w, in)
	})
	if err != nil {
		return nil, err
	}
	if made == nil || made.Refund.Version == 0 { // an earlier try with the same Idempotency-Key made it
		return e.refundOfRequest(ctx, auth, v.Payment)
	}
	return made.Refund, nil
}

// createRefund makes the refund and the operation that performs it.
func (e *Engine) createRefund(ctx context.Context, w *change.Loaded, in *request.RefundInput) (*change.Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	amount, err := e.refundAmount(ctx, w, in, now)
	if err != nil {
		return nil, err
	}
	p, id := w.Payment, in.RefundID
	if id == "" {
		id = ids.New("ref_")
	}
	if err := e.checkNewRefundID(ctx, p.MerchantID, id); err != nil {
		return nil, err
	}
	w.Refund = &payment.Refund{MerchantID: p.MerchantID, ID: id, PaymentID: p.ID, AttemptID: w.Attempt.ID, ProfileID: p.ProfileID, AccountID: w.Account.ID,
		Connector: w.Account.Connector, Status: payment.RefundPending, Currency: p.Currency, Amount: amount,
		Reference: drive.Reference(w.Adapter.Manifest.Reference, id, now.UnixMilli()), CreatedAt: now, ModifiedAt: now,
		Details: payment.RefundDetails{Type: in.Type, Reason: in.Reason, Metadata: in.Metadata}}
	e.driver.Begin(&w.Run, sdk.OpRefund, amount, now)
	op := w.Operation
	w.Refund.OperationID = op.ID
	p.Refunded += amount
	p.Details.RefundCount++
	p.ModifiedAt = now
	c := &change.Change{Payment: p, Refund: w.Refund, Intents: []*payment.Operation{op}, At: []*account.Account{w.Account}}
	if in.Type == payment.RefundScheduled { // the operation has provably not left: resolution sends it when it is due
		op.Status, op.Owner, op.LeaseUntil, op.ResolveAt = payment.OperationUnknown, "", time.Time{}, now.Add(payment.RefundScheduleDelay)
	} else {
		c.Turn = w.Account
		c.Effects = append(c.Effects, func(ctx context.Context) error { return e.performRefund(ctx, w) })
	}
	return c, e.driver.SealRun(&w.Run)
}

// refundAmount checks a refund in the contract's order and returns its amount.
func (e *Engine) refundAmount(ctx context.Context, w *change.Loaded, in *request.RefundInput, now time.Time) (int64, error) {
	p := w.Payment
	if !p.Status.Facts().Refund {
		return 0, fault.WrongState("refund", "status", string(p.Status), request.StatusList(payment.Succeeded, payment.PartiallyCaptured)).WithHint(p.Status.Remedy())
	}
	amount, err := in.Of(p)
	if err != nil {
		return 0, err
	}
	switch {
	case amount > p.Refundable():
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_13", Message: "The refund amount exceeds the amount captured", Param: "amount",
			Hint:   fmt.Sprintf("Send at most %d.", max(0, p.Refundable())),
			Reason: fmt.Sprintf("%d of the captured %d can still be refunded (minor units); %d is disputed", max(0, p.Refundable()), p.Received, p.Disputed())}
	case w.Attempt.BeingVoided():
		return 0, fault.Refused("Refund void cannot be performed after a post-capture void has been issued").
			WithParam("payment_id").WithHint("Retrieve the payment until state_metadata.post_capture_void is not pending.")
	case amount <= 0:
		return 0, fault.BadFormat("amount", "positive integer").WithHint("Send a whole number above zero.")
	case now.Sub(p.CreatedAt) > payment.MaxRefundAge:
		return 0, fault.BadFormat("created_at", fmt.Sprintf("created_at not older than %d days", payment.MaxRefundAge/(24*time.Hour))).
			WithParam("payment_id").WithHint("The payment is too old for a refund. Give the money back at the processor.")
	case p.Details.RefundCount >= payment.MaxRefunds:
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_12", Message: "Reached maximum refund attempts", Param: "payment_id", Hint: "Give the rest back at the processor."}
	}
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return 0, err
	}
	m := w.Adapter.Manifest
	switch {
	case !slices.Contains(m.Operations, sdk.OpRefund):
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "refund flow not supported", Connector: w.Account.Connector}
	case amount < p.Received && !m.Features.PartialRefund:
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "partial refund flow not supported", Param: "amount", Connector: w.Account.Connector}
	case w.Attempt.TransactionID == "":
		return 0, fault.Internal(errors.New("the processor has given the payment no id"), "refund payment")
	}
	return amount, nil
}

// checkNewRefundID refuses an id that another refund of the merchant has.
func (e *Engine) checkNewRefundID(ctx context.Context, merchantID, id string) error {
	err := e.store.View(ctx, func(r Reader) error { _, err := r.Refund(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fault.Internal(err, "read refund")
	}
	return &fault.Error{Kind: fault.KindInvalid, Code: "HE_01", Message: "Duplicate refund request. Refund already attempted with the refund ID", Param: "refund_id", Hint: "Choose another refund_id, or leave it out."}
}

// performRefund sends the refund, and books the processor's messages that arrived in the meantime.
func (e *Engine) performRefund(ctx context.Context, w *change.Loaded) error {
	if err := e.perform(ctx, w); err != nil {
		return err
	}
	if op := w.Operation; op.Status == payment.OperationPending || op.Status == payment.OperationUnknown {
		ctx = context.WithoutCancel(ctx)
		v, err := e.driver.EvidenceFromWebhooks(ctx, &w.Run)
		if err == nil && evidence.BringsRefundNews(w.Refund, v) {
			err = e.settle(ctx, w, v)
		}
		e.changes.LogPostponed(ctx, "a message about a refund", w.Payment.ID, err)
	}
	return nil
}

// refundOfRequest finds the refund that an earlier try of the same request made.
func (e *Engine) refundOfRequest(ctx context.Context, auth account.Auth, p *payment.Payment) (*payment.Refund, error) {
	ops, err := e.changes.OperationsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, op := range ops {
		if op.OfRefund() && bytes.Equal(op.Seed, e.driver.Seed(auth.RequestToken, op.Kind)) {
			return e.refundOfOperation(ctx, op)
		}
	}
	return nil, fault.Internal(fault.ErrNotFound, "find the refund of a repeated request")
}

// refundOfOperation reads the refund that an operation performs.
func (e *Engine) refundOfOperation(ctx context.Context, op *payment.Operation) (*payment.Refund, error) {
	var list []*payment.Refund
	err := e.read(ctx, "read refund", func(r Reader) (err error) { list, err = r.RefundsOf(op.MerchantID, op.PaymentID); return err })
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.OperationID == op.ID {
			return r, nil
		}
	}
	return nil, refundNotFound()
}

func (e *Engine) readRefund(ctx context.Context, merchantID, id string) (f *payment.Refund, err error) {
	err = e.store.View(ctx, func(r Reader) (err error) { f, err = r.Refund(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil, refundNotFound()
	}
	return f, fault.FromStore(err, "read refund")
}

// refundForCaller reads a refund that the caller may see.
func (e *Engine) refundForCaller(ctx context.Context, auth account.Auth, id string) (*payment.Refund, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	f, err := e.readRefund(ctx, auth.MerchantID, id)
	if err == nil && auth.ProfileID != "" && auth.ProfileID != f.ProfileID {
		return nil, refundNotFound()
	}
	return f, err
}

// RetrieveRefund reads a refund. With forceSync the processor is asked first if it has named the refund and the refund has not ended.
func (e *Engine) RetrieveRefund(ctx context.Context, auth account.Auth, id string, forceSync bool) (*payment.Refund, error) {
	f, err := e.refundForCaller(ctx, auth, id)
	if err != nil || !forceSync || f.ProcessorID == "" || f.Status.Final() {
		return f, err
	}
	w, err := e.loadRefund(ctx, f)
	if err != nil {
		return nil, err
	}
	if w.Account == nil {
		return f, nil // an account or adapter that is gone must not hide the refund
	}
	if err := e.syncRefund(ctx, w); err != nil {
		return nil, err
	}
	return w.Refund, nil
}

// UpdateRefund changes the merchant's notes on a refund.
func (e *Engine) UpdateRefund(ctx context.Context, auth account.Auth, id string, in request.RefundUpdate) (*payment.Refund, error) {
	for {
		f, err := e.refundForCaller(ctx, auth, id)
		if err != nil {
			return nil, err
		}
		if in.Reason != nil {
			f.Details.Reason = *in.Reason
		}
		if in.Metadata != nil {
			f.Details.Metadata = in.Metadata
		}
		f.ModifiedAt = e.now().UTC().Truncate(time.Millisecond)
		if err = e.changes.Commit(ctx, &change.Change{Refund: f}); err == nil {
			return f, nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return nil, fault.FromStore(err, "update refund")
		}
	}
}

// DecideRefund books an operator's decision about a refund: any status may follow any other. It calls no processor and announces nothing. An operation
// that is still open ends with it, so that background work does not send the refund again.
func (e *Engine) DecideRefund(ctx context.Context, id string, in request.RefundDecision) error {
	if _, err := e.Merchant(ctx, in.MerchantID); err != nil {
		return err
	}
	f, err := e.readRefund(ctx, in.MerchantID, id)
	if err != nil {
		return err
	}
	auth := account.Auth{MerchantID: in.MerchantID}
	_, err = e.changes.Decide(ctx, auth, f.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		f, err := e.readRefund(ctx, in.MerchantID, id)
		if err != nil {
			return nil, err
		}
		return e.setRefundStatus(ctx, w, f, in)
	})
	return err
}

func (e *Engine) setRefundStatus(ctx context.Context, w *change.Loaded, f *payment.Refund, in request.RefundDecision) (*change.Change, error) {
	if in.Status == "" && in.ErrorCode == nil && in.ErrorMessage == nil {
		return nil, nil
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	f.ModifiedAt = now
	c := &change.Change{Refund: f}
	if in.ErrorCode != nil || in.ErrorMessage != nil {
		said := payment.AttemptError{Operation: sdk.OpRefund}
		if f.Details.Error != nil {
			said = *f.Details.Error
		}
		if in.ErrorCode != nil {
			said.Code = *in.ErrorCode
		}
		if in.ErrorMessage != nil {
			said.Message = *in.ErrorMessage
		}
		f.Details.Error = &said
		if said.Code == "" && said.Message == "" {
			f.Details.Error = nil
		}
	}
	to := payment.RefundStatus(in.Status)
	if to == "" || to == f.Status {
		return c, nil
	}
	if f.Status == payment.RefundFailed && f.Amount > w.Payment.Refundable() {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_13", Message: "The refund amount exceeds the amount captured", Param: "status",
			Reason: "other refunds of the payment have used the amount up since this refund failed", Hint: "Send status failure, or resolve the other refunds first."}
	}
	if to.Final() {
		op, driven, err := e.readOperation(ctx, f.OperationID)
		if err != nil {
			return nil, err
		}
		if driven {
			return nil, fault.ErrConflict // a node is about to book the answer
		}
		if op.Status.Open() || op.Status == payment.OperationPending {
			if w.Profile.Settings.SecondPerson.Needed(f.Amount, w.Payment.Currency) {
				return nil, operator.NeedsSecond(op.ID)
			}
			evidence.EndPending(op, now) // background work must not send it again
			if to == payment.RefundFailed {
				op.Status = payment.OperationNotActed
			}
			op.ErrorText = "an operator decided that the refund has the status " + in.Status
			c.Settled = op
		}
	}
	c.Payment = payment.MoveRefund(w.Payment, f, to, now)
	if c.Payment != nil {
		c.Effects = append(c.Effects, func(context.Context) error { w.Payment = c.Payment; return nil })
	}
	return c, nil
}

// readOperation reads an operation. driven is true if a node holds its lease, or a run of this process works on it.
func (e *Engine) readOperation(ctx context.Context, id string) (op *payment.Operation, driven bool, err error) {
	err = e.read(ctx, "read operation", func(r Reader) (err error) {
		if op, err = r.Operation(id); err == nil {
			driven = r.Now().Before(op.LeaseUntil) || e.driver.Held(id)
		}
		return err
	})
	return op, driven, err
}
