package restore

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/threeds/flow"
)

const (
	// restoreMargin is the time before a copy was taken in which a payment's processor may still have acted later.
	restoreMargin = 24 * time.Hour
	// restorePage is the number of payments that AfterRestore lists at a time.
	restorePage = 500
)

// Copy knows whether the database is a copy, and prepares it. AfterRestore comes before all other calls; then it is safe for concurrent use.
type Copy struct {
	Deps
	restored time.Time // when AfterRestore prepared a copy, later than all of the copy; zero for a database that was never restored
}

// Deps are the parts of a Copy. All are required.
type Deps struct {
	Store   Store
	Changes *change.Changes
	Driver  *drive.Driver
	Now     port.Clock
	Log     *slog.Logger
	Metrics port.Metrics
}

// AfterRestore prepares a database that was restored from a copy. The processors remember what the copy has forgotten:
//
//   - an operation that was open in the copy has an unknown result, whatever the copy says of its sends, and ends by evidence;
//   - a payment that waited for its customer's authentication may have been charged since: the processor is asked by our reference;
//   - payments that hold money, and those that changed within a day before the copy, are asked about once more;
//   - a payment of the copy that is not charged yet can no longer be confirmed, because its charge may be lost.
//
// Call it before the engine gets requests and before Run. It does nothing for a database that was not restored, and goes on after a crash.
func (c *Copy) AfterRestore(ctx context.Context) error {
	var list []port.Restore
	if err := c.Store.View(ctx, func(r Reader) (err error) { list, err = r.Restores(); return err }); err != nil {
		return fmt.Errorf("read when the database was restored: %w", err)
	}
	var taken time.Time
	for _, r := range list {
		if r.StartedAt.IsZero() && (taken.IsZero() || r.TakenAt.Before(taken)) {
			taken = r.TakenAt
		}
		if r.StartedAt.After(c.restored) {
			c.restored = r.StartedAt
		}
	}
	if taken.IsZero() {
		return nil
	}
	opened, err := c.openAfterRestore(ctx)
	if err != nil {
		return fmt.Errorf("prepare the open operations of a restored database: %w", err)
	}
	asked, newest, err := c.askAfterRestore(ctx, taken.Add(-restoreMargin))
	if err != nil {
		return fmt.Errorf("prepare the payments of a restored database: %w", err)
	}
	err = c.Store.Update(ctx, func(tx Tx) error {
		c.restored = tx.Now()
		if !newest.Before(c.restored) { // the copy is from a machine whose clock was ahead of this one
			c.restored = newest.Add(time.Millisecond)
		}
		return tx.StartRestores(c.restored)
	})
	if err != nil {
		return fmt.Errorf("note that the restored database is prepared: %w", err)
	}
	c.Log.LogAttrs(ctx, slog.LevelWarn, "the database was restored from a copy; the processors are asked about all that the copy cannot know",
		slog.Time("taken_at", taken), slog.Int("open_operations", opened), slog.Int("payments", asked))
	return nil
}

