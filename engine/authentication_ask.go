package engine

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// authAnswer is the result of a call to an authenticator. out is never nil: a missing or unreadable answer becomes an error of class
// technical.
type authAnswer struct {
	op     *Operation // ended; the caller writes it
	out    *sdk.AuthenticationOutcome
	cavv   Secret
	reject *sdk.Reject // set if the adapter could not make the call
	// journal holds the records to write together with the answer's effects.
	journal []*JournalRecord
}

// authenticator returns the authenticator's account and its adapter.
func (s *Authentications) authenticator(ctx context.Context, merchantID, accountID string) (*Account, AdapterInfo, error) {
	all, err := s.Registry.dir.accounts(ctx, merchantID)
	if err != nil {
		return nil, AdapterInfo{}, err
	}
	i := slices.IndexFunc(all, func(a *Account) bool { return a.ID == accountID })
	if i < 0 {
		return nil, AdapterInfo{}, s.Registry.dir.orAltered(ctx, merchantID, accountID, NotFound("Merchant connector account"))
	}
	info, ok := s.Connectors.Adapter(all[i].Connector)
	if !ok {
		return nil, AdapterInfo{}, unavailableConnector(all[i].Connector)
	}
	return all[i], info, nil
}

// newCall makes the intent of one operation at the authenticator. The caller stores it before anything leaves. It never occupies the
// payment's slot.
func (s *Authentications) newCall(c *authCase, account *Account, adapter AdapterInfo, kind sdk.Operation, req sdk.Request) (*loaded, error) {
	q := &loaded{run: run{p: c.w.p, a: c.w.a, account: account, adapter: adapter, token: c.w.token, req: req}, merchant: c.w.merchant, profile: c.w.profile}
	q.leaseEnd = s.Now().Add(s.LeaseTime)
	q.op = s.Driver.newOperation(&q.run, kind, c.w.a.Amount, c.now)
	var err error
	q.op.Request, err = s.Vault.sealJSON(&q.req, requestAD(q.op.ID))
	return q, err
}

