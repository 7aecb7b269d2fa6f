package dispute

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
)

// Disputes are the use cases of disputes. Safe for concurrent use.
type Disputes struct {
	Changes *change.Changes
}

func unknown() error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_04", Message: "Dispute does not exist in our records", Param: "dispute_id", Hint: fault.CheckID}
}

// own reads a dispute that the caller may see.
func (s *Disputes) own(ctx context.Context, auth account.Auth, id string) (d *disputed.Record, err error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	err = s.Changes.Store.View(ctx, func(r change.Reader) (err error) { d, err = r.Dispute(auth.MerchantID, id); return err })
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil, unknown()
	case err != nil:
		return nil, fault.FromStore(err, "read dispute")
	case auth.ProfileID != "" && auth.ProfileID != d.ProfileID:
		return nil, unknown()
	}
	return d, nil
}

// RetrieveDispute reads a dispute. With forceSync the processor is asked first if the dispute may have moved.
func (s *Disputes) RetrieveDispute(ctx context.Context, auth account.Auth, id string, forceSync bool) (*disputed.Record, error) {
	d, err := s.own(ctx, auth, id)
	if err != nil || !forceSync || !d.MayMove() {
		return d, err
	}
	if err := s.sync(ctx, d); err != nil {
		return nil, err
	}
	return s.own(ctx, auth, id)
}
