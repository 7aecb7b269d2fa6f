package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// WebhookInput is a message that came to /webhooks/{merchant}/{account}.
type WebhookInput struct {
	MerchantID string
	// Account is the connector account's id, or the connector's name where the merchant has one account of it.
	Account string
	// Sender is the address that the message came from, "" where it is not known.
	Sender  string
	Message sdk.WebhookMessage
}

// ReceiveWebhook lets the account's adapter read a processor's or authenticator's message and books what it says: events it vouches for as
// evidence, others by asking the sender. It may come any number of times and in any order: what is known already changes nothing, what
// does not fit is kept as evidence and raised. The reply is the processor's to read.
//
// Errors: HE_02 for an unknown merchant or account, WE_01 when the adapter did not find the message genuine (429 after too many such, without a look at
// the message), WE_02 when it could not be read, WE_04 when
// the payment it is about is not ours and the adapter does not say what to answer then, IR_20 when the connector has no webhooks.
func (e *Engine) ReceiveWebhook(ctx context.Context, in WebhookInput) (*sdk.Reply, error) {
	account, err := e.webhookAccount(ctx, in.MerchantID, in.Account)
	if err != nil {
		return nil, err
	}
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	r, err := e.driver.ReadWebhook(context.WithoutCancel(ctx), account, drive.ToAccount, in.Sender, &in.Message)
	if err != nil {
		return nil, err
	}
	o := r.Outcome
	found := len(o.Events) == 0
	for i := range o.Events {
		known, err := e.bookEvent(context.WithoutCancel(ctx), account, r, &o.Events[i])
		if err != nil {
			return nil, err // the processor sends it again; what was booked of it stays booked
		}
		found = found || known
	}
	switch {
	case o.Reply != nil:
		return o.Reply, nil
	case !found:
		return nil, &fault.Error{Kind: fault.KindNotFound, Code: "WE_04", Message: "Webhook resource not found", Connector: account.Connector}
	}
	return &sdk.Reply{Status: http.StatusOK}, nil
}

// webhookAccount finds the account a message is for. A disabled one still gets its messages: it has payments.
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
	if len(found) != 1 {
		err := fault.NotFound("Merchant connector account")
		if len(found) > 1 {
			err.Reason = "there are several accounts of " + name + ": name one by its merchant_connector_id"
		}
		return nil, e.Dir.OrAltered(ctx, merchantID, "", err)
	}
	return found[0], nil
}

// bookEvent books one event of a message; found says that it is about a payment of ours.
func (e *Engine) bookEvent(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	if ev.AccountID != "" && !e.owns(account, ev.AccountID) {
		e.log.LogAttrs(ctx, slog.LevelWarn, "webhook event of another account", slog.String("account_id", account.ID))
		return true, nil // one address may serve several accounts at the processor: not ours to look at, nor to complain of
	}
	if ev.Object == sdk.EventAuthentication {
		return e.TakeAuthentication(ctx, account, r, ev)
	}
	w, err := e.findPayment(ctx, account, ev)
	if w == nil || err != nil {
		return false, err
	}
	switch {
	case ev.Object != sdk.EventPayment:
		return true, e.keepWebhook(ctx, w, ev.Outcome, string(ev.Object))
	case ev.Sync || ev.Outcome == nil:
		if !w.Payment.Status.Facts().Sync {
			return true, nil
		}
		return true, e.forceSync(ctx, w)
	}
	return true, e.bookWebhook(ctx, w, ev.Outcome)
}

