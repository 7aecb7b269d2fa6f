package engine

import (
	"context"
	"log/slog"

	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// A profile can ask for a second person: one operator proposes what became of an operation, and another one confirms it. Until then nothing changes, and
// payswitch goes on asking the processor. Whatever the profile says later, a proposal waits until another person confirms it, or somebody withdraws it.

// propose keeps an operator's word until another person confirms it. The same word of the same person again changes nothing.
func (e *Engine) propose(ctx context.Context, v operator.View, in request.ResolutionInput) (operator.View, error) {
	if same, err := v.Standing(in); same || err != nil {
		return v, err
	}
	w, err := e.loadOperation(ctx, v.Operation)
	if err != nil {
		return v, err
	}
	if _, err := in.On(w.Payment, w.Attempt, w.Refund, w.Operation); err != nil {
		return v, err
	}
	if err := e.store.Update(ctx, func(tx Tx) error { return operator.Propose(tx, v.Operation, in, e.now()) }); err != nil {
		return v, fault.FromStore(err, "keep a proposal")
	}
	e.log.LogAttrs(ctx, slog.LevelWarn, "an operator proposed how to resolve an operation", slog.String("operation_id", v.ID), slog.String("payment_id", v.PaymentID),
		slog.String("outcome", string(in.Outcome)), slog.String("by", in.By))
	return e.Operation(ctx, v.ID)
}

// ConfirmResolution books the word that another person has proposed. Errors: IR_16 for a proposal that is gone, for one's own proposal, and whatever
// ResolveOperation refuses.
func (e *Engine) ConfirmResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error) {
	v, p, err := e.readProposal(ctx, id, second)
	if err != nil {
		return v, err
	}
	if p.SamePerson(second.By, second.Person) {
		return v, fault.Refused("You have proposed this decision yourself: another person has to confirm it").WithParam("proposal_id").WithHint("Let another person confirm it.")
	}
	d := &p.Details
	in := request.ResolutionInput{Outcome: d.Outcome, Amount: d.Amount, Reference: d.Reference, By: d.By, Why: d.Why, Person: d.Person}
	return e.resolveAs(ctx, v, in, p, second.By)
}

// WithdrawResolution drops a proposal: its own author takes it back, or another person refuses it. The operation stays as it is.
func (e *Engine) WithdrawResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error) {
	v, p, err := e.readProposal(ctx, id, second)
	if err != nil {
		return v, err
	}
	if err := e.store.Update(ctx, func(tx Tx) error { return operator.Withdraw(tx, p) }); err != nil {
		return v, fault.FromStore(err, "withdraw a proposal")
	}
	e.log.LogAttrs(ctx, slog.LevelWarn, "a proposal to resolve an operation was withdrawn", slog.String("operation_id", v.ID), slog.String("payment_id", v.PaymentID),
		slog.String("outcome", string(p.Details.Outcome)), slog.String("proposed_by", p.Details.By), slog.String("by", second.By))
	return e.Operation(ctx, id)
}

// readProposal reads the proposal that a second word is about.
func (e *Engine) readProposal(ctx context.Context, id string, second request.ReviewInput) (v operator.View, p *payment.Proposal, err error) {
	if err = second.Check(); err == nil {
		v, err = e.Operation(ctx, id)
	}
	if err == nil {
		p, err = v.Proposed(second)
	}
	return v, p, err
}
