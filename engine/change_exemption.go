package engine

import (
	"context"
	"log/slog"
	"time"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// exemptionCount is what a settled claim adds to the counters; it is written with the attempt that made it.
type exemptionCount struct {
	a       *Attempt
	outcome string // approved, soft_declined, declined
}

// countExemption makes it of what b books; nil where nothing is to be counted. It marks the attempt, so that nothing is counted twice.
func countExemption(b *booking) *exemptionCount {
	x := b.a.Details.Exemption
	if x == nil || x.Exemption == "" || x.Counted || !x.effective(b.a.Details.Authentication) {
		return nil
	}
	n := &exemptionCount{a: b.a}
	switch bad := b.a.Details.Error; {
	case b.a.Authorized > 0 || b.a.Captured > 0:
		n.outcome = "approved"
	case b.a.Status != AttemptFailure || bad == nil:
		return nil
	case bad.Reason == sdk.DeclineAuthenticationNeeded:
		n.outcome = "soft_declined"
	default:
		n.outcome = "declined"
	}
	counted := *x
	counted.Counted = true
	b.a.Details.Exemption = &counted
	return n
}

// How long what was counted is kept after the last claim: low value for longer than any card goes without being authenticated, an issuer's
// soft declines for as long as it is not asked again because of them.
const (
	lowValueKept      = 400 * 24 * time.Hour
	exemptionRateKept = 30 * 24 * time.Hour
)

// write adds the count to the transaction that books the attempt. nil writes nothing.
func (n *exemptionCount) write(tx ChangeTx) error {
	if n == nil {
		return nil
	}
	x := n.a.Details.Exemption
	if n.outcome == "approved" && x.Exemption == string(threeds.ExemptLowValue) && x.Card != "" {
		if err := tx.CountLowValue(n.a.MerchantID, x.Card, x.EURCents, tx.Now().Add(lowValueKept)); err != nil {
			return err
		}
	}
	if n.a.Details.Card == nil || n.a.Details.Card.BIN == "" {
		return nil
	}
	return tx.CountExemption(n.a.MerchantID, n.a.Details.Card.BIN, x.Exemption, n.outcome == "soft_declined", tx.Now().Add(exemptionRateKept))
}

// settledExemption counts and logs a claim that is settled. nil does nothing.
func (s *Changes) settledExemption(ctx context.Context, n *exemptionCount) {
	if n == nil {
		return
	}
	x := n.a.Details.Exemption
	s.Metrics.ExemptionSettled(n.a.Connector, x.Exemption, x.Route, n.outcome)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "exemption settled", slog.String("payment_id", n.a.PaymentID), slog.String("exemption", x.Exemption),
		slog.String("route", x.Route), slog.String("outcome", n.outcome))
}
