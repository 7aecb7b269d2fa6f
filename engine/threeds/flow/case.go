package flow

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/link"
	"payswitch/engine/payment"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
)

// authCase is an authentication with its payment, read together, and the changes to write together.
type authCase struct {
	auth *authentication.Record
	w    *change.Loaded // payment, attempt, merchant and profile
	now  time.Time      // by the database's clock

	moved    bool                 // payment and attempt have changed too
	insert   []*payment.Operation // new operations
	at       []*account.Account   // the processors' accounts of insert
	closed   []*payment.Operation // operations that have ended
	journal  []*drive.JournalRecord
	queued   *payment.Operation // the authorization to perform after the commit; insert holds it too
	leaseEnd time.Time          // end of the lease of queued and insert, on this node's clock
	alarms   []alarm.Kind
	ended    bool   // the change ends the authentication
	strong   string // fingerprint of a card whose payer passes a challenge with this change; "" for no card
	cancel   bool   // notify the authenticator that the payer has left
	// background is true if the caller does not wait for the follow-up work.
	background bool
}

func (c *authCase) cfg() threeds.Config { return c.w.Profile.Settings.ThreeDSPolicy() }

// waiting reports whether the payment waits for this authentication. It is false once another attempt, a cancellation or an authorization has
// overtaken it.
func (c *authCase) waiting() bool {
	p, a := c.w.Payment, c.w.Attempt
	return p.AttemptID == a.ID && p.OpenOperation == "" && (a.Status == payment.AuthenticationPending || a.Status == payment.Authorizing) &&
		a.Details.Authentication != nil && a.Details.Authentication.ID == c.auth.ID
}

// loadAuthentication reads an authentication and its payment from one snapshot. It returns ErrNotFound for an unknown id.
func (s *Authentications) loadAuthentication(ctx context.Context, id string) (*authCase, error) {
	c := &authCase{w: &change.Loaded{}}
	err := s.Store.View(ctx, func(r change.Reader) (err error) {
		c.now = r.Now()
		if c.auth, err = r.Authentication(id); err != nil {
			return err
		}
		if c.w.Payment, err = r.Payment(c.auth.MerchantID, c.auth.PaymentID); err != nil {
			return err
		}
		if c.w.Attempt, err = r.Attempt(c.auth.MerchantID, c.auth.AttemptID); err != nil {
			return err
		}
		c.w.Customer, err = change.CustomerOf(r, c.w.Payment)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Internal(err, "read authentication")
	}
	return c, errors.Join(s.Vault.OpenAuthentication(c.auth), s.Changes.Open(ctx, c.w))
}

// changeAuthentication reads an authentication, applies f and writes the result by compare-and-set. After a conflict it starts again with a
// fresh read. f must change nothing but c; it may return ErrUnchanged to skip the write. The result is the case as written.
func (s *Authentications) changeAuthentication(ctx context.Context, id string, f func(c *authCase) error) (*authCase, error) {
	for {
		c, err := s.loadAuthentication(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := f(c); errors.Is(err, vault.ErrUnchanged) {
			return c, nil
		} else if err != nil {
			return c, err
		}
		err = s.commitAuthentication(ctx, c)
		if errors.Is(err, fault.ErrConflict) {
			continue
		}
		return c, err
	}
}

// commitAuthentication commits the changes of an authentication and of its payment.
func (s *Authentications) commitAuthentication(ctx context.Context, c *authCase) (err error) {
	c.auth.ModifiedAt = c.now
	ch := &change.Change{Authentication: c.auth, Intents: c.insert, At: c.at, Asked: c.closed, Journal: c.journal, Strong: c.strong, Alarms: c.alarms, Ended: c.ended}
	if c.moved {
		c.w.Attempt.Details.Authentication = authentication.Summarize(c.auth)
		c.w.Payment.ModifiedAt, c.w.Attempt.ModifiedAt = c.now, c.now
		ch.Payment, ch.Attempt = c.w.Payment, c.w.Attempt
		ch.Guard = change.CountGuard(c.w.Attempt, c.now)
		if c.queued == nil { // with an authorization queued, the payment only passes through processing
			if ch, err = s.Changes.Announce(ctx, c.w, ch, c.now); err != nil {
				return err
			}
		}
	}
	ch.Effects = s.followUps(c)
	return s.Changes.Commit(ctx, ch)
}

// answered adds an operation that has ended, and its journal, to the change.
func (c *authCase) answered(ans authAnswer) {
	c.closed = append(c.closed, ans.op)
	c.journal = append(c.journal, ans.journal...)
}

// flag records the flags of a decision, and raises an alarm for those that an operator must see.
func (c *authCase) flag(flags []threeds.Flag) {
	for _, f := range flags {
		if !slices.Contains(c.auth.Details.Flags, string(f)) {
			c.auth.Details.Flags = append(c.auth.Details.Flags, string(f))
		}
		if f.Alert() {
			c.alarms = append(c.alarms, alarm.Kind(f))
		}
	}
}

// makeTokens makes the tokens of all URLs of a new authentication.
func (s *Authentications) makeTokens(a *authentication.Record) {
	for _, use := range []authentication.URLUse{authentication.URLMethod, authentication.URLChallenge, authentication.URLEvent, authentication.URLResult, authentication.URLHosted, authentication.URLAuthorize, authentication.URLFrames, authentication.URLOpen} {
		token := s.Links.NewToken(a, use)
		hash := sha256.Sum256([]byte(token[link.IDLength:]))
		a.Details.TokenHashes[use], a.Private.Tokens[use] = hash[:], token
	}
}

// authenticationByToken returns the authentication to which a URL of ours belongs, or ErrNotFound, whatever is wrong. It refuses a wrong
// token before it reads the store. also holds further parts of the path to which the token is bound.
func (s *Authentications) authenticationByToken(ctx context.Context, use authentication.URLUse, token string, also ...string) (*authCase, error) {
	id, ok := s.Links.AuthenticationOfToken(use, token, also...)
	if !ok {
		return nil, fault.ErrNotFound
	}
	return s.loadAuthentication(ctx, id)
}
