package late

import (
	"context"
	"slices"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/sdk"
)

// Sync asks the processor about a payment that waits for no operation, and books the answer. w has the payment's account.
func (s *Reports) Sync(ctx context.Context, w *change.Loaded) error {
	o, _ := s.Changes.Driver.Sync(ctx, &w.Run, "")
	if o == nil {
		return nil
	}
	if err := s.keepReference(ctx, w, o); err != nil {
		return err
	}
	contradicts, err := s.contradicts(ctx, w, o)
	if err != nil {
		return err
	}
	was := w.Attempt.Status
	if err := s.book(ctx, w, o); err != nil || !contradicts {
		return err
	}
	return s.alarm(ctx, w, o, drive.SourceSync, was)
}

// Query asks the processor about a payment that has ended, because a message without proof says that there is news.
func (s *Reports) Query(ctx context.Context, w *change.Loaded) error {
	o, _, err := s.ask(ctx, w)
	if o == nil || err != nil {
		return err
	}
	switch o.Status {
	case sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusVoided:
		return s.Record(ctx, w, drive.SourceSync, o)
	}
	return nil
}

// takenBack asks the processor whether a message about captured money of a restored payment is out of date: its report says that the whole payment is voided,
// and that nothing is captured. A report without totals may be about the rest of a partial capture. Of a payment that was not restored, such a message
// contradicts the void that payswitch has made, and a person must look.
func (s *Reports) takenBack(ctx context.Context, w *change.Loaded) bool {
	o, _, err := s.ask(ctx, w)
	return err == nil && o != nil && o.Status == sdk.StatusVoided && o.Totals != nil && o.Totals.Captured == 0
}

// ask queries the processor about an attempt that has no open operation. answered is true if the processor answered, or cannot be asked.
func (s *Reports) ask(ctx context.Context, w *change.Loaded) (o *sdk.Outcome, answered bool, err error) {
	if err := s.Changes.WithAccount(ctx, w); err != nil {
		return nil, false, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpSync) {
		return nil, true, nil
	}
	defer s.Changes.Driver.FlushJournal(ctx, &w.Run)
	o, _ = s.Changes.Driver.Sync(ctx, &w.Run, "")
	return o, o != nil, nil
}
