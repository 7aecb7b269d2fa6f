package refund

import (
	"context"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// DecideRefund books an operator's decision about a refund: any status may follow any other. It calls no processor and announces nothing. An operation
// that is still open ends with it, so that background work does not send the refund again.
func (s *Refunds) DecideRefund(ctx context.Context, id string, in request.RefundDecision) error {
	if _, err := s.Changes.Registry.Merchant(ctx, in.MerchantID); err != nil {
		return err
	}
	f, err := s.stored(ctx, in.MerchantID, id)
	if err != nil {
		return err
	}
	auth := account.Auth{MerchantID: in.MerchantID}
	_, err = s.Changes.Decide(ctx, auth, f.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		f, err := s.stored(ctx, in.MerchantID, id)
		if err != nil {
			return nil, err
		}
		return s.decide(ctx, w, f, in)
	})
	return err
}

func (s *Refunds) decide(ctx context.Context, w *change.Loaded, f *payment.Refund, in request.RefundDecision) (*change.Change, error) {
	if in.Status == "" && in.ErrorCode == nil && in.ErrorMessage == nil {
		return nil, nil
	}
	now := s.Changes.Now().UTC().Truncate(time.Millisecond)
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
	second := w.Profile.Settings.SecondPerson.Needed(f.Amount, w.Payment.Currency)
	if to.Final() || second {
		op, driven, err := s.operation(ctx, f.OperationID)
		if err != nil {
			return nil, err
		}
		open := op.Status.Open() || op.Status == payment.OperationPending
		switch {
		case second && (f.Status.Final() || !open):
			return nil, fault.Refused("The profile asks for a second person, and a decision about a refund whose operation has ended has no place for one").WithParam("status").
				WithHint("Raise the limit in second_person_for_decisions of the profile, and send the decision again.")
		case to.Final() && driven:
			return nil, fault.ErrConflict // a node is about to book the answer
		case to.Final() && open:
			if second {
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

// operation reads an operation. driven is true if a node holds its lease, or a run of this process works on it.
func (s *Refunds) operation(ctx context.Context, id string) (op *payment.Operation, driven bool, err error) {
	err = s.Changes.Read(ctx, "read operation", func(r change.Reader) (err error) {
		if op, err = r.Operation(id); err == nil {
			driven = r.Now().Before(op.LeaseUntil) || s.Changes.Driver.Held(id)
		}
		return err
	})
	return op, driven, err
}
