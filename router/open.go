package router

import (
	"errors"
	"fmt"
	"net/http"

	"payswitch/engine/authentication"
	"payswitch/engine/fault"
	"payswitch/engine/link"
)

// guardKind names the protection of a route that takes no key.
type guardKind string

const (
	byToken     guardKind = "token"     // the path holds an unguessable {token}; a wrong token gets 404 before the request is read
	bySignature guardKind = "signature" // the adapter checks the sender's signature, or asks the sender
	byNothing   guardKind = "nothing"   // every caller gets the same answer
	byLink      guardKind = "link"      // the path is a link that the merchant has made; other paths get 404
	byDevelop   guardKind = "develop"   // served in development only, and shows no stored data
)

// guard is one line of openRoutes.
type guard struct {
	pattern string
	by      guardKind
	use     authentication.URLUse // what the token must be for; with byToken only
	page    bool                  // a wrong token gets an HTML page instead of JSON
	why     string
}

// openRoutes lists every route that takes no key, with its guard. New returns an error if an open route has no line here, or if a route with a key
// has one. A preflight (OPTIONS) needs no line, because its answer depends on the list of routes alone.
var openRoutes = []guard{
	{pattern: indexPath, by: byNothing, why: "the product's name and version, and links to the open routes below"},
	{pattern: healthPath, by: byNothing, why: "shows whether payments can be served"},
	{pattern: livePath, by: byNothing, why: "shows whether the process runs"},
	{pattern: openAPIPath, by: byNothing, why: "the published description of the API"},
	{pattern: featureMatrixPath, by: byNothing, why: "the features of the installed adapters; no merchant's data"},

	{pattern: redirectPattern, by: byToken, use: authentication.URLRedirect, why: "leads the payer to the processor's page"},
	{pattern: responsePattern, by: byToken, use: authentication.URLReturn, why: "shows the payment's status, and the client secret while the payer acts"},
	{pattern: returnPattern, by: byToken, use: authentication.URLReturn, why: "completes the authorization; shows what redirect/response shows"},
	{pattern: authorizePattern, by: byToken, use: authentication.URLAuthorize, why: "ends the challenge; shows what redirect/response shows"},

	{pattern: "/3ds/run/{token}", by: byToken, use: authentication.URLHosted, page: true, why: "shows amount and shop, and runs the authentication"},
	{pattern: "/3ds/run/{token}/state", by: byToken, use: authentication.URLHosted, why: "shows whether a challenge is under way"},
	{pattern: "/3ds/m/{token}", by: byToken, use: authentication.URLMethod, why: "notes the end of the 3DS method; shows the payment's id and return_url"},
	{pattern: "/3ds/c/{token}", by: byToken, use: authentication.URLChallenge, why: "notes the end of the challenge; shows the payment's id and return_url"},
	{pattern: "/3ds/e/{token}", by: byToken, use: authentication.URLEvent, why: "takes events of the authenticator's page"},
	{pattern: "/3ds/r/{token}", by: byToken, use: authentication.URLResult, why: "takes the authenticator's result; the adapter checks its signature where there is one"},
	{pattern: "/3ds/f/{token}", by: byToken, use: authentication.URLFrames, why: "holds the authenticator's frames for the 3DS method"},
	{pattern: "/3ds/g/{token}", by: byToken, use: authentication.URLOpen, why: "leads to the challenge"},

	{pattern: "/HyperLoader.js", by: byNothing, why: "the checkout's script; holds nothing of a merchant"},
	{pattern: "/v0/HyperLoader.js", by: byNothing, why: "the same at the address of the v1 SDK"},
	{pattern: "/v1/HyperLoader.js", by: byNothing, why: "the same at the address of the v1 SDK"},
	{pattern: "/checkout/hyper.mjs", by: byNothing, why: "the same as a module for bundlers"},
	{pattern: "/checkout/integrity", by: byNothing, why: "the address and the hash of that script"},
	{pattern: "/checkout/{hash}/loader.js", by: byNothing, why: "the same at an address that never changes"},
	{pattern: "/checkout/v1/frame", by: byNothing, why: "the checkout's fields; shows which pages may frame those of a publishable key"},
	{pattern: "/checkout/v1/challenge", by: byNothing, why: "the page around the bank's page; shows what /checkout/v1/frame shows"},

	{pattern: webhookPattern, by: bySignature, why: "processors send no key; an unproven message gets the same answer whether or not the account exists"},
	{pattern: relayWebhookPattern, by: bySignature, why: "the same for messages about relays"},

	{pattern: openLinkPattern, by: byLink, why: "a payment link: merchant and payment in the path are the link, as the API has it"},
	{pattern: secureLinkPattern, by: byLink, why: "the same for frames of allowed domains"},
	{pattern: linkStatusPattern, by: byLink, why: "how the link's payment stands; no client secret"},
	{pattern: linkQRPattern, by: byLink, why: "the link as a picture"},
	{pattern: linkClientPattern, by: byLink, why: "what the page's form needs; no client secret, and saved cards only with the proof in secure_link"},
	{pattern: collectPattern, by: byLink, why: "a collect link: it saves a card, and shows none"},
	{pattern: collectClientPattern, by: byLink, why: "the same for the checkout's frame on that page"},

	{pattern: simulatorPath, by: byDevelop, why: "a form that posts only to this server's return URLs, which have tokens"},
	{pattern: simulatedServerPrefix, by: byDevelop, why: "the simulated 3DS server: test cards; its accounts have keys of their own"},
	{pattern: simulatedBankPrefix, by: byDevelop, why: "the pages of the simulated bank: test cards"},
}

// guardRoutes sets the guard of each open route from the table. It returns an error for each open route without a line, each line of a route with a
// key, and each route without an access.
func guardRoutes(routes []route, table []guard) error {
	lines := make(map[string]*guard, len(table))
	for i := range table {
		lines[table[i].pattern] = &table[i]
	}
	var problems []error
	for i := range routes {
		r := &routes[i]
		line := lines[r.pattern]
		switch {
		case r.who == noAccess:
			problems = append(problems, fmt.Errorf("router: %s %s does not say who may call it: set who", r.method, r.pattern))
		case r.who == open && line == nil:
			problems = append(problems, fmt.Errorf("router: %s %s is open and has no line in openRoutes: add one that names its guard", r.method, r.pattern))
		case r.who == open:
			r.guard = line
		case line != nil:
			problems = append(problems, fmt.Errorf("router: %s %s needs a key, and openRoutes has a line for it: remove the line", r.method, r.pattern))
		}
	}
	return errors.Join(problems...)
}

// admits reports whether this URL may call its open route. To check a token, the engine computes over the path alone and reads no database.
func (s *Server) admits(c *call) bool {
	g := c.route.guard
	return g.by != byToken || s.Payments.OpensURL(link.URL{Use: g.use, MerchantID: c.param("merchant_id"), PaymentID: c.param("payment_id"),
		AttemptID: c.param("attempt_id"), Connector: c.param("connector"), Token: c.param("token")})
}

// notAdmitted answers a wrong token. The answer does not show whether the payment exists.
func (s *Server) notAdmitted(c *call) (answer, error) {
	if c.route.guard.page && (c.r.Method == http.MethodGet || c.r.Method == http.MethodPost) {
		return expiredPage(), nil
	}
	return answer{}, fault.NotFound("Payment")
}
