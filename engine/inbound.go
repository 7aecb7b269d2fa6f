package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/approval"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// WebhookInput is a message that arrived at /webhooks/{merchant}/{account}.
type WebhookInput struct {
	MerchantID string
	// Account is the connector account's id. It may be the connector's name: that is the account of the default profile, or the merchant's only
	// account of that connector.
	Account string
	// Sender is the address that the message came from, or "" if the address is not known.
	Sender string
	// Path is the path of the URL that the sender called, as it was sent. Some signatures cover the URL.
	Path    string
	Message sdk.WebhookMessage
}

// ReceiveRelayWebhook is ReceiveWebhook for a message that arrived at /webhooks/relay/{merchant}/{account}: its events are about relays, and no payment
// changes by it.
func (e *Engine) ReceiveRelayWebhook(ctx context.Context, in WebhookInput) (*sdk.Reply, error) {
	return e.receive(ctx, in, e.Relays.BookEvent, func(context.Context, *account.Account, *port.DriveResult, []sdk.Event) (bool, error) {
		return false, nil
	})
}

// ReceiveWebhook lets the account's adapter read a message of a processor or authenticator, and books its events. An event with an
// outcome is evidence; for any other event the engine asks the sender. Messages may repeat and come in any order: a known fact changes
// nothing, and the engine stores a fact that does not fit and raises an alarm. The reply is for the processor.
//
// Errors: HE_02 for an unknown merchant or account, WE_01 if the adapter finds the message not genuine. After too many such messages, payswitch
// answers further ones unread, with WE_01. WE_02 if the adapter cannot read the message; WE_04 if the payment is unknown and the
// adapter gives no reply for that case; IR_20 if the connector has no webhooks.
func (e *Engine) ReceiveWebhook(ctx context.Context, in WebhookInput) (*sdk.Reply, error) {
	return e.receive(ctx, in, e.bookEvent, e.KeepStrays)
}

// receive reads a message and books each event with book. keep takes the events of a message that book knows nothing of.
func (e *Engine) receive(ctx context.Context, in WebhookInput, book func(context.Context, *account.Account, *port.DriveResult, *sdk.Event) (bool, error),
	keep func(context.Context, *account.Account, *port.DriveResult, []sdk.Event) (bool, error)) (*sdk.Reply, error) {
	account, err := e.webhookAccount(ctx, in.MerchantID, in.Account)
	if err != nil {
		return nil, err
	}
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	r, keepMessage, err := e.driver.ReadWebhook(context.WithoutCancel(ctx), account, drive.ToAccount, in.Sender, in.Path, &in.Message)
	if err != nil {
		return nil, err
	}
	o := r.Outcome
	found, about := len(o.Events) == 0, false
	defer func() {
		if about {
			keepMessage()
		}
	}()
	for i := range o.Events {
		ev := &o.Events[i]
		if ev.AccountID != "" && !e.ownsAccount(account, ev.AccountID) {
			e.log.LogAttrs(ctx, slog.LevelWarn, "webhook event of another account", slog.String("account_id", account.ID))
			found = true // one address may serve several accounts at the processor, so this event is no error
			continue
		}
		known, err := book(context.WithoutCancel(ctx), account, r, ev)
		about = about || known && e.mayKeep(account, r, ev, err)
		if err != nil {
			return nil, err // the processor sends the message again; events that are booked stay booked
		}
		found = found || known
	}
	switch {
	case o.Reply != nil:
		return o.Reply, nil
	case !found:
		if kept, err := keep(context.WithoutCancel(ctx), account, r, o.Events); kept || err != nil {
			return &sdk.Reply{Status: http.StatusOK}, err
		}
		return nil, &fault.Error{Kind: fault.KindNotFound, Code: "WE_04", Message: "Webhook resource not found", Connector: account.Connector,
			Param: "merchant_connector_id", Hint: "Check that the URL names the account that made the payment."}
	}
	return &sdk.Reply{Status: http.StatusOK}, nil
}

// mayKeep reports whether an event makes the journal keep its message, where the message has no proof. err is that of booking the event. Anyone may wake payswitch
// up for an authentication, so that few such messages of an account are kept.
func (e *Engine) mayKeep(account *account.Account, r *port.DriveResult, ev *sdk.Event, err error) bool {
	if limited, ok := errors.AsType[*fault.Error](err); ok && limited.Kind == fault.KindLimited {
		return false
	}
	return ev.Object != sdk.EventAuthentication || e.driver.AllowQuery(r, account.MerchantID, "wake-ups of "+account.ID) == nil
}

