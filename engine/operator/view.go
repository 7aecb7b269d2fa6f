package operator

import (
	"errors"
	"fmt"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// View is an operation as operators see it.
type View struct {
	*payment.Operation
	Currency sdk.Currency
	// SecondPerson says that a decision about the operation needs two people.
	SecondPerson bool
	// Proposal is the decision that waits for the second person, or that the processor's own answer has overtaken; nil for none.
	Proposal *payment.Proposal
}

// Reader is what this room reads of the store.
type Reader interface {
	Payment(merchantID, id string) (*payment.Payment, error)
	Profile(merchantID, id string) (*account.Profile, error)
	Proposal(operationID string) (*payment.Proposal, error)
	OperationsWithStatus(merchants []string, statuses []payment.OperationStatus, limit int) ([]*payment.Operation, error)
	ResolvedOperations(merchants []string, limit int) ([]*payment.Operation, error)
}

// Of adds to an operation what a decision about it needs.
func Of(r Reader, op *payment.Operation) (View, error) {
	v := View{Operation: op}
	p, err := r.Payment(op.MerchantID, op.PaymentID)
	if err != nil {
		return v, fmt.Errorf("read payment %s: %w", op.PaymentID, err)
	}
	v.Currency = p.Currency
	profile, err := r.Profile(op.MerchantID, p.ProfileID)
	switch {
	case err == nil:
		v.SecondPerson = profile.Settings.SecondPerson.Needed(op.AtStake(p), p.Currency)
	case !errors.Is(err, fault.ErrNotFound):
		return v, fmt.Errorf("read profile %s: %w", p.ProfileID, err)
	}
	if v.Proposal, err = r.Proposal(op.ID); errors.Is(err, fault.ErrNotFound) {
		v.Proposal, err = nil, nil
	}
	return v, err
}

// List returns the operations that the filter names: the open ones oldest first, the resolved ones newest first. altered names the rows
// that the list lacks, because somebody has changed them in the database; nil for none.
func List(r Reader, f request.OperationFilter) (list []View, altered, err error) {
	statuses := f.Statuses
	if len(statuses) == 0 {
		statuses = []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending}
	}
	var ops []*payment.Operation
	if f.Resolved {
		ops, err = r.ResolvedOperations(f.Merchants, f.Limit)
	} else {
		ops, err = r.OperationsWithStatus(f.Merchants, statuses, f.Limit)
	}
	left, err := account.LeftOut(nil, err)
	if err != nil {
		return nil, nil, err
	}
	if left != nil {
		altered = left
	}
	for _, op := range ops {
		v, err := Of(r, op)
		if err != nil {
			return nil, altered, err
		}
		list = append(list, v)
	}
	return list, altered, nil
}

// Ended reports whether the operation takes no decision any more.
func Ended(op *payment.Operation) bool {
	return !op.Status.Open() && op.Status != payment.OperationPending
}

// HasEnded refuses a decision about an operation that has ended.
func HasEnded(op *payment.Operation) error {
	err := fault.Refused("The operation has ended with the status " + string(op.Status) + ": only an open operation can be resolved").WithParam("operation_id").WithHint("Choose an operation that is open.")
	if s := op.Resolution; s != nil {
		err.Reason = "resolved by " + s.By + " at " + s.At.Format(time.RFC3339) + " as " + string(s.Outcome)
	}
	return err
}