// owns says whether the processor's name of an account is this one: its adapter sees it as a config value or a public credential. Secrets
// are not looked at: an adapter could have them guessed.
func (e *Engine) owns(a *account.Account, name string) bool {
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

// findPayment loads the payment and attempt an event is about; nil when there is none.
func (e *Engine) findPayment(ctx context.Context, account *account.Account, ev *sdk.Event) (*change.Loaded, error) {
	var found []*payment.Attempt
	err := e.store.View(ctx, func(r Reader) (err error) {
		found, err = r.AttemptsAt(account.MerchantID, account.ID, ev.TransactionID, ev.Reference)
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

// bookWebhook books what a genuine message says of a payment.
func (e *Engine) bookWebhook(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if o.Amount != nil && o.Amount.Currency != "" && o.Amount.Currency != w.Payment.Currency {
		e.metrics.Alarm("amount_mismatch")
		return e.keepWebhook(ctx, w, o, "another currency than the payment's")
	}
	o = asRequested(w, o)
	op, err := e.openOperation(ctx, w)
	switch {
	case err != nil:
		return err
	case op == nil:
		return e.recordLateEvidence(ctx, w, o)
	case op.Status == payment.OperationStarted: // its own answer tells more; should its node die, recovery finds this
		return e.keepWebhook(ctx, w, o, "came while the operation was under way")
	}
	w.Operation = op
	v := payment.InterpretSync(op, w.Attempt, o, false)
	if v.Status == payment.OperationUnknown || v.Status == payment.OperationPending && op.Status == payment.OperationPending && !payment.TellsNews(w.Attempt, v) {
		return nil // nothing new: messages come in any order
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.String("by", drive.EvidenceOfWebhook), slog.String("status", string(v.Status)))
	return e.settle(ctx, w, v)
}

// asRequested is what a message says in the terms of what was asked for. Where the processor was to capture the payment at once and offers no
// query, its approval is the last that is heard of it: the money is taken, as with the same approval in an answer.
func asRequested(w *change.Loaded, o *sdk.Outcome) *sdk.Outcome {
	if o.Status != sdk.StatusAuthorized || drive.AdapterCapture(w.Payment.Details.CaptureMethod) == sdk.CaptureManual ||
		slices.Contains(w.Adapter.Manifest.Operations, sdk.OpSync) {
		return o
	}
	taken := *o
	taken.Status = sdk.StatusCaptured
	return &taken
}

// recordLateEvidence books what a message tells of an attempt that no operation is open on. What cannot be booked is kept and raised.
func (e *Engine) recordLateEvidence(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if err := e.bookLateReference(ctx, w, o); err != nil {
		return err
	}
	if w.Attempt.AlreadyShows(o) {
		return nil
	}
	before := w.Attempt.Version
	if w.Attempt.ID == w.Payment.AttemptID {
		if err := e.bookEvidence(ctx, w, o); err != nil {
			return err
		}
	}
	if w.Attempt.Version != before {
		return nil
	}
	e.metrics.Alarm("late_evidence")
	e.log.LogAttrs(ctx, slog.LevelError, "a processor's message does not fit the payment", slog.String("payment_id", w.Payment.ID),
		slog.String("attempt_status", string(w.Attempt.Status)), slog.String("evidence", string(o.Status)))
	return e.keepWebhook(ctx, w, o, "the attempt was "+string(w.Attempt.Status))
}

// keepWebhook keeps what a message told beside the attempt's latest operation, once.
func (e *Engine) keepWebhook(ctx context.Context, w *change.Loaded, o *sdk.Outcome, note string) error {
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	if err != nil {
		return err
	}
	id := ""
	for _, op := range ops {
		if op.AttemptID == w.Attempt.ID {
			id = op.ID
		}
	}
	told, err := json.Marshal(o)
	if err != nil {
		return fault.Internal(err, "encode evidence")
	}
	err = e.store.Update(ctx, func(tx Tx) error {
		kept, err := tx.Evidence(id)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if k.Source == drive.EvidenceOfWebhook && k.Note == note && string(k.Outcome) == string(told) {
				return nil // sent again
			}
		}
		return tx.InsertEvidence(drive.Evidence{OperationID: id, MerchantID: w.Payment.MerchantID, At: tx.Now(), Source: drive.EvidenceOfWebhook, Outcome: told, Note: note})
	})
	if err != nil {
		return fault.Internal(err, "keep a processor's message")
	}
	return nil
}
