package flow

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
)

// AuthorizeInput is a visit of the payer's browser to three_ds_authorize_url.
type AuthorizeInput struct {
	PaymentID, MerchantID, Connector string
	Token                            string // without the right one the engine answers that the payment does not exist
	// Alone is true for a browser that shows no other page of the shop: it waits here for the result. A page around a frame gets its answer at once,
	// and polls.
	Alone bool
}

// AuthorizeView says where the payer goes after three_ds_authorize_url. The page decides nothing.
type AuthorizeView struct {
	Return *change.ReturnView // without URL if the merchant has set no return URL
	// Poll is the id for /poll/status. It is set while the result is not known.
	Poll string
	// Origins are the exact origins that may receive messages. Framers are those of CallbackView.
	Origins, Framers []string
}

// Waiting times of the authorize URL: for the result after the payer closed the challenge, and in total.
const (
	closedWait    = 10 * time.Second
	authorizeWait = 25 * time.Second
)

// AuthorizeReturn returns the shop's page to send the payer to. For a browser that is alone it first waits for the authentication's result and for the
// authorization; otherwise both go on in the background. A payer who comes without an answer to the challenge has closed it; the engine gives the
// challenge up unless its result comes within closedWait. Repeated visits change nothing. Error: HE_02 for a wrong token.
func (s *Authentications) AuthorizeReturn(ctx context.Context, in AuthorizeInput) (*AuthorizeView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLAuthorize, in.Token, in.MerchantID, in.PaymentID)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment")
	}
	if err != nil {
		return nil, err
	}
	w, err := s.Changes.Load(ctx, in.MerchantID, in.PaymentID)
	if err != nil {
		return nil, err
	}
	if w.Attempt.Connector != in.Connector {
		return nil, fault.NotFound("Payment")
	}
	if in.Alone {
		switch {
		case w.Attempt.Private.Invoke == nil:
		case s.Driver.PayerMayAsk(in.MerchantID, "result of "+c.auth.ID):
			s.awaitResult(ctx, c)
		default: // the payer has come again and again: one goroutine asks, however many visits there are
			s.awaitResultLater(ctx, c)
		}
		if w, err = s.awaitPayment(ctx, w, authorizeWait); err != nil {
			return nil, err
		}
	} else if w.Attempt.Private.Invoke != nil {
		s.awaitResultLater(ctx, c)
	}
	v := s.Changes.View(w)
	to, err := s.Changes.PayerReturn(v)
	if v.Payment.Details.ReturnURL == "" && v.Profile.Settings.ReturnURL == "" {
		to, err = &change.ReturnView{View: v}, nil // without a return URL the page itself shows the result
	}
	if err != nil {
		return nil, err
	}
	out := &AuthorizeView{Return: to, Origins: s.originsOf(w), Framers: s.framersAt(w)}
	out.Poll = pollOf(w.Payment)
	return out, nil
}

// pollOf returns the poll_id of a payment whose result is not known, else "".
func pollOf(p *payment.Payment) string {
	if p.Status == payment.RequiresCustomerAction || p.Status == payment.Processing {
		return PollID(p.ID)
	}
	return ""
}

// awaitResultLater runs awaitResult in the background, once on this node.
func (s *Authentications) awaitResultLater(ctx context.Context, c *authCase) {
	id := "closed/" + c.auth.ID
	if c.auth.State == authentication.ResultPending {
		s.collectLater(ctx, c.auth.ID)
		return
	}
	if c.auth.State != authentication.Challenge || !s.collecting.begin(id, s.Driver.Now()) {
		return
	}
	s.InFlight.Add(1)
	go func() {
		defer s.InFlight.Done()
		defer s.collecting.end(id)
		s.awaitResult(context.WithoutCancel(ctx), c)
	}()
}

// awaitResult fetches the result for a payer who comes back from a challenge.
func (s *Authentications) awaitResult(ctx context.Context, c *authCase) {
	switch c.auth.State {
	case authentication.ResultPending:
		s.collect(ctx, c.auth.ID, authorizeWait)
		return
	case authentication.Challenge:
		s.collect(ctx, c.auth.ID, closedWait)
	default:
		return
	}
	select {
	case <-s.Closing:
		return // the node stops before the wait is over: another node looks for the result
	case <-ctx.Done(): // the payer reloads the page: the challenge keeps its time
		s.awaitResultLater(ctx, c)
		return
	default:
	}
	_, err := s.changeAuthentication(context.WithoutCancel(ctx), c.auth.ID, func(c *authCase) error {
		if c.auth.State != authentication.Challenge {
			return vault.ErrUnchanged
		}
		c.cancel, c.background = true, true
		return s.end(c, authentication.Expired, threeds.WindowClosed)
	})
	s.Changes.LogPostponed(ctx, "the end of a closed challenge", c.auth.PaymentID, err)
}

