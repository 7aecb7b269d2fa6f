package flow

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/link"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/message"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

const (
	categoryPayment    = "01"
	categoryNonPayment = "02"
)

// RunsExternal3DS reports whether a confirm runs an authentication first.
func RunsExternal3DS(w *change.Confirming, in *request.Input) bool {
	return w.Payment.Details.External3DS && in.ThreeDS == nil && (w.Instrument == nil || !w.Instrument.MerchantInitiated)
}

// ConfirmAuthenticated confirms a payment with external 3-D Secure. One commit stores the payment, the attempt, the authentication and the
// intent of the first call. That call asks the authenticator whether the card takes part or, with ri, for the authentication itself.
func (s *Authentications) ConfirmAuthenticated(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card, now time.Time, ri *threeRI) (*change.Change, error) {
	account, adapter, err := s.confirmingAuthenticator(ctx, w.Loaded, ri)
	if err != nil {
		return nil, err
	}
	if w.Payment.Version > 0 {
		if err := s.limitAuthentications(ctx, w.Loaded); err != nil {
			return nil, err
		}
	}
	bound, merchant, err := s.bind(w.Loaded, c)
	if err != nil {
		return nil, err
	}
	w.FillAttempt(in, c)
	if err := payment.Move(w.Payment, w.Attempt, payment.TriggerSubmit, now); err != nil {
		return nil, fault.Internal(err, "confirm payment")
	}
	auth := s.newAuthentication(w.Loaded, account, adapter, c, now)
	auth.Details.Bound, auth.Details.Merchant = bound, merchant
	auth.Private.Further = further(w)
	kind, number := sdk.OpPrepare, c.Secrets.Number
	if ri != nil {
		ri.begin(auth, w.Profile.Settings.ThreeDSPolicy(), now)
		kind, number = sdk.OpAuthenticate, ri.number
	}
	first := s.Driver.FirstRequest(&w.Run, w.Profile, w.Instrument, in, c)
	first.Request3DS = false
	if auth.Request, err = s.Vault.SealJSON(&first, vault.RequestAD(auth.ID)); err != nil {
		return nil, err
	}
	// The payer's time starts again when the browser gets its instructions, and when a challenge begins.
	until := now.Add(3 * s.actionTime(w.Loaded))
	if auth.Instrument, auth.Key, err = s.Vault.SealSecrets(c.Secrets, w.Payment.MerchantID, auth.ShortTermID(), until); err != nil {
		return nil, err
	}
	w.Attempt.Details.Authentication = authentication.Summarize(auth)
	ac := &authCase{auth: auth, w: w.Loaded, now: now}
	q, err := s.newCall(ac, account, adapter, kind, s.callRequest(ac, account, &first))
	if err != nil {
		return nil, err
	}
	q.Secrets = card.Secrets{Number: number}
	change := &change.Change{Payment: w.Payment, Attempt: w.Attempt, Authentication: auth, Intents: []*payment.Operation{q.Operation}}
	change.At = append(change.At, w.Account)
	w.Confirmed(change)
	change.Effects = append(change.Effects, func(ctx context.Context) error { return s.authenticateConfirmed(ctx, w.Loaded, ac, q) })
	return change, nil
}

// authenticateConfirmed calls the authenticator of a payment that has just been confirmed, and then reads the payment again.
func (s *Authentications) authenticateConfirmed(ctx context.Context, w *change.Loaded, ac *authCase, q *change.Loaded) (err error) {
	s.InFlight.Add(1)
	defer s.InFlight.Done()
	ctx = context.WithoutCancel(ctx)
	if q.Operation.Kind == sdk.OpPrepare {
		_, err = s.lookUpVersions(ctx, ac.auth.ID, q)
	} else {
		_, err = s.askOnce(ctx, ac, q, false)
	}
	if err != nil {
		return err
	}
	fresh, err := s.Changes.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
	if err == nil {
		*w = *fresh
	}
	return err
}

