package refund

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
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Refunds are the use cases of refunds. Safe for concurrent use.
type Refunds struct {
	Changes *change.Changes
}

func notFound() error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "Refund does not exist in our records.", Param: "refund_id", Hint: fault.CheckID}
}

// CreateRefund gives all or a part of a captured payment back. The amount of a refund counts from its creation until it fails, so that several
// refunds together never exceed the captured amount. A scheduled refund is sent by background work.
func (s *Refunds) CreateRefund(ctx context.Context, auth account.Auth, in *request.RefundInput) (*payment.Refund, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if in.MerchantID != "" && in.MerchantID != auth.MerchantID {
		return nil, fault.BadFormat("merchant_id", "merchant_id from merchant account")
	}
	var made *change.Loaded
	v, err := s.Changes.Decide(ctx, auth, in.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		made = w
		return s.create(ctx, w, in)
	})
	if err != nil {
		return nil, err
	}
	if made == nil || made.Refund.Version == 0 { // an earlier try with the same Idempotency-Key made it
		return s.ofRequest(ctx, auth, v.Payment)
	}
	return made.Refund, nil
}

// create makes the refund and the operation that performs it.
func (s *Refunds) create(ctx context.Context, w *change.Loaded, in *request.RefundInput) (*change.Change, error) {
	now := s.Changes.Now().UTC().Truncate(time.Millisecond)
	amount, err := s.RefundAmount(ctx, w, in, now)
	if err != nil {
		return nil, err
	}
	p, id := w.Payment, in.RefundID
	if id == "" {
		id = ids.New("ref_")
	}
	if err := s.checkNewID(ctx, p.MerchantID, id); err != nil {
		return nil, err
	}
	w.Refund = &payment.Refund{MerchantID: p.MerchantID, ID: id, PaymentID: p.ID, AttemptID: w.Attempt.ID, ProfileID: p.ProfileID, AccountID: w.Account.ID,
		Connector: w.Account.Connector, Status: payment.RefundPending, Currency: p.Currency, Amount: amount,
		Reference: drive.ForRefund.Reference(w.Adapter.Manifest.Reference, p.MerchantID, id, now.UnixMilli()), CreatedAt: now, ModifiedAt: now,
		Details: payment.RefundDetails{Type: in.Type, Reason: in.Reason, Metadata: in.Metadata}}
	s.Changes.Driver.Begin(&w.Run, sdk.OpRefund, amount, now)
	op := w.Operation
	w.Refund.OperationID = op.ID
	p.Refunded += amount
	p.Details.RefundCount++
	p.ModifiedAt = now
	c := &change.Change{Payment: p, Refund: w.Refund, Relays: w.Relays}
	if in.Type == payment.RefundScheduled { // the operation has provably not left: resolution sends it when it is due
		op.Status, op.Owner, op.LeaseUntil, op.ResolveAt = payment.OperationUnknown, "", time.Time{}, s.Changes.Driver.StoreNow().Add(payment.RefundScheduleDelay)
		c.Intend(op, w.Account)
		return c, s.Changes.Driver.SealRun(&w.Run)
	}
	c, err = s.Changes.StartRun(c, w)
	c.Effects = append(c.Effects, func(ctx context.Context) error { return s.bookArrived(ctx, w) })
	return c, err
}

