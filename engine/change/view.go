package change

import (
	"cmp"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/contact"
	"payswitch/engine/disputed"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/scheme"
)

// View is a payment with everything that an answer shows. All parts are opened (decrypted). Callers must not change them.
type View struct {
	Payment  *payment.Payment
	Attempt  *payment.Attempt   // the latest attempt
	Attempts []*payment.Attempt // all attempts, if the caller asked for them
	Refunds  []*payment.Refund  // all refunds, oldest first; only for the answer to a retrieve
	Disputes []*disputed.Record // all disputes, oldest first; only for the answer to a retrieve
	// Record is the record of the payment's customer, nil without one.
	Record *account.Customer
	// Method is the current record of the saved method that the attempt charges or was saved as; nil without one. Private is not set.
	Method   *method.PaymentMethod
	Merchant *account.Merchant
	Profile  *account.Profile
	// ShowCaptures and ShowAttempts are true if the caller asked for captures and attempts.
	ShowCaptures bool
	ShowAttempts bool
	// Routed says how each attempt came to its account, oldest first; nil if the caller did not ask.
	Routed []Routed
	// NoLink leaves out the payment link: only a create and a retrieve answer it.
	NoLink bool
	// SecureLink is the payment link's page for frames, "" without one.
	SecureLink string
	// Public is true for the payer's own client. Its answer leaves out the proof of an authentication.
	Public bool
	// SDKAuthorization is the token for the payer's client. It is set only in an answer about one payment: lists and events do not carry it.
	SDKAuthorization string
	// ManualRetryAllowed is true if the failed payment may be confirmed again.
	ManualRetryAllowed bool
	// BaseURL is the switch's public URL without trailing slash, for next_action URLs.
	BaseURL string
	// RedirectURL is payswitch's page that sends the payer to the processor, or "" if the payment needs no such page.
	RedirectURL string
	// ResponseURL is where the payer comes back from the processor's page. It is set with RedirectURL.
	ResponseURL string
	// ConnectorStatus is the HTTP status of the processor's answer in this call, or 0 without an answer.
	ConnectorStatus int
}

// Routed says how an attempt came to its account. Rule is the name of the rule that matched, "" for none.
type Routed struct {
	*routed.Trace
	AttemptID, Connector, AccountID string
	Rule                            string
	// Scheme is how the card stood at the limits of its scheme after the attempt's decline, nil without one.
	Scheme *scheme.Standing
}

// View returns what an answer shows of w.
func (s *Changes) View(w *Loaded) *View {
	v := &View{Payment: w.Payment, Attempt: w.Attempt, Record: w.Customer, Method: w.Method, Merchant: w.Merchant, Profile: w.Profile, BaseURL: s.PublicURL,
		ManualRetryAllowed: s.RetryAllowed(w.Payment, w.Attempt, w.Profile, s.Now()), ConnectorStatus: w.HTTPStatus}
	if w.Payment.Status == payment.RequiresCustomerAction && w.Attempt.Details.NextAction != nil {
		v.RedirectURL, v.ResponseURL = s.Links.RedirectURL(w.Payment, w.Attempt), s.Links.ResponseURL(w.Payment, w.Attempt)
	}
	if l := w.Payment.Details.Link; l != nil {
		v.SecureLink = paylink.SecureURL(s.Vault.Hash, w.Payment.MerchantID, l)
	}
	return v
}

// Customer returns what is known of the payment's customer: what came with the payment, completed from the customer's record. The payer's own client
// sees only what came with the payment. No answer shows the record of a deleted customer.
func (v *View) Customer() contact.Customer {
	p, c := v.Payment, contact.Customer{}
	if p.Private != nil && p.Private.Customer != nil {
		c = *p.Private.Customer
	}
	c.ID = p.CustomerID
	if r := v.Record; r != nil && r.ID == p.CustomerID && !r.Redacted && r.Personal != nil && !v.Public {
		known := r.Personal
		c.Name, c.Email = cmp.Or(c.Name, known.Name), cmp.Or(c.Email, known.Email)
		if c.Phone == "" && c.PhoneCountryCode == "" {
			c.Phone, c.PhoneCountryCode = known.Phone, known.PhoneCountryCode
		}
	}
	return c
}

// RetryAllowed reports whether a failed payment may be confirmed again: its attempt and the profile allow it, within the first half of the session time. A payment
// that a person has set to failed may not, while money of it is taken or an operation of it is open.
func (s *Changes) RetryAllowed(p *payment.Payment, a *payment.Attempt, profile *account.Profile, now time.Time) bool {
	return p.Status == payment.Failed && p.Received == 0 && p.OpenOperation == "" && a.Status.MayTryAgain() && profile != nil && profile.Settings.ManualRetry && now.Before(retryUntil(p))
}

func retryUntil(p *payment.Payment) time.Time {
	return p.CreatedAt.Add(p.ExpiresAt.Sub(p.CreatedAt) / 2)
}
