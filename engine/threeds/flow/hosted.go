package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// HostedPage is the data with which our own page runs a payment's authentication. Merchants who only redirect use that page.
type HostedPage struct {
	Invoke *authentication.Invocation // nil if there is nothing to run
	// AuthorizeURL is the page that waits and then sends the payer back to the shop.
	AuthorizeURL string
	// Challenge is the challenge under way, nil before one and after it.
	Challenge *AuthenticationView
	Amount    sdk.Money
	Merchant  string // the name under which payers know the merchant, "" if none is set
	ReturnURL string
}

// HostedPage returns the data for a hosted page by the token in its URL. Error: HE_02 for a wrong token.
func (s *Authentications) HostedPage(ctx context.Context, token string) (*HostedPage, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLHosted, token)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment")
	}
	if err != nil {
		return nil, err
	}
	v := s.callbackView(c)
	p := &HostedPage{AuthorizeURL: v.AuthorizeURL, ReturnURL: v.ReturnURL, Amount: sdk.Money{Minor: c.w.Payment.NetAmount, Currency: c.w.Payment.Currency},
		Merchant: shopName(c.w.Merchant, c.w.Profile)}
	if c.waiting() {
		p.Invoke = c.w.Attempt.Private.Invoke
	}
	if c.auth.State == authentication.Challenge {
		p.Challenge = s.authenticationView(c)
	}
	return p, nil
}

// shopName returns the name under which payers know a merchant: its own, else the profile's if it is not the default one.
func shopName(m *account.Merchant, p *account.Profile) (name string) {
	_ = json.Unmarshal([]byte(m.Private["merchant_name"].Reveal()), &name) // "" without a name
	if name == "" && p.Name != account.DefaultProfileName {
		name = p.Name
	}
	return name
}

// HostedAuthenticate is AuthenticatePayment for the hosted page: the page's token replaces the client secret.
func (s *Authentications) HostedAuthenticate(ctx context.Context, token string, in AuthenticationInput) (*AuthenticationView, error) {
	c, err := s.authenticationByToken(ctx, authentication.URLHosted, token)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment")
	}
	if err != nil {
		return nil, err
	}
	return s.authenticate(ctx, c.auth.ID, in)
}

// newerBrowser merges the browser data that the page found with the data that the merchant sent. The merchant's values fill address, user
// agent, accept header and language: behind a proxy, for example, the page does not see the payer's address. Values that only scripts can
// read come from the page alone, because the browser may run no scripts.
func newerBrowser(found, given *sdk.Browser) *sdk.Browser {
	if found == nil || given == nil {
		return cmp.Or(found, given)
	}
	b := *found
	b.IP, b.UserAgent = cmp.Or(b.IP, given.IP), cmp.Or(b.UserAgent, given.UserAgent)
	b.AcceptHeader, b.Language = cmp.Or(b.AcceptHeader, given.AcceptHeader), cmp.Or(b.Language, given.Language)
	return &b
}

// invokeOf returns the data with which the browser runs a prepared authentication.
func invokeOf(a *authentication.Record, rule *sdk.AuthenticatorRule) *authentication.Invocation {
	return &authentication.Invocation{MethodURL: a.Details.MethodURL, MethodKey: a.Private.MethodKey, MethodData: a.Private.MethodData,
		AuthorizeToken: a.Private.Tokens[authentication.URLAuthorize], PageToken: a.Private.Tokens[authentication.URLHosted], Version: a.Details.MessageVersion,
		DirectoryServerID: a.Details.DirectoryServerID, Network: a.Details.Network, Connector: a.Connector,
		PostMessage: rule != nil && rule.Completion == sdk.MethodByPostMessage}
}
