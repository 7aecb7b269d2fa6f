package change

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/disputed"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Change is everything that one decision changes about a payment. A decision function fills a Change, and Commit makes it durable in one
// transaction. Commit inserts rows with Version 0 and writes other rows by compare-and-set on their Version. A nil field changes nothing.
type Change struct {
	Payment *payment.Payment
	// Attempt is the payment's latest attempt, or the earlier attempt that a late answer is about.
	Attempt *payment.Attempt
	// NextAttempt is the attempt that follows Attempt within the same decision: the step-up after a soft decline, or an earlier attempt that is the payment's
	// again because its money was taken.
	NextAttempt    *payment.Attempt
	Authentication *authentication.Record
	// Refund is a refund of the payment. Payment is nil where its amounts stay as they are.
	Refund *payment.Refund
	// Dispute is a dispute of the payment, whose claim is a part of Payment.
	Dispute *disputed.Record

	// Link is the hosted page of a payment that is being created.
	Link *paylink.Link
	// Turn is the connector account at which the change performs its intents at once; nil for none. Commit takes a turn there before it
	// writes anything.
	Turn *account.Account
	// Intents are operations to perform. Each is durable before anything leaves for a processor or an authenticator.
	Intents []*payment.Operation
	// At are the processors' accounts at which the intents are performed, and those of attempts that the change makes. Commit keeps their versions.
	At []*account.Account
	// Settled is the operation that the decision ends. The store locks and writes the whole row.
	Settled *payment.Operation
	// Lease is the deciding run's lease of Settled (drive.Run.Lease), zero without one. A process has one run of an operation (drive.Driver.Hold).
	Lease time.Time
	// AskedAt is the start of the look-up that Settled's end follows from, if that end says that the operation did not happen; else zero.
	AskedAt time.Time
	// Silent is true if the run that ends Settled brings no answer about it (evidence.Verdict.Silent).
	Silent bool
	// Relays is the state of the relays of the payment's transaction that the decision knows; nil if the decision does not depend on them. If it is another
	// at the commit, Commit writes nothing and returns ErrConflict.
	Relays *Relays
	// Superseded is the id of a pending operation that this change ends because the payment moves on without it; "" for none.
	Superseded string
	// Confirmed is the proposal whose word ends Settled, nil for none. Commit deletes it, and refuses the change if it is gone.
	Confirmed *payment.Proposal
	// Watch asks the processor about Superseded again on the schedule of payment.RecheckAt.
	Watch bool
	// Asked are ended operations at authenticators. A row that recovery has closed meanwhile stays as it is.
	Asked []*payment.Operation

	// customerOf is the loaded payment whose customer Commit keeps (KeepCustomer), nil for none. customer is the record that the transaction has read or made.
	customerOf *Loaded
	customer   *account.Customer
	// Instrument claims the saved method and the mandate that the payment charges.
	Instrument *method.Instrument
	// KeepCard keeps a typed card until the payment is confirmed. DropCard is the token of a kept card to delete; "" for none.
	KeepCard *payment.CardToken
	DropCard string
	// CardInfo is the card of a confirmed payment, encrypted for the merchant's key; nil for none.
	CardInfo *payment.CardToken
	// Saved holds the changes of the customer's saved methods and mandates.
	Saved *method.SavedChange

	// Claims are ids of the processor's that the change rests on. If one has another owner, Commit writes nothing and returns ErrOtherID.
	Claims []evidence.Claim

	// Exemption counts a settled claim of an exemption. Strong is the fingerprint of a card whose payer has passed a challenge: its count of
	// low-value payments starts again.
	Exemption *exemptionCount
	// Holds are the places that a payment takes at the counters of its profile's guard. Without one, Commit writes nothing and returns ErrHeld. Guard
	// gives places back, and counts a failure.
	Holds  []Hold
	Guard  *guardCount
	Strong string
	// CardHold is the place of a repeat at its card, nil for none: without a place, Commit writes nothing and returns ErrHeld. Decline counts a decline
	// of the card, and gives the place back.
	CardHold *CardHold
	Decline  *declineCount

	// Journal holds recordings of drives. Forget is an operation whose exchanges Commit deletes, because the journal has them; "" for none.
	Journal []*drive.JournalRecord
	Forget  string
	// Event announces the payment's new status to the merchant.
	Event *payment.Event

	// Alarms count events that a person must look at. Ended is true if Authentication has ended. Commit counts both after the transaction.
	Alarms []alarm.Kind
	Ended  bool
	// kept are the versions of accounts that the transaction has found or stored.
	kept []account.KeptVersion
	// Effects run in order after the commit. A crash before an effect loses nothing: each effect performs an intent or a due row that recovery
	// finds. The first error stops them and is the caller's answer.
	Effects []func(ctx context.Context) error
}

