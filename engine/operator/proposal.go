package operator

import (
	"errors"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// Tx is what this room writes, in one transaction.
type Tx interface {
	Operation(id string) (*payment.Operation, error)
	InsertProposal(p *payment.Proposal) error
	DeleteProposal(operationID, id string) error
}

// Standing compares a new word with the operation's proposal. It returns true if both say the same, by the same person. It refuses a word about an
// operation that has ended, and a word next to another proposal, which has to be confirmed or withdrawn first.
func (v View) Standing(in request.ResolutionInput) (bool, error) {
	p := v.Proposal
	switch {
	case Ended(v.Operation):
		return false, HasEnded(v.Operation)
	case p == nil:
		return false, nil
	}
	d := &p.Details
	if p.SamePerson(in.By, in.Person) && d.Outcome == in.Outcome && d.Reference == in.Reference && d.Why == in.Why && sameAmount(d.Amount, in.Amount) {
		return true, nil
	}
	err := fault.Refused("A decision about the operation waits for a second person: confirm it, or withdraw it first").WithParam("operation_id").WithHint("Confirm the proposal, or withdraw it.")
	err.Reason = "proposed by " + d.By + " at " + p.ProposedAt.Format(time.RFC3339) + " as " + string(d.Outcome)
	return false, err
}

func sameAmount(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// Propose keeps a word until another person confirms it.
func Propose(tx Tx, of *payment.Operation, in request.ResolutionInput, now time.Time) error {
	op, err := tx.Operation(of.ID)
	if err != nil {
		return err
	}
	if Ended(op) {
		return HasEnded(op)
	}
	at := now.UTC().Truncate(time.Millisecond)
	err = tx.InsertProposal(&payment.Proposal{ID: ids.At("prop_", at), OperationID: op.ID, MerchantID: op.MerchantID, ProposedAt: at,
		Details: payment.ProposalDetails{Outcome: in.Outcome, Amount: in.Amount, Reference: in.Reference, By: in.By, Person: in.Person, Why: in.Why}})
	if errors.Is(err, fault.ErrConflict) {
		return fault.Refused("Another person has just proposed a decision: look at it first").WithParam("operation_id").WithHint("Look at the operation again.")
	}
	return err
}

// Withdraw drops a proposal.
func Withdraw(tx Tx, p *payment.Proposal) error {
	err := tx.DeleteProposal(p.OperationID, p.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return Gone()
	}
	return err
}

// Gone refuses a second word on a proposal that is not there any more.
func Gone() error {
	return fault.Refused("The operation has no such proposal any more: look at it again").WithParam("proposal_id").WithHint("Look at the operation again.")
}

// NeedsSecond refuses to decide about an operation in a way that cannot ask a second person.
func NeedsSecond(operationID string) error {
	return fault.Refused("The profile asks for a second person: resolve the operation " + operationID + " instead").WithParam("operation_id").WithHint("Propose the decision at the operation, and let a second person confirm it.")
}

// Proposed returns the proposal that a second word is about.
func (v View) Proposed(second request.ReviewInput) (*payment.Proposal, error) {
	switch {
	case Ended(v.Operation):
		return nil, HasEnded(v.Operation)
	case v.Proposal == nil || v.Proposal.ID != second.ProposalID:
		return nil, Gone()
	}
	return v.Proposal, nil
}
