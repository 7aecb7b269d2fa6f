package sdk

// BasicAuth is the header of HTTP basic authentication (RFC 7617) with two of the account's credentials, by their names.
func (c *Call) BasicAuth(user, password string) Header {
	k := c.Account.Credentials
	return H("Authorization", "Basic "+c.Derive(Basic(k[user], k[password])))
}

// Bearer is the header that carries one of the account's credentials, or the access token, by its name (RFC 6750).
func (c *Call) Bearer(credential string) Header {
	return H("Authorization", "Bearer "+c.Account.Credentials[credential])
}

// Token sends for an access token and returns the outcome of OpAccessToken. value and expires are the paths in the answer of the token and of
// the seconds that it lives for: "access_token" and "expires_in" in OAuth 2.0 (RFC 6749, section 5.1). The guest sees a stand-in of the
// token, which the account's other operations find as the credential "access_token". An answer without a token is an error: no decline of
// anything.
func (c *Call) Token(s *Send, value, expires string) (*Outcome, error) {
	send := *s
	send.Capture = append(s.Capture[:len(s.Capture):len(s.Capture)], Capture{Path: value, Name: "access_token"})
	r, err := c.Do(send.Safe())
	if err != nil {
		return nil, err
	}
	token := AccessToken{Value: r.JSON().Str(value), ExpiresIn: r.JSON().Int(expires)}
	if !r.OK() || token.Value == "" || token.ExpiresIn <= 0 {
		return nil, r.Undecided("no access token", "error", "error_code")
	}
	return &Outcome{Status: StatusToken, Token: &token}, nil
}
