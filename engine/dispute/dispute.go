package dispute

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// Disputes are the use cases of disputes. Safe for concurrent use.
type Disputes struct {
	Deps
}

// Deps are the parts that Disputes needs. All are required.
type Deps struct {
	Store        change.Store
	Changes      *change.Changes
	Driver       *drive.Driver
	Now          port.Clock
	Log          *slog.Logger
	Metrics      port.Metrics
	ResolvePause time.Duration // the longest time between two queries about an operation without an end
	// Perform drives an operation whose intent is durable, and settles it. Settle books a verdict.
	Perform func(ctx context.Context, w *change.Loaded) error
	Settle  func(ctx context.Context, w *change.Loaded, v evidence.Verdict) error
}

func unknown() error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_04", Message: "Dispute does not exist in our records", Param: "dispute_id", Hint: fault.CheckID}
}

func (s *Disputes) read(ctx context.Context, doing string, f func(r change.Reader) error) error {
	return fault.FromStore(s.Store.View(ctx, f), doing)
}

// own reads a dispute that the caller may see.
func (s *Disputes) own(ctx context.Context, auth account.Auth, id string) (d *disputed.Record, err error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	err = s.Store.View(ctx, func(r change.Reader) (err error) { d, err = r.Dispute(auth.MerchantID, id); return err })
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
