package drive

import (
	"context"
	"log/slog"

	"payswitch/engine/alarm"
	"payswitch/engine/evidence"
)

// raiseAlarm counts and logs an adapter's alarm in its answer to a query. The payment does not change.
func (d *Driver) raiseAlarm(ctx context.Context, w *Run, v evidence.Verdict) {
	if v.Alarm != alarm.OtherAccount {
		return
	}
	d.Metrics.Alarm(v.Alarm)
	d.Log.LogAttrs(ctx, slog.LevelError, "the processor does not know an id that it gave: compare the account's credentials and environment with those of the payment",
		slog.String("payment_id", w.Payment.ID), slog.String("account_id", w.Account.ID), slog.String("connector", w.Account.Connector))
}