// awaitPayment reads a payment again until it has left processing, or wait is over.
func (s *Authentications) awaitPayment(ctx context.Context, w *change.Loaded, wait time.Duration) (*change.Loaded, error) {
	until, pause := s.Driver.Now().Add(wait), 5*time.Millisecond
	for {
		fresh, err := s.Changes.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
		if err != nil || fresh.Payment.Status != payment.Processing || !s.Driver.Now().Before(until) {
			return fresh, err
		}
		select {
		case <-ctx.Done():
			return fresh, nil
		case <-s.Closing:
			return fresh, nil
		case <-time.After(pause):
		}
		pause = min(2*pause, 250*time.Millisecond)
	}
}

// syncWait is the time for which a forced sync waits for a result that is about to come.
const syncWait = 5 * time.Second

// syncEvery is the least time between two requests of forced syncs to the authenticator.
const syncEvery = 3 * time.Second

// SyncAuthentication performs a forced sync of a payment that has not reached the processor. It asks the authenticator if a challenge is
// under way, and waits for an authorization that is being performed.
func (s *Authentications) SyncAuthentication(ctx context.Context, w *change.Loaded) error {
	if w.Attempt.Private.Invoke != nil && w.Attempt.Details.Authentication.State != authentication.Created {
		c, err := s.loadAuthentication(ctx, w.Attempt.Details.Authentication.ID)
		if err != nil {
			return fault.Internal(err, "read authentication")
		}
		switch since := c.now.Sub(c.auth.Details.AnsweredAt); {
		case c.auth.State == authentication.ResultPending:
			s.collect(ctx, c.auth.ID, syncWait)
		case c.auth.State.Challenged() && since >= syncEvery && c.now.Sub(c.auth.ModifiedAt) >= syncEvery:
			if _, err := s.pull(ctx, c.auth.ID); err != nil {
				return err
			}
		}
	}
	fresh, err := s.awaitPayment(ctx, w, syncWait)
	if err == nil {
		w.Payment, w.Attempt, w.Method = fresh.Payment, fresh.Attempt, fresh.Method
	}
	return err
}

// PollID returns the poll_id of a payment's authentication.
func PollID(paymentID string) string { return pollPrefix + paymentID }

const pollPrefix = "external_authentication_"

// PollStatus reports whether the payer's part in a payment is over: pending or completed. Error: HE_02 for a payment without an
// authentication.
func (e *Authentications) PollStatus(ctx context.Context, auth account.Auth, pollID string) (string, error) {
	missing := fault.NotFound("Poll")
	id, ok := strings.CutPrefix(pollID, pollPrefix)
	if !ok {
		return "", missing
	}
	w, err := e.Changes.Load(ctx, auth.MerchantID, id)
	if err != nil {
		if fault.IsNotFound(err) {
			return "", missing
		}
		return "", err
	}
	s := w.Attempt.Details.Authentication
	switch {
	case s == nil || s.Connector == "":
		return "", missing
	case w.Payment.Status == payment.RequiresCustomerAction:
		return "pending", nil
	}
	return "completed", nil
}

// originsOf returns the origins that may receive messages from our pages: those of the shop, of the requestor, our own, and those of the SDK.
func (s *Authentications) originsOf(w *change.Loaded) []string {
	var out []string
	for _, raw := range append([]string{w.Payment.Details.ReturnURL, w.Profile.Settings.ReturnURL, w.Profile.Settings.RequestorURL, s.PublicURL}, s.SDKOrigins...) {
		if o := originOf(raw); o != "" && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// CancelAuthentication adds the end of the payment's authentication to the change that cancels the payment.
func (e *Authentications) CancelAuthentication(ctx context.Context, w *change.Loaded, ch *change.Change, now time.Time) error {
	s := w.Attempt.Details.Authentication
	if s == nil || s.State.Ended() {
		return nil
	}
	c, err := e.loadAuthentication(ctx, s.ID)
	if err != nil {
		return fault.Internal(err, "read authentication")
	}
	if c.auth.State.Ended() {
		return fault.ErrConflict // another change was faster: read again
	}
	c.w, c.now, c.cancel = w, now, c.auth.State.Challenged()
	c.background = true
	c.auth.ModifiedAt = now
	c.auth.Details.ErrorCode = "cancelled"
	e.finish(c, authentication.Expired, threeds.Abandoned)
	w.Attempt.Private.Invoke = nil
	w.Attempt.Details.Authentication = authentication.Summarize(c.auth)
	ch.Authentication, ch.Ended = c.auth, true
	ch.Effects = append(ch.Effects, e.followUps(c)...)
	return nil
}
