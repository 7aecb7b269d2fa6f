package relay

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Deps are what Relays works with.
type Deps struct {
	Store      Store
	Vault      *vault.Vault
	Registry   *account.Registry
	Connectors port.Connectors
	Driver     *drive.Driver
	Now        port.Clock // the database's (drive.Driver.StoreNow), because a relay's times say when it was sent
	Log        *slog.Logger
	Metrics    port.Metrics
	BINTable   *card.BINTable
	Wake       func() // starts the loop that asks about what is due
}

// Relays are the use cases of relays. It is safe for concurrent use.
type Relays struct {
	Deps
	swept map[string]*asked // the questions of Sweep about relays, by Relay.key; Sweep alone uses it
}

// CreateRelay performs one operation on a processor's own reference. A refusal of the processor is no error: the relay has the status failure. A relay
// whose result is not known is pending. Errors: IR_06 for data of another type, HE_02 without such an account or profile; IR_16 for amounts that cannot
// be, IR_00 if the connector has no such operation.
func (s *Relays) CreateRelay(ctx context.Context, a account.Auth, in Input) (*Relay, error) {
	if !in.Data.isFor(in.Type) {
		return nil, fault.Unprocessable("data", "Relay data is required for relay type "+string(in.Type)).WithHint("Send the object data." + string(in.Type) + ".")
	}
	profile, err := s.profile(ctx, a)
	if err != nil {
		return nil, err
	}
	if a.RequestToken != "" { // an earlier try may have sent it
		r, err := s.read(ctx, a.MerchantID, s.newID(a))
		if !fault.IsNotFound(err) {
			if err != nil || r.Status != Pending {
				return r, err
			}
			return r, s.again(context.WithoutCancel(ctx), a, r, in.Data.Card)
		}
	}
	w := drive.Run{Token: a.RequestToken, Unstored: true, Fresh: true}
	if err := s.account(ctx, a, in.AccountID, &w); err != nil {
		return nil, err
	}
	if in.Type == UnreferencedRefund && !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpUnreferencedRefund) {
		return nil, noUnreferenced(w.Account.Connector)
	}
	if err := in.Data.check(); err != nil {
		return nil, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, in.Type.operation()) {
		e := fault.NotImplemented(string(in.Type) + " at " + w.Account.Connector)
		e.Connector = w.Account.Connector
		return nil, e
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	r := &Relay{MerchantID: a.MerchantID, ID: s.newID(a), ProfileID: profile, AccountID: w.Account.ID, Connector: w.Account.Connector, Type: in.Type,
		Status: Pending, ResourceID: in.ResourceID, CreatedAt: now, ModifiedAt: now, Details: Details{Data: in.Data.Data, AccountVersion: w.Account.Fingerprint, Unanswered: true}}
	r.Details.Reference = drive.ForRelay.Reference(w.Adapter.Manifest.Reference, r.MerchantID, r.ID, now.UnixMilli())
	c, err := s.recipient(r, in.Data.Card, now)
	if err != nil {
		return nil, err
	}
	r.describe(&w)
	amount, _, _ := in.Data.amounts()
	s.Driver.Begin(&w, in.Type.operation(), amount, now)
	w.Operation.StartedAt = now // as begin has it when it is sent again
	r.Details.OperationID = w.Operation.ID
	r.complete(&w)
	give(&w, c)
	r.Details.AdapterHash, r.Details.Request = w.Adapter.Hash, hashOf(&w.Request)
	w.KeepSend = s.keepSend(r)
	return s.perform(ctx, r, &w)
}

// noUnreferenced refuses an unreferenced refund at a connector that does not offer it.
func noUnreferenced(connector string) error {
	return fault.Unprocessable("connector_id", "Connector "+connector+" does not support unreferenced refund").WithHint("Refund the transaction that took the money: send type refund.")
}

