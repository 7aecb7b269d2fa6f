package flow

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/message"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// AuthenticationInput is the call of the payer's page that begins a payment's authentication at the issuer (3ds/authentication).
type AuthenticationInput struct {
	ClientSecret string
	Channel      sdk.DeviceChannel // BRW or APP
	// Completion is the client's report on the 3DS method: Y, N or U. It is only a hint: the notification to our own URL decides.
	Completion string
	Browser    *sdk.Browser // nil: the browser that came with the payment
	App        *sdk.AppSDK  // APP
	// Width and Height are the size, in CSS pixels, of the page that shows the challenge, 0 if unknown. FullPage is true if the challenge has
	// the page for itself.
	Width, Height int
	FullPage      bool
}

// AuthenticationView is the answer to an AuthenticationInput.
type AuthenticationView struct {
	TransStatus      string // always set; U without an answer from the authenticator
	ACSURL           string // with a challenge
	ChallengeRequest string
	ChallengeKey     string
	SessionData      string // threeDSSessionData, to be posted with the challenge request
	Window           string // challengeWindowSize
	ACSReference     string
	ACSTransID       string
	ACSSignedContent string
	ServerTransID    string
	RequestorURL     string
	RequestorAppURL  string
	CardholderInfo   string // the issuer's text for the payer; not safe as markup
	ErrorMessage     string
	Status           payment.Status
}

// AuthenticatePayment sends the AReq of a payment that waits for it, once; further calls return the same answer. Errors: HE_02; IR_04 without
// client secret or billing address; IR_09; IR_08; IR_16 if there is nothing to authenticate (429 after too many tries).
func (e *Authentications) AuthenticatePayment(ctx context.Context, auth account.Auth, paymentID string, in AuthenticationInput) (*AuthenticationView, error) {
	w, err := e.Changes.Load(ctx, auth.MerchantID, paymentID)
	if err != nil {
		return nil, err
	}
	if auth.ProfileID != "" && auth.ProfileID != w.Payment.ProfileID {
		return nil, fault.NotFound("Payment")
	}
	if in.ClientSecret == "" {
		return nil, fault.Missing("client_secret")
	}
	if err := payment.MatchSecret(w.Payment, in.ClientSecret, e.Now()); err != nil {
		return nil, err
	}
	if in.Channel == sdk.ChannelApp && in.App == nil {
		return nil, fault.Missing("sdk_information")
	}
	s := w.Attempt.Details.Authentication
	if s == nil || s.Connector == "" || s.State == authentication.Created {
		return nil, fault.Refused("You cannot authenticate this payment because payment_attempt.external_three_ds_authentication_attempted is false").WithParam("request_external_three_ds_authentication").WithHint("Create the payment with request_external_three_ds_authentication true.")
	}
	return e.authenticate(ctx, s.ID, in)
}

