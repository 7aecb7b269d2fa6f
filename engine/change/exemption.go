package change

import (
	"context"
	"log/slog"
	"time"

	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// exemptionCount is the addition of a settled claim to the counters. Commit writes it with the attempt that made the claim.
type exemptionCount struct {
	a       *payment.Attempt
	outcome string // approved, soft_declined, declined
}

// CountExemption returns the count for a booking, or nil if there is nothing to count. It marks the attempt, so that no claim counts twice.
func CountExemption(b *evidence.Booking) *exemptionCount {
	x := b.Attempt.Details.Exemption
	if x == nil || x.Exemption == "" || x.Counted || !x.Effective(b.Attempt.Details.Authentication) {
		return nil
	}
	n := &exemptionCount{a: b.Attempt}
	switch bad := b.Attempt.Details.Error; {
	case b.Attempt.Authorized > 0 || b.Attempt.Captured > 0:
		n.outcome = "approved"
	case b.Attempt.Status != payment.AttemptFailure || bad == nil:
		return nil
	case bad.Reason == sdk.DeclineAuthenticationNeeded:
		n.outcome = "soft_declined"
	default:
		n.outcome = "declined"
	}
	counted := *x
	counted.Counted = true
	b.Attempt.Details.Exemption = &counted
	return n
}

// Times for which counts are kept after the last claim. The count of low value is kept longer than any card goes without authentication. An
// issuer's soft declines are kept for as long as they stop further claims.
const (
	lowValueKept      = 400 * 24 * time.Hour
	exemptionRateKept = 30 * 24 * time.Hour
)

// write adds the count to the transaction that books the attempt. It does nothing for nil.
func (n *exemptionCount) write(tx Tx) error {
	if n == nil {
		return nil
	}
	x := n.a.Details.Exemption
	if n.outcome == "approved" && x.Exemption == threeds.ExemptLowValue && x.Card != "" {
		if err := tx.CountLowValue(n.a.MerchantID, x.Card, x.EURCents, tx.Now().Add(lowValueKept)); err != nil {
			return err
		}
	}
	if n.a.Details.Card == nil || n.a.Details.Card.BIN == "" {
		return nil
	}
	return tx.CountExemption(n.a.MerchantID, n.a.Details.Card.BIN, string(x.Exemption), n.outcome == "soft_declined", tx.Now().Add(exemptionRateKept))
}

// settledExemption logs and counts a settled claim. It does nothing for nil.
func (s *Changes) settledExemption(ctx context.Context, n *exemptionCount) {
	if n == nil {
		return
	}
	x := n.a.Details.Exemption
	s.Metrics.ExemptionSettled(n.a.Connector, string(x.Exemption), string(x.Route), n.outcome)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "exemption settled", slog.String("payment_id", n.a.PaymentID), slog.String("exemption", string(x.Exemption)),
		slog.String("route", string(x.Route)), slog.String("outcome", n.outcome))
}