// recipient reads the card of an unreferenced refund, and adds what may be kept of the card to r. It returns nil for another type.
func (s *Relays) recipient(r *Relay, in *card.Input, now time.Time) (*card.Card, error) {
	d := r.Details.Data.Unreferenced
	if d == nil {
		return nil, nil
	}
	c, err := s.BINTable.ReadWithoutCVC(in, now)
	if err != nil {
		return nil, err
	}
	kept := *d
	kept.BIN, kept.LastFour, kept.ExpMonth, kept.ExpYear = c.Facts.BIN, c.Facts.LastFour, c.Facts.ExpMonth, c.Facts.ExpYear
	kept.CardHash = hex.EncodeToString(s.Vault.Hash("relay card", []byte(r.MerchantID+"/"+c.Secrets.Number.Reveal())))
	r.Details.Data.Unreferenced = &kept
	return c, nil
}

// give adds the card of an unreferenced refund to the adapter's request. A nil card adds nothing.
func give(w *drive.Run, c *card.Card) {
	if c == nil {
		return
	}
	w.Secrets = c.Secrets
	w.Request.Instrument = &sdk.Instrument{Card: c.ForAdapter()}
	w.Attempt.Details.Card = &c.Facts
}

// newID draws the id of a relay. Repetitions of a request with an Idempotency-Key draw the same one, so that none is sent twice.
func (s *Relays) newID(a account.Auth) string {
	if a.RequestToken == "" {
		return ids.New("relay_")
	}
	text := base64.RawURLEncoding.EncodeToString(s.Vault.Hash("relay", []byte(a.MerchantID+"/"+a.RequestToken)))
	return "relay_" + strings.NewReplacer("-", "a", "_", "b").Replace(text)[:20]
}

// profile returns the caller's profile, or the merchant's default profile.
func (s *Relays) profile(ctx context.Context, a account.Auth) (string, error) {
	if a.ProfileID == "" {
		m, err := s.Registry.Dir.Merchant(ctx, a.MerchantID)
		if err != nil {
			return "", err
		}
		return m.DefaultProfile, nil
	}
	p, err := s.Registry.Dir.Profile(ctx, a.MerchantID, a.ProfileID)
	if err != nil {
		return "", err
	}
	return p.ID, nil
}

// account adds the connector account with its adapter to w.
func (s *Relays) account(ctx context.Context, a account.Auth, id string, w *drive.Run) error {
	all, err := s.Registry.Dir.Accounts(ctx, a.MerchantID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(n *account.Account) bool { return n.ID == id })
	if i < 0 {
		none := fault.NotFound("Merchant connector account").WithParam("connector_id")
		none.Reason = id
		return s.Registry.Dir.OrAltered(ctx, a.MerchantID, id, none)
	}
	return s.adapter(all[i], w)
}

func (s *Relays) adapter(n *account.Account, w *drive.Run) error {
	info, ok := s.Connectors.Adapter(n.Connector)
	if !ok {
		return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The connector " + n.Connector + " is not available at the moment", Connector: n.Connector}
	}
	w.Account, w.Adapter = n, info
	return nil
}

// describe gives w what the caller says of the transaction, in the form of a payment. The switch knows nothing else of it, and stores none of it.
func (r *Relay) describe(w *drive.Run) {
	amount, held, currency := r.Details.Data.amounts()
	method := payment.CaptureManual
	if c := r.Details.Data.Capture; c != nil && c.Method != "" {
		method = c.Method
	}
	w.Payment = &payment.Payment{MerchantID: r.MerchantID, ID: r.ID, ProfileID: r.ProfileID, Currency: currency, Amount: held, NetAmount: held, CreatedAt: r.CreatedAt,
		Details: payment.Details{CaptureMethod: method}}
	w.Attempt = &payment.Attempt{MerchantID: r.MerchantID, PaymentID: r.ID, ID: r.ID, Number: 1, Status: payment.Authorized, Amount: held, Authorized: held,
		TransactionID: r.ResourceID, AccountID: r.AccountID, CreatedAt: r.CreatedAt, Private: &payment.AttemptPrivate{},
		Details: payment.AttemptDetails{Reference: r.Details.Reference}}
	switch d := r.Details.Data; {
	case d.Refund != nil:
		w.Attempt.Status, w.Attempt.Captured = payment.Charged, held
		w.Refund = &payment.Refund{MerchantID: r.MerchantID, ID: r.ID, PaymentID: r.ID, Status: payment.RefundPending, Currency: currency, Amount: amount, ProcessorID: r.ReferenceID,
			Reference: r.Details.Reference, Details: payment.RefundDetails{Reason: d.Refund.Reason}}
	case d.Void != nil:
		w.Payment.Details.CancellationReason = d.Void.Reason
	case d.Unreferenced != nil: // the merchant's resource id names nothing at the processor
		u := d.Unreferenced
		w.Attempt.TransactionID, w.Attempt.Details.Card = "", &card.Facts{BIN: u.BIN, LastFour: u.LastFour}
		w.Refund = &payment.Refund{MerchantID: r.MerchantID, ID: r.ID, PaymentID: r.ID, Status: payment.RefundPending, Currency: currency, Amount: amount, ProcessorID: r.ReferenceID,
			Reference: r.Details.Reference}
	}
}

