package engine

import (
	"bytes"
	"context"
	"errors"
)

// loaded is a payment as it was read, with its latest attempt, its merchant and profile, and the saved method of the attempt.
type loaded struct {
	run
	merchant  *Merchant
	profile   *Profile
	method    *PaymentMethod // opened; nil without one
	saveTries saveTries
}

func (s *Changes) operationsOf(ctx context.Context, p *Payment) (ops []*Operation, err error) {
	err = s.Store.View(ctx, func(r ChangeReader) (err error) { ops, err = r.Operations(p.MerchantID, p.ID); return err })
	if err != nil {
		return nil, Internal(err, "read operations")
	}
	return ops, nil
}

// load reads a payment with its latest attempt, merchant and profile, opened.
func (s *Changes) load(ctx context.Context, merchantID, id string) (*loaded, error) {
	w := &loaded{}
	err := s.Store.View(ctx, func(r ChangeReader) (err error) {
		if w.p, err = r.Payment(merchantID, id); err != nil {
			return err
		}
		if w.a, err = r.Attempt(merchantID, w.p.AttemptID); err != nil {
			return err
		}
		w.method, err = methodOf(r, w.a.MerchantID, w.a.Details.MethodID)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment")
	}
	if err != nil {
		return nil, Internal(err, "read payment")
	}
	return w, s.open(ctx, w)
}

// open decrypts and completes what load read.
func (s *Changes) open(ctx context.Context, w *loaded) (err error) {
	if err := errors.Join(s.Vault.openPayment(w.p), s.Vault.openAttempt(w.a)); err != nil {
		return err
	}
	if w.merchant, err = s.Registry.dir.merchant(ctx, w.p.MerchantID); err != nil {
		return err
	}
	w.profile, err = s.Registry.dir.profile(ctx, w.p.MerchantID, w.p.ProfileID)
	if errors.Is(err, ErrNotFound) { // a deleted profile does not hide its payments
		w.profile, err = &Profile{ID: w.p.ProfileID, MerchantID: w.p.MerchantID}, nil
	}
	return err
}

// withAccount finds the connector account and adapter the attempt was routed to.
func (s *Changes) withAccount(ctx context.Context, w *loaded) error {
	all, err := s.Registry.dir.accounts(ctx, w.p.MerchantID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.ID == w.a.AccountID {
			w.account = a
		}
	}
	if w.account == nil {
		return s.Registry.dir.orAltered(ctx, w.p.MerchantID, w.a.AccountID, NotFound("Merchant connector account"))
	}
	info, ok := s.Connectors.Adapter(w.account.Connector)
	if !ok {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The connector " + w.account.Connector + " is not available at the moment", Connector: w.account.Connector}
	}
	w.adapter = info
	return nil
}

// busy says whether an operation on the payment is being driven right now.
func (s *Changes) busy(ctx context.Context, p *Payment) (bool, error) {
	if p.OpenOperation == "" {
		return false, nil
	}
	busy := false
	err := s.Store.View(ctx, func(r ChangeReader) error {
		op, err := r.Operation(p.OpenOperation)
		if err == nil {
			busy = op.Status == OperationStarted && r.Now().Before(op.LeaseUntil)
		}
		return err
	})
	if err != nil {
		return false, Internal(err, "read operation")
	}
	return busy, nil
}

// didAlready says whether an earlier try of the same request (by its Idempotency-Key) has made an operation on the payment. Its seed,
// derived from the request's token, gives it away.
func (s *Changes) didAlready(ctx context.Context, w *loaded) (bool, error) {
	ops, err := s.operationsOf(ctx, w.p)
	if err != nil {
		return false, err
	}
	for _, op := range ops {
		if bytes.Equal(op.Seed, s.Driver.seed(w.token, op.Kind)) {
			return true, nil
		}
	}
	return false, nil
}