// confirmingAuthenticator returns the authenticator for a payment that is being confirmed.
func (s *Authentications) confirmingAuthenticator(ctx context.Context, w *change.Loaded, ri *threeRI) (*account.Account, port.AdapterInfo, error) {
	if ri != nil {
		return ri.account, ri.adapter, nil
	}
	all, err := s.Registry.Dir.Accounts(ctx, w.Payment.MerchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	account, err := authenticatorAccount(w.Profile, all, w.Adapter, w.Account)
	if err != nil {
		return nil, port.AdapterInfo{}, s.Registry.Dir.OrAltered(ctx, w.Payment.MerchantID, "", err)
	}
	adapter, ok := s.Connectors.Adapter(account.Connector)
	if !ok || adapter.Manifest.Kind != sdk.KindAuthenticator {
		return nil, port.AdapterInfo{}, fault.UnavailableConnector(account.Connector)
	}
	return account, adapter, nil
}

// newAuthentication returns the record of an authentication that is about to begin.
func (s *Authentications) newAuthentication(w *change.Loaded, account *account.Account, adapter port.AdapterInfo, c *card.Card, now time.Time) *authentication.Record {
	a := &authentication.Record{ID: ids.At(link.AuthenticationPrefix, now), MerchantID: w.Payment.MerchantID, PaymentID: w.Payment.ID, AttemptID: w.Attempt.ID, ProfileID: w.Payment.ProfileID,
		AccountID: account.ID, Connector: account.Connector, AdapterHash: adapter.Hash, State: authentication.Created, CreatedAt: now, ModifiedAt: now,
		Deadline: now.Add(s.actionTime(w)), DueAt: now.Add(s.LeaseTime),
		Details: authentication.Details{TokenHashes: map[authentication.URLUse][]byte{}, Channel: sdk.ChannelBrowser, Category: categoryPayment, AuthenticationInd: "01",
			Network: c.Facts.Network},
		Private: &authentication.Private{Tokens: map[authentication.URLUse]string{}}}
	if w.Payment.NetAmount == 0 {
		a.Details.Category, a.Details.AuthenticationInd = categoryNonPayment, "04"
	}
	s.makeTokens(a)
	return a
}

// actionTime returns the time that the payer has to act.
func (s *Authentications) actionTime(w *change.Loaded) time.Duration {
	if t := w.Profile.Settings.ThreeDSPolicy().CustomerActionTTL(); t > 0 {
		return t
	}
	return time.Duration(w.Profile.Settings.SessionExpirySeconds) * time.Second
}

// limitAuthentications limits the number of authentications of one payment, because the answer to an AReq reveals facts about the card.
func (s *Authentications) limitAuthentications(ctx context.Context, w *change.Loaded) error {
	most := w.Profile.Settings.ThreeDSPolicy().MaxAuthentications
	if most == 0 {
		return nil
	}
	var list []*authentication.Record
	err := s.Store.View(ctx, func(r change.Reader) (err error) {
		list, err = r.Authentications(w.Payment.MerchantID, w.Payment.ID)
		return err
	})
	if err != nil {
		return fault.Internal(err, "list authentications")
	}
	tries := 0
	for _, a := range list {
		tries += max(a.Details.Tries, 1)
	}
	if int64(tries) >= most {
		return tooManyAuthentications()
	}
	return nil
}

func tooManyAuthentications() *fault.Error {
	return &fault.Error{Kind: fault.KindLimited, Code: "IR_16", Message: "This payment has been authenticated as often as its profile allows: make a new payment", Param: "payment_id", Hint: "Create a new payment."}
}

// authenticatorAccount returns the account that authenticates a payment. Its errors come in the order that the API promises.
func authenticatorAccount(profile *account.Profile, accounts []*account.Account, processor port.AdapterInfo, account *account.Account) (*account.Account, error) {
	s := profile.Settings
	if !processor.Manifest.Features.External3DS {
		return nil, NoExternal3DS(account)
	}
	if s.AuthenticationConnectors == nil {
		return nil, &fault.Error{Kind: fault.KindUnprocessable, Code: "IR_29", Message: "authentication_connector_details is not available in business profile", Param: "authentication_connector_details", Hint: "Set authentication_connector_details in the profile."}
	}
	if len(s.AuthenticationConnectors) == 0 {
		return nil, &fault.Error{Kind: fault.KindUnprocessable, Code: "IR_29", Message: "No authentication_connector found for profile_id " + profile.ID, Param: "authentication_connector_details", Hint: "Name an authenticator in the profile's authentication_connector_details."}
	}
	return findAuthenticator(profile, accounts, s.AuthenticationConnectors[0])
}

func findAuthenticator(profile *account.Profile, accounts []*account.Account, connector string) (*account.Account, error) {
	i := slices.IndexFunc(accounts, func(a *account.Account) bool {
		return a.Type == account.TypeAuthenticator && a.ProfileID == profile.ID && a.Connector == connector
	})
	if i < 0 {
		return nil, fault.NotFound("Merchant connector account")
	}
	if accounts[i].Disabled || !accounts[i].Active {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: connector, Param: "authentication_connector_details", Hint: "Enable the account, or name another authenticator in the profile."}
	}
	return accounts[i], nil
}