// authenticate waits for the 3DS method while it may still end, sends the AReq and returns the answer.
func (s *Authentications) authenticate(ctx context.Context, id string, in AuthenticationInput) (*AuthenticationView, error) {
	s.InFlight.Add(1)
	defer s.InFlight.Done()
	if err := s.awaitMethod(ctx, id, in); err != nil {
		return nil, err
	}
	deadline, pause := s.Driver.Now().Add(s.LockWait), 10*time.Millisecond
	for {
		var q *change.Loaded
		c, err := s.changeAuthentication(ctx, id, func(c *authCase) (err error) {
			q, err = s.beginAReq(ctx, c, in)
			return err
		})
		if err != nil {
			return nil, err
		}
		switch {
		case q != nil:
			c, err := s.askOnce(context.WithoutCancel(ctx), c, q, true)
			if err != nil {
				return nil, err
			}
			return s.authenticationView(c), nil
		case c.auth.State != authentication.Asking:
			return s.authenticationView(c), nil
		}
		// Another request sends the AReq: its answer is also the answer to this one.
		if s.Driver.Now().After(deadline) {
			return nil, &fault.Error{Kind: fault.KindUnprocessable, Code: "HE_00", Message: "Resource is busy: the payment is being authenticated, try again"}
		}
		select {
		case <-ctx.Done():
			return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The request was given up while the payment was being authenticated", Err: ctx.Err()}
		case <-time.After(pause):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// awaitMethod gives the 3DS method's notification a little more time if the client reports that the method has ended.
func (s *Authentications) awaitMethod(ctx context.Context, id string, in AuthenticationInput) error {
	for began := s.Driver.Now(); ; {
		c, err := s.loadAuthentication(ctx, id)
		if err != nil {
			return err
		}
		if c.auth.State != authentication.Prepared || in.Channel == sdk.ChannelApp || s.Driver.Now().Sub(began) >= methodRun(c, in).Grace() {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// methodRun returns the known facts about the 3DS method.
func methodRun(c *authCase, in AuthenticationInput) threeds.MethodRun {
	d, inv := &c.auth.Details, c.w.Attempt.Private.Invoke
	run := threeds.MethodRun{Offered: d.MethodURL != "", Notified: !d.MethodNotifiedAt.IsZero(), Reprepared: d.Again || c.spent(),
		Client: in.Completion, ClientSignals: inv != nil && inv.PostMessage}
	if d.MethodOver && !run.Notified {
		run.Client = "N" // the authenticator's page outranks the client
	}
	return run
}

// spent reports whether the authenticator has dropped the session of the version look-up.
func (c *authCase) spent() bool {
	d := &c.auth.Details
	return !d.SessionExpiresAt.IsZero() && !c.now.Before(d.SessionExpiresAt)
}

// beginAReq takes the authentication for this call. The intent of the AReq is stored before the AReq leaves. beginAReq returns nil if another
// call has begun it.
func (s *Authentications) beginAReq(ctx context.Context, c *authCase, in AuthenticationInput) (*change.Loaded, error) {
	a, d := c.auth, &c.auth.Details
	if a.State == authentication.Asking || !d.AnsweredAt.IsZero() {
		return nil, vault.ErrUnchanged
	}
	if a.State != authentication.Prepared || !c.waiting() || c.w.Payment.Status != payment.RequiresCustomerAction {
		return nil, fault.Refused("You cannot authenticate this payment because it has status " + string(c.w.Payment.Status)).WithParam("status").WithHint(c.w.Payment.Status.Remedy())
	}
	if most := c.cfg().MaxAuthentications; most > 0 && int64(d.Tries) >= most {
		return nil, tooManyAuthentications()
	}
	account, adapter, err := s.authenticator(ctx, a.MerchantID, a.AccountID)
	if err != nil {
		return nil, err
	}
	if rule := adapter.Manifest.Authenticator; rule != nil && in.Channel != "" && !rule.Offers(in.Channel) {
		return nil, fault.Refused("The authenticator " + a.Connector + " does not authenticate in the device channel " + string(in.Channel) +
			": send another device_channel, or name another authenticator in the profile").WithHint("Send another device_channel.").WithParam("device_channel")
	}
	first, secrets, err := s.instrumentOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if !hasAddress(first.Billing) {
		return nil, fault.Missing("billing_address").WithParam("billing.address")
	}
	first.Browser = newerBrowser(in.Browser, first.Browser)
	d.Channel = in.Channel
	d.ChallengeWindow = threeds.WindowSize(c.cfg(), in.Width, in.Height, in.FullPage)
	a.Private.App = in.App
	d.MethodCompletion = ""
	if in.Channel != sdk.ChannelApp {
		d.MethodCompletion = methodRun(c, in).Completion()
	}
	d.DecoupledMinutes = s.decoupledMinutes(c, adapter)
	kind := sdk.OpAuthenticate
	if d.Again || c.spent() {
		kind = sdk.OpPrepare // the authenticator has dropped its session: open a new one first
	}
	a.State = authentication.Asking
	return s.nextCall(c, account, adapter, kind, &first, secrets)
}

// hasAddress reports whether the payer's address has any part.
func hasAddress(a *sdk.Address) bool {
	return a != nil && (a.Line1 != "" || a.Country != "" || a.Zip != "" || a.City != "")
}

// nextCall makes the intent of the AReq, or of the version look-up before it. Background work looks at the authentication again if the lease
// ends without an answer.
func (s *Authentications) nextCall(c *authCase, account *account.Account, adapter port.AdapterInfo, kind sdk.Operation, first *sdk.Request, secrets card.Secrets) (*change.Loaded, error) {
	a, d := c.auth, &c.auth.Details
	if kind == sdk.OpAuthenticate {
		d.Tries++
		d.AskedAt = c.now
	} else {
		d.ServerTransID, d.Again, a.Private.Data = "", false, ""
		if d.MethodCompletion == "Y" {
			d.MethodCompletion = "N" // the method does not run again in the new session
		}
	}
	req := s.callRequest(c, account, first)
	req.Authentication.App = a.Private.App
	q, err := s.newCall(c, account, adapter, kind, req)
	if err != nil {
		return nil, err
	}
	q.Secrets = card.Secrets{Number: secrets.Number}
	c.insert = append(c.insert, q.Operation)
	a.DueAt = c.now.Add(s.LeaseTime)
	return q, nil
}

// askOnce sends the call, and once more in a new session if that may help. With background true, the caller does not wait for the follow-up
// work.
func (s *Authentications) askOnce(ctx context.Context, c *authCase, q *change.Loaded, background bool) (*authCase, error) {
	var tried threeds.Tried
	for {
		ans := s.call(ctx, q)
		var again *change.Loaded
		var next threeds.Tried
		c, err := s.changeAuthentication(ctx, c.auth.ID, func(c *authCase) (err error) {
			next, c.background = tried, background
			if q.Operation.Kind == sdk.OpPrepare {
				again, err = s.bookSecondLookUp(ctx, c, q, ans)
			} else {
				again, err = s.bookAReq(ctx, c, q, ans, &next)
			}
			return err
		})
		if err != nil {
			return c, err
		}
		if again == nil {
			return c, nil
		}
		q, tried = again, next
	}
}

// bookSecondLookUp continues with the AReq after a new session. Without a version it ends as if the AReq had failed.
func (s *Authentications) bookSecondLookUp(ctx context.Context, c *authCase, q *change.Loaded, ans authAnswer) (*change.Loaded, error) {
	c.answered(ans)
	a, d := c.auth, &c.auth.Details
	if a.State != authentication.Asking {
		return nil, nil
	}
	rng := chooseRange(ans.out.Ranges, d.Network)
	version := ""
	if rng != nil {
		d.VersionsOffered = nil
		for _, v := range rng.Versions {
			d.VersionsOffered = append(d.VersionsOffered, v.Version)
		}
		if version = d.MessageVersion; !slices.Contains(d.VersionsOffered, version) {
			version = threeds.ChooseVersion(c.cfg(), threeds.Channel(d.Channel), d.VersionsOffered, versionsOf(q.Adapter), "")
		}
	}
	if version == "" {
		if ans.out.Error == nil {
			ans.out = authError(sdk.ErrorTechnical, "no_version", "the card no longer takes part in 3-D Secure")
		}
		return nil, s.decideAReq(ctx, c, q, ans)
	}
	d.MessageVersion = version
	s.keepAnswer(c, ans)
	d.SessionExpiresAt = time.Time{}
	if rule := q.Adapter.Manifest.Authenticator; rule != nil && rule.SessionTTL > 0 {
		d.SessionExpiresAt = c.now.Add(time.Duration(rule.SessionTTL) * time.Second)
	}
	first, secrets, err := s.instrumentOf(ctx, a)
	if err != nil {
		return nil, err
	}
	return s.nextCall(c, q.Account, q.Adapter, sdk.OpAuthenticate, &first, secrets)
}

// bookAReq books the answer to an AReq. It returns the first call of another try, or nil.
func (s *Authentications) bookAReq(ctx context.Context, c *authCase, q *change.Loaded, ans authAnswer, tried *threeds.Tried) (*change.Loaded, error) {
	c.answered(ans)
	a, d := c.auth, &c.auth.Details
	if a.State != authentication.Asking { // the authentication was given up in the meantime: the answer is stored, but nothing uses it
		s.keepAnswer(c, ans)
		return nil, nil
	}
	most := c.cfg().MaxAuthentications
	run := s.run(c, threeds.Authenticate, q.Adapter.Manifest.Authenticator)
	if retry := threeds.NextTry(c.cfg(), run, answerOf(ans), d.VersionsOffered, *tried); d.Channel != sdk.Channel3RI && retry != threeds.NoRetry && (most == 0 || int64(d.Tries) < most) {
		if next, err := s.tryAgain(ctx, c, q, retry, tried); next != nil || err != nil {
			return next, err
		}
	}
	return nil, s.decideAReq(ctx, c, q, ans)
}

// decideAReq has the policy decide on the answer to an AReq, and carries the decision out.
func (s *Authentications) decideAReq(ctx context.Context, c *authCase, q *change.Loaded, ans authAnswer) error {
	a, d := c.auth, &c.auth.Details
	decision := threeds.Decide(c.cfg(), s.run(c, threeds.Authenticate, q.Adapter.Manifest.Authenticator), answerOf(ans))
	c.flag(decision.Flags)
	s.keepAnswer(c, ans)
	d.AnsweredAt, d.FirstStatus = c.now, ans.out.TransStatus
	if d.FirstStatus == "" {
		d.FirstStatus, d.TransStatus = string(threeds.TransUnavailable), string(threeds.TransUnavailable)
	}
	if !decision.Action.WaitsForCustomer() {
		return s.conclude(ctx, c, decision)
	}
	c.moved = true
	a.State = authentication.Challenge
	if decision.Action == threeds.WaitDecoupled {
		a.State = authentication.Decoupled
	}
	a.Deadline, a.DueAt = c.now.Add(s.actionTime(c.w)), c.now.Add(pullAfter(0, false))
	if a.State == authentication.Decoupled {
		a.Deadline = c.now.Add(time.Duration(d.DecoupledMinutes)*time.Minute + decoupledGrace)
		if i := c.w.Attempt.Private.Invoke; i != nil {
			waits := *i
			waits.WaitFrom, waits.WaitUntil = c.now, a.Deadline
			c.w.Attempt.Private.Invoke = &waits
		}
	}
	a.Private.ACSURL, a.Private.CReq, a.Private.CReqKey = ans.out.ACSURL, ans.out.CReq, "creq"
	a.Private.ByGet = challengeOf(q.Adapter) == sdk.ChallengeGetFrame && ans.out.ACSURL != ""
	optional.SetText(&a.Private.CReqKey, ans.out.CReqKey)
	if a.Private.CReq == "" && ans.out.ACSURL != "" && d.Channel != sdk.ChannelApp && challengeOf(q.Adapter) == sdk.ChallengeCReqPost {
		var err error
		a.Private.CReq, err = message.CReq{MessageVersion: d.MessageVersion, ServerTransID: d.ServerTransID, ACSTransID: d.ACSTransID,
			WindowSize: d.ChallengeWindow}.Encode()
		if err != nil {
			return fault.Internal(err, "make challenge request")
		}
	}
	return nil
}

// decoupledGrace is the time that the result of a decoupled challenge may take beyond the allowed time.
const decoupledGrace = 30 * time.Second

// decoupledMinutes returns the minutes that a decoupled challenge may take, 0 if the profile or the authenticator allows none. The card is
// kept no longer.
func (s *Authentications) decoupledMinutes(c *authCase, adapter port.AdapterInfo) int {
	if r := adapter.Manifest.Authenticator; c.cfg().Decoupled != threeds.RuleOn || r == nil || !r.Decoupled || c.auth.Details.MessageVersion < "2.2.0" {
		return 0
	}
	return max(int(s.actionTime(c.w)/time.Minute), 1)
}

func challengeOf(adapter port.AdapterInfo) sdk.ChallengeStart {
	if r := adapter.Manifest.Authenticator; r != nil && r.Challenge != "" {
		return r.Challenge
	}
	return sdk.ChallengeCReqPost
}

// sessionData returns threeDSSessionData. The ACS sends it back with the CRes.
func (s *Authentications) sessionData(a *authentication.Record) string {
	return message.SessionData(s.sessionKey(), a.ID, a.Details.TokenHashes[authentication.URLChallenge])
}

func (s *Authentications) sessionKey() []byte { return s.Vault.Hash("three_ds session data", nil) }

// authenticationView returns the answer for the authentication's present state. The first call and repeated calls get the same answer.
func (e *Authentications) authenticationView(c *authCase) *AuthenticationView {
	d, p, s := &c.auth.Details, c.auth.Private, &c.w.Profile.Settings
	v := &AuthenticationView{TransStatus: d.FirstStatus, ACSReference: d.ACSReference, ACSTransID: d.ACSTransID, ACSSignedContent: p.SignedContent,
		ServerTransID: d.ServerTransID, RequestorURL: s.RequestorURL, RequestorAppURL: s.RequestorAppURL, CardholderInfo: p.CardholderInfo,
		ErrorMessage: d.ErrorMessage, Status: c.w.Payment.Status}
	if (v.TransStatus == string(threeds.TransChallenge) || v.TransStatus == string(threeds.TransDecoupled)) && !c.auth.State.Challenged() { // the challenge is over or never began: the client must post nothing
		v.TransStatus = d.TransStatus
	}
	if v.TransStatus == "" || v.TransStatus == string(threeds.TransChallenge) && !c.auth.State.Challenged() {
		v.TransStatus = string(threeds.TransUnavailable)
	}
	if c.auth.State.Challenged() {
		v.ACSURL, v.ChallengeRequest, v.ChallengeKey, v.Window = p.ACSURL, p.CReq, p.CReqKey, d.ChallengeWindow
		v.SessionData = e.sessionData(c.auth)
		if p.ByGet {
			v.ACSURL = e.tokenURL(c.auth, authentication.URLOpen) // clients post to this page, which redirects with GET
		}
	}
	return v
}
