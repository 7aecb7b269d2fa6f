package search

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/request"
)

// ListPayments lists a merchant's payments by time and customer, newest first, from a cursor on.
func (s *Search) ListPayments(ctx context.Context, auth account.Auth, in request.ListInput) ([]*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if in.Limit == 0 {
		in.Limit = 10
	}
	if in.Limit < 1 || in.Limit > 100 {
		return nil, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
	}
	var found []*change.Loaded
	err := s.Store.View(ctx, func(r change.Reader) error {
		list, err := r.Payments(auth.MerchantID, auth.ProfileID, in)
		if err != nil {
			return err
		}
		found, err = loadAll(r, list)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		param := "starting_after"
		if in.StartingAfter == "" {
			param = "ending_before"
		}
		return nil, fault.NotFound("Payment").WithParam(param).WithHint("Send the payment_id of a payment in the list.")
	}
	if err != nil {
		return nil, fault.Internal(err, "list payments")
	}
	return s.views(ctx, found)
}
