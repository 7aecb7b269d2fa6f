package engine

import (
	"context"
	"errors"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// Some authenticators run the 3DS method and the challenge on pages of their own, to be loaded with GET ("get_frame" in the manifest), which tell
// how far they are by events. Clients post forms all the same: to pages of ours, which lead there.

// takeFrames makes the authenticator's own pages the 3DS method: what the client posts to is a page of ours that holds them.
func (s *Authentications) takeFrames(a *Authentication, frames []string) {
	for _, f := range frames {
		if threeds.CheckChallengeURL(f, s.development()) == nil {
			a.Private.Frames = append(a.Private.Frames, f)
		}
	}
	if len(a.Private.Frames) > 0 {
		a.Details.MethodURL = s.tokenURL(a, URLFrames)
	}
}

// MethodFrames are the authenticator's pages that run the 3DS method, to be loaded with GET in hidden frames; nil where a URL leads to nothing, and
// once the AReq has been sent. The view says who may frame the page that holds them.
func (s *Authentications) MethodFrames(ctx context.Context, token string) ([]string, *CallbackView, error) {
	c, err := s.authenticationByToken(ctx, URLFrames, token)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, &CallbackView{}, nil
	case err != nil:
		return nil, nil, err
	case c.auth.State != AuthenticationPrepared:
		return nil, s.silentView(c), nil
	}
	return c.auth.Private.Frames, s.callbackView(c), nil
}

// ChallengePage is the authenticator's page that challenges the payer, to be loaded with GET; "" where a URL leads to nothing, and when the
// challenge is over: the view says where the payer goes then.
func (s *Authentications) ChallengePage(ctx context.Context, token string) (string, *CallbackView, error) {
	c, err := s.authenticationByToken(ctx, URLOpen, token)
	if errors.Is(err, ErrNotFound) {
		return "", &CallbackView{}, nil
	}
	if err != nil {
		return "", nil, err
	}
	if c.auth.State == AuthenticationChallenge && c.auth.Private.ByGet {
		return c.auth.Private.ACSURL, nil, nil
	}
	return "", s.callbackView(c), nil
}

// What the authenticator's page has come to the end of.
const (
	DoneMethod    = "method"
	DoneChallenge = "challenge"
)

// AuthenticatorEvent takes what a page of the authenticator's had the browser post to the event URL of one authentication: its adapter reads it. It
// wakes us up and proves nothing. Errors: as of ReceiveWebhook.
func (s *Authentications) AuthenticatorEvent(ctx context.Context, token string, m sdk.WebhookMessage) (*CallbackView, error) {
	s.InFlight.Add(1)
	defer s.InFlight.Done()
	c, r, adapter, err := s.authenticatorMessage(ctx, URLEvent, token, toEvent, &m)
	if c == nil || err != nil {
		return &CallbackView{}, err
	}
	v := s.callbackView(c)
	for i := range r.Outcome.Events {
		ev := &r.Outcome.Events[i]
		if ev.Object != "authentication" {
			continue
		}
		if err := s.authenticatorTold(context.WithoutCancel(ctx), c.auth.ID, adapter, r, ev, toEvent); err != nil {
			return nil, err
		}
		switch told := saidOf(ev); {
		case told == nil || told.Event == "" || told.Event == "result_ready":
			v.Done = DoneChallenge
		case told.Event != "information":
			v.Done = DoneMethod
		}
	}
	return v, nil
}

// methodOver notes that the 3DS method will not end any more, before the AReq: nobody waits for it then.
func (s *Authentications) methodOver(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		if c.auth.State != AuthenticationPrepared || c.auth.Details.MethodOver {
			return errUnchanged
		}
		c.auth.Details.MethodOver = true
		return nil
	})
	return err
}

// challengeOver follows an authenticator's page that says that the challenge is over, as a CRes is followed where there are such.
func (s *Authentications) challengeOver(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		if c.auth.State != AuthenticationChallenge || !c.auth.Private.ByGet {
			return errUnchanged
		}
		c.auth.State, c.auth.Details.ChallengedAt, c.auth.Details.Pulls = AuthenticationResult, c.now, 0
		c.auth.DueAt = c.now.Add(pullAfter(0, true))
		return nil
	})
	s.collectLater(ctx, id)
	return err
}
