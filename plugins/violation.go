package plugins

import (
	"fmt"
	"strings"
	"unicode"

	"payswitch/engine/port"
)

// Violation is the error of a drive that the host stopped because the adapter broke a rule. The forbidden request has not left. Of
// the adapter's own text it holds only names of hosts and headers.
type Violation struct {
	Adapter string
	Rule    string // one of the Rule constants
	Detail  string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("adapter %s broke rule %q: %s", v.Adapter, v.Rule, v.Detail)
}

// The rules, by their names in metrics and logs.
const (
	RuleURL        = "url"        // scheme, host form, port, user information
	RuleHost       = "host"       // a host that is not approved for the account
	RuleHeader     = "header"     // a malformed header, or one that only the host may set
	RuleRequest    = "request"    // a method, size or other part of a request
	RuleSecret     = "secret"     // a stand-in at a forbidden place
	RuleTemplate   = "template"   // a body with secrets that servers could read in different ways
	RuleDerivation = "derivation" // a derivation or capture that the host does not compute
	RuleAnswer     = "answer"     // a secret that came back in an answer
	// RuleAuthentication: a request with card data does not prove that it belongs to this account.
	RuleAuthentication = "authentication"
	RuleVerify         = "verify"     // a verify that the host does not compute
	RuleLimit          = "limit"      // more sends, verifies or bytes than one operation may use
	RuleRepeat         = "repeat"     // a send that might make the processor act twice
	RuleReject         = "reject"     // a reject after something may have left
	RuleOutcome        = "outcome"    // an outcome that no operation can have
	RuleDivergence     = "divergence" // a resumed operation that does not repeat its requests
)

// violation makes a Violation. The drive fills in the adapter's name.
func violation(rule, format string, args ...any) *Violation {
	return &Violation{Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// mostViolations bounds how many violations one drive reports.
const mostViolations = 8

// broke reports a broken rule to the metrics and to the connector account.
func (o *operation) broke(rule, place string) {
	o.opts.Observer.Violated(o.adapter.name, rule)
	o.keep(port.Violation{OperationID: o.in.OperationID, Operation: o.in.Operation, Adapter: o.adapter.name, AdapterHash: o.adapter.hash,
		Rule: rule, Place: o.placeText(place)})
}

// keep adds a violation to the result, also one of a nested operation such as the fetch of an access token.
func (o *operation) keep(v port.Violation) {
	if len(o.res.Violations) < mostViolations {
		v.OperationID = o.in.OperationID
		o.res.Violations = append(o.res.Violations, v)
	}
}

// placeText makes the place of a violation fit for the store: short, without secrets and control characters.
func (o *operation) placeText(s string) string {
	s, _ = o.scrub.Text(s, nil)
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if len(s) > port.MaxPlace {
		s = s[:port.MaxPlace]
	}
	return strings.ToValidUTF8(s, "")
}