// call performs an operation at the authenticator. Its intent is stored, or it needs none because it only reads.
func (s *Authentications) call(ctx context.Context, q *loaded) authAnswer {
	ctx, cancel := context.WithTimeout(ctx, s.AuthenticatorTime)
	defer cancel()
	v := s.Driver.drive(ctx, &q.run)
	s.Metrics.OperationDone(string(q.op.Kind), q.op.Connector, v.status, q.took)
	op := *q.op
	op.Owner, op.LeaseUntil, op.ClosedAt = "", time.Time{}, s.Now().UTC().Truncate(time.Millisecond)
	op.Status, op.ErrorText = v.status, v.text
	if v.status == OperationUnknown { // no money depends on it, so there is nothing to resolve
		op.Status = OperationFailed
	}
	ans := authAnswer{op: &op, reject: v.reject, cavv: q.cavv, journal: q.journal}
	if v.outcome != nil {
		op.Outcome, _ = json.Marshal(v.outcome)
		ans.out = v.outcome.Authentication
	}
	switch {
	case v.reject != nil:
		class := sdk.ErrorBadRequest
		if v.reject.Code == sdk.RejectConfig {
			class = sdk.ErrorConfig
		}
		ans.out = authError(class, string(v.reject.Code), v.reject.Message)
	case v.fault != nil: // merchants must not see the adapter's own text
		ans.out = authError(sdk.ErrorTechnical, "no_answer", v.fault.text())
	case v.status != OperationSucceeded:
		ans.out = authError(sdk.ErrorTechnical, "no_answer", v.text)
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
	if d.ExemptionRoute == routeAuthorization {
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
	return threeds.Result{TransStatus: o.TransStatus, TransStatusReason: o.TransStatusReason, ECI: o.ECI, HasValue: !ans.cavv.IsZero(),
		ChallengeCancel: o.ChallengeCancel, ACSURL: o.ACSURL, MessageVersion: o.MessageVersion, ServerTransID: o.ServerTransID,
		ACSTransID: o.ACSTransID, DSTransID: o.DSTransID}
}

// development reports whether our public URL is plain HTTP. Then the pages of issuers may be plain and private too.
func (s *Authentications) development() bool { return strings.HasPrefix(s.PublicURL, "http:") }

// tokenURL returns a URL of ours with a secret token. Only the party that received the URL knows it.
func (s *Authentications) tokenURL(a *Authentication, use URLUse) string {
	return s.PublicURL + "/3ds/" + string(use) + "/" + a.Private.Tokens[use]
}

// callRequest returns the request for an operation at the authenticator. first is the request of the authorization that follows.
func (e *Authentications) callRequest(c *authCase, account *Account, first *sdk.Request) sdk.Request {
	a, d := c.auth, &c.auth.Details
	r := sdk.Request{PaymentID: a.PaymentID, AttemptID: a.AttemptID, Reference: c.w.a.Details.Reference,
		Amount:     sdk.Money{Minor: d.Bound.Amount, Currency: d.Bound.Currency},
		Instrument: first.Instrument, StoredCredential: first.StoredCredential, Customer: first.Customer, Billing: first.Billing,
		Shipping: first.Shipping, Browser: first.Browser, Description: first.Description, OrderReference: first.OrderReference,
		WebhookURL: e.PublicURL + "/webhooks/" + url.PathEscape(a.MerchantID) + "/" + url.PathEscape(account.ID)}
	s := &c.w.profile.Settings
	r.Authentication = &sdk.AuthenticationRequest{AuthenticationID: a.ID, DeviceChannel: d.Channel, MessageCategory: d.Category,
		MessageVersion: d.MessageVersion, Network: d.Network, Data: a.Private.Data, ServerTransID: d.ServerTransID, ACSTransID: d.ACSTransID,
		DSTransID: d.DSTransID, MethodCompletion: d.MethodCompletion, NotificationURL: e.tokenURL(a, URLChallenge),
		MethodNotificationURL: e.tokenURL(a, URLMethod), ResultURL: e.tokenURL(a, URLResult), EventURL: e.tokenURL(a, URLEvent),
		RequestorURL: s.RequestorURL, RequestorAppURL: s.RequestorAppURL, RequestorName: c.w.profile.Name, AcquirerBIN: d.Bound.AcquirerBIN,
		AcquirerMID: d.Bound.AcquirerMID, AcquirerCountry: d.Merchant.AcquirerCountry, MerchantName: d.Merchant.Name,
		MerchantCountry: d.Merchant.Country, MCC: d.Merchant.MCC, ChallengeInds: d.ChallengeInds, ChallengeWindow: d.ChallengeWindow,
		AuthenticationInd: d.AuthenticationInd, DecoupledMinutes: d.DecoupledMinutes, ThreeRIInd: d.ThreeRIInd, Prior: d.Prior, Recurring: d.Recurring, CRes: a.Private.CRes}
	if f := c.w.a.Details.Card; f != nil && (r.Instrument == nil || r.Instrument.Card == nil) {
		r.Instrument = &sdk.Instrument{Card: f.forAdapter(c.w.a.Private.Holder)} // for a payment by the processor's own reference to the card
	}
	return r
}

// instrumentOf decrypts the request and the card of the authorization that follows.
func (s *Authentications) instrumentOf(ctx context.Context, a *Authentication) (first sdk.Request, secrets InstrumentSecrets, err error) {
	if err = s.Vault.openJSON(a.Request, requestAD(a.ID), &first); err != nil {
		return first, secrets, err
	}
	secrets, err = s.Vault.openSecrets(ctx, a.Instrument, a.MerchantID, a.ShortTermID())
	return first, secrets, err
}

// abandonCall closes an operation at an authenticator whose node stopped. The authentication itself is due at the same time and is handled on
// its own.
func (s *Authentications) abandonCall(ctx context.Context, op *Operation) error {
	return s.Store.Update(ctx, func(tx ChangeTx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || !fresh.Status.Open() {
			return err
		}
		fresh.Status, fresh.ErrorText, fresh.ClosedAt = OperationFailed, "the node stopped before the authenticator answered", tx.Now()
		fresh.Owner, fresh.LeaseUntil, fresh.ResolveAt = "", time.Time{}, time.Time{}
		return tx.UpdateOperation(fresh)
	})
}

// asksAuthenticator reports whether kind is an operation at an authenticator: no money depends on it.
func asksAuthenticator(kind sdk.Operation) bool {
	switch kind {
	case sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge:
		return true
	}
	return false
}