// RefundAmount checks a refund in the contract's order and returns its amount.
func (s *Refunds) RefundAmount(ctx context.Context, w *change.Loaded, in *request.RefundInput, now time.Time) (int64, error) {
	p := w.Payment
	if !p.Status.Facts().Refund {
		return 0, fault.WrongState("refund", "status", string(p.Status), request.StatusList(payment.Succeeded, payment.PartiallyCaptured)).WithHint(p.Status.Remedy())
	}
	amount, err := in.Of(p)
	if err != nil {
		return 0, err
	}
	relayed := int64(0)
	if relayed, w.Relays, err = s.Changes.GivenBack(ctx, p, w.Attempt); err != nil {
		return 0, err
	}
	left := p.Refundable() - relayed
	switch {
	case amount > left:
		hint := "Nothing of this payment is left to refund."
		if left > 0 {
			hint = fmt.Sprintf("Send at most %d.", left)
		}
		reason := fmt.Sprintf("%d of the captured %d can still be refunded (minor units); %d is disputed", max(0, left), p.Received, p.Disputed())
		if relayed > 0 {
			reason += fmt.Sprintf("; relays have given back, or may give back, %d", relayed)
		}
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_13", Message: "The refund amount exceeds the amount captured", Param: "amount", Hint: hint, Reason: reason}
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
	if err := s.Changes.WithAccount(ctx, w); err != nil {
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

// checkNewID refuses an id that another refund of the merchant has.
func (s *Refunds) checkNewID(ctx context.Context, merchantID, id string) error {
	err := s.Changes.Store.View(ctx, func(r change.Reader) error { _, err := r.Refund(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fault.Internal(err, "read refund")
	}
	return &fault.Error{Kind: fault.KindInvalid, Code: "HE_01", Message: "Duplicate refund request. Refund already attempted with the refund ID", Param: "refund_id", Hint: "Choose another refund_id, or leave it out."}
}

// bookArrived books the processor's messages about a refund that arrived while the refund was being sent.
func (s *Refunds) bookArrived(ctx context.Context, w *change.Loaded) error {
	if op := w.Operation; op.Status == payment.OperationPending || op.Status == payment.OperationUnknown {
		ctx = context.WithoutCancel(ctx)
		v, err := s.Changes.Driver.EvidenceFromWebhooks(ctx, &w.Run)
		if err == nil && evidence.BringsRefundNews(w.Refund, v) {
			err = s.Changes.Settle(ctx, w, v)
		}
		s.Changes.LogPostponed(ctx, "a message about a refund", w.Payment.ID, err)
	}
	return nil
}

// ofRequest finds the refund that an earlier try of the same request made.
func (s *Refunds) ofRequest(ctx context.Context, auth account.Auth, p *payment.Payment) (*payment.Refund, error) {
	ops, err := s.Changes.OperationsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, op := range ops {
		if op.OfRefund() && bytes.Equal(op.Seed, s.Changes.Driver.Seed(auth.RequestToken, op.Kind)) {
			return s.Of(ctx, op)
		}
	}
	return nil, fault.Internal(fault.ErrNotFound, "find the refund of a repeated request")
}

// Of reads the refund that an operation performs.
func (s *Refunds) Of(ctx context.Context, op *payment.Operation) (*payment.Refund, error) {
	var list []*payment.Refund
	err := s.Changes.Read(ctx, "read refund", func(r change.Reader) (err error) { list, err = r.RefundsOf(op.MerchantID, op.PaymentID); return err })
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.OperationID == op.ID {
			return r, nil
		}
	}
	return nil, notFound()
}

func (s *Refunds) stored(ctx context.Context, merchantID, id string) (f *payment.Refund, err error) {
	err = s.Changes.Store.View(ctx, func(r change.Reader) (err error) { f, err = r.Refund(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil, notFound()
	}
	return f, fault.FromStore(err, "read refund")
}

// own reads a refund that the caller may see.
func (s *Refunds) own(ctx context.Context, auth account.Auth, id string) (*payment.Refund, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	f, err := s.stored(ctx, auth.MerchantID, id)
	if err == nil && auth.ProfileID != "" && auth.ProfileID != f.ProfileID {
		return nil, notFound()
	}
	return f, err
}

// RetrieveRefund reads a refund. With forceSync the processor is asked first if it has named the refund and the refund has not ended.
func (s *Refunds) RetrieveRefund(ctx context.Context, auth account.Auth, id string, forceSync bool) (*payment.Refund, error) {
	f, err := s.own(ctx, auth, id)
	if err != nil || !forceSync || f.ProcessorID == "" || f.Status.Final() {
		return f, err
	}
	w, err := s.Load(ctx, f)
	if err != nil {
		return nil, err
	}
	if w.Account == nil {
		return f, nil // an account or adapter that is gone must not hide the refund
	}
	if err := s.sync(ctx, w); err != nil {
		return nil, err
	}
	return w.Refund, nil
}

// UpdateRefund changes the merchant's notes on a refund.
func (s *Refunds) UpdateRefund(ctx context.Context, auth account.Auth, id string, in request.RefundUpdate) (*payment.Refund, error) {
	for {
		f, err := s.own(ctx, auth, id)
		if err != nil {
			return nil, err
		}
		if in.Reason != nil {
			f.Details.Reason = *in.Reason
		}
		if in.Metadata != nil {
			f.Details.Metadata = in.Metadata
		}
		f.ModifiedAt = s.Changes.Now().UTC().Truncate(time.Millisecond)
		if err = s.Changes.Commit(ctx, &change.Change{Refund: f}); err == nil {
			return f, nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return nil, fault.FromStore(err, "update refund")
		}
	}
}