// webhookAccount finds the account that a message is for. A disabled account still gets its messages, because it has payments.
func (e *Engine) webhookAccount(ctx context.Context, merchantID, name string) (*account.Account, error) {
	all, err := e.Dir.Accounts(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var found []*account.Account
	for _, a := range all {
		if a.ID == name {
			return a, nil
		}
		if a.Connector == name {
			found = append(found, a)
		}
	}
	if len(found) > 1 { // the account of the default profile
		if found, err = e.OfDefaultProfile(ctx, merchantID, found); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 { // its payments go on
		a, err := e.DeletedAccount(ctx, merchantID, name)
		if err == nil || !errors.Is(err, fault.ErrNotFound) {
			return a, err
		}
	}
	if len(found) != 1 {
		err := fault.NotFound("Merchant connector account")
		if len(found) > 1 {
			err.Reason = "the merchant has several accounts of " + name + " in the default profile, or none there: put the account's merchant_connector_id into the URL"
		}
		return nil, e.Dir.OrAltered(ctx, merchantID, "", err)
	}
	return found[0], nil
}

// bookEvent books one event of a message. found is true if the event is about a payment or a relay of this switch. A processor may send messages about both to one
// address. The relay comes first: the payment then counts what the relay has taken.
func (e *Engine) bookEvent(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	relayed := false
	if o := ev.Outcome; o != nil && o.CaptureID+o.RefundID != "" && r.Verified() {
		if relayed, err = e.Relays.BookEvent(ctx, account, r, ev); err != nil {
			return relayed, err
		}
	}
	found, err = e.bookOwnEvent(ctx, account, r, ev)
	return found || relayed, err
}

// bookOwnEvent books an event about a payment.
func (e *Engine) bookOwnEvent(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	if ev.Object == sdk.EventAuthentication {
		return e.TakeAuthentication(ctx, account, r, ev)
	}
	if ev.Object == sdk.EventRefund {
		if found, err := e.Refunds.BookEvent(ctx, account, r, ev); found || err != nil {
			return found, err
		}
	}
	w, err := e.findPayment(ctx, account, ev)
	if w == nil || err != nil {
		return false, err
	}
	if asks := ev.Object == sdk.EventRefund || ev.Object == sdk.EventPayment; asks && (ev.Sync || ev.Outcome == nil) {
		if err := e.driver.AllowQuery(r, w.Payment.MerchantID, w.Attempt.ID); err != nil {
			return true, err
		}
	}
	switch {
	case ev.Object == sdk.EventRefund && ev.Outcome == nil:
		return true, e.Refunds.SyncUnnamed(ctx, w.Payment)
	case ev.Object == sdk.EventDispute && !r.Verified(): // without proof of its sender, a message must not keep money back
		if err := e.queryDispute(ctx, w, r, ev.Dispute); err != nil || ev.Dispute == nil {
			return true, err
		}
		return true, &fault.Error{Kind: fault.KindUnauthorized, Code: "WE_01", Message: "Webhook authentication failed", Connector: account.Connector}
	case ev.Object == sdk.EventDispute && ev.Dispute != nil:
		var at time.Time
		if ev.Time > 0 {
			at = time.UnixMilli(ev.Time).UTC()
		}
		if booked, err := e.changes.BookDispute(ctx, w, ev.Dispute, at); err != nil {
			return true, err
		} else if booked {
			return true, errors.Join(e.Disputes.BookMessage(ctx, w, ev.Dispute.ID), e.queryDisputed(ctx, w))
		}
		return true, e.keepWebhook(ctx, w, ev.Outcome, string(ev.Object))
	case ev.Object != sdk.EventPayment:
		return true, e.keepWebhook(ctx, w, ev.Outcome, string(ev.Object))
	case ev.Sync || ev.Outcome == nil:
		if w.Attempt.EndedWithoutMoney() || !w.Payment.Status.Facts().Sync {
			return true, e.reports.Query(ctx, w)
		}
		return true, e.forceSync(ctx, w)
	}
	w.Attempt.NameCapture(ev.Reference, ev.Outcome.CaptureID)
	if err := e.addLostCapture(ctx, w, ev); err != nil {
		return true, err
	}
	return true, e.bookWebhook(ctx, w, ev.Outcome)
}

// addLostCapture adds the capture of a message to a payment of a restored copy that does not have it. It adds nothing where a capture may be booked by a report
// that counts the lost one already: the capture has no id of the processor, has taken another amount than it asked for, or was booked by a total.
func (e *Engine) addLostCapture(ctx context.Context, w *change.Loaded, ev *sdk.Event) error {
	if !e.Holds(w.Payment.CreatedAt) || w.Payment.Details.CaptureMethod != payment.CaptureManualMultiple {
		return nil
	}
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	if err != nil {
		return err
	}
	for _, op := range ops {
		c := w.Attempt.CaptureBy(op.ID)
		if c == nil || c.Status != payment.CaptureCharged {
			continue
		}
		var by sdk.Outcome
		if c.ProcessorID == "" || c.Amount != op.Amount || json.Unmarshal(op.Outcome, &by) != nil || by.Totals != nil {
			return nil
		}
	}
	w.Attempt.AddLostCapture(ev.Reference, ev.Outcome, e.now().UTC().Truncate(time.Millisecond))
	return nil
}

// queryDispute answers a message about a dispute that has no proof of its sender. It believes nothing: it asks the processor about the payment, and about
// a dispute that payswitch knows. It raises an alarm once for each attempt, because no query finds a dispute that payswitch does not know.
func (e *Engine) queryDispute(ctx context.Context, w *change.Loaded, r *port.DriveResult, said *sdk.Dispute) error {
	if err := e.driver.AllowQuery(r, w.Payment.MerchantID, w.Attempt.ID); err != nil {
		return err
	}
	first, err := e.changes.KeepReport(ctx, w, drive.SourceWebhook, nil, "a message without proof speaks of a dispute")
	if err != nil {
		return err
	}
	if first {
		e.metrics.Alarm(alarm.DisputeUnproven)
		e.log.LogAttrs(ctx, slog.LevelError, "a message without proof speaks of a dispute: look at the processor before you refund",
			slog.String("payment_id", w.Payment.ID), slog.String("attempt_id", w.Attempt.ID), slog.String("connector", w.Attempt.Connector))
	}
	if said != nil {
		if err := e.Disputes.Ask(ctx, w, said.ID); err != nil {
			return err
		}
	}
	if w.Attempt.ID == w.Payment.AttemptID && w.Payment.Status.Facts().Sync {
		return e.forceSync(ctx, w)
	}
	return e.reports.Query(ctx, w)
}

// ownsAccount reports whether name is the processor's name for account a. The adapter sees that name as a config value or as a public credential.
// ownsAccount never compares secrets: an adapter could use the comparison to guess them.
func (e *Engine) ownsAccount(a *account.Account, name string) bool {
	for _, v := range drive.FlatMetadata(a.Metadata) {
		if v == name {
			return true
		}
	}
	info, _ := e.connectors.Adapter(a.Connector)
	return info.Manifest != nil && slices.ContainsFunc(info.Manifest.Credentials, func(f sdk.Field) bool {
		return (f.Type == sdk.FieldText || f.Type == sdk.FieldEnum) && a.Credentials[approval.FieldKey(f)].Reveal() == name
	})
}

// findPayment loads the payment and attempt that an event is about. It returns nil if there is no such attempt.
func (e *Engine) findPayment(ctx context.Context, account *account.Account, ev *sdk.Event) (*change.Loaded, error) {
	var found []*payment.Attempt
	err := e.store.View(ctx, func(r Reader) (err error) {
		found, err = change.AttemptsNamed(r, account, ev)
		return err
	})
	if err != nil {
		return nil, fault.Internal(err, "find attempt of a message")
	}
	if len(found) == 0 {
		return nil, nil
	}
	w, err := e.changes.Load(ctx, account.MerchantID, found[0].PaymentID)
	if err != nil {
		return nil, err
	}
	if w.Attempt.ID != found[0].ID {
		w.Attempt = found[0]
		if err := e.vault.OpenAttempt(w.Attempt); err != nil {
			return nil, err
		}
	}
	return w, e.changes.WithAccount(ctx, w)
}

// bookWebhook books the outcome that a genuine message reports for a payment.
func (e *Engine) bookWebhook(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if o.Amount != nil && o.Amount.Currency != "" && o.Amount.Currency != w.Payment.Currency {
		e.metrics.Alarm(alarm.AmountMismatch)
		return e.keepWebhook(ctx, w, o, "the message has another currency than the payment")
	}
	refused := evidence.RefusesCancel(o)
	if !refused {
		o = w.NormalizeReport(o)
	}
	if err := e.Relays.Know(ctx, w.Payment, w.Attempt); err != nil {
		return err
	}
	var ops, heard []*payment.Operation
	if w.Attempt.AccountID != "" {
		var err error
		if ops, err = e.changes.OperationsOf(ctx, w.Payment); err != nil {
			return err
		}
		heard = w.Attempt.ReportedOperations(ops, o)
	}
	if refused {
		again := evidence.RefusedCancelBefore(ops, w.Attempt.ID, o)
		heard = slices.DeleteFunc(heard, func(op *payment.Operation) bool { return op.Kind != sdk.OpVoid || again })
	}
	switch {
	case len(heard) > 0:
	case refused:
		return e.keepWebhook(ctx, w, o, "the processor refused a cancel that payswitch does not wait for")
	default:
		return e.reports.Record(ctx, w, drive.SourceWebhook, o)
	}
	for _, op := range heard {
		if err := e.bookReport(ctx, w, op, o); err != nil {
			return err
		}
	}
	return nil
}

// bookReport books what a message says of an open operation.
func (e *Engine) bookReport(ctx context.Context, w *change.Loaded, op *payment.Operation, o *sdk.Outcome) error {
	driven, err := e.driver.UnderWay(ctx, op)
	if err != nil {
		return err
	}
	if !driven {
		w.Operation = op
		if evidence.MayBeRelease(w.Attempt, o) {
			return e.keepWebhook(ctx, w, o, "the message may be about the rest that was released before")
		}
		v := evidence.InterpretSync(op, w.Payment, w.Attempt, o, false)
		if v.Alarm != "" && v.Status == payment.OperationUnknown {
			return e.alarmUnfitReport(ctx, w, op, v, o)
		}
		if changesNothing(w, v) {
			return nil
		}
		err := e.settle(ctx, w, v)
		if err == nil {
			e.changes.LogResolved(ctx, w, v, evidence.WayMessage)
		}
		if !errors.Is(err, change.ErrLeased) {
			return err
		}
	}
	// the answer of the run that holds the operation says more; should its node die, recovery finds this
	_, err = e.changes.KeepMessage(ctx, op.ID, w.Payment.MerchantID, drive.SourceWebhook, o, drive.NoteUnderWay)
	return err
}

// alarmUnfitReport keeps a message that cannot be true of an open operation, and raises an alarm the first time that it comes.
func (e *Engine) alarmUnfitReport(ctx context.Context, w *change.Loaded, op *payment.Operation, v evidence.Verdict, o *sdk.Outcome) error {
	first, err := e.changes.KeepMessage(ctx, op.ID, w.Payment.MerchantID, drive.SourceWebhook, o, v.Text)
	if first {
		e.metrics.Alarm(v.Alarm)
		e.log.LogAttrs(ctx, slog.LevelError, "a message does not fit an open operation", slog.String("operation_id", op.ID),
			slog.String("payment_id", op.PaymentID), slog.String("alarm", string(v.Alarm)), slog.String("text", v.Text))
	}
	return err
}

// queryDisputed asks the processor about an attempt that merchants see as ended without money, because only money that was taken can be disputed. Without an
// answer the dispute stays booked, and the next query of the schedule asks again.
func (e *Engine) queryDisputed(ctx context.Context, w *change.Loaded) error {
	if !w.Attempt.EndedUnpaid() {
		return nil
	}
	return e.reports.Query(ctx, w)
}

// keepWebhook stores a message's outcome once, as evidence about the attempt's latest operation.
func (e *Engine) keepWebhook(ctx context.Context, w *change.Loaded, o *sdk.Outcome, note string) error {
	_, err := e.changes.KeepReport(ctx, w, drive.SourceWebhook, o, note)
	return err
}