// complete gives a capture its row and its reference, and an unreferenced refund its customer, once w has its operation.
func (r *Relay) complete(w *drive.Run) {
	if u := r.Details.Data.Unreferenced; u != nil && u.CustomerID != "" {
		w.Request.Customer = &sdk.Customer{ID: u.CustomerID}
	}
	if r.Type != Capture {
		return
	}
	w.Attempt.Status = payment.CaptureInitiated
	c := w.Attempt.AddCapture(w.Operation.ID, w.Operation.Amount, r.CreatedAt)
	c.Reference, c.ProcessorID = r.Details.Reference, r.ReferenceID
	w.Request.FinalCapture = w.Payment.Details.CaptureMethod != payment.CaptureManualMultiple
	w.Request.CaptureReference = c.Reference
}

// perform makes the relay durable, sends its operation once, and books the answer. If its node dies in between, the relay stays pending.
func (s *Relays) perform(ctx context.Context, r *Relay, w *drive.Run) (*Relay, error) {
	turn, end, err := s.Connectors.Turn(ctx, w.Account.ID)
	switch {
	case errors.Is(err, fault.ErrBusy):
		return nil, fault.Busy(w.Account.Connector)
	case err != nil:
		return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for its turn; nothing was done", Err: err}
	}
	defer end()
	var own []*payment.Attempt
	if r.Type == Refund {
		if own, err = s.attempts(ctx, r); err != nil {
			return nil, err
		}
	}
	s.ask(turn, r, w)
	err = s.Store.Update(ctx, func(tx Tx) error {
		if !s.Driver.ClockHolds(tx.Now()) {
			r.CreatedAt, r.ModifiedAt, w.Operation.StartedAt = tx.Now(), tx.Now(), tx.Now()
		}
		return begin(tx, r, own, s.inWay)
	})
	if errors.Is(err, fault.ErrConflict) { // an earlier try with the same Idempotency-Key has sent it
		return s.read(ctx, r.MerchantID, r.ID)
	}
	if err != nil {
		return nil, fault.FromStore(err, "store relay") // also a refusal, as it is
	}
	turn = context.WithoutCancel(turn)
	v := s.Driver.Drive(turn, w)
	defer s.Driver.FlushJournal(turn, w)
	if err := s.book(turn, r, v, ""); err != nil {
		return nil, err
	}
	if v.Reject != nil && v.Status == payment.OperationRejected {
		if r.Type == UnreferencedRefund && v.Reject.Code == sdk.RejectUnsupported {
			return nil, noUnreferenced(w.Account.Connector)
		}
		return nil, drive.Rejection(v.Reject, w.Operation.Kind, w.Account.Connector)
	}
	return r, nil
}