func NoExternal3DS(account *account.Account) *fault.Error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "external 3-D Secure flow not supported", Connector: account.Connector}
}

// lookUpVersions asks the authenticator whether the card takes part. Without an answer it asks once more, and then asks the fallback authenticator.
// It books the result, and authorizes at once if the card takes no part.
func (s *Authentications) lookUpVersions(ctx context.Context, id string, q *change.Loaded) (*authCase, error) {
	var tried threeds.Tried
	for {
		ans := s.call(ctx, q)
		var again *change.Loaded
		var next threeds.Tried
		c, err := s.changeAuthentication(ctx, id, func(c *authCase) (err error) {
			next = tried
			again, err = s.bookLookUp(ctx, c, q, ans, &next)
			return err
		})
		if err != nil {
			return c, err
		}
		if ans.reject != nil {
			return c, drive.Rejection(ans.reject, sdk.OpAuthorize, q.Account.Connector)
		}
		if again == nil {
			return c, nil
		}
		q, tried = again, next
	}
}

// bookLookUp books the result of a version look-up. It returns the next try, or nil.
func (s *Authentications) bookLookUp(ctx context.Context, c *authCase, q *change.Loaded, ans authAnswer, tried *threeds.Tried) (*change.Loaded, error) {
	c.answered(ans)
	a := c.auth
	if a.State != authentication.Created || !c.waiting() {
		return nil, nil // another change was faster
	}
	if ans.reject != nil { // the adapter cannot make the call: nothing has left, and the caller gets the reason
		s.withdraw(c, ans)
		return nil, nil
	}
	rule := q.Adapter.Manifest.Authenticator
	res := answerOf(ans)
	rng := chooseRange(ans.out.Ranges, a.Details.Network)
	switch {
	case res.Class != "":
	case rng != nil:
		for _, v := range rng.Versions {
			res.Versions = append(res.Versions, v.Version)
		}
	case ans.out.NotEnrolled:
		res.Class = threeds.NotEnrolled
	default:
		res.Class = threeds.Technical
	}
	run := s.run(c, threeds.Prepare, rule)
	if retry := threeds.NextTry(c.cfg(), run, res, nil, *tried); retry != threeds.NoRetry {
		if next, err := s.tryAgain(ctx, c, q, retry, tried); next != nil || err != nil {
			return next, err
		}
	}
	d := threeds.Decide(c.cfg(), run, res)
	c.flag(d.Flags)
	c.moved = true
	s.keepAnswer(c, ans)
	if d.Action != threeds.Continue {
		return nil, s.conclude(ctx, c, d)
	}
	s.takeLookUp(c, ans.out, rng, d.MessageVersion, rule)
	direct, err := s.chooseChallenge(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case direct:
		return nil, s.conclude(ctx, c, threeds.Exempt(run))
	}
	a.State, a.Deadline = authentication.Prepared, c.now.Add(s.actionTime(c.w))
	a.DueAt = a.Deadline
	c.w.Attempt.Private.Invoke = invokeOf(a, rule)
	return nil, payment.Move(c.w.Payment, c.w.Attempt, payment.TriggerActionRequired, c.now)
}

