package routing

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/sdk"
)

// PrepareRetry lets a confirm go on at another account if its authorization fails. A stored credential belongs to its account, so that its charge
// does not go on.
func (t *Router) PrepareRetry(w *change.Confirming, in *request.Input, c *card.Card) {
	if w.Instrument != nil && (w.Instrument.Stored || w.Instrument.Reference != nil) || c.Secrets.Number.IsZero() {
		return
	}
	w.Retry = &change.Retry{Input: in, Card: c, Instrument: w.Instrument, Accounts: w.Further, Until: t.Now().Add(w.Profile.Settings.Retries.Budget())}
}

// EndFailed returns the verdict to book for a further attempt whose request has not left. The payment has an attempt that failed before, so it ends
// as failed, and does not wait for a new confirm.
func EndFailed(w *change.Loaded, v evidence.Verdict) evidence.Verdict {
	if w.Retry != nil && w.Retry.Tries > 0 && (v.Status == payment.OperationFailed || v.Status == payment.OperationRejected) && v.Over() {
		return v.NotActed()
	}
	return v
}

// Further is the account and the manner of the attempt that follows a failed one.
type Further struct {
	Route  *Route
	StepUp bool // the same account tries again with 3-D Secure
}

// NextAttempt decides whether another attempt follows a failed authorization, before the failure is booked. It returns nil if none follows. Only a
// verdict that is over leads to another attempt: the processor did not act, and will not. spent is true if the limits of the card's scheme allow none.
func (t *Router) NextAttempt(ctx context.Context, w *change.Loaded, v evidence.Verdict, now time.Time, spent bool) (*Further, error) {
	op, r := w.Operation, w.Retry
	if r == nil || spent || r.Last || !w.Fresh && r.Authenticated == nil || !v.Over() || v.Busy || v.Late || op.Kind != sdk.OpAuthorize && op.Kind != sdk.OpVerify ||
		w.Payment.OpenOperation != op.ID || w.Payment.AttemptID != op.AttemptID || w.Attempt.Details.CancelWanted || !now.Before(r.Until) {
		return nil, nil
	}
	bad := failureOf(w.Attempt, op, v)
	bad.Unsent = v.Status != payment.OperationDeclined
	policy, err := t.Rules.RetryPolicy(ctx, w.Profile, bad)
	if err != nil || !policy.On {
		return nil, err
	}
	if policy.StepUp && r.Authenticated == nil && w.Adapter.Manifest.Features.Processor3DS && w.Payment.Details.AuthenticationType != payment.AuthenticationThreeDS && r.Tries == 0 && v.Status == payment.OperationDeclined {
		return &Further{StepUp: true, Route: &Route{Account: w.Account, Adapter: w.Adapter, Trace: &routed.Trace{By: routed.ByStepUp}}}, nil
	}
	if !policy.Elsewhere || r.Tries >= policy.Most {
		return nil, nil
	}
	facts := &r.Card.Facts
	route := t.Next(w.Payment, w.Profile, facts, r.Accounts, func(a *account.Account, info port.AdapterInfo) routed.Why {
		x := w.Attempt.Details.Exemption
		switch {
		case a.ID == w.Account.ID:
			return routed.LeftTried
		case t.failsTooOften(w.Profile, a):
			return routed.LeftHealth
		case r.Instrument.CheckAccount(a, r.Card) != nil:
			return routed.LeftCVC
		case (r.Input.ThreeDS != nil || r.Authenticated != nil) && !info.Manifest.Features.External3DS:
			return routed.LeftThreeDS
		case r.Authenticated != nil && !r.Authenticated.Serves(a):
			return routed.LeftAcquirer
		case r.Authenticated != nil && r.Authenticated.Exemption != "" && !slices.Contains(info.Manifest.Features.Exemptions, r.Authenticated.Exemption):
			return routed.LeftThreeDS
		case r.Input.ThreeDS == nil && r.Authenticated == nil && w.Payment.Details.AuthenticationType == payment.AuthenticationThreeDS && !info.Manifest.Features.Processor3DS:
			return routed.LeftThreeDS
		case x.Direct() && !slices.Contains(info.Manifest.Features.Exemptions, sdk.Exemption(x.Exemption)):
			return routed.LeftThreeDS
		}
		return ""
	})
	if route == nil {
		return nil, nil
	}
	return &Further{Route: route}, nil
}

// failureOf describes a failed attempt to the error table.
func failureOf(a *payment.Attempt, op *payment.Operation, v evidence.Verdict) Failure {
	f := Failure{Connector: a.Connector, Kind: op.Kind}
	if o := v.Outcome; o != nil && o.Decline != nil {
		f.Decline = *o.Decline
	}
	if a.Details.Card != nil {
		f.Network = a.Details.Card.Network
	}
	return f
}

// Unify adds to a decline the unified code and message of the operator's error rule.
func (t *Router) Unify(ctx context.Context, b *evidence.Booking, v evidence.Verdict) {
	bad := b.Attempt.Details.Error
	if bad == nil || b.Attempt.Status != payment.AttemptFailure || v.Status != payment.OperationDeclined {
		return
	}
	var err error
	if bad.UnifiedCode, bad.UnifiedMessage, err = t.Rules.Unified(ctx, failureOf(b.Attempt, b.Operation, v)); err != nil {
		t.Log.LogAttrs(ctx, slog.LevelError, "the error rule of a decline cannot be read", slog.String("operation_id", b.Operation.ID), slog.Any("error", err))
	}
}

// UnifyByHand is Unify for an error that an operator states of an attempt. The error is looked up as one of an authorization.
func (t *Router) UnifyByHand(ctx context.Context, a *payment.Attempt) (err error) {
	bad := a.Details.Error
	if bad == nil || a.Connector == "" {
		return nil
	}
	f := Failure{Connector: a.Connector, Kind: sdk.OpAuthorize, Decline: sdk.Decline{Code: bad.Code, Message: bad.Message}}
	bad.UnifiedCode, bad.UnifiedMessage, err = t.Rules.Unified(ctx, f)
	return err
}