// book stores what a verdict says of the relay. A verdict without an answer, or with amounts that do not fit, leaves it pending; why says to the merchant
// what it waits for, "" for the usual reason.
func (s *Relays) book(ctx context.Context, r *Relay, v evidence.Verdict, why string) error {
	if v.Alarm != "" {
		s.Metrics.Alarm(v.Alarm)
		s.Log.LogAttrs(ctx, slog.LevelError, "the processor's answer does not fit a relay", slog.String("relay_id", r.ID), slog.String("operation_id", r.Details.OperationID),
			slog.String("alarm", string(v.Alarm)), slog.String("text", v.Text))
	}
	was := *r
	if o := v.Outcome; o != nil {
		r.Details.Unanswered = r.Details.Unanswered && o.Status == sdk.StatusUnknown
		r.name(o)
		if r.Type == Capture && o.Status == sdk.StatusCaptured && o.Amount != nil {
			r.Details.Made = o.Amount.Minor
		}
	}
	r.Status, r.Details.Error = statusOf(v)
	if r.Details.Waits = ""; r.Status == Pending {
		r.Details.Waits = cmp.Or(why, r.noted())
	}
	if r.Status == was.Status && r.ReferenceID == was.ReferenceID && r.Details.Unanswered == was.Details.Unanswered && r.Details.Waits == was.Details.Waits {
		return nil
	}
	if r.Status == Success && (r.Type == Capture || r.Type == Increment || r.Type == Void) {
		if err := s.askOwn(ctx, r); err != nil {
			*r = was
			return err
		}
	}
	r.ModifiedAt = s.Now().UTC().Truncate(time.Millisecond)
	err := s.store(ctx, r, r.ReferenceID != was.ReferenceID)
	if errors.Is(err, errOtherID) {
		*r = was
		return s.book(ctx, r, evidence.OfAnother(v, &payment.Operation{}), "")
	}
	if errors.Is(err, fault.ErrConflict) { // a message or another query has booked its answer
		fresh, err := s.read(ctx, r.MerchantID, r.ID)
		if err != nil {
			return err
		}
		if *r = *fresh; r.Status == Pending && v.Outcome != nil { // the report shows no end yet, and "it did not happen" may be out of date
			return s.book(ctx, r, v, why)
		}
		return nil
	}
	return fault.FromStore(err, "store the result of a relay")
}

// store writes a relay that has moved. With named, the relay has a new id of the processor's and claims it: errOtherID says that another has the id.
func (s *Relays) store(ctx context.Context, r *Relay, named bool) error {
	return s.Store.Update(ctx, func(tx Tx) error {
		if err := tx.UpdateRelay(r); err != nil || !named {
			return err
		}
		own, err := r.claim(tx)
		if err == nil && !own {
			err = errOtherID
		}
		return err
	})
}

var errOtherID = errors.New("the processor's id belongs to another relay, payment or refund")

// name takes over the processor's id of what the operation made. Another id never takes its place: a query would ask about something else.
func (r *Relay) name(o *sdk.Outcome) {
	if r.Type.refunds() {
		optional.SetText(&r.ReferenceID, o.RefundID)
		return
	}
	r.ReferenceID = cmp.Or(o.CaptureID, r.ReferenceID, o.TransactionID)
}

// statusOf returns the relay's status after a verdict.
func statusOf(v evidence.Verdict) (Status, *Error) {
	switch {
	case v.Alarm != "":
		return Pending, nil
	case v.Status == payment.OperationSucceeded:
		return Success, nil
	case v.Status == payment.OperationDeclined:
		e := &Error{Code: "declined", Message: "declined"}
		if d := v.Outcome.Decline; d != nil {
			e.Code, e.Message = cmp.Or(d.Code, e.Code), cmp.Or(d.Message, e.Message)
		}
		return Failure, e
	case v.Status == payment.OperationRejected, v.Status == payment.OperationFailed, v.Status == payment.OperationNotActed:
		return Failure, &Error{Code: payment.CodeNotProcessed, Message: cmp.Or(v.Text, "nothing was sent to the processor")}
	}
	return Pending, nil
}

