package engine

import (
	"context"
	"log/slog"

	"payswitch/sdk"
)

// raise counts and logs the alarm that an adapter raised with its answer to a query, which is nothing that could be booked.
func (d *Driver) raise(ctx context.Context, w *run, v verdict) {
	if v.alarm != sdk.AlarmOtherAccount {
		return
	}
	d.Metrics.Alarm(v.alarm)
	d.Log.LogAttrs(ctx, slog.LevelError, "the processor does not know an id that it gave: compare the account's credentials and environment with those of the payment",
		slog.String("payment_id", w.p.ID), slog.String("account_id", w.account.ID), slog.String("connector", w.account.Connector))
}
