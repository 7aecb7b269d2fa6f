package flow

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/message"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// pullAfter returns the time until the next request for a result that is not there yet. After the payer has come back, the result usually
// arrives within seconds. Otherwise background work asks one, two, four, eight and twelve minutes after the challenge began. So it sees
// the results of an authenticator that drops them after five minutes.
func pullAfter(pulls int, returned bool) time.Duration {
	if returned {
		early := []time.Duration{500 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}
		switch {
		case pulls < len(early):
			return early[pulls]
		case pulls < 11:
			return 4 * time.Second
		}
		return time.Minute
	}
	if pulls < 2 {
		return time.Minute
	}
	if pulls < 3 {
		return 2 * time.Minute
	}
	return 4 * time.Minute
}

// pull asks the authenticator for a challenge's result, unless another caller is already asking. late is true if the node came too late to send the
// question: it counts as not asked.
func (s *Authentications) pull(ctx context.Context, id string) (late bool, err error) {
	asked := false
	err = s.Store.Update(ctx, func(tx change.Tx) (err error) {
		asked, err = tx.LeaseAuthentication(id, s.Node, tx.Now().Add(s.LeaseTime))
		return err
	})
	if err != nil {
		return false, fault.Internal(err, "lease authentication")
	}
	if !asked {
		return false, nil
	}
	return s.pullLeased(ctx, id)
}

// pullLeased asks while this node holds the lease, and releases the lease. late is that of pull: the authentication stays due.
func (s *Authentications) pullLeased(ctx context.Context, id string) (late bool, err error) {
	ctx = context.WithoutCancel(ctx)
	defer func() {
		err := s.Store.Update(ctx, func(tx change.Tx) error { return tx.ReleaseAuthentication(id, s.Node) })
		if err != nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "lease of an authentication not given back", slog.String("authentication_id", id), slog.Any("error", err))
		}
	}()
	c, err := s.loadAuthentication(ctx, id)
	if err != nil || !c.auth.State.Challenged() && c.auth.State != authentication.Asking {
		return false, err
	}
	account, adapter, err := s.authenticator(ctx, c.auth.MerchantID, c.auth.AccountID)
	if err != nil {
		return false, err
	}
	if !slices.Contains(adapter.Manifest.Operations, sdk.OpResult) {
		_, err := s.changeAuthentication(ctx, id, func(c *authCase) error { return s.scheduleNextPull(c) })
		return false, err
	}
	first, _, err := s.instrumentOf(ctx, c.auth)
	if err != nil {
		return false, err
	}
	req := s.callRequest(c, account, &first)
	req.Instrument, req.Customer, req.Billing, req.Shipping, req.Browser = nil, nil, nil, nil, nil
	q, err := s.newCall(c, account, adapter, sdk.OpResult, req)
	if err != nil {
		return false, err
	}
	q.Unstored = true
	ans := s.call(ctx, q)
	if ans.late {
		return true, nil
	}
	return false, s.bookResult(ctx, id, adapter, ans, false)
}

// bookResult writes an authenticator's report on the end of a challenge. push is true if the authenticator sent it unasked.
func (s *Authentications) bookResult(ctx context.Context, id string, adapter port.AdapterInfo, ans authAnswer, push bool) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		c.background = push // the authenticator's push needs a quick reply
		return s.result(ctx, c, adapter, ans, push)
	})
	return err
}

