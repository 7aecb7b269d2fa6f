package change

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/method"
	"payswitch/engine/payment"
)

// View is a payment with what an answer shows of it. All parts are opened (decrypted) and must not be changed.
type View struct {
	Payment  *payment.Payment
	Attempt  *payment.Attempt   // the latest
	Attempts []*payment.Attempt // all, only when asked for
	// Method is the saved method that the attempt charges or was kept as, as it is now; nil without one. Private is not set.
	Method   *method.PaymentMethod
	Merchant *account.Merchant
	Profile  *account.Profile
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

// View is what an answer shows of a payment.
func (s *Changes) View(w *Loaded) *View {
	v := &View{Payment: w.Payment, Attempt: w.Attempt, Method: w.Method, Merchant: w.Merchant, Profile: w.Profile, BaseURL: s.PublicURL,
		ManualRetryAllowed: s.RetryAllowed(w.Payment, w.Profile, s.Now()), ConnectorStatus: w.HTTPStatus}
	if w.Payment.Status == payment.RequiresCustomerAction && w.Attempt.Details.NextAction != nil {
		v.RedirectURL = s.Links.RedirectURL(w.Payment, w.Attempt)
	}
	return v
}

// RetryAllowed says whether a failed payment may be confirmed again: the profile allows it, within half of the session time.
func (s *Changes) RetryAllowed(p *payment.Payment, profile *account.Profile, now time.Time) bool {
	return p.Status == payment.Failed && profile != nil && profile.Settings.ManualRetry && now.Before(retryUntil(p))
}

func retryUntil(p *payment.Payment) time.Time {
	return p.CreatedAt.Add(p.ExpiresAt.Sub(p.CreatedAt) / 2)
}
