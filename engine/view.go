package engine

import (
	"context"
	"errors"
	"time"
)

// view is what an answer shows of a payment.
func (e *Engine) view(w *loaded) *PaymentView {
	v := &PaymentView{Payment: w.p, Attempt: w.a, Method: w.method, Merchant: w.merchant, Profile: w.profile, BaseURL: e.opts.PublicURL,
		ManualRetryAllowed: e.retryAllowed(w.p, w.profile, e.now()), ConnectorStatus: w.httpStatus}
	if w.p.Status == RequiresCustomerAction && w.a.Details.NextAction != nil {
		v.RedirectURL = e.links.redirectURL(w.p, w.a)
	}
	return v
}

// load reads a payment with its latest attempt, merchant and profile, opened.
func (e *Engine) load(ctx context.Context, merchantID, id string) (*loaded, error) {
	w := &loaded{}
	err := e.store.View(ctx, func(r Reader) (err error) {
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
	return w, e.open(ctx, w)
}

// open decrypts and completes what load read.
func (e *Engine) open(ctx context.Context, w *loaded) (err error) {
	if err := errors.Join(e.vault.openPayment(w.p), e.vault.openAttempt(w.a)); err != nil {
		return err
	}
	if w.merchant, err = e.dir.merchant(ctx, w.p.MerchantID); err != nil {
		return err
	}
	w.profile, err = e.dir.profile(ctx, w.p.MerchantID, w.p.ProfileID)
	if errors.Is(err, ErrNotFound) { // a deleted profile does not hide its payments
		w.profile, err = &Profile{ID: w.p.ProfileID, MerchantID: w.p.MerchantID}, nil
	}
	return err
}

// withAccount finds the connector account and adapter the attempt was routed to.
func (e *Engine) withAccount(ctx context.Context, w *loaded) error {
	all, err := e.dir.accounts(ctx, w.p.MerchantID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.ID == w.a.AccountID {
			w.account = a
		}
	}
	if w.account == nil {
		return e.dir.orAltered(ctx, w.p.MerchantID, w.a.AccountID, NotFound("Merchant connector account"))
	}
	info, ok := e.connectors.Adapter(w.account.Connector)
	if !ok {
		return &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The connector " + w.account.Connector + " is not available at the moment", Connector: w.account.Connector}
	}
	w.adapter = info
	return nil
}

// retryAllowed says whether a failed payment may be confirmed again: the profile allows it, within half of the session time.
func (e *Engine) retryAllowed(p *Payment, profile *Profile, now time.Time) bool {
	return p.Status == Failed && profile != nil && profile.Settings.ManualRetry && now.Before(retryUntil(p))
}

func retryUntil(p *Payment) time.Time {
	return p.CreatedAt.Add(p.ExpiresAt.Sub(p.CreatedAt) / 2)
}
