package late

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/refund"
	"payswitch/engine/relay"
	"payswitch/engine/restore"
	"payswitch/sdk"
)

// conflictTries limits how often a booking is decided again after a conflict with another writer.
const conflictTries = 10

// Reports books what processors say of attempts that wait for no operation. Safe for concurrent use.
type Reports struct {
	Changes *change.Changes
	Refunds *refund.Refunds
	Relays  *relay.Relays
	Copy    *restore.Copy
}

// Record books what the processor says about an attempt without an open operation: in a message, or when it is asked. If the outcome
// does not fit, the engine stores it and raises an alarm.
func (s *Reports) Record(ctx context.Context, w *change.Loaded, source drive.Source, o *sdk.Outcome) error {
	if err := s.keepReference(ctx, w, o); err != nil {
		return err
	}
	if err := s.Relays.Know(ctx, w.Payment, w.Attempt); err != nil {
		return err
	}
	contradicts, err := s.contradicts(ctx, w, o)
	if err != nil || evidence.AttemptShows(w.Payment, w.Attempt, o) && !contradicts {
		return err
	}
	if source == drive.SourceWebhook && o.Status == sdk.StatusCaptured && w.Attempt.EndedUnpaid() && s.Copy.Holds(w.Payment.CreatedAt) && s.takenBack(ctx, w) {
		_, err := s.Changes.KeepReport(ctx, w, source, o, "the processor reports that what was captured is taken back")
		return err
	}
	if source == drive.SourceWebhook && evidence.MayBeRelease(w.Attempt, o) {
		if _, err := s.Changes.KeepReport(ctx, w, source, o, "the message may be about the rest that was released before"); err != nil {
			return err
		}
		return s.Query(ctx, w)
	}
	if done, err := s.bookReported(ctx, w, o, source); done || err != nil {
		return err
	}
	was, before, captured := w.Attempt.Status, w.Attempt.Version, w.Attempt.Captured
	if w.Attempt.ID == w.Payment.AttemptID {
		if err := s.book(ctx, w, o); err != nil {
			return err
		}
	}
	ended := w.Attempt.Status == payment.VoidedPostCharge || was.Terminal() && w.Attempt.Captured != captured // merchants have read another amount
	if w.Attempt.Version != before && !contradicts && !ended {
		return nil
	}
	return s.alarm(ctx, w, o, source, was)
}

// Keep keeps a verdict on a closed operation as evidence and acts on money that it shows. It raises an alarm if the evidence contradicts the
// attempt.
func (s *Reports) Keep(ctx context.Context, w *change.Loaded, source drive.Source, o *sdk.Outcome) error {
	var booked sdk.Outcome
	if o == nil || len(w.Operation.Outcome) > 0 && json.Unmarshal(w.Operation.Outcome, &booked) == nil && booked.Status == o.Status {
		return nil // nothing new
	}
	if done, err := s.bookReported(ctx, w, o, source); done || err != nil {
		return err
	}
	note := "operation was " + string(w.Operation.Status)
	if evidence.AttemptShows(w.Payment, w.Attempt, o) {
		return nil
	}
	s.Changes.Metrics.Alarm(alarm.LateEvidence)
	s.Changes.Log.LogAttrs(ctx, slog.LevelError, "evidence against a closed operation", slog.String("operation_id", w.Operation.ID), slog.String("booked", string(w.Operation.Status)),
		slog.String("evidence", string(o.Status)), slog.String("source", string(source)))
	_, err := s.Changes.KeepReport(ctx, w, source, o, note)
	return err
}

// contradicts reports whether a processor's report says that an operator's word on an operation of the attempt was wrong.
func (s *Reports) contradicts(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (bool, error) {
	ops, err := s.Changes.OperationsOf(ctx, w.Payment)
	return slices.ContainsFunc(ops, func(op *payment.Operation) bool {
		return op.AttemptID == w.Attempt.ID && op.Resolution != nil && !op.OutsidePayment() && evidence.Contradicted(op.Resolution, op, w.Payment, w.Attempt, o)
	}), err
}

// book books the result of a sync on a payment without an open operation: another party captured or released it at the processor.
func (s *Reports) book(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	for range conflictTries {
		if err := s.Relays.Know(ctx, w.Payment, w.Attempt); err != nil {
			return err
		}
		now := s.Changes.Now().UTC().Truncate(time.Millisecond)
		b, kind := evidence.BookEvidence(w.Payment, w.Attempt, w.Adapter.Manifest, o, now)
		if kind != "" {
			s.Changes.Metrics.Alarm(kind)
		}
		if b == nil {
			return nil
		}
		c, err := s.Changes.Announce(ctx, w, &change.Change{Payment: b.Payment, Attempt: b.Attempt, Claims: b.Claims, Alarms: b.Alarms}, now)
		if err != nil {
			return err
		}
		err = s.Changes.Commit(ctx, c)
		if errors.Is(err, change.ErrOtherID) {
			return s.alarm(ctx, w, o, drive.SourceSync, w.Attempt.Status)
		}
		if err == nil {
			w.Payment, w.Attempt = b.Payment, b.Attempt
			return nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return fault.Internal(err, "book evidence")
		}
		fresh, err := s.Changes.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
		if err != nil || fresh.Attempt.ID != w.Attempt.ID || fresh.Attempt.Version != w.Attempt.Version {
			return err // the other writer has booked its own result: the next read shows it
		}
		w.Payment, w.Attempt = fresh.Payment, fresh.Attempt
	}
	return nil
}

// alarm keeps a report that contradicts what was booked, and raises an alarm. was is the attempt's status before the report.
func (s *Reports) alarm(ctx context.Context, w *change.Loaded, o *sdk.Outcome, source drive.Source, was payment.AttemptStatus) error {
	s.Changes.Metrics.Alarm(alarm.LateEvidence)
	s.Changes.Log.LogAttrs(ctx, slog.LevelError, "a processor's word does not fit the payment", slog.String("payment_id", w.Payment.ID), slog.String("source", string(source)),
		slog.String("attempt_status", string(was)), slog.String("evidence", string(o.Status)))
	_, err := s.Changes.KeepReport(ctx, w, source, o, "the attempt was "+string(was))
	return err
}