// openAfterRestore makes the results of all open operations unknown.
func (c *Copy) openAfterRestore(ctx context.Context) (n int, err error) {
	err = c.Store.Update(ctx, func(tx Tx) error {
		n = 0
		ops, err := tx.OperationsWithStatus(nil, []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending}, math.MaxInt32)
		if _, err = account.LeftOut(nil, err); err != nil { // altered rows stay as they are
			return err
		}
		for _, op := range ops {
			if !op.AfterRestore(tx.Now()) {
				continue
			}
			if err := tx.UpdateOperation(op); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// mayHaveMovedOn are the statuses of payments of any age that the processor may have taken further since the copy was made.
var mayHaveMovedOn = []payment.Status{payment.RequiresCapture, payment.PartiallyCapturedAndCapturable, payment.Processing, payment.RequiresCustomerAction}

// askAfterRestore makes background work ask the processors about the payments that may have moved on since the copy. newest is the time of the latest change
// of a payment.
func (c *Copy) askAfterRestore(ctx context.Context, since time.Time) (n int, newest time.Time, err error) {
	for after := int64(0); ; {
		var rows []port.PaymentRow
		err := c.Store.View(ctx, func(r Reader) (err error) {
			rows, err = r.PaymentsSince(since, mayHaveMovedOn, after, restorePage)
			return err
		})
		if err != nil || len(rows) == 0 {
			return n, newest, err
		}
		for _, row := range rows {
			if row.ModifiedAt.After(newest) {
				newest = row.ModifiedAt
			}
			asked, err := c.askAboutRestored(ctx, row.MerchantID, row.ID)
			if err != nil {
				c.Log.LogAttrs(ctx, slog.LevelError, "a payment of the restored database cannot be asked about: compare it with the processor",
					slog.String("payment_id", row.ID), slog.Any("error", err))
			} else if asked {
				n++
			}
		}
		after = rows[len(rows)-1].Row
	}
}

// askAboutRestored makes background work ask about one payment of the copy. asked is false if there is nothing to ask.
func (c *Copy) askAboutRestored(ctx context.Context, merchantID, id string) (asked bool, err error) {
	w, err := c.Changes.Load(ctx, merchantID, id)
	if err != nil || w.Attempt.AccountID == "" {
		return false, err
	}
	ops, err := c.Changes.OperationsOf(ctx, w.Payment)
	if err != nil || w.Attempt.OpenOperation(ops) != nil || w.Attempt.PendingOperation(ops) != nil {
		return false, err // an open operation is due already
	}
	if w.Attempt.Status.AwaitsEnd() {
		return true, c.askByReference(ctx, w)
	}
	for _, op := range slices.Backward(ops) {
		if op.AttemptID != w.Attempt.ID || op.OutsidePayment() || flow.AsksAuthenticator(op.Kind) {
			continue
		}
		err := c.Store.Update(ctx, func(tx Tx) error {
			fresh, err := tx.Operation(op.ID)
			if asked = err == nil && fresh.QueryNow(tx.Now()); !asked {
				return err
			}
			return tx.UpdateOperation(fresh)
		})
		return asked, err
	}
	return false, nil
}

// askByReference gives a payment that waited for its customer's authentication an authorization of an unknown result. Nothing is sent: the
// processor is asked by our reference, which the lost authorization had too.
func (c *Copy) askByReference(ctx context.Context, w *change.Loaded) error {
	if err := c.Changes.WithAccount(ctx, w); err != nil {
		return err
	}
	now := c.Now().UTC().Truncate(time.Millisecond)
	op := c.Driver.NewOperation(&w.Run, change.AuthorizeKind(w), w.Attempt.Amount, now)
	w.Operation, w.Request = op, c.Driver.LaterRequest(&w.Run, w.Attempt.Amount)
	op.StartedAt = w.Attempt.CreatedAt
	op.AfterRestore(now)
	if s := w.Attempt.Status; s == payment.AuthenticationPending || s == payment.DeviceDataPending {
		if err := payment.Move(w.Payment, w.Attempt, payment.TriggerResume, now); err != nil {
			return err
		}
	}
	w.Payment.OpenOperation, w.Attempt.Private.Invoke = op.ID, nil
	next := &change.Change{Payment: w.Payment, Attempt: w.Attempt}
	next.Intend(op, w.Account)
	if err := c.Driver.SealRun(&w.Run); err != nil {
		return err
	}
	return c.Changes.Commit(ctx, next)
}

// Holds reports whether something from this time is in the copy that the database was restored from.
func (c *Copy) Holds(at time.Time) bool { return at.Before(c.restored) }

// PaymentTime returns when a payment that is made at now counts as created: later than all of the copy. Holds could not keep the two apart otherwise, where
// the clock is behind that of the copy's machine.
func (c *Copy) PaymentTime(now time.Time) time.Time {
	if c.Holds(now) {
		return c.restored
	}
	return now
}

// RefuseUncharged refuses to charge a payment that was made before a restore and not charged in the copy.
func (c *Copy) RefuseUncharged(p *payment.Payment) error {
	if !c.Holds(p.CreatedAt) {
		return nil
	}
	err := fault.Refused("You cannot confirm this payment because the switch was restored from a back-up after the payment was made").WithParam("status")
	err.Hint = "The payment may have been charged already. Look for it at the processor; create a new payment if it is not there."
	return err
}
