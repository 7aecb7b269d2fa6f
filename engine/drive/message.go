package drive

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// keptUnproven is the most bytes of a message without proof that the journal keeps.
const keptUnproven = 16 << 10

// ReadWebhook drives the webhook operation of an account's adapter on a message. Without an error, the adapter has read the message and found
// it genuine as far as the account's secrets show. The result may be set together with an error. path is that of the URL that the sender called,
// or "" if the URL is not of the account.
//
// Anyone can send a message without proof, so it must not fill the journal. The caller calls keep, which is never nil, for one that is about something that
// payswitch knows.
func (e *Driver) ReadWebhook(ctx context.Context, account *account.Account, to Destination, sender, path string, m *sdk.WebhookMessage) (r *port.DriveResult,
	keep func(), _ error) {
	keep = func() {}
	info, ok := e.Connectors.Adapter(account.Connector)
	if !ok || !slices.Contains(info.Manifest.Operations, sdk.OpWebhook) {
		return nil, keep, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "webhook flow not supported", Connector: account.Connector}
	}
	now := e.Now().UTC().Truncate(time.Millisecond)
	budget := account.ID + " " + strconv.Itoa(int(to))
	if e.messages.exhausted(budget, sender, now) {
		e.Metrics.Alarm(alarm.WebhookSignatures)
		return nil, keep, &fault.Error{Kind: fault.KindLimited, Code: "WE_01", Connector: account.Connector,
			Message: "This account got too many webhooks with a wrong signature: send the webhook again later"}
	}
	leave, err := e.messages.enter(ctx, budget, sender)
	if err != nil {
		return nil, keep, err
	}
	defer leave()
	at := e.driveAccount(account)
	at.Credentials = account.WithWebhookSecrets()
	d := &port.Drive{Connector: account.Connector, Operation: sdk.OpWebhook, OperationID: newOperationID(now), Started: e.StoreNow(), Account: at,
		Request: sdk.Request{Webhook: m, WebhookURL: calledURL(e.PublicURL, path)}, BeforeSend: func(context.Context, port.SendIntent) error { return nil }}
	rand.Read(d.Seed[:])
	r, records, err := e.driveRecorded(ctx, d, account.MerchantID, "")
	wrong, right := r.Compared()
	e.messages.spend(budget, sender, wrong, right, now)
	status := payment.OperationSucceeded
	defer func() {
		e.Metrics.OperationDone(string(sdk.OpWebhook), info.Name, status, e.Now().Sub(now))
		if right && status != payment.OperationRejected {
			e.keepJournal(ctx, records)
		}
	}()
	if size := 0; !right {
		for _, j := range records {
			size += len(j.Sealed)
		}
		if size <= keptUnproven {
			keep = func() { e.keepJournal(ctx, records) }
		}
	}
	var o *sdk.Outcome
	if r != nil {
		o = r.Outcome
	}
	switch {
	case err != nil:
		status = payment.OperationFailed
		if e.AllowQuery(r, account.MerchantID, "fault of "+account.ID) != nil { // a stranger must not fill the log with errors either
			return r, keep, &fault.Error{Kind: fault.KindLimited, Code: "WE_03", Message: "Webhook processing failed", Connector: account.Connector, Param: "merchant_connector_id",
				Hint: "Send the message again later."}
		}
		keep()
		return r, keep, &fault.Error{Kind: fault.KindInternal, Code: "WE_03", Message: "Webhook processing failed", Connector: account.Connector, Err: err}
	case o == nil || o.Status != sdk.StatusHandled && o.Reply == nil:
		status = payment.OperationRejected
		return r, keep, unreadableMessage(account.Connector, o)
	case len(o.Events) == 0 && o.Reply != nil && (o.Reply.Status == http.StatusUnauthorized || o.Reply.Status == http.StatusForbidden),
		provesNothing(info, r, to):
		status = payment.OperationRejected
		return r, keep, &fault.Error{Kind: fault.KindUnauthorized, Code: "WE_01", Message: "Webhook authentication failed", Connector: account.Connector,
			Err: refusal(o)}
	case len(o.Events) == 0 && o.Reply != nil && o.Reply.Status >= 400:
		status = payment.OperationRejected
		return r, keep, unreadableMessage(account.Connector, o)
	}
	return r, keep, nil
}

// calledURL returns the webhook URL that the sender called, without its query: the host masks card numbers in queries.
func calledURL(public, path string) string {
	if path == "" {
		return ""
	}
	return public + path
}

func unreadableMessage(connector string, o *sdk.Outcome) *fault.Error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "WE_02", Message: "Webhook body could not be read", Connector: connector, Err: refusal(o)}
}

// refusal returns the adapter's reason for refusing a message, nil without one. It is for the log: a sender must not learn it.
func refusal(o *sdk.Outcome) error {
	if o == nil || o.Raw["error"] == "" {
		return nil
	}
	return errors.New(sdk.Clip(o.Raw["error"], 200))
}

// Destination is the kind of URL at which a message of an authenticator arrived.
type Destination int

const (
	ToAccount Destination = iota // /webhooks/{merchant}/{account}: anyone can post there
	ToResult                     // the result URL of one authentication, which only the authenticator knows
	ToEvent                      // the event URL of one authentication, which a page in the payer's browser knows
)

// AuthenticationOf returns an event's statement about an authentication, or nil if the event only announces news.
func AuthenticationOf(ev *sdk.Event) *sdk.AuthenticationOutcome {
	if ev.Outcome == nil {
		return nil
	}
	return ev.Outcome.Authentication
}

// IsEvidence reports whether an event's result is evidence. It is evidence if the host has verified its signature. It is also evidence if the
// authenticator offers no way to fetch results and sent it to the URL that only the authenticator knows. Messages by the payer's browser are
// never evidence.
func IsEvidence(adapter port.AdapterInfo, r *port.DriveResult, ev *sdk.Event, to Destination) bool {
	out, rule := AuthenticationOf(ev), adapter.Manifest.Authenticator
	if out == nil || out.Event != "" || ev.Sync || to == ToEvent || rule == nil {
		return false
	}
	if rule.PushAuthentication == sdk.PushProofHMAC {
		return r.Verified()
	}
	return to == ToResult && !rule.Pulls()
}

// promptsQuery reports whether an event without proof is useful: the engine can fetch the result, or the authenticator's page reports the
// browser's progress.
func promptsQuery(adapter port.AdapterInfo, ev *sdk.Event, to Destination) bool {
	out, rule := AuthenticationOf(ev), adapter.Manifest.Authenticator
	return rule != nil && (rule.Pulls() || to == ToEvent && out != nil && out.Event != "")
}

// provesNothing reports whether a message has an event that proves nothing and cannot be checked with the authenticator. The sender then gets
// an error without details.
func provesNothing(adapter port.AdapterInfo, r *port.DriveResult, to Destination) bool {
	if rule := adapter.Manifest.Authenticator; rule != nil && rule.PushAuthentication == sdk.PushProofHMAC && r.Verified() {
		return false // the signature proves that the authenticator sent the message
	}
	return slices.ContainsFunc(r.Outcome.Events, func(ev sdk.Event) bool {
		return ev.Object == sdk.EventAuthentication && !IsEvidence(adapter, r, &ev, to) && !promptsQuery(adapter, &ev, to)
	})
}
