package sdktest

import (
	"net/url"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Limits of an outcome: bytes of a text, number of raw values, number of events.
const (
	maxText   = 2048
	maxRaw    = 64
	maxEvents = 100
)

// faults are the beginnings of the Go SDK's errors for failures of the adapter, not of the processor.
var faults = []string{"reject after sending: ", "panic", "the adapter returned "}

// Fault returns the Go SDK's error if the operation is unknown because the adapter failed, else "".
func Fault(o *sdk.Outcome) string {
	text := o.Raw["error"]
	if o.Status == sdk.StatusUnknown && slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(text, f) }) {
		return text
	}
	return ""
}

func (c *checker) checkOutcome(in *sdk.Step, o *sdk.Outcome) {
	if text := Fault(o); text != "" {
		c.breaks(RuleMessage, in.Operation, "the adapter fails: %.200q", text)
	}
	wrong := func(format string, args ...any) { c.breaks(RuleOutcome, in.Operation, format, args...) }
	asked := in.Request.Amount
	if o.Amount != nil { // Options.Answer has one amount for all requests; package wire compares amounts
		asked.Minor = max(asked.Minor, o.Amount.Minor)
	}
	if problem := o.Impossible(in.Operation, asked); problem != "" {
		wrong("%s", problem)
	}
	switch {
	case o.Status == sdk.StatusDeclined && o.Decline == nil:
		wrong("the outcome declined needs decline")
	case o.Status == sdk.StatusCustomerAction && o.NextAction == nil:
		wrong("the outcome requires_customer_action needs next_action")
	case (o.Status == sdk.StatusPrepared || o.Status == sdk.StatusAuthenticated) && o.Authentication == nil:
		wrong("the outcome %s needs authentication", o.Status)
	}
	if o.Decline != nil {
		if _, ok := o.Decline.Reason.Facts(); !ok {
			wrong("decline.reason %q is not known", o.Decline.Reason)
		}
	}
	if a := o.NextAction; a != nil {
		if u, err := url.Parse(a.URL); err != nil || (u.Scheme != "https" && u.Scheme != "http") || !slices.Contains([]sdk.NextActionType{sdk.NextActionRedirect, sdk.NextActionFormPost, sdk.NextActionDeviceData}, a.Type) {
			wrong("next_action %q to %q: the type must be redirect, form_post or device_data, and the URL http or https", a.Type, a.URL)
		}
	}
	if d := o.ConnectorData; d != nil && (len(d.Payment) > sdk.MaxConnectorData || len(d.Method) > sdk.MaxConnectorData || len(d.Customer) > sdk.MaxConnectorData) {
		wrong("connector_data has a value of more than %d bytes", sdk.MaxConnectorData)
	}
	for _, s := range []string{o.TransactionID, o.RefundID, o.CaptureID, o.EvidenceID, o.Reference, o.AuthCode, o.NetworkTransactionID} {
		if len(s) > maxText {
			wrong("an id has %d bytes: %d is the most", len(s), maxText)
		}
	}
	if len(o.Raw) > maxRaw || len(o.Events) > maxEvents {
		wrong("%d raw values and %d events: 64 and 100 are the most", len(o.Raw), len(o.Events))
	}
	for k, v := range o.Raw {
		if len(k)+len(v) > maxText {
			wrong("raw %.20q has %d bytes: %d is the most, with the name", k, len(v), maxText)
		}
	}
}

func (c *checker) checkReject(in *sdk.Step, r *sdk.Reject) {
	switch r.Code {
	case sdk.RejectMissing, sdk.RejectInvalid, sdk.RejectUnsupported, sdk.RejectConfig:
	default:
		c.breaks(RuleOutcome, in.Operation, "reject code %q is not known", r.Code)
	}
	for _, e := range in.Exchanges {
		if e.Sent {
			c.breaks(RuleEvidence, in.Operation, "the adapter rejects after something was sent: answer unknown")
			return
		}
	}
}

const tokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func (c *checker) checkSend(in *sdk.Step, s *sdk.Send) {
	wrong := func(format string, args ...any) { c.breaks(RuleSend, in.Operation, format, args...) }
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, s.Method) {
		wrong("method %q is not GET, HEAD, POST, PUT, PATCH or DELETE", s.Method)
	}
	if (s.Method == "GET" || s.Method == "HEAD") && !s.SafeToRepeat {
		wrong("a %s must declare safe_to_repeat", s.Method)
	}
	if by := c.manifest.Resolve.By; in.Operation == sdk.OpAuthorize && !s.SafeToRepeat && slices.Contains(by, sdk.ResolveByIdempotentResend) && !slices.Contains(by, sdk.ResolveByReference) {
		wrong("%s %s is not safe to repeat, but resolve.by has idempotent_resend and no reference: a lost answer could not be found out; name the idempotency header (Send.Keyed), or leave idempotent_resend out if the processor has no key for payments", s.Method, s.URL)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		wrong("URL %q is not absolute, or has user information or a fragment", s.URL)
		return
	}
	if !c.hostDeclared(in, u) {
		wrong("host %q is not declared for environment %q", u.Host, in.Account.Environment)
	}
	for _, h := range s.Headers {
		if h.Name == "" || strings.Trim(h.Name, tokenCharacters) != "" || strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			wrong("header %q is malformed", h.Name)
		}
	}
	if n := in.Now; len(s.Body) > sdk.MaxMessage/2 || n == 0 {
		wrong("the body has %d bytes: %d is the most", len(s.Body), sdk.MaxMessage/2)
	}
	for _, d := range s.Derive {
		if rest, ok := strings.CutPrefix(d.StandIn, in.DerivePrefix); !ok || rest == "" || strings.Trim(rest, "0123456789") != "" {
			wrong("derivation %q does not begin with derive_prefix and end with an index", d.StandIn)
		}
	}
}

func (c *checker) hostDeclared(in *sdk.Step, u *url.URL) bool {
	if base, err := url.Parse(in.Account.BaseURL); err == nil && base.Host == u.Host && base.Scheme == u.Scheme {
		return true
	}
	for _, h := range c.manifest.Environments[in.Account.Environment].Hosts {
		if u.Scheme == "https" && fillConfig(h, in.Account.Config) == u.Host {
			return true
		}
	}
	return false
}
