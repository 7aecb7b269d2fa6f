package engine

import (
	"context"
	"log/slog"

	"payswitch/engine/change"
)

// askCopied asks about a payment of the copy that has no open operation, and books what was done after the copy.
func (e *Engine) askCopied(ctx context.Context, w *change.Loaded) (bool, error) {
	if w.Payment.OpenOperation != "" {
		return false, nil
	}
	o, answered, err := e.queryEnded(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	was := w.Attempt
	if err := e.bookEvidence(ctx, w, o); err != nil {
		return true, err
	}
	if w.Attempt != was {
		e.log.LogAttrs(ctx, slog.LevelWarn, "a payment has moved on since the copy that the database was restored from", slog.String("payment_id", w.Payment.ID),
			slog.String("was", string(was.Status)), slog.String("evidence", string(o.Status)))
	}
	if o.Totals != nil && o.Totals.Refunded > w.Payment.Refunded {
		return true, e.raiseLate(ctx, w, o, "sync", was.Status) // the processor gave back more than the copy knows
	}
	return true, nil
}