// result decides on the report about a challenge. No other function lets a challenge end well.
func (s *Authentications) result(ctx context.Context, c *authCase, adapter port.AdapterInfo, ans authAnswer, push bool) error {
	a, d, o := c.auth, &c.auth.Details, ans.out
	res, run := answerOf(ans), s.run(c, threeds.Final, adapter.Manifest.Authenticator)
	hasResult := o.TransStatus != "" || o.Gone
	c.journal = append(c.journal, ans.journal...)
	switch {
	case a.State == authentication.Asking: // the AReq was never answered: the result decides, as after a challenge
		if o.TransStatus == "" || o.TransStatus == string(threeds.TransChallenge) || o.TransStatus == string(threeds.TransDecoupled) || !run.Matches(res) { // not final, or about another authentication
			return vault.ErrUnchanged
		}
	case a.State.Challenged() && (o.Pending || res.Class == threeds.Technical && c.now.Before(a.Deadline)): // a technical error may pass
		return s.scheduleNextPull(c)
	default:
		use, flag := threeds.ReceiveResult(threeds.State(a.State), run, res)
		if flag != "" {
			c.flag([]threeds.Flag{flag})
		}
		if !use {
			return s.unusedResult(c, flag, o)
		}
	}
	if !push && ans.op != nil && hasResult {
		c.insert = append(c.insert, ans.op)
	}
	if o.Gone {
		return s.end(c, authentication.Errored, threeds.ResultGone)
	}
	decision := threeds.Decide(c.cfg(), run, res)
	c.flag(decision.Flags)
	if message.CResMismatch(d.CResStatus, o.TransStatus) {
		c.flag([]threeds.Flag{threeds.FlagCResMismatch})
	}
	if d.FirstStatus == "" {
		d.FirstStatus, d.AnsweredAt = o.TransStatus, c.now
	}
	s.keepAnswer(c, ans)
	return s.conclude(ctx, c, decision)
}

// unusedResult stores a result that comes too late, and keeps waiting after a result for another authentication.
func (s *Authentications) unusedResult(c *authCase, flag threeds.Flag, o *sdk.AuthenticationOutcome) error {
	switch {
	case flag == threeds.FlagLateResult:
		c.auth.Details.TransStatus, c.auth.Details.TransStatusReason = o.TransStatus, o.TransStatusReason
		return nil
	case flag != "" && c.auth.State.Challenged():
		return s.scheduleNextPull(c)
	case flag != "":
		return nil
	}
	return vault.ErrUnchanged
}

// scheduleNextPull schedules the next look, or gives up after the deadline.
func (s *Authentications) scheduleNextPull(c *authCase) error {
	a, d := c.auth, &c.auth.Details
	if !a.State.Challenged() {
		return vault.ErrUnchanged
	}
	returned := a.State == authentication.ResultPending
	if returned && d.ChallengeError && c.now.Sub(d.ChallengedAt) > resultWait {
		return s.end(c, authentication.Errored, threeds.ChallengeError)
	}
	if !c.now.Before(a.Deadline) {
		return s.giveUp(c)
	}
	d.Pulls++
	a.DueAt = c.now.Add(pullAfter(d.Pulls, returned))
	if a.DueAt.After(a.Deadline) {
		a.DueAt = a.Deadline
	}
	return nil
}

// resultWait is the time for which the engine asks often once the payer has come back.
const resultWait = 30 * time.Second

// giveUp ends an authentication whose time is over.
func (s *Authentications) giveUp(c *authCase) error {
	how := threeds.PayerNeverCame
	switch c.auth.State {
	case authentication.ResultPending:
		how = threeds.ResultLate
	case authentication.Decoupled:
		how = threeds.DecoupledLate
	}
	c.cancel = c.auth.State.Challenged()
	return s.end(c, authentication.Expired, how)
}

// end ends an authentication that has no answer: it never authorizes.
func (s *Authentications) end(c *authCase, state authentication.State, how threeds.Ending) error {
	d := threeds.End(how)
	return s.failPayment(c, state, d.Outcome, d.ErrorCode)
}

// cancelChallenge notifies an authenticator that offers the operation that the payer has left. Nothing depends on it.
func (s *Authentications) cancelChallenge(ctx context.Context, c *authCase) {
	account, adapter, err := s.authenticator(ctx, c.auth.MerchantID, c.auth.AccountID)
	if err != nil || !slices.Contains(adapter.Manifest.Operations, sdk.OpCancelChallenge) {
		return
	}
	req := s.callRequest(c, account, &sdk.Request{})
	req.Authentication.CancelReason = sdk.CancelLeft
	q, err := s.newCall(c, account, adapter, sdk.OpCancelChallenge, req)
	if err != nil {
		return
	}
	q.Unstored = true
	if ans := s.call(ctx, q); ans.op.Status != payment.OperationSucceeded {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "the authenticator could not be informed that the payer left", slog.String("authentication_id", c.auth.ID),
			slog.String("text", ans.op.ErrorText))
	}
}