// Relays is a state of the relays of a transaction. Each write of one of them raises Writes.
type Relays struct {
	AccountID     string
	TransactionID string
	Writes        int64
}

// NotSaved is a failure to write Change.Saved. The payment comes first: the caller may commit again without Saved.
type NotSaved struct{ error }

func (n NotSaved) Unwrap() error { return n.error }

// Commit seals and writes a change in one transaction, then counts it and runs its effects. ErrConflict says that another writer was faster:
// the caller reads again and decides anew. Without a turn at Change.Turn the error is fault.Busy, and nothing is written. Only commit writes
// payments.
func (s *Changes) Commit(ctx context.Context, c *Change) error {
	if c.Turn != nil && !fault.Planted("record without a turn") {
		turn, end, err := s.Connectors.Turn(ctx, c.Turn.ID)
		switch {
		case errors.Is(err, fault.ErrBusy):
			return fault.Busy(c.Turn.Connector)
		case err != nil:
			return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for its turn; nothing was done", Err: err}
		}
		defer end()
		ctx = turn
	}
	if err := s.sealChange(c); err != nil {
		return err
	}
	guarded, err := s.beginGuarded(c)
	if err != nil {
		return err
	}
	for _, op := range c.Intents { // from before it is durable until its effect has ended, background work of this process leaves it alone
		end, _ := s.Driver.Hold(op.ID)
		defer end()
	}
	var written Change
	err = s.Store.Update(ctx, func(tx Tx) error {
		written = c.copyRows() // an undone transaction must not raise the versions of c
		return s.writeChange(tx, &written)
	})
	guarded(err)
	if err != nil {
		return err
	}
	s.endGuarded(c.Guard)
	c.takeVersions(&written)
	if w := c.customerOf; w != nil {
		w.Customer = written.customer
		s.customers.add(w.Payment.MerchantID, w.Payment.CustomerID)
		s.openCustomer(ctx, w)
	}
	for _, v := range written.kept {
		s.Registry.VersionKept(v)
	}
	s.countChange(ctx, c)
	for _, follow := range c.Effects {
		if err := follow(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sealChange encrypts the private parts of the rows.
func (s *Changes) sealChange(c *Change) error {
	var errs []error
	if p := c.Payment; p != nil && p.Private != nil {
		errs = append(errs, s.Vault.SealPayment(p))
	}
	for _, a := range []*payment.Attempt{c.Attempt, c.NextAttempt} {
		if a != nil && a.Private != nil {
			errs = append(errs, s.Vault.SealAttempt(a))
		}
	}
	if a := c.Authentication; a != nil {
		errs = append(errs, s.Vault.SealAuthentication(a))
	}
	return errors.Join(errs...)
}

// copyRows copies the rows that the store gives new versions.
func (c *Change) copyRows() Change {
	n := *c
	if c.Payment != nil {
		n.Payment = c.Payment.Clone()
	}
	if c.Attempt != nil {
		n.Attempt = c.Attempt.Clone()
	}
	if c.NextAttempt != nil {
		n.NextAttempt = c.NextAttempt.Clone()
	}
	if c.Authentication != nil {
		a := *c.Authentication
		n.Authentication = &a
	}
	if c.Refund != nil {
		n.Refund = c.Refund.Clone()
	}
	if c.Dispute != nil {
		n.Dispute = c.Dispute.Clone()
	}
	return n
}

func (c *Change) takeVersions(written *Change) {
	if c.Payment != nil {
		c.Payment.Version = written.Payment.Version
	}
	if c.Attempt != nil {
		c.Attempt.Version = written.Attempt.Version
	}
	if c.NextAttempt != nil {
		c.NextAttempt.Version = written.NextAttempt.Version
	}
	if c.Authentication != nil {
		c.Authentication.Version = written.Authentication.Version
	}
	if c.Refund != nil {
		c.Refund.Version = written.Refund.Version
	}
	if c.Dispute != nil {
		c.Dispute.Version = written.Dispute.Version
	}
}

// writeChange writes every row of a change. The payment comes first, because its version decides between two writers.
func (s *Changes) writeChange(tx Tx, c *Change) error {
	if err := writePayment(tx, c); err != nil {
		return err
	}
	if c.customerOf != nil {
		if err := s.keepCustomer(tx, c); err != nil {
			return err
		}
	}
	if c.Link != nil {
		if err := tx.InsertLink(c.Link); err != nil {
			return err
		}
	}
	if err := writeCard(tx, c); err != nil {
		return err
	}
	if err := s.writeOperations(tx, c); err != nil {
		return err
	}
	if err := writeAuthentication(tx, c.Authentication); err != nil {
		return err
	}
	if err := writeRefund(tx, c.Refund); err != nil {
		return err
	}
	if err := writeDispute(tx, c.Dispute); err != nil {
		return err
	}
	if c.Event != nil {
		if err := tx.InsertEvent(c.Event); err != nil {
			return err
		}
	}
	for _, r := range c.Journal {
		if err := tx.InsertJournal(r); err != nil {
			return err
		}
	}
	if c.Forget != "" {
		if err := tx.DeleteExchanges(c.Forget); err != nil {
			return err
		}
	}
	if c.Strong != "" {
		if err := tx.ResetLowValue(c.Payment.MerchantID, c.Strong); err != nil {
			return err
		}
	}
	if err := c.Exemption.write(tx); err != nil {
		return err
	}
	if err := errors.Join(c.takeHolds(tx), c.Guard.write(tx), c.Decline.write(tx)); err != nil {
		return err
	}
	if err := c.CardHold.take(tx, c.merchantID()); err != nil {
		return err
	}
	if err := c.Saved.Apply(tx); err != nil {
		return NotSaved{err}
	}
	if s.Mocks {
		return nil
	}
	for _, claim := range c.Claims { // last: a transaction that waits for another's claim must hold nothing that the other still needs
		if own, err := tx.ClaimID(claim); err != nil {
			return err
		} else if !own {
			return ErrOtherID
		}
	}
	return nil
}

// ErrOtherID says that a change rests on a processor's id that belongs to another payment, capture or refund.
var ErrOtherID = errors.New("the processor's id belongs to another payment, capture or refund")

func writePayment(tx Tx, c *Change) error {
	if p := c.Payment; p != nil {
		write := tx.UpdatePayment
		if p.Version == 0 {
			write = tx.InsertPayment
		}
		if err := write(p); err != nil {
			return err
		}
	}
	for _, a := range []*payment.Attempt{c.Attempt, c.NextAttempt} {
		if a == nil {
			continue
		}
		write := tx.UpdateAttempt
		if a.Version == 0 {
			write = tx.InsertAttempt
		}
		if err := write(a); err != nil {
			return err
		}
	}
	return nil
}

// writeCard keeps or deletes the card of an unconfirmed payment. It keeps the merchant's view of a confirmed one, and claims the instrument that a confirm charges.
func writeCard(tx Tx, c *Change) error {
	if err := dropCardToken(tx, c.merchantID(), c.DropCard); err != nil {
		return err
	}
	for _, kept := range []*payment.CardToken{c.KeepCard, c.CardInfo} {
		if kept == nil {
			continue
		}
		if err := tx.PutCardToken(kept); err != nil {
			return err
		}
	}
	if c.Instrument == nil {
		return nil
	}
	return c.Instrument.Claim(tx, c.Payment, c.Payment.ModifiedAt)
}

func (s *Changes) writeOperations(tx Tx, c *Change) error {
	if c.Settled != nil {
		if err := s.settleOperation(tx, c); err != nil {
			return err
		}
	}
	if err := c.checkRelays(tx); err != nil {
		return err
	}
	if p := c.Confirmed; p != nil {
		err := tx.DeleteProposal(p.OperationID, p.ID)
		if errors.Is(err, fault.ErrNotFound) {
			return fault.Refused("The proposal was withdrawn meanwhile: nothing was decided").WithParam("proposal_id").WithHint("Look at the operation again.")
		}
		if err != nil {
			return err
		}
	}
	if c.Superseded != "" {
		if err := closeSuperseded(tx, c); err != nil {
			return err
		}
	}
	for _, op := range c.Asked {
		if err := closeAuthenticatorCall(tx, op); err != nil {
			return err
		}
	}
	for i, a := range c.At {
		if slices.Contains(c.At[:i], a) {
			continue
		}
		kept, err := s.Registry.KeepVersion(tx, a, tx.Now())
		if err != nil {
			return err
		}
		c.kept = append(c.kept, kept)
	}
	for _, op := range c.Intents {
		if !c.isAt(op) {
			return fmt.Errorf("the change has an intent at connector account %s, and Change.At lacks that account", op.AccountID)
		}
		if !op.LeaseUntil.IsZero() { // by the database's clock, also after a wait for a turn and after a jump of the clock
			op.LeaseUntil = tx.Now().Add(s.Driver.LeaseTime).Truncate(time.Millisecond)
			if !s.Driver.ClockHolds(tx.Now()) {
				op.StartedAt = tx.Now()
			}
		}
		s.Driver.KeepDue(op, tx.Now())
		if err := tx.InsertOperation(op); err != nil {
			return err
		}
	}
	return nil
}

// Settle makes the change end the operation of w, as op has it, with the verdict that the end follows from. The change takes over the lease and the journal
// of the run.
func (c *Change) Settle(w *Loaded, op *payment.Operation, v evidence.Verdict) {
	c.Settled, c.Lease, c.Journal, c.Silent = op, w.Lease, w.Journal, v.Silent()
	if v.Status != payment.OperationSucceeded {
		c.AskedAt = v.AskedAt
	}
	if !op.Status.Open() && (w.Journalled > 0 || !w.Fresh) {
		c.Forget = op.ID
	}
}

// Intend adds the intent of an operation at an account.
func (c *Change) Intend(op *payment.Operation, at *account.Account) {
	c.Intents, c.At = append(c.Intents, op), append(c.At, at)
}

// StartRun makes the change c perform the operation of w at once: Commit makes the intent durable, and then Perform sends and settles it. Commit takes a turn
// at the account first.
func (s *Changes) StartRun(c *Change, w *Loaded) (*Change, error) {
	c.Turn = w.Account
	c.Intend(w.Operation, w.Account)
	c.Effects = append(c.Effects, func(ctx context.Context) error { return s.Perform(ctx, w) })
	return c, s.Driver.SealRun(&w.Run)
}

// AddVoid adds the void of funds that the processor holds to the change c that books why, so a crash between the two loses nothing. c has the payment and
// the attempt of w, as booked. After the commit, Perform performs the void, and w has the result. what names the void in the log. AddVoid returns the id of
// the void's operation.
func (s *Changes) AddVoid(c *Change, w *Loaded, amount int64, what string, now time.Time) (id string, err error) {
	next := &Loaded{Run: drive.Run{Payment: c.Payment, Attempt: c.Attempt, Account: w.Account, Adapter: w.Adapter}, Merchant: w.Merchant, Profile: w.Profile, Customer: w.Customer}
	s.Driver.Begin(&next.Run, sdk.OpVoid, amount, now)
	c.Intend(next.Operation, w.Account)
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		s.LogPostponed(ctx, what, next.Payment.ID, s.Perform(ctx, next))
		w.Payment, w.Attempt = next.Payment, next.Attempt
		return nil
	})
	return next.Operation.ID, s.Driver.SealRun(&next.Run)
}

// isAt reports whether the version of the account that an intent names is in c.At. Calls of authenticators name none: no money depends on them.
func (c *Change) isAt(op *payment.Operation) bool {
	return op.AccountVersion == "" || slices.ContainsFunc(c.At, func(a *account.Account) bool { return a.ID == op.AccountID && a.Fingerprint == op.AccountVersion })
}

// Reasons why a decision must not end an operation.
var (
	ErrLeased = evidence.ErrLeased
	ErrStale  = evidence.ErrStale
)

// UnlessLeased returns nil if err says that another run holds the operation, or may have sent it since the answer: that run books what happened.
func UnlessLeased(err error) error {
	if errors.Is(err, ErrLeased) || errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// settleOperation ends an operation, if payment.MaySettle allows it for the row as it is. The run that still holds the lease of an open operation
// always may, unless a look-up decides: one statement compares and writes.
func (s *Changes) settleOperation(tx Tx, c *Change) error {
	s.Driver.KeepDue(c.Settled, tx.Now())
	if !c.Lease.IsZero() && c.AskedAt.IsZero() {
		if held, err := tx.UpdateHeldOperation(c.Settled, s.Driver.Node, c.Lease); held || err != nil {
			return err
		}
	}
	fresh, err := tx.Operation(c.Settled.ID)
	if err != nil {
		return err
	}
	by := evidence.Settler{Node: s.Driver.Node, Lease: c.Lease, AskedAt: c.AskedAt, Silent: c.Silent}
	if err := s.Driver.Timing().MaySettle(fresh, by, tx.Now()); err != nil {
		return err
	}
	return tx.UpdateOperation(c.Settled)
}

// checkRelays returns ErrConflict if a relay has begun or ended since the decision. The transaction has locked the settled operation: a relay that ends later finds
// the operation ended, and asks the processor itself. It has also written the payment: a relay that refunds and begins later counts what the change gives back.
func (c *Change) checkRelays(tx Tx) error {
	if c.Relays == nil {
		return nil
	}
	n, err := tx.RelayWrites(c.merchantID(), c.Relays.AccountID, c.Relays.TransactionID)
	if err == nil && n != c.Relays.Writes {
		err = fault.ErrConflict
	}
	return err
}

func writeAuthentication(tx Tx, a *authentication.Record) error {
	switch {
	case a == nil:
		return nil
	case a.Version == 0:
		return tx.InsertAuthentication(a)
	}
	return tx.UpdateAuthentication(a)
}

func writeRefund(tx Tx, r *payment.Refund) error {
	switch {
	case r == nil:
		return nil
	case r.Version == 0:
		return tx.InsertRefund(r)
	}
	return tx.UpdateRefund(r)
}

func writeDispute(tx Tx, d *disputed.Record) error {
	switch {
	case d == nil:
		return nil
	case d.Version == 0:
		return tx.InsertDispute(d)
	}
	return tx.UpdateDispute(d)
}

func (c *Change) merchantID() string {
	if c.Payment == nil {
		return ""
	}
	return c.Payment.MerchantID
}

// countChange counts and logs a committed change.
func (s *Changes) countChange(ctx context.Context, c *Change) {
	for _, kind := range c.Alarms {
		s.Metrics.Alarm(kind)
		if a := c.Authentication; a != nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "a person must look at an authentication", slog.String("authentication_id", a.ID), slog.String("payment_id", a.PaymentID),
				slog.String("alarm", string(kind)))
		}
	}
	if c.Event != nil {
		s.News()
	}
	s.settledExemption(ctx, c.Exemption)
	if c.Event != nil && c.Refund != nil {
		s.Metrics.RefundMoved(c.Refund.Status, c.Refund.Connector)
	} else if c.Event != nil && c.Dispute == nil {
		s.Metrics.PaymentMoved(c.Payment.Status, c.Attempt.Connector)
	}
	if c.Ended {
		s.authenticationEnded(ctx, c.Authentication)
	}
}

