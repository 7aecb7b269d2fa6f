package engine

import "time"

// PaymentView is a payment with what an answer shows of it. All parts are opened (decrypted) and must not be changed.
type PaymentView struct {
	Payment  *Payment
	Attempt  *Attempt   // the latest
	Attempts []*Attempt // all, only when asked for
	// Method is the saved method that the attempt charges or was kept as, as it is now; nil without one. Private is not set.
	Method   *PaymentMethod
	Merchant *Merchant
	Profile  *Profile
	// ShowCaptures and ShowAttempts say what was asked for.
	ShowCaptures bool
	ShowAttempts bool
	// Public says that the payer's own client reads: what proves an authentication is left out.
	Public bool
	// ManualRetryAllowed says that a failed payment may be confirmed again.
	ManualRetryAllowed bool
	// BaseURL is the switch's public URL without trailing slash, for next_action URLs.
	BaseURL string
	// RedirectURL is our page that sends the payer on to the processor, "" while there is nowhere to go.
	RedirectURL string
	// ConnectorStatus is the HTTP status the processor answered in this call, 0 when none was called over HTTP.
	ConnectorStatus int
}

// view is what an answer shows of a payment.
func (s *Changes) view(w *loaded) *PaymentView {
	v := &PaymentView{Payment: w.p, Attempt: w.a, Method: w.method, Merchant: w.merchant, Profile: w.profile, BaseURL: s.PublicURL,
		ManualRetryAllowed: s.retryAllowed(w.p, w.profile, s.Now()), ConnectorStatus: w.httpStatus}
	if w.p.Status == RequiresCustomerAction && w.a.Details.NextAction != nil {
		v.RedirectURL = s.Links.redirectURL(w.p, w.a)
	}
	return v
}

// retryAllowed says whether a failed payment may be confirmed again: the profile allows it, within half of the session time.
func (s *Changes) retryAllowed(p *Payment, profile *Profile, now time.Time) bool {
	return p.Status == Failed && profile != nil && profile.Settings.ManualRetry && now.Before(retryUntil(p))
}

func retryUntil(p *Payment) time.Time {
	return p.CreatedAt.Add(p.ExpiresAt.Sub(p.CreatedAt) / 2)
}