// tryAgain makes the next try of a call: a version look-up at the same authenticator or at the profile's fallback. It returns nil if the
// fallback is missing.
func (s *Authentications) tryAgain(ctx context.Context, c *authCase, q *change.Loaded, retry threeds.Retry, tried *threeds.Tried) (*change.Loaded, error) {
	account, adapter, d := q.Account, q.Adapter, &c.auth.Details
	switch retry {
	case threeds.RetrySame:
		tried.Same = true
	case threeds.RetryFresh:
		tried.Fresh = true
	case threeds.RetryLower:
		tried.Lower = true
		d.MessageVersion = threeds.ChooseVersion(c.cfg(), threeds.Channel(d.Channel), d.VersionsOffered, versionsOf(adapter), d.MessageVersion)
	case threeds.RetryAnother:
		tried.Another = true
		var err error
		if account, adapter, err = s.fallbackAuthenticator(ctx, c); err != nil {
			c.alarms = append(c.alarms, alarm.FallbackAuthenticatorMissing)
			return nil, nil
		}
		c.auth.AccountID, c.auth.Connector, c.auth.AdapterHash = account.ID, account.Connector, adapter.Hash
	}
	first, secrets, err := s.instrumentOf(ctx, c.auth)
	if err != nil {
		return nil, err
	}
	return s.nextCall(c, account, adapter, sdk.OpPrepare, &first, secrets)
}

func versionsOf(adapter port.AdapterInfo) []string {
	if r := adapter.Manifest.Authenticator; r != nil {
		return r.MessageVersions
	}
	return nil
}

// fallbackAuthenticator returns the authenticator that the profile names as its fallback.
func (s *Authentications) fallbackAuthenticator(ctx context.Context, c *authCase) (*account.Account, port.AdapterInfo, error) {
	all, err := s.Registry.Dir.Accounts(ctx, c.auth.MerchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	account, err := findAuthenticator(c.w.Profile, all, c.cfg().FallbackAuthenticator)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	adapter, ok := s.Connectors.Adapter(account.Connector)
	if !ok || adapter.Manifest.Kind != sdk.KindAuthenticator {
		return nil, port.AdapterInfo{}, fault.UnavailableConnector(account.Connector)
	}
	return account, adapter, nil
}

// withdraw restores a payment's state after a confirm that could not begin.
func (s *Authentications) withdraw(c *authCase, ans authAnswer) {
	s.keepAnswer(c, ans)
	s.finish(c, authentication.Errored, threeds.Errored)
	c.auth.Details.ErrorCode, c.auth.Details.ErrorMessage = threeds.CodeError, ans.reject.Message
	c.moved = true
	c.w.Attempt.Details.Card, c.w.Attempt.Details.Confirmed, c.w.Attempt.Private = nil, false, &payment.AttemptPrivate{}
	if err := payment.Move(c.w.Payment, c.w.Attempt, payment.TriggerWithdrawn, c.now); err != nil {
		c.alarms = append(c.alarms, alarm.ImpossibleTransition)
	}
}

// chooseRange returns the range of the network that the payer or merchant chose, else the first range.
func chooseRange(list []sdk.CardRange, network sdk.CardNetwork) *sdk.CardRange {
	for i := range list {
		if list[i].Network == network && network != "" {
			return &list[i]
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// takeLookUp stores the data that the browser needs.
func (s *Authentications) takeLookUp(c *authCase, o *sdk.AuthenticationOutcome, rng *sdk.CardRange, version string, rule *sdk.AuthenticatorRule) {
	a, d := c.auth, &c.auth.Details
	d.PreparedAt, d.MessageVersion, d.VersionsOffered = c.now, version, nil
	for _, v := range rng.Versions {
		d.VersionsOffered = append(d.VersionsOffered, v.Version)
		if v.Version == version && v.MethodURL != "" && message.CheckChallengeURL(v.MethodURL, s.development()) == nil {
			d.MethodURL = v.MethodURL
		}
	}
	optional.SetText(&d.DirectoryServerID, rng.DirectoryServerID)
	if rng.Network != "" {
		d.Network = rng.Network
	}
	d.SessionExpiresAt = time.Time{}
	if rule != nil && rule.SessionTTL > 0 {
		d.SessionExpiresAt = c.now.Add(time.Duration(rule.SessionTTL) * time.Second)
	}
	if rule != nil && rule.Method == sdk.MethodGetFrame {
		s.takeFrames(a, o.Frames)
	}
	if d.MethodURL == "" {
		return
	}
	a.Private.MethodKey, a.Private.MethodData = "threeDSMethodData", o.MethodData
	optional.SetText(&a.Private.MethodKey, o.MethodKey)
	if a.Private.MethodData == "" {
		var err error
		if a.Private.MethodData, err = message.MethodData(d.ServerTransID, s.tokenURL(a, authentication.URLMethod)); err != nil {
			d.MethodURL = "" // without the data the 3DS method cannot run
		}
	}
}
