package flow

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// sweepBatch bounds how many authentications one node handles at the same time.
const sweepBatch = 16

// SweepAuthentications handles the authentications that are due: those whose result may have come, those that were left alone, and those
// whose node stopped.
func (s *Authentications) SweepAuthentications(ctx context.Context) error {
	for ctx.Err() == nil {
		var list []*authentication.Record
		err := s.Store.Update(ctx, func(tx change.Tx) (err error) {
			if list = nil; !s.Driver.ClockHolds(tx.Now()) {
				return nil
			}
			list, err = tx.ClaimAuthentications(s.Node, tx.Now().Add(s.LeaseTime), sweepBatch)
			_, err = account.LeftOut(nil, err) // the authentications that can be read go on
			return err
		})
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		for _, a := range list {
			s.InFlight.Add(1)
			wg.Go(func() {
				defer s.InFlight.Done()
				if err := s.sweep(context.WithoutCancel(ctx), a); err != nil {
					s.Log.LogAttrs(ctx, slog.LevelWarn, "authentication not dealt with yet", slog.String("authentication_id", a.ID), slog.Any("error", err))
				}
			})
		}
		wg.Wait()
		if len(list) < sweepBatch {
			return nil
		}
	}
	return nil
}

// sweep handles one authentication that is due. This node holds its lease.
func (s *Authentications) sweep(ctx context.Context, a *authentication.Record) error {
	switch {
	case a.State.Challenged():
		_, err := s.pullLeased(ctx, a.ID) // pullLeased itself gives up after the deadline
		if err != nil && !s.Now().Before(a.Deadline) {
			return errors.Join(err, s.abandon(ctx, a.ID)) // the authenticator cannot be asked any more
		}
		return err
	case a.State == authentication.Asking:
		if _, err := s.pullLeased(ctx, a.ID); err != nil { // some authenticators repeat the answer to an AReq
			s.Log.LogAttrs(ctx, slog.LevelInfo, "unanswered AReq: no result either", slog.String("authentication_id", a.ID), slog.Any("error", err))
		}
		return s.resume(ctx, a.ID)
	}
	defer func() {
		if err := s.Store.Update(ctx, func(tx change.Tx) error { return tx.ReleaseAuthentication(a.ID, s.Node) }); err != nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "lease of an authentication not given back", slog.String("authentication_id", a.ID), slog.Any("error", err))
		}
	}()
	return s.resume(ctx, a.ID)
}

// abandon gives up a challenge whose result cannot be fetched.
func (s *Authentications) abandon(ctx context.Context, id string) error {
	_, err := s.changeAuthentication(ctx, id, func(c *authCase) error {
		if !c.auth.State.Challenged() {
			return vault.ErrUnchanged
		}
		return s.giveUp(c)
	})
	return err
}

// resume continues an authentication that is due and waits for no result. It repeats a look-up whose node stopped, lets the payer's page
// send the AReq again, or gives up.
func (s *Authentications) resume(ctx context.Context, id string) error {
	var q *change.Loaded
	c, err := s.changeAuthentication(ctx, id, func(c *authCase) (err error) {
		q = nil
		a := c.auth
		switch {
		case a.DueAt.IsZero() || c.now.Before(a.DueAt):
			return vault.ErrUnchanged // another node continues it
		case !c.waiting():
			s.finish(c, authentication.Expired, threeds.Abandoned)
			return nil
		case !c.now.Before(a.Deadline):
			return s.end(c, authentication.Expired, threeds.PayerNeverCame)
		case a.State == authentication.Asking && a.Details.Channel == sdk.Channel3RI: // no payer repeats the call: decide as for an AReq without an answer
			d := threeds.Decide(c.cfg(), s.run(c, threeds.Authenticate, nil), threeds.Result{Class: threeds.Technical, Code: "no_answer"})
			c.moved = true
			return s.conclude(ctx, c, d)
		case a.State == authentication.Asking: // the session is used up: the next try needs a new one
			a.State, a.Details.Again, a.DueAt = authentication.Prepared, true, a.Deadline
			return nil
		case a.State == authentication.Created:
			q, err = s.beginAgain(ctx, c)
			return err
		}
		return vault.ErrUnchanged
	})
	if err != nil {
		return err
	}
	if q == nil {
		return nil
	}
	_, err = s.lookUpVersions(ctx, c.auth.ID, q)
	return err
}

// beginAgain repeats the look-up.
func (s *Authentications) beginAgain(ctx context.Context, c *authCase) (*change.Loaded, error) {
	account, adapter, err := s.authenticator(ctx, c.auth.MerchantID, c.auth.AccountID)
	if err != nil {
		return nil, err
	}
	first, secrets, err := s.instrumentOf(ctx, c.auth)
	if err != nil {
		return nil, err
	}
	return s.nextCall(c, account, adapter, sdk.OpPrepare, &first, secrets)
}
