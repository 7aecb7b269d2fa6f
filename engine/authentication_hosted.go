package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"payswitch/sdk"
)

// HostedPage is what our own page needs to run a payment's authentication: for merchants who only redirect.
type HostedPage struct {
	Invoke *AttemptInvoke // nil when there is nothing to run (any more)
	// AuthorizeURL waits and sends the payer back to the shop.
	AuthorizeURL string
	// Challenge is the challenge under way, nil before one and after it.
	Challenge *AuthenticationView
	Amount    sdk.Money
	Merchant  string // what payers know the merchant by, "" where nobody said
	ReturnURL string
}

// HostedPage finds the payment that the URL of a hosted page was made for. HE_02 when there is none.
func (s *Authentications) HostedPage(ctx context.Context, token string) (*HostedPage, error) {
	c, err := s.authenticationByToken(ctx, URLHosted, token)
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment")
	}
	if err != nil {
		return nil, err
	}
	v := s.callbackView(c)
	p := &HostedPage{AuthorizeURL: v.AuthorizeURL, ReturnURL: v.ReturnURL, Amount: sdk.Money{Minor: c.w.p.NetAmount, Currency: c.w.p.Currency},
		Merchant: shopName(c.w.merchant, c.w.profile)}
	if c.waiting() {
		p.Invoke = c.w.a.Private.Invoke
	}
	if c.auth.State == AuthenticationChallenge {
		p.Challenge = s.authenticationView(c)
	}
	return p, nil
}

// shopName is what payers know a merchant by: its name, else the profile's where somebody gave it one.
func shopName(m *Merchant, p *Profile) (name string) {
	_ = json.Unmarshal([]byte(m.Private["merchant_name"].Reveal()), &name) // "" when there is none
	if name == "" && p.Name != defaultProfileName {
		name = p.Name
	}
	return name
}

// HostedAuthenticate is AuthenticatePayment by the hosted page: its URL stands for the client secret.
func (s *Authentications) HostedAuthenticate(ctx context.Context, token string, in AuthenticationInput) (*AuthenticationView, error) {
	c, err := s.authenticationByToken(ctx, URLHosted, token)
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment")
	}
	if err != nil {
		return nil, err
	}
	return s.authenticate(ctx, c.auth.ID, in)
}

// newerBrowser is what the page found out about the browser, and what it did not, as the merchant told it: behind a proxy, say, the page
// does not see the payer's address. What only scripts can read is the page's alone: it may be that there are none.
func newerBrowser(found, told *sdk.Browser) *sdk.Browser {
	if found == nil || told == nil {
		return cmp.Or(found, told)
	}
	b := *found
	b.IP, b.UserAgent = cmp.Or(b.IP, told.IP), cmp.Or(b.UserAgent, told.UserAgent)
	b.AcceptHeader, b.Language = cmp.Or(b.AcceptHeader, told.AcceptHeader), cmp.Or(b.Language, told.Language)
	return &b
}

// invokeOf is what the browser needs of an authentication that is prepared.
func invokeOf(a *Authentication, rule *sdk.AuthenticatorRule) *AttemptInvoke {
	return &AttemptInvoke{MethodURL: a.Details.MethodURL, MethodKey: a.Private.MethodKey, MethodData: a.Private.MethodData,
		AuthorizeToken: a.Private.Tokens[URLAuthorize], PageToken: a.Private.Tokens[URLHosted], Version: a.Details.MessageVersion,
		DirectoryServerID: a.Details.DirectoryServerID, Network: a.Details.Network, Connector: a.Connector,
		PostMessage: rule != nil && rule.Completion == "post_message"}
}
