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

// sentTo says by which URL something of an authenticator came.
type sentTo int

const (
	toAccount sentTo = iota // /webhooks/{merchant}/{account}: anybody can send there
	toResult                // the authentication's own, told to the authenticator alone
	toEvent                 // the authentication's own, told to a page in the payer's browser
)

// saidOf is what an event says of an authentication, nil for no more than that there is news.
func saidOf(ev *sdk.Event) *sdk.AuthenticationOutcome {
	if ev.Outcome == nil {
		return nil
	}
	return ev.Outcome.Authentication
}

// believable says whether an event's result is evidence: signed, and the host found the signature right, or brought by the authenticator to
// a URL that nobody else was told, where it cannot be asked. What a browser brings never is.
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

// wakes says whether an event that proves nothing is of use: the authenticator can be asked, or its page tells how far the browser has come.
func wakes(adapter AdapterInfo, ev *sdk.Event, to sentTo) bool {
	told, rule := saidOf(ev), adapter.Manifest.Authenticator
	return rule != nil && (rule.Pulls() || to == toEvent && told != nil && told.Event != "")
}

// useless says that something in a message proves nothing, and that nobody can be asked about it: who sent it is to hear so, and no more.
func useless(adapter AdapterInfo, r *DriveResult, to sentTo) bool {
	if rule := adapter.Manifest.Authenticator; rule != nil && rule.PushAuthentication == "hmac" && r.Verified() {
		return false // the authenticator's own, whatever it tells
	}
	return slices.ContainsFunc(r.Outcome.Events, func(ev sdk.Event) bool {
		return ev.Object == "authentication" && !believable(adapter, r, &ev, to) && !wakes(adapter, &ev, to)
	})
}
