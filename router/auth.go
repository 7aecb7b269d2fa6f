package router

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// access names the callers that may use a route.
type access int

const (
	noAccess         access = iota // the zero value: New refuses the route
	open                           // no key; openRoutes names the guard
	secretField                    // a merchant's secret key
	either                         // a secret key, or the publishable key with the payment's client secret
	publishable                    // the publishable key
	customersOwn                   // a secret key, or an ephemeral key of the customer that the request is about
	customersDevice                // the publishable key with a client secret, or an ephemeral key
	customersSession               // the ephemeral key that the path's {session_id} names
	admin                          // the installation's admin key
	ownMerchant                    // a secret key of the merchant in the path's {merchant_id}
	adminOrOwn                     // the admin key, or a key that ownMerchant admits
)

// authenticate checks the api-key header against the access of the route, and sets auth and admin of the call.
func (s *Server) authenticate(c *call) error {
	if c.route.who == open {
		return nil
	}
	if token := c.r.Header.Get("Authorization"); token != "" && !strings.Contains(token, " ") && c.route.takesToken() {
		return s.authenticateToken(c, secret.New(token))
	}
	key := secret.New(c.r.Header.Get("api-key"))
	if key.IsZero() {
		return fault.Unauthorized()
	}
	if c.route.who == admin || c.route.who == adminOrOwn {
		if s.isAdmin(key) {
			c.admin = true
			return nil
		}
		if c.route.who == admin {
			return fault.Unauthorized()
		}
	}
	a, err := s.Access.Authenticate(c.ctx(), key)
	if err != nil {
		return err
	}
	if a.CustomerID != "" && c.route.who != customersOwn && c.route.who != customersDevice && c.route.who != customersSession {
		return fault.Unauthorized()
	}
	switch c.route.who {
	case secretField, customersOwn:
		if a.Publishable {
			return fault.Unauthorized()
		}
	case customersDevice:
		if !a.Publishable && a.CustomerID == "" {
			return fault.Unauthorized()
		}
	case customersSession:
		if !opensSession(a, c.param("session_id")) {
			return fault.Unauthorized()
		}
	case publishable:
		if !a.Publishable {
			return fault.Unauthorized()
		}
	case ownMerchant, adminOrOwn:
		if a.Publishable || a.MerchantID != c.param("merchant_id") {
			return fault.Unauthorized()
		}
	}
	if id := c.r.Header.Get("X-Profile-Id"); id != "" && !a.Publishable && a.CustomerID == "" {
		if err := checkID(id); err != nil {
			return fault.InvalidValue("X-Profile-Id").WithHint("Send the id of a profile of this merchant, or leave the header out.")
		}
		a.ProfileID = id
	}
	c.auth = a
	return nil
}

// forClients reports whether a payer's client may use the route, with a key that every page may know. Each request proves what it may see.
func (r *route) forClients() bool {
	return r.who == either || r.who == publishable || r.who == customersDevice || r.who == customersOwn || r.who == customersSession
}

// takesToken reports whether the route takes the SDK token of a payment.
func (r *route) takesToken() bool {
	return r.who == either || r.who == publishable || r.who == customersDevice || r.token
}

// authenticateToken checks the SDK token in the header Authorization, which wins over api-key. On the routes of one payment the token stands for the
// publishable key and the client secret. On a customer's own routes it acts for the payment's customer, if it carries the client session: without
// one, any page could write the token from the client secret.
func (s *Server) authenticateToken(c *call, token secret.Value) error {
	a, t, err := s.Access.AuthenticateSDK(c.ctx(), token)
	if err != nil {
		return err
	}
	if c.route.who == customersOwn {
		if !t.Proven || t.CustomerID == "" {
			return fault.Unauthorized()
		}
		c.auth = account.Auth{MerchantID: a.MerchantID, CustomerID: t.CustomerID}
		return nil
	}
	c.auth, c.token = a, t
	return nil
}

// ForOperator serves h to callers that send the admin key, in the header api-key or as a bearer token. Prometheus can send only the second. Other
// callers get 401.
func (s *Server) ForOperator(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("api-key")
		if scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " "); key == "" && found && strings.EqualFold(scheme, "Bearer") {
			key = strings.TrimSpace(token)
		}
		if !s.isAdmin(secret.New(key)) {
			s.answer(w, r, func(*call) answer { return errorAnswer(fault.Unauthorized()) })
			return
		}
		keepPrivate(w.Header(), http.StatusOK)
		h.ServeHTTP(w, r)
	})
}

// isAdmin compares digests, so that the time it takes does not depend on the key, not even on its length.
func (s *Server) isAdmin(key secret.Value) bool {
	if s.opts.AdminKey.IsZero() {
		return false
	}
	got, want := sha256.Sum256([]byte(key.Reveal())), sha256.Sum256([]byte(s.opts.AdminKey.Reveal()))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