func (s *Relays) read(ctx context.Context, merchantID, id string) (r *Relay, err error) {
	err = s.Store.View(ctx, func(tx Reader) (err error) { r, err = tx.Relay(merchantID, id); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil, notFound()
	}
	return r, fault.FromStore(err, "read relay")
}

// Relay reads a relay. With forceSync the processor is asked first about a relay that has not ended. Errors: IR_37; HE_02 for an
// unknown profile.
func (s *Relays) Relay(ctx context.Context, a account.Auth, id string, forceSync bool) (*Relay, error) {
	if a.ProfileID != "" {
		if _, err := s.profile(ctx, a); err != nil {
			return nil, err
		}
	}
	r, err := s.read(ctx, a.MerchantID, id)
	if err != nil {
		return nil, err
	}
	if a.ProfileID != "" && a.ProfileID != r.ProfileID {
		return nil, notFound()
	}
	if !forceSync || r.Status != Pending {
		return r, nil
	}
	return r, s.sync(context.WithoutCancel(ctx), r)
}

// begin gives w the operation of a relay that waits.
func (s *Relays) begin(r *Relay, w *drive.Run) {
	r.describe(w)
	amount, _, _ := r.Details.Data.amounts()
	s.Driver.Begin(w, r.Type.operation(), amount, r.CreatedAt)
	w.Operation.ID, w.Operation.StartedAt, w.Operation.Status = r.Details.OperationID, r.CreatedAt, payment.OperationPending
	if r.Details.Unanswered {
		w.Operation.Status, w.Operation.LastSendAt = payment.OperationUnknown, r.Details.SentUntil
	}
	r.complete(w)
}

// sync asks the processor about a relay that waits. A report that names the relay's refund or capture decides by itself; one on the transaction is compared
// with what others have done.
func (s *Relays) sync(ctx context.Context, r *Relay) error {
	w := &drive.Run{Unstored: true}
	n, err := s.Registry.Serving(ctx, r.MerchantID, r.AccountID, r.Details.AccountVersion)
	if err != nil || s.adapter(n, w) != nil {
		return nil // without its account or adapter the relay is shown as stored
	}
	kind, m := r.Type.operation(), w.Adapter.Manifest
	if !slices.Contains(m.Operations, evidence.QueryFor(kind)) || r.Type.refunds() && !r.named() && !slices.Contains(m.Resolve.By, sdk.ResolveByReference) {
		return s.book(ctx, r, evidence.Verdict{Status: payment.OperationPending}, "payswitch cannot ask this processor about the operation.")
	}
	s.begin(r, w)
	defer s.Driver.FlushJournal(ctx, w)
	_, _, final, err := s.Driver.AskNow(ctx, w.Operation, m.Resolve)
	if err != nil {
		return err
	}
	o := s.lookUp(ctx, w, kind)
	switch {
	case o == nil:
		return s.book(ctx, r, evidence.Verdict{Status: payment.OperationPending}, "The processor's answer to the query does not show what became of the operation.")
	case r.Type.refunds(), r.Type == Capture && r.named() && o.CaptureID == r.ReferenceID:
		return s.book(ctx, r, read(w, o, final), "")
	}
	var all []*Relay
	if err := s.Store.View(ctx, func(tx Reader) (err error) {
		all, err = tx.RelaysOf(r.MerchantID, r.AccountID, r.ResourceID)
		return err
	}); err != nil {
		return fault.Internal(err, "read relays of a transaction")
	}
	own, err := s.own(ctx, r)
	if err != nil {
		return err
	}
	v, why := r.look(o, r.othersOf(all, own), final)
	return s.book(ctx, r, v, why)
}

// read derives the verdict on a relay from a report that names its refund or capture. The totals of the report say nothing about it: the transaction
// may have other captures. final is true if a report that the processor knows no such refund can be believed.
func read(w *drive.Run, o *sdk.Outcome, final bool) evidence.Verdict {
	if w.Refund != nil {
		return evidence.InterpretRefund(w.Operation, w.Refund, o, final)
	}
	if m := o.Amount; m != nil && m.Currency != "" && m.Currency != w.Payment.Currency {
		return evidence.Verdict{Status: payment.OperationPending, Alarm: alarm.AmountMismatch, Text: "the processor's report has another currency than the capture"}
	}
	own := *o
	own.Totals = nil
	return evidence.InterpretSync(w.Operation, w.Payment, w.Attempt, &own, false)
}
