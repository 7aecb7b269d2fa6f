package router

import (
	"errors"
	"fmt"
	"net/http"

	"payswitch/engine"
)

// guardKind is what keeps a caller without a key from what is not theirs.
type guardKind string

const (
	byToken     guardKind = "token"     // the path's {token}, which nobody guesses; a wrong one is 404 before anything is read
	bySignature guardKind = "signature" // the adapter checks the sender's signature, or asks the sender
	byNothing   guardKind = "nothing"   // the answer is the same for all the world
	byDevelop   guardKind = "develop"   // served in development only, and holds no data of ours
)

// guard is one line of the table of open routes.
type guard struct {
	pattern string
	by      guardKind
	use     engine.URLUse // of the token
	page    bool          // a person without the right token gets a page instead of JSON
	why     string
}

// openRoutes lists everything that is served without a key, with what guards it. New refuses an open route that is not here, and a line
// here that is no open route. A browser's preflight (OPTIONS) is answered without a route: its answer does not depend on the path.
var openRoutes = []guard{
	{pattern: indexPath, by: byNothing, why: "the product's name and version, and links to the open routes below"},
	{pattern: healthPath, by: byNothing, why: "says whether we serve"},
	{pattern: openAPIPath, by: byNothing, why: "the published description of the API"},
	{pattern: featureMatrixPath, by: byNothing, why: "what the installed adapters can do; no merchant's data"},

	{pattern: redirectPattern, by: byToken, use: engine.URLRedirect, why: "leads the payer to the processor's page"},
	{pattern: responsePattern, by: byToken, use: engine.URLReturn, why: "shows the payment's status, and the client secret while the payer acts"},
	{pattern: returnPattern, by: byToken, use: engine.URLReturn, why: "completes the authorization; shows what redirect/response shows"},
	{pattern: authorizePattern, by: byToken, use: engine.URLAuthorize, why: "ends the challenge; shows what redirect/response shows"},

	{pattern: "/3ds/run/{token}", by: byToken, use: engine.URLHosted, page: true, why: "shows amount and shop, and runs the authentication"},
	{pattern: "/3ds/run/{token}/state", by: byToken, use: engine.URLHosted, why: "says whether a challenge is under way"},
	{pattern: "/3ds/m/{token}", by: byToken, use: engine.URLMethod, why: "notes the end of the 3DS method; shows the payment's id and return_url"},
	{pattern: "/3ds/c/{token}", by: byToken, use: engine.URLChallenge, why: "notes the end of the challenge; shows the payment's id and return_url"},
	{pattern: "/3ds/e/{token}", by: byToken, use: engine.URLEvent, why: "takes events of the authenticator's page"},
	{pattern: "/3ds/r/{token}", by: byToken, use: engine.URLResult, why: "takes the authenticator's result; the adapter checks its signature where there is one"},
	{pattern: "/3ds/f/{token}", by: byToken, use: engine.URLFrames, why: "holds the authenticator's frames for the 3DS method"},
	{pattern: "/3ds/g/{token}", by: byToken, use: engine.URLOpen, why: "leads to the challenge"},

	{pattern: webhookPattern, by: bySignature, why: "processors send no key; what is not proven gets one answer, the account exists or not"},

	{pattern: simulatorPath, by: byDevelop, why: "a form that posts to our own return URLs alone, which have tokens"},
	{pattern: simulatedServerPrefix, by: byDevelop, why: "the built-in 3DS server: test cards, and its own accounts' keys"},
	{pattern: simulatedBankPrefix, by: byDevelop, why: "the built-in bank's pages: test cards"},
}

// guardRoutes gives each open route its line of the table, and refuses a route without one. A route that says nothing about who may call it
// is refused, too.
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
		case r.who == nobody:
			problems = append(problems, fmt.Errorf("router: %s %s does not say who may call it", r.method, r.pattern))
		case r.who == open && line == nil:
			problems = append(problems, fmt.Errorf("router: %s %s is open and has no line in openRoutes: say there what guards it", r.method, r.pattern))
		case r.who == open:
			r.guard = line
		case line != nil:
			problems = append(problems, fmt.Errorf("router: %s %s asks for a key, and openRoutes has a line for it: remove the line", r.method, r.pattern))
		}
	}
	return errors.Join(problems...)
}

// admits says whether an open route may be called by this URL. For a token that is a computation over the path alone.
func (s *Server) admits(c *call) bool {
	g := c.route.guard
	return g.by != byToken || s.Payments.OpensURL(engine.PublicURL{Use: g.use, MerchantID: c.param("merchant_id"), PaymentID: c.param("payment_id"),
		AttemptID: c.param("attempt_id"), Connector: c.param("connector"), Token: c.param("token")})
}

// notAdmitted is the answer to a wrong token, the same for what exists and what does not.
func (s *Server) notAdmitted(c *call) (answer, error) {
	if c.route.guard.page && (c.r.Method == http.MethodGet || c.r.Method == http.MethodPost) {
		return expiredPage(), nil
	}
	return answer{}, engine.NotFound("Payment")
}
