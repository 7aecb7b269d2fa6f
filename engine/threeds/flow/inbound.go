package flow

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// AuthenticatorCalled receives a message at the result URL of one authentication; the adapter reads it. A result counts only if it is signed,
// or if the authenticator offers no way to fetch it. All other messages only start a fetch. A wrong token and an ended authentication get the
// same reply. Errors: those of ReceiveWebhook.
func (s *Authentications) AuthenticatorCalled(ctx context.Context, token string, m sdk.WebhookMessage) (*sdk.Reply, error) {
	s.InFlight.Add(1)
	defer s.InFlight.Done()
	neutral := &sdk.Reply{Status: 200}
	c, r, adapter, err := s.authenticatorMessage(ctx, authentication.URLResult, token, drive.ToResult, &m)
	if c == nil || err != nil {
		return neutral, err
	}
	for i := range r.Outcome.Events {
		ev := &r.Outcome.Events[i]
		if ev.Object != sdk.EventAuthentication {
			continue
		}
		if err := s.bookAuthenticatorEvent(context.WithoutCancel(ctx), c.auth.ID, adapter, r, ev, drive.ToResult); err != nil {
			return nil, err
		}
	}
	if r.Outcome.Reply != nil {
		return r.Outcome.Reply, nil
	}
	return neutral, nil
}

// authenticatorMessage has the adapter read a message that arrived at a URL of one authentication. The case is nil for a wrong token.
func (s *Authentications) authenticatorMessage(ctx context.Context, use authentication.URLUse, token string, to drive.Destination, m *sdk.WebhookMessage) (*authCase, *port.DriveResult, port.AdapterInfo, error) {
	c, err := s.authenticationByToken(ctx, use, token)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil, port.AdapterInfo{}, nil
	}
	if err != nil {
		return nil, nil, port.AdapterInfo{}, err
	}
	account, adapter, err := s.authenticator(ctx, c.auth.MerchantID, c.auth.AccountID)
	if err != nil {
		return nil, nil, port.AdapterInfo{}, err
	}
	r, keep, err := s.Driver.ReadWebhook(context.WithoutCancel(ctx), account, to, "", "", m)
	if err == nil && s.Driver.AllowQuery(r, c.auth.MerchantID, "message of "+c.auth.ID) == nil {
		keep()
	}
	return c, r, adapter, err
}

// TakeAuthentication books an event that arrived at the account's URL. found is true if the event is about one of our authentications.
func (s *Authentications) TakeAuthentication(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	adapter, ok := s.Connectors.Adapter(account.Connector)
	if !ok {
		return false, fault.UnavailableConnector(account.Connector)
	}
	id, err := s.authenticationAt(ctx, account, ev)
	if id == "" || err != nil {
		return false, err
	}
	return true, s.bookAuthenticatorEvent(ctx, id, adapter, r, ev, drive.ToAccount)
}

// authenticationAt returns the id of the authentication that an event is about, "" without one. It searches by the authenticator's
// transaction id, then by our id.
func (s *Authentications) authenticationAt(ctx context.Context, account *account.Account, ev *sdk.Event) (id string, err error) {
	err = s.Store.View(ctx, func(r change.Reader) error {
		list, err := r.AuthenticationsAt(account.MerchantID, account.ID, ev.TransactionID)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			id = list[0].ID
			return nil
		}
		if ev.Reference == "" {
			return nil
		}
		a, err := r.Authentication(ev.Reference)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			return nil
		case err == nil && a.MerchantID == account.MerchantID && a.AccountID == account.ID:
			id = a.ID
		}
		return err
	})
	if err != nil {
		return "", fault.Internal(err, "find authentication of a message")
	}
	return id, nil
}

// bookAuthenticatorEvent books one event: one that is evidence, or one that makes the engine ask the authenticator.
func (s *Authentications) bookAuthenticatorEvent(ctx context.Context, id string, adapter port.AdapterInfo, r *port.DriveResult, ev *sdk.Event, to drive.Destination) error {
	out := drive.AuthenticationOf(ev)
	switch {
	case drive.IsEvidence(adapter, r, ev, to):
		return s.bookResult(ctx, id, adapter, authAnswer{out: out, cavv: r.CAVV(out)}, true)
	case out == nil || out.Event == "" || out.Event == sdk.EventResultReady && to != drive.ToEvent:
		s.collectLater(ctx, id)
	case to != drive.ToEvent: // anyone could send such an event
	case out.Event == sdk.EventMethodCompleted:
		return s.methodEnded(ctx, id)
	case out.Event == sdk.EventMethodSkipped, out.Event == sdk.EventTimedOut:
		return s.methodOver(ctx, id)
	case out.Event == sdk.EventResultReady:
		return s.challengeOver(ctx, id)
	}
	return nil
}
