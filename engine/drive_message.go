package engine

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"time"

	"payswitch/sdk"
)

// readMessage drives the webhook operation of an account's adapter on what came to a URL of ours. What it returns without an error the adapter
// has read, and found genuine as far as the account's secrets tell. The result may be there beside an error, too.
func (e *Driver) readMessage(ctx context.Context, account *Account, to sentTo, sender string, m *sdk.WebhookMessage) (*DriveResult, error) {
	info, ok := e.Connectors.Adapter(account.Connector)
	if !ok || !slices.Contains(info.Manifest.Operations, sdk.OpWebhook) {
		return nil, &Error{Kind: KindInvalid, Code: "IR_20", Message: "webhook flow not supported", Connector: account.Connector}
	}
	now := e.Now().UTC().Truncate(time.Millisecond)
	budget := account.ID + " " + strconv.Itoa(int(to))
	if e.messages.exhausted(budget, sender, now) {
		e.Metrics.Alarm("webhook_signatures")
		return nil, &Error{Kind: KindLimited, Code: "WE_01", Connector: account.Connector,
			Message: "Too many webhooks with a wrong signature came to this account: send it again later"}
	}
	at := e.driveAccount(account)
	at.Credentials = account.withWebhookSecrets()
	d := &Drive{Connector: account.Connector, Operation: sdk.OpWebhook, OperationID: newOperationID(now), Started: now, Account: at,
		Request: sdk.Request{Webhook: m}, BeforeSend: func(context.Context, SendIntent) error { return nil }}
	rand.Read(d.Seed[:])
	r, records, err := e.driveRecorded(ctx, d, account.MerchantID, "")
	wrong, right := r.compared()
	e.messages.spend(budget, sender, wrong, right, now)
	status := OperationSucceeded
	defer func() {
		e.Metrics.OperationDone(string(sdk.OpWebhook), info.Name, status, e.Now().Sub(now))
		if status != OperationRejected { // anybody can send what is refused
			e.keepJournal(ctx, records)
		}
	}()
	var o *sdk.Outcome
	if r != nil {
		o = r.Outcome
	}
	switch {
	case err != nil:
		status = OperationFailed
		return r, &Error{Kind: KindInternal, Code: "WE_03", Message: "Webhook processing failed", Connector: account.Connector, Err: err}
	case o == nil || o.Status != sdk.StatusHandled && o.Reply == nil:
		status = OperationRejected
		return r, badMessage(account.Connector)
	case len(o.Events) == 0 && o.Reply != nil && (o.Reply.Status == http.StatusUnauthorized || o.Reply.Status == http.StatusForbidden),
		useless(info, r, to):
		status = OperationRejected
		return r, &Error{Kind: KindUnauthorized, Code: "WE_01", Message: "Webhook authentication failed", Connector: account.Connector}
	case len(o.Events) == 0 && o.Reply != nil && o.Reply.Status >= 400:
		status = OperationRejected
		return r, badMessage(account.Connector)
	}
	return r, nil
}

func badMessage(connector string) *Error {
	return &Error{Kind: KindInvalid, Code: "WE_02", Message: "Webhook body could not be read", Connector: connector}
}

// sentTo is the kind of URL at which a message of an authenticator arrived.
type sentTo int

const (
	toAccount sentTo = iota // /webhooks/{merchant}/{account}: anyone can post there
	toResult                // the result URL of one authentication, which only the authenticator knows
	toEvent                 // the event URL of one authentication, which a page in the payer's browser knows
)

// saidOf returns an event's statement about an authentication, or nil if the event only announces news.
func saidOf(ev *sdk.Event) *sdk.AuthenticationOutcome {
	if ev.Outcome == nil {
		return nil
	}
	return ev.Outcome.Authentication
}

// believable reports whether an event's result is evidence. It is evidence if the host has verified its signature. It is also evidence if the
// authenticator offers no way to fetch results and sent it to the URL that only the authenticator knows. Messages by the payer's browser are
// never evidence.
func believable(adapter AdapterInfo, r *DriveResult, ev *sdk.Event, to sentTo) bool {
	told, rule := saidOf(ev), adapter.Manifest.Authenticator
	if told == nil || told.Event != "" || ev.Sync || to == toEvent || rule == nil {
		return false
	}
	if rule.PushAuthentication == "hmac" {
		return r.Verified()
	}
	return to == toResult && !rule.Pulls()
}

// wakes reports whether an event without proof is useful: the engine can fetch the result, or the authenticator's page reports the browser's
// progress.
func wakes(adapter AdapterInfo, ev *sdk.Event, to sentTo) bool {
	told, rule := saidOf(ev), adapter.Manifest.Authenticator
	return rule != nil && (rule.Pulls() || to == toEvent && told != nil && told.Event != "")
}

// useless reports whether a message has an event that proves nothing and cannot be checked with the authenticator. The sender then gets an
// error without details.
func useless(adapter AdapterInfo, r *DriveResult, to sentTo) bool {
	if rule := adapter.Manifest.Authenticator; rule != nil && rule.PushAuthentication == "hmac" && r.Verified() {
		return false // the authenticator sent it, whatever it says
	}
	return slices.ContainsFunc(r.Outcome.Events, func(ev sdk.Event) bool {
		return ev.Object == "authentication" && !believable(adapter, r, &ev, to) && !wakes(adapter, &ev, to)
	})
}
