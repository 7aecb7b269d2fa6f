package change

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/authentication"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// closeAuthenticatorCall writes the end of an operation at an authenticator. It changes nothing if recovery has closed the operation.
func closeAuthenticatorCall(tx Tx, op *payment.Operation) error {
	fresh, err := tx.Operation(op.ID)
	if err != nil {
		return err
	}
	if !fresh.Status.Open() {
		return nil
	}
	return tx.UpdateOperation(op)
}

// authenticationEnded logs and counts the end of an authentication.
func (s *Changes) authenticationEnded(ctx context.Context, a *authentication.Record) {
	d := &a.Details
	s.Log.LogAttrs(ctx, slog.LevelInfo, "authentication ended", slog.String("authentication_id", a.ID), slog.String("payment_id", a.PaymentID),
		slog.String("authenticator", a.Connector), slog.String("outcome", string(a.Outcome)), slog.String("trans_status", d.TransStatus),
		slog.String("reason", d.TransStatusReason), slog.String("error_code", d.ErrorCode), slog.String("vendor_code", d.VendorCode))
	s.Metrics.AuthenticationDone(a.Connector, string(d.Network), string(a.Outcome), string(d.Flow()), a.ModifiedAt.Sub(a.CreatedAt))
}

// dropCardToken deletes the card that was kept for a payment. The token "" deletes nothing. A missing row is no error: the sweeper deletes
// rows after CardTokenTime, and a saved method's token has no row.
func dropCardToken(tx Tx, merchantID, token string) error {
	if token == "" {
		return nil
	}
	if err := tx.DeleteCardToken(merchantID, token); !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	return nil
}

// closeSuperseded ends the pending operation that a change replaces.
func closeSuperseded(tx Tx, c *Change) error {
	op, err := tx.Operation(c.Superseded)
	if err != nil || op.Status != payment.OperationPending {
		return err
	}
	evidence.EndPending(op, c.Payment.ModifiedAt)
	if c.Watch {
		op.ResolveTries = 0
		op.ResolveAt = evidence.RecheckAt(op, c.Attempt)
	}
	return tx.UpdateOperation(op)
}

// ClosePending ends an operation if it is still pending.
func ClosePending(tx Tx, id string, now time.Time) error {
	op, err := tx.Operation(id)
	if err != nil || op.Status != payment.OperationPending {
		return err
	}
	evidence.EndPending(op, now)
	return tx.UpdateOperation(op)
}
