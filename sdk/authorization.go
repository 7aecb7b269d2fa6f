package sdk

// BasicAuth returns the header of HTTP basic authentication (RFC 7617) for two credentials of the account. user and password are
// the credentials' names.
func (c *Call) BasicAuth(user, password string) Header {
	k := c.Account.Credentials
	return H("Authorization", "Basic "+c.Derive(Basic(k[user], k[password])))
}

// Bearer returns the Authorization header with one credential of the account, or with its access token (RFC 6750). credential is
// the credential's name.
func (c *Call) Bearer(credential string) Header {
	return H("Authorization", "Bearer "+c.Account.Credentials[credential])
}

// Token sends a request for an access token and returns the outcome of OpAccessToken. value and expires are paths in the answer: of
// the token, and of its lifetime in seconds. In OAuth 2.0 (RFC 6749, section 5.1) they are "access_token" and "expires_in".
//
// The adapter sees a stand-in of the token. The account's other operations find it as the credential "access_token". An answer
// without a token, or with a lifetime outside 1 to MaxTokenLifetime, is an error, never a decline.
func (c *Call) Token(s *Send, value, expires string) (*Outcome, error) {
	send := *s
	send.Capture = append(s.Capture[:len(s.Capture):len(s.Capture)], Capture{Path: value, Name: "access_token"})
	r, err := c.Do(send.Safe())
	if err != nil {
		return nil, err
	}
	token := AccessToken{Value: r.JSON().Str(value), ExpiresIn: r.JSON().Int(expires)}
	if !r.OK() || token.Value == "" {
		return nil, r.Undecided("no access token", "error", "error_code")
	}
	if problem := token.Impossible(); problem != "" {
		return nil, r.Undecided(problem)
	}
	return &Outcome{Status: StatusToken, Token: &token}, nil
}
