package simulator

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// challenge sends the customer to the switch's page that stands for the issuer's page, at the origin of the return URL:
// GET /sim/redirect?return_url=…&amount=…&currency=… (amount in minor units). The page comes back to the return URL
// with result=approve or result=decline, in the query or a form.
func (p *payment) challenge() (*sdk.Outcome, error) {
	next := p.redirect()
	if next == nil {
		return nil, invalid("return_url", "3-D Secure needs an http or https URL that the customer comes back to")
	}
	p.memory = p.memory.with(challenged)
	o := p.waiting(sdk.StatusCustomerAction)
	o.NextAction = next
	return o, nil
}

// redirect returns the next action of the customer, nil without a return URL.
func (p *payment) redirect() *sdk.NextAction {
	back := p.request.ReturnURL
	root := origin(back)
	if root == "" {
		return nil
	}
	return &sdk.NextAction{Type: "redirect", URL: root + "/sim/redirect?return_url=" + sdk.QueryEscape(back) +
		"&amount=" + strconv.FormatInt(p.amount.Minor, 10) + "&currency=" + sdk.QueryEscape(string(p.amount.Currency))}
}

// origin is scheme, host and port of a URL, "" without them.
func origin(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if !ok || scheme != "https" && scheme != "http" || rest == "" {
		return ""
	}
	return scheme + "://" + rest
}

// complete goes on after the redirect page. Without a result the customer must still act: a customer who left the page
// with the back button brings no result.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	p := seen(c)
	switch {
	case c.Request.Amount.Minor < 0:
		return nil, invalid("amount", "the amount is negative")
	case c.Request.Payment != nil && c.Request.Payment.Voided:
		return p.declined(refuse(codeState, "The payment has been voided.", sdk.DeclineNotPermitted)), nil
	case p.memory.has(refused):
		return p.declined(declineOf(sdk.DeclineAuthenticationFailed)), nil
	case !p.proven:
		switch result(c.Request.Return) {
		case "approve":
			p.proven, p.memory = true, p.memory.with(authenticated)
		case "decline":
			p.memory = p.memory.with(refused)
			return p.declined(declineOf(sdk.DeclineAuthenticationFailed)), nil
		default:
			return p.challenge()
		}
	}
	if reason := p.refusal(true); reason != "" {
		return p.declined(declineOf(reason)), nil
	}
	return p.process(), nil
}

func result(r *sdk.Return) string {
	if r == nil {
		return ""
	}
	if v := sdk.HeaderValue(r.Form, "result"); v != "" {
		return v
	}
	return sdk.HeaderValue(r.Query, "result")
}