// Decide runs a decision about a payment and commits its Change: one operation at a time on each payment. Decide waits up to Options.LockWait
// for an operation that is under way, but not for an operation whose result is unknown: that payment shows as processing. After a conflict
// with another writer Decide calls decide again on fresh rows. decide may change the rows of w; a nil Change changes nothing. The result
// is the payment after the effects.
func (s *Changes) Decide(ctx context.Context, auth account.Auth, id string, decide func(w *Loaded) (*Change, error)) (*View, error) {
	deadline := s.Driver.Now().Add(s.LockWait)
	pause := 5 * time.Millisecond
	for {
		w, err := s.Load(ctx, auth.MerchantID, id)
		if err != nil {
			return nil, err
		}
		if auth.ProfileID != "" && auth.ProfileID != w.Payment.ProfileID {
			return nil, fault.NotFound("Payment")
		}
		if !w.busy {
			w.Token = auth.RequestToken
			decided, err := s.changeLoaded(ctx, auth, w, decide)
			if err == nil {
				s.LoadCustomer(ctx, w)
				return s.View(w), nil
			}
			if !errors.Is(err, fault.ErrConflict) && (decided || !s.overtaken(ctx, w)) {
				return nil, err
			}
		}
		if s.Driver.Now().After(deadline) {
			return nil, &fault.Error{Kind: fault.KindUnprocessable, Code: "HE_00", Message: "Resource is busy: another operation on this payment has not ended yet, try again"}
		}
		select {
		case <-ctx.Done():
			return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for another operation on this payment", Err: ctx.Err()}
		case <-time.After(pause):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// changeLoaded is one try of Decide. decided is false if decide refused: then nothing was written.
func (s *Changes) changeLoaded(ctx context.Context, auth account.Auth, w *Loaded, decide func(w *Loaded) (*Change, error)) (decided bool, err error) {
	if w.Token != "" { // also for a first try: a repeat may have taken its work over, at another node or after a jump of the clock
		if done, err := s.didAlready(ctx, w); err != nil || done {
			return true, err
		}
	}
	c, err := decide(w)
	if c == nil || err != nil {
		return false, err
	}
	return true, s.Commit(ctx, c)
}

// overtaken reports whether the payment has changed since w was read: a refusal that follows from rows of two moments does not count.
func (s *Changes) overtaken(ctx context.Context, w *Loaded) bool {
	var p *payment.Payment
	err := s.Store.View(ctx, func(r Reader) (err error) { p, err = r.Payment(w.Payment.MerchantID, w.Payment.ID); return err })
	return err == nil && p.Version != w.Payment.Version
}

// Announce adds the merchant's event of the payment's new status to a change, and returns the change.
func (s *Changes) Announce(ctx context.Context, w *Loaded, c *Change, now time.Time) (_ *Change, err error) {
	a := c.Attempt
	if n := c.NextAttempt; n != nil && n.ID == c.Payment.AttemptID {
		a = n
	}
	c.Event, err = s.eventOf(ctx, w, c.Payment, a, now)
	return c, err
}

// LogPostponed logs an effect that failed. Background work repeats that effect.
func (s *Changes) LogPostponed(ctx context.Context, what, paymentID string, err error) {
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, what+" is left to background work", slog.String("payment_id", paymentID), slog.Any("error", err))
	}
}

// LogResolved logs that evidence has ended an operation. The payment may be cancelled although the operation has succeeded, so the line names both statuses.
func (s *Changes) LogResolved(ctx context.Context, w *Loaded, v evidence.Verdict, by evidence.Way) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", w.Operation.ID), slog.String("payment_id", w.Operation.PaymentID),
		slog.String("kind", string(w.Operation.Kind)), slog.String("by", string(by)), slog.String("status", string(v.Status)), slog.String("payment_status", string(w.Payment.Status)))
}
