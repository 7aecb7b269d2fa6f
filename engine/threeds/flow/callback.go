package flow

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/message"
	"payswitch/engine/vault"
)

// A message by the payer's browser, or by any sender that knows a URL, proves nothing. It makes payswitch ask the authenticator, whose own
// answers decide. The sender of a wrong message learns nothing about the mistake.

// CallbackView says what a page at a callback URL may do: notify the pages that wait, or go on.
type CallbackView struct {
	// Known is false for a URL with a wrong token. The page then reveals no more than for a right one.
	Known     bool
	PaymentID string
	// AuthorizeURL is the target of a page that is not in a frame.
	AuthorizeURL string
	// ReturnURL is the shop's, without a status: the shop asks the API for it.
	ReturnURL string
	// Poll is the id for /poll/status. It is set while the result is not known.
	Poll    string
	Origins []string
	// Framers are the origins of pages that may frame this one, also if Known is false; "*" for all.
	Framers []string
	// Done is the step that an event of the authenticator's page ended: DoneMethod or DoneChallenge, else "".
	Done string
}

// MethodNotified receives the notification that the 3DS method has ended; data is threeDSMethodData as posted. It counts only before the
// AReq.
func (s *Authentications) MethodNotified(ctx context.Context, token, data string) (*CallbackView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLMethod, token)
	if errors.Is(err, fault.ErrNotFound) {
		return &CallbackView{}, nil
	}
	if err != nil {
		return nil, err
	}
	if data != "" && !message.AcceptMethodData(data, c.auth.Details.ServerTransID) {
		s.raiseCallbackAlarm(ctx, c, threeds.FlagIDMismatch)
		return s.silentView(c), nil
	}
	return s.callbackView(c), s.methodEnded(ctx, c.auth.ID)
}

// methodEnded records the end of the 3DS method, once and only before the AReq.
func (s *Authentications) methodEnded(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		d := &c.auth.Details
		if c.auth.State != authentication.Prepared || !d.MethodNotifiedAt.IsZero() || d.Again {
			return vault.ErrUnchanged
		}
		d.MethodNotifiedAt = c.now
		return nil
	})
	return err
}

// ChallengeShown returns the page at the end of a challenge for a browser without a message. It changes nothing.
func (s *Authentications) ChallengeShown(ctx context.Context, token string) (*CallbackView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLChallenge, token)
	if errors.Is(err, fault.ErrNotFound) {
		return &CallbackView{}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.silentView(c), nil
}

// ChallengeNotified receives the message that the ACS sends by the browser at the end of a challenge: a CRes or an error, and
// threeDSSessionData. The message is not evidence; the engine fetches the result in the background.
func (s *Authentications) ChallengeNotified(ctx context.Context, token, form, sessionData string) (*CallbackView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLChallenge, token)
	if errors.Is(err, fault.ErrNotFound) {
		return &CallbackView{}, nil
	}
	if err != nil {
		return nil, err
	}
	cres, err := message.ParseCRes(form)
	if err != nil && !c.auth.State.Ended() && c.auth.State != authentication.ResultPending {
		s.raiseCallbackAlarm(ctx, c, threeds.FlagUnexpectedCRes)
		return s.silentView(c), nil
	}
	session := message.CheckSessionData(s.sessionKey(), c.auth.ID, c.auth.Details.TokenHashes[authentication.URLChallenge], sessionData)
	var got threeds.CResReceipt
	c, err = s.changeAuthentication(ctx, c.auth.ID, func(c *authCase) error {
		got = threeds.ReceiveCRes(threeds.State(c.auth.State), s.run(c, threeds.Final, nil), cres, session)
		if !got.Accepted {
			return vault.ErrUnchanged
		}
		c.auth.State, c.auth.Details.ChallengedAt, c.auth.Details.Pulls = authentication.State(got.Next), c.now, 0
		c.auth.Details.ChallengeError = cres.MessageType != "CRes"
		c.auth.Details.CResStatus, c.auth.Private.CRes = cres.TransStatus, form
		c.auth.DueAt = c.now.Add(pullAfter(0, true))
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case got.Alert != "":
		s.raiseCallbackAlarm(ctx, c, got.Alert)
		return s.silentView(c), nil
	case got.Fetch:
		s.collectLater(ctx, c.auth.ID)
	}
	return s.callbackView(c), nil
}

func (s *Authentications) raiseCallbackAlarm(ctx context.Context, c *authCase, why threeds.Flag) {
	s.Metrics.Alarm(alarm.Kind(why))
	s.Log.LogAttrs(ctx, slog.LevelWarn, "callback ignored", slog.String("authentication_id", c.auth.ID), slog.String("payment_id", c.auth.PaymentID),
		slog.String("why", string(why)))
}

// silentView returns a page without information.
func (s *Authentications) silentView(c *authCase) *CallbackView {
	return &CallbackView{Framers: s.framersOf(c)}
}

// framersOf returns the origins whose pages may frame the pages of an authentication: the origins that receive messages, and the origins of
// the issuer and of the authenticator, whose frames stand in between.
func (s *Authentications) framersOf(c *authCase) []string {
	out := s.framersAt(c.w)
	for _, raw := range append([]string{c.auth.Details.MethodURL, c.auth.Private.ACSURL}, c.auth.Private.Frames...) {
		if o := originOf(raw); o != "" && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// framersAt returns the origins of the shop's pages that may frame ours. All pages may if the operator allows all origins.
func (s *Authentications) framersAt(w *change.Loaded) []string {
	if slices.Contains(s.SDKOrigins, "*") {
		return []string{"*"}
	}
	return s.originsOf(w)
}

func (s *Authentications) callbackView(c *authCase) *CallbackView {
	v := &CallbackView{Known: true, PaymentID: c.auth.PaymentID, Origins: s.originsOf(c.w), Framers: s.framersOf(c),
		AuthorizeURL: AuthorizeURL(s.PublicURL, c.w.Payment, c.w.Attempt, c.auth.Private.Tokens[authentication.URLAuthorize])}
	v.Poll = pollOf(c.w.Payment)
	v.ReturnURL = c.w.Payment.Details.ReturnURL
	if v.ReturnURL == "" {
		v.ReturnURL = c.w.Profile.Settings.ReturnURL
	}
	return v
}

// AuthorizeURL returns three_ds_authorize_url: payswitch's page that waits for the result and then sends the payer back to the shop.
func AuthorizeURL(base string, p *payment.Payment, a *payment.Attempt, token string) string {
	return base + "/payments/" + p.ID + "/" + p.MerchantID + "/authorize/" + a.Connector + "/" + token
}
