package flow

import (
	"context"
	"errors"

	"payswitch/engine/authentication"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/threeds/message"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Some authenticators run the 3DS method and the challenge on pages of their own. The pages are to be loaded with GET ("get_frame" in the manifest),
// and report their progress by events. Clients post forms all the same: to pages of ours, which lead there.

// takeFrames makes the authenticator's own pages the 3DS method: the client posts to a page of ours that frames them.
func (s *Authentications) takeFrames(a *authentication.Record, frames []string) {
	for _, f := range frames {
		if message.CheckChallengeURL(f, s.development()) == nil {
			a.Private.Frames = append(a.Private.Frames, f)
		}
	}
	if len(a.Private.Frames) > 0 {
		a.Details.MethodURL = s.tokenURL(a, authentication.URLFrames)
	}
}

// MethodFrames returns the authenticator's pages that run the 3DS method; a page of ours loads them with GET in hidden frames. It returns nil
// for a wrong token and after the AReq. The view names the origins that may frame our page.
func (s *Authentications) MethodFrames(ctx context.Context, token string) ([]string, *CallbackView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLFrames, token)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil, &CallbackView{}, nil
	case err != nil:
		return nil, nil, err
	case c.auth.State != authentication.Prepared:
		return nil, s.silentView(c), nil
	}
	return c.auth.Private.Frames, s.callbackView(c), nil
}

// ChallengePage returns the URL of the authenticator's challenge page, to be loaded with GET. It returns "" for a wrong token and after the
// challenge; then the view names the payer's next page.
func (s *Authentications) ChallengePage(ctx context.Context, token string) (string, *CallbackView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLOpen, token)
	if errors.Is(err, fault.ErrNotFound) {
		return "", &CallbackView{}, nil
	}
	if err != nil {
		return "", nil, err
	}
	if c.auth.State == authentication.Challenge && c.auth.Private.ByGet {
		return c.auth.Private.ACSURL, nil, nil
	}
	return "", s.callbackView(c), nil
}

// Steps that an event of the authenticator's page can end.
const (
	DoneMethod    = "method"
	DoneChallenge = "challenge"
)

// AuthenticatorEvent receives an event that the authenticator's page posts, by the browser, to the event URL of one authentication. The
// adapter reads it. The event starts work but proves nothing. Errors: those of ReceiveWebhook.
func (s *Authentications) AuthenticatorEvent(ctx context.Context, token string, m sdk.WebhookMessage) (*CallbackView, error) {
	s.InFlight.Add(1)
	defer s.InFlight.Done()
	c, r, adapter, err := s.authenticatorMessage(ctx, authentication.URLEvent, token, drive.ToEvent, &m)
	if c == nil || err != nil {
		return &CallbackView{}, err
	}
	v := s.callbackView(c)
	for i := range r.Outcome.Events {
		ev := &r.Outcome.Events[i]
		if ev.Object != sdk.EventAuthentication {
			continue
		}
		if err := s.bookAuthenticatorEvent(context.WithoutCancel(ctx), c.auth.ID, adapter, r, ev, drive.ToEvent); err != nil {
			return nil, err
		}
		switch out := drive.AuthenticationOf(ev); {
		case out == nil || out.Event == "" || out.Event == sdk.EventResultReady:
			v.Done = DoneChallenge
		case out.Event != sdk.EventInformation:
			v.Done = DoneMethod
		}
	}
	return v, nil
}

// methodOver records, before the AReq, that the 3DS method will not end, so that the engine stops waiting for it.
func (s *Authentications) methodOver(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		if c.auth.State != authentication.Prepared || c.auth.Details.MethodOver {
			return vault.ErrUnchanged
		}
		c.auth.Details.MethodOver = true
		return nil
	})
	return err
}

// challengeOver handles an authenticator's page that reports the end of the challenge in the same way as a CRes.
func (s *Authentications) challengeOver(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		if c.auth.State != authentication.Challenge || !c.auth.Private.ByGet {
			return vault.ErrUnchanged
		}
		c.auth.State, c.auth.Details.ChallengedAt, c.auth.Details.Pulls = authentication.ResultPending, c.now, 0
		c.auth.DueAt = c.now.Add(pullAfter(0, true))
		return nil
	})
	s.collectLater(ctx, id)
	return err
}
