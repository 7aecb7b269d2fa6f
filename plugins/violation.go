package plugins

import (
	"fmt"
	"strings"
	"unicode"

	"payswitch/engine"
)

// Violation is the error of a drive that was stopped because the adapter broke a rule of the host's. What it asked for has not left.
// No text of the adapter's is in it beyond names of hosts and headers.
type Violation struct {
	Adapter string
	Rule    string // one of the Rule constants
	Detail  string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("adapter %s broke rule %q: %s", v.Adapter, v.Rule, v.Detail)
}

// The rules, as metrics and logs name them.
const (
	RuleURL        = "url"        // scheme, host form, port, user information
	RuleHost       = "host"       // a host the account does not approve
	RuleHeader     = "header"     // a header that is malformed or the host's own business
	RuleRequest    = "request"    // method, size and what else a request is made of
	RuleSecret     = "secret"     // a stand-in where it may not stand
	RuleTemplate   = "template"   // a body with secrets that cannot be read in one way only
	RuleDerivation = "derivation" // a derivation or capture that is not to be had
	RuleAnswer     = "answer"     // a secret that came back in an answer
	// RuleAuthentication: card data in a request that is not proven to be this account's.
	RuleAuthentication = "authentication"
	RuleVerify         = "verify"     // a verify that is not to be had
	RuleLimit          = "limit"      // more sends, verifies or bytes than an operation has
	RuleRepeat         = "repeat"     // a send that might make the processor act twice
	RuleReject         = "reject"     // a reject after something may have left
	RuleOutcome        = "outcome"    // an outcome that is none
	RuleDivergence     = "divergence" // a re-run that does not repeat what was sent
)

// violation is one whose adapter is filled in by the drive.
func violation(rule, format string, args ...any) *Violation {
	return &Violation{Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// mostViolations bounds what one drive tells of.
const mostViolations = 8

// broke tells of a rule that the adapter broke, to metrics and to the connector account.
func (o *operation) broke(rule, place string) {
	o.opts.Observer.Violated(o.adapter.name, rule)
	o.keep(engine.Violation{OperationID: o.in.OperationID, Operation: o.in.Operation, Adapter: o.adapter.name, AdapterHash: o.adapter.hash,
		Rule: rule, Place: o.placeText(place)})
}

// keep takes a violation in, of an operation on this one's behalf too.
func (o *operation) keep(v engine.Violation) {
	if len(o.res.Violations) < mostViolations {
		v.OperationID = o.in.OperationID
		o.res.Violations = append(o.res.Violations, v)
	}
}

// placeText is where a rule was broken, as it may be kept: without secrets and control characters, and short.
func (o *operation) placeText(s string) string {
	s, _ = o.scrub.text(s, nil)
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if len(s) > engine.MaxPlace {
		s = s[:engine.MaxPlace]
	}
	return strings.ToValidUTF8(s, "")
}
