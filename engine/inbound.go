package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"

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
	r, err := e.driver.readMessage(context.WithoutCancel(ctx), account, toAccount, in.Sender, &in.Message)
	if err != nil {
		return nil, err
	}
	o := r.Outcome
	found := len(o.Events) == 0
	for i := range o.Events {
		known, err := e.takeEvent(context.WithoutCancel(ctx), account, r, &o.Events[i])
		if err != nil {
			return nil, err // the processor sends it again; what was booked of it stays booked
		}
		found = found || known
	}
	switch {
	case o.Reply != nil:
		return o.Reply, nil
	case !found:
		return nil, &Error{Kind: KindNotFound, Code: "WE_04", Message: "Webhook resource not found", Connector: account.Connector}
	}
	return &sdk.Reply{Status: http.StatusOK}, nil
}

// webhookAccount finds the account a message is for. A disabled one still gets its messages: it has payments.
func (e *Engine) webhookAccount(ctx context.Context, merchantID, name string) (*Account, error) {
	all, err := e.dir.accounts(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var found []*Account
	for _, a := range all {
		if a.ID == name {
			return a, nil
		}
		if a.Connector == name {
			found = append(found, a)
		}
	}
	if len(found) != 1 {
		err := NotFound("Merchant connector account")
		if len(found) > 1 {
			err.Reason = "there are several accounts of " + name + ": name one by its merchant_connector_id"
		}
		return nil, e.dir.orAltered(ctx, merchantID, "", err)
	}
	return found[0], nil
}

// takeEvent books one event of a message; found says that it is about a payment of ours.
func (e *Engine) takeEvent(ctx context.Context, account *Account, r *DriveResult, ev *sdk.Event) (found bool, err error) {
	if ev.AccountID != "" && !e.owns(account, ev.AccountID) {
		e.log.LogAttrs(ctx, slog.LevelWarn, "webhook event of another account", slog.String("account_id", account.ID))
		return true, nil // one address may serve several accounts at the processor: not ours to look at, nor to complain of
	}
	if ev.Object == "authentication" {
		return e.takeAuthentication(ctx, account, r, ev)
	}
	w, err := e.loadAt(ctx, account, ev)
	if w == nil || err != nil {
		return false, err
	}
	switch {
	case ev.Object != "payment":
		return true, e.keepMessage(ctx, w, ev.Outcome, ev.Object)
	case ev.Sync || ev.Outcome == nil:
		if !w.p.Status.facts().Sync {
			return true, nil
		}
		return true, e.forceSync(ctx, w)
	}
	return true, e.believe(ctx, w, ev.Outcome)
}

// owns says whether the processor's name of an account is this one: its adapter sees it as a config value or a public credential. Secrets
// are not looked at: an adapter could have them guessed.
func (e *Engine) owns(a *Account, name string) bool {
	for _, v := range configOf(a.Metadata) {
		if v == name {
			return true
		}
	}
	info, _ := e.connectors.Adapter(a.Connector)
	return info.Manifest != nil && slices.ContainsFunc(info.Manifest.Credentials, func(f sdk.Field) bool {
		return (f.Type == "text" || f.Type == "enum") && a.Credentials[fieldKey(f)].Reveal() == name
	})
}

// loadAt loads the payment and attempt an event is about; nil when there is none.
func (e *Engine) loadAt(ctx context.Context, account *Account, ev *sdk.Event) (*loaded, error) {
	var found []*Attempt
	err := e.store.View(ctx, func(r Reader) (err error) {
		found, err = r.AttemptsAt(account.MerchantID, account.ID, ev.TransactionID, ev.Reference)
		return err
	})
	if err != nil {
		return nil, Internal(err, "find attempt of a message")
	}
	if len(found) == 0 {
		return nil, nil
	}
	w, err := e.changes.load(ctx, account.MerchantID, found[0].PaymentID)
	if err != nil {
		return nil, err
	}
	if w.a.ID != found[0].ID {
		w.a = found[0]
		if err := e.vault.openAttempt(w.a); err != nil {
			return nil, err
		}
	}
	return w, e.changes.withAccount(ctx, w)
}

// believe books what a genuine message says of a payment.
func (e *Engine) believe(ctx context.Context, w *loaded, o *sdk.Outcome) error {
	if o.Amount != nil && o.Amount.Currency != "" && o.Amount.Currency != w.p.Currency {
		e.metrics.Alarm("amount_mismatch")
		return e.keepMessage(ctx, w, o, "another currency than the payment's")
	}
	o = asAsked(w, o)
	op, err := e.openOperation(ctx, w)
	switch {
	case err != nil:
		return err
	case op == nil:
		return e.learn(ctx, w, o)
	case op.Status == OperationStarted: // its own answer tells more; should its node die, recovery finds this
		return e.keepMessage(ctx, w, o, "came while the operation was under way")
	}
	w.op = op
	v := read(op, w.a, o, false)
	if v.status == OperationUnknown || v.status == OperationPending && op.Status == OperationPending && !moves(w.a, v) {
		return nil // nothing new: messages come in any order
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.String("by", evidenceOfWebhook), slog.String("status", string(v.status)))
	return e.settle(ctx, w, v)
}

// asAsked is what a message says in the terms of what was asked for. Where the processor was to capture the payment at once and offers no
// query, its approval is the last that is heard of it: the money is taken, as with the same approval in an answer.
func asAsked(w *loaded, o *sdk.Outcome) *sdk.Outcome {
	if o.Status != sdk.StatusAuthorized || adapterCapture(w.p.Details.CaptureMethod) == sdk.CaptureManual ||
		slices.Contains(w.adapter.Manifest.Operations, sdk.OpSync) {
		return o
	}
	taken := *o
	taken.Status = sdk.StatusCaptured
	return &taken
}

// learn books what a message tells of an attempt that no operation is open on. What cannot be booked is kept and raised.
func (e *Engine) learn(ctx context.Context, w *loaded, o *sdk.Outcome) error {
	if err := e.keepLate(ctx, w, o); err != nil {
		return err
	}
	if w.a.knows(o) {
		return nil
	}
	before := w.a.Version
	if w.a.ID == w.p.AttemptID {
		if err := e.bookEvidence(ctx, w, o); err != nil {
			return err
		}
	}
	if w.a.Version != before {
		return nil
	}
	e.metrics.Alarm("late_evidence")
	e.log.LogAttrs(ctx, slog.LevelError, "a processor's message does not fit the payment", slog.String("payment_id", w.p.ID),
		slog.String("attempt_status", string(w.a.Status)), slog.String("evidence", string(o.Status)))
	return e.keepMessage(ctx, w, o, "the attempt was "+string(w.a.Status))
}

// keepMessage keeps what a message told beside the attempt's latest operation, once.
func (e *Engine) keepMessage(ctx context.Context, w *loaded, o *sdk.Outcome, note string) error {
	ops, err := e.changes.operationsOf(ctx, w.p)
	if err != nil {
		return err
	}
	id := ""
	for _, op := range ops {
		if op.AttemptID == w.a.ID {
			id = op.ID
		}
	}
	told, err := json.Marshal(o)
	if err != nil {
		return Internal(err, "encode evidence")
	}
	err = e.store.Update(ctx, func(tx Tx) error {
		kept, err := tx.Evidence(id)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if k.Source == evidenceOfWebhook && k.Note == note && string(k.Outcome) == string(told) {
				return nil // sent again
			}
		}
		return tx.InsertEvidence(Evidence{OperationID: id, MerchantID: w.p.MerchantID, At: tx.Now(), Source: evidenceOfWebhook, Outcome: told, Note: note})
	})
	if err != nil {
		return Internal(err, "keep a processor's message")
	}
	return nil
}
