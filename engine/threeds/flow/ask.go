package flow

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// authAnswer is the result of a call to an authenticator. out is never nil: a missing or unreadable answer becomes an error of class
// technical.
type authAnswer struct {
	op     *payment.Operation // ended; the caller writes it
	out    *sdk.AuthenticationOutcome
	cavv   secret.Value
	reject *sdk.Reject // set if the adapter could not make the call
	late   bool        // the node came too late to send the request, for example because its machine was suspended
	// journal holds the records to write together with the answer's effects.
	journal []*drive.JournalRecord
}

// authenticator returns the authenticator's account and its adapter.
func (s *Authentications) authenticator(ctx context.Context, merchantID, accountID string) (*account.Account, port.AdapterInfo, error) {
	all, err := s.Registry.Dir.Accounts(ctx, merchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	i := slices.IndexFunc(all, func(a *account.Account) bool { return a.ID == accountID })
	if i < 0 {
		return nil, port.AdapterInfo{}, s.Registry.Dir.OrAltered(ctx, merchantID, accountID, fault.NotFound("Merchant connector account"))
	}
	info, ok := s.Connectors.Adapter(all[i].Connector)
	if !ok {
		return nil, port.AdapterInfo{}, fault.UnavailableConnector(all[i].Connector)
	}
	return all[i], info, nil
}

// newCall makes the intent of one operation at the authenticator. The caller stores it before anything leaves. It never occupies the
// payment's slot.
func (s *Authentications) newCall(c *authCase, account *account.Account, adapter port.AdapterInfo, kind sdk.Operation, req sdk.Request) (*change.Loaded, error) {
	q := &change.Loaded{Run: drive.Run{Payment: c.w.Payment, Attempt: c.w.Attempt, Account: account, Adapter: adapter, Token: c.w.Token, Request: req}, Merchant: c.w.Merchant, Profile: c.w.Profile}
	q.LeaseEnd = s.Driver.LeaseEnd()
	q.Operation = s.Driver.NewOperation(&q.Run, kind, c.w.Attempt.Amount, c.now)
	q.Operation.AccountVersion = "" // no money depends on it
	var err error
	q.Operation.Request, err = s.Vault.SealJSON(&q.Request, vault.RequestAD(q.Operation.ID))
	return q, err
}

// call performs an operation at the authenticator. Its intent is stored, or it needs none because it only reads.
func (s *Authentications) call(ctx context.Context, q *change.Loaded) authAnswer {
	ctx, cancel := context.WithTimeout(ctx, s.AuthenticatorTime)
	defer cancel()
	v := s.Driver.Drive(ctx, &q.Run)
	s.Metrics.OperationDone(string(q.Operation.Kind), q.Operation.Connector, v.Status, q.Took)
	op := *q.Operation
	op.Owner, op.LeaseUntil, op.ClosedAt = "", time.Time{}, s.Now().UTC().Truncate(time.Millisecond)
	op.Status, op.ErrorText = v.Status, v.Text
	if v.Status == payment.OperationUnknown { // no money depends on it, so there is nothing to resolve
		op.Status = payment.OperationFailed
	}
	ans := authAnswer{op: &op, reject: v.Reject, late: v.Late, cavv: q.CAVV, journal: q.Journal}
	if v.Outcome != nil {
		op.Outcome, _ = json.Marshal(v.Outcome)
		ans.out = v.Outcome.Authentication
	}
	switch {
	case v.Reject != nil:
		class := sdk.ErrorBadRequest
		if v.Reject.Code == sdk.RejectConfig {
			class = sdk.ErrorConfig
		}
		ans.out = authError(class, string(v.Reject.Code), v.Reject.Message)
	case v.Fault != nil: // merchants must not see the adapter's own text
		ans.out = authError(sdk.ErrorTechnical, "no_answer", v.Fault.Sentence())
	case v.Status != payment.OperationSucceeded:
		ans.out = authError(sdk.ErrorTechnical, "no_answer", v.Text)
	case ans.out == nil:
		ans.out = authError(sdk.ErrorTechnical, "no_answer", "the adapter's outcome has no authentication")
	}
	return ans
}

func authError(class sdk.ErrorClass, code, detail string) *sdk.AuthenticationOutcome {
	return &sdk.AuthenticationOutcome{Error: &sdk.AuthenticationError{Class: class, Code: code, Detail: detail}}
}

// run returns the facts about an authentication that the policy needs.
func (s *Authentications) run(c *authCase, phase threeds.Phase, rule *sdk.AuthenticatorRule) threeds.Run {
	d := &c.auth.Details
	r := threeds.Run{Phase: phase, Channel: threeds.Channel(d.Channel), Category: d.Category, Scheme: d.Network, MessageVersion: d.MessageVersion,
		ChallengeInds: d.ChallengeInds, Decoupled: d.DecoupledMinutes > 0, Returned: !d.ChallengedAt.IsZero(), ServerTransID: d.ServerTransID, ACSTransID: d.ACSTransID,
		DSTransID: d.DSTransID, Development: s.development()}
	if d.ExemptionRoute == threeds.RouteAuthorization {
		r.Exemption = threeds.Exemption(d.Exemption)
	}
	if rule != nil {
		r.AdapterVersions = rule.MessageVersions
	}
	return r
}

// answerOf translates an authenticator's answer for the policy.
func answerOf(ans authAnswer) threeds.Result {
	o := ans.out
	if o.Error != nil {
		return threeds.Result{Class: threeds.Class(o.Error.Class), Code: o.Error.Code}
	}
	return threeds.Result{TransStatus: threeds.TransStatus(o.TransStatus), TransStatusReason: o.TransStatusReason, ECI: o.ECI, HasValue: !ans.cavv.IsZero(),
		ChallengeCancel: threeds.ChallengeCancel(o.ChallengeCancel), ACSURL: o.ACSURL, MessageVersion: o.MessageVersion, ServerTransID: o.ServerTransID,
		ACSTransID: o.ACSTransID, DSTransID: o.DSTransID}
}

// development reports whether our public URL is plain HTTP. Then the pages of issuers may be plain and private too.
func (s *Authentications) development() bool { return strings.HasPrefix(s.PublicURL, "http:") }

// tokenURL returns a URL of ours with a secret token. Only the party that received the URL knows it.
func (s *Authentications) tokenURL(a *authentication.Record, use authentication.URLUse) string {
	return s.PublicURL + "/3ds/" + string(use) + "/" + a.Private.Tokens[use]
}

// callRequest returns the request for an operation at the authenticator. first is the request of the authorization that follows.
func (e *Authentications) callRequest(c *authCase, account *account.Account, first *sdk.Request) sdk.Request {
	a, d := c.auth, &c.auth.Details
	r := sdk.Request{PaymentID: a.PaymentID, AttemptID: a.AttemptID, Reference: c.w.Attempt.Details.Reference,
		Amount:     sdk.Money{Minor: d.Bound.Amount, Currency: d.Bound.Currency},
		Instrument: first.Instrument, StoredCredential: first.StoredCredential, Customer: first.Customer, Billing: first.Billing,
		Shipping: first.Shipping, Browser: first.Browser, Description: first.Description, OrderReference: first.OrderReference,
		WebhookURL: e.PublicURL + "/webhooks/" + url.PathEscape(a.MerchantID) + "/" + url.PathEscape(account.ID)}
	s := &c.w.Profile.Settings
	r.Authentication = &sdk.AuthenticationRequest{AuthenticationID: a.ID, DeviceChannel: d.Channel, MessageCategory: d.Category,
		MessageVersion: d.MessageVersion, Network: d.Network, Data: a.Private.Data, ServerTransID: d.ServerTransID, ACSTransID: d.ACSTransID,
		DSTransID: d.DSTransID, MethodCompletion: d.MethodCompletion, NotificationURL: e.tokenURL(a, authentication.URLChallenge),
		MethodNotificationURL: e.tokenURL(a, authentication.URLMethod), ResultURL: e.tokenURL(a, authentication.URLResult), EventURL: e.tokenURL(a, authentication.URLEvent),
		RequestorURL: s.RequestorURL, RequestorAppURL: s.RequestorAppURL, RequestorName: c.w.Profile.Name, AcquirerBIN: d.Bound.AcquirerBIN,
		AcquirerMID: d.Bound.AcquirerMID, AcquirerCountry: d.Merchant.AcquirerCountry, MerchantName: d.Merchant.Name,
		MerchantCountry: d.Merchant.Country, MCC: d.Merchant.MCC, ChallengeInds: d.ChallengeInds, ChallengeWindow: d.ChallengeWindow,
		AuthenticationInd: d.AuthenticationInd, DecoupledMinutes: d.DecoupledMinutes, ThreeRIInd: d.ThreeRIInd, Prior: d.Prior, Recurring: d.Recurring, CRes: a.Private.CRes}
	if f := c.w.Attempt.Details.Card; f != nil && (r.Instrument == nil || r.Instrument.Card == nil) {
		r.Instrument = &sdk.Instrument{Card: f.ForAdapter(c.w.Attempt.Private.Holder)} // for a payment by the processor's own reference to the card
	}
	return r
}

// instrumentOf decrypts the request and the card of the authorization that follows. It refuses an authentication whose card is destroyed, by a cancel of this
// moment or because its time is over: no fault of payswitch.
func (s *Authentications) instrumentOf(ctx context.Context, a *authentication.Record) (first sdk.Request, secrets card.Secrets, err error) {
	if err = s.Vault.OpenJSON(a.Request, vault.RequestAD(a.ID), &first); err != nil {
		return first, secrets, err
	}
	secrets, err = s.Vault.OpenSecrets(ctx, a.Instrument, a.MerchantID, a.ShortTermID())
	if errors.Is(err, vault.ErrShredded) {
		err = fault.Refused("You cannot authenticate this payment because its card is not kept any more").WithParam("status").WithHint("Retrieve the payment: it has ended, or ends soon.")
	}
	return first, secrets, err
}

// AbandonCall closes an operation at an authenticator whose node stopped. The authentication itself is due at the same time and is handled on
// its own.
func (s *Authentications) AbandonCall(ctx context.Context, op *payment.Operation) error {
	return s.Store.Update(ctx, func(tx change.Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || !fresh.Status.Open() {
			return err
		}
		fresh.Status, fresh.ErrorText, fresh.ClosedAt = payment.OperationFailed, "the node stopped before the authenticator answered", tx.Now()
		fresh.Owner, fresh.LeaseUntil, fresh.ResolveAt = "", time.Time{}, time.Time{}
		return tx.UpdateOperation(fresh)
	})
}

// AsksAuthenticator reports whether kind is an operation at an authenticator: no money depends on it.
func AsksAuthenticator(kind sdk.Operation) bool {
	switch kind {
	case sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge:
		return true
	}
	return false
}
