package plugins

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// Rules of certification in addition to those of package sdktest.
const (
	// CertifyHost: the host sends what the adapter asks for, and accepts its outcomes.
	CertifyHost = "host"
	// CertifyProof: each request to a processor holds the account's own credential at the place that the manifest's authentication
	// declares.
	CertifyProof = "proof"
	// CertifyCases: requests and outcomes are those of the adapter's recorded cases.
	CertifyCases = "cases"
)

// perCertified bounds how often one rule is reported for one operation.
const perCertified = 5

// A hostCheck drives an adapter through the host's own code, with recorded and made-up answers instead of the network. It has no
// rules of its own about requests: it reports what the host refuses.
type hostCheck struct {
	ctx      context.Context
	opts     Options
	adapter  *adapter
	broken   []error
	counts   map[string]int
	reported map[string]bool
	used     map[string]bool // names of the account's fields that a request, comparison or outcome holds
	driven   int
}

// checkHost drives every sample of the suite and every operation of the cases. cases may be nil.
func checkHost(ctx context.Context, a *adapter, o sdktest.Options, cases fs.FS) (driven int, err error) {
	opts := Options{OperationTimeout: 10 * time.Minute, AllowLoopbackHTTP: true}.withDefaults()
	c := &hostCheck{ctx: ctx, opts: opts, adapter: a, counts: map[string]int{}, reported: map[string]bool{}, used: map[string]bool{}}
	var rehearsals []wire.Rehearsal
	if cases != nil {
		requests, responses, err := wire.Load(cases, a.manifest.Name)
		if err != nil {
			return 0, err
		}
		rehearsals = wire.Rehearsals(a.manifest, requests, responses)
	}
	for i := range rehearsals { // before the samples: a finding of a case names its line
		c.rehearsal(&rehearsals[i])
	}
	token := tokenAnswer(rehearsals)
	for _, s := range sdktest.Samples(a.manifest, o) {
		c.sample(s, o, token)
	}
	if cases != nil {
		c.checkUsed()
	}
	return c.driven, errors.Join(c.broken...)
}

// breaks notes a broken rule. It notes equal texts once.
func (c *hostCheck) breaks(rule string, op sdk.Operation, where, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.reported[rule+string(op)+text] {
		return
	}
	c.reported[rule+string(op)+text] = true
	if k := rule + string(op); c.counts[k] < perCertified {
		c.counts[k]++
		c.broken = append(c.broken, &sdktest.RuleError{Rule: rule, Operation: op, Detail: where + ": " + text})
	}
}

// lastAnswers are the answers to the last request of an operation: a time-out, an empty answer and a failed connection.
var lastAnswers = []answer{
	{sent: true, failure: failTimeout},
	{sent: true, status: 200, headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}}, body: []byte("{}")},
	{failure: failConnect},
}

// sample drives a request of the suite with made-up secrets.
func (c *hostCheck) sample(s sdktest.Sample, o sdktest.Options, token *sdk.Exchange) {
	for i := range lastAnswers {
		c.drive("request "+s.Name, s.Step, true, func(index int, asked *sdk.Send) answer {
			if o.Answer != nil {
				if x := o.Answer(s.Step.Operation, index, asked); x.Status != 0 {
					return answerOf(&x)
				}
			}
			return lastAnswers[i]
		})
	}
	if token != nil && fetchesToken(c.adapter.manifest, s.Step.Operation) { // once more with the token fetched: that request must prove the account too
		c.drive("request "+s.Name+", with its access token fetched", s.Step, false, func(index int, asked *sdk.Send) answer {
			if index == 0 {
				return answerOf(token)
			}
			return lastAnswers[0]
		})
	}
}

// rehearsal drives an operation of a recorded case.
func (c *hostCheck) rehearsal(r *wire.Rehearsal) {
	c.drive(r.Where, r.Step, true, func(index int, _ *sdk.Send) answer {
		if index < len(r.Answers) {
			return answerOf(&r.Answers[index])
		}
		return lastAnswers[0]
	})
}

// tokenAnswer returns the first answer of the cases that holds an access token; nil for none.
func tokenAnswer(all []wire.Rehearsal) *sdk.Exchange {
	for i := range all {
		if r := &all[i]; r.Step.Operation == sdk.OpAccessToken && len(r.Answers) == 1 && r.Answers[0].Status/100 == 2 {
			return &r.Answers[0]
		}
	}
	return nil
}

func answerOf(x *sdk.Exchange) answer {
	return answer{sent: x.Sent || x.Failure == "", status: x.Status, headers: slices.Clone(x.Headers), body: slices.Clone(x.Body), failure: x.Failure}
}

// noted is a stepper that keeps the adapter's results.
type noted struct {
	stepper
	results []*sdk.Result
}

func (n *noted) step(ctx context.Context, s *sdk.Step, seed [32]byte, clean func(string) string) (*sdk.Result, error) {
	r, err := n.stepper.step(ctx, s, seed, clean)
	if r != nil {
		copied := *r // the host masks the outcome in place
		n.results = append(n.results, &copied)
	}
	return r, err
}

// drive performs an operation with the host's own code. token says whether the account has an access token.
func (c *hostCheck) drive(where string, step *sdk.Step, token bool, reply func(index int, asked *sdk.Send) answer) {
	c.driven++
	d := driveOf(where, step, c.adapter.manifest)
	ctx, cancel := context.WithTimeout(c.ctx, c.opts.OperationTimeout)
	defer cancel()
	opts := c.opts
	opts.Clock = func() time.Time { return d.Started }
	driver := newDriver(opts)
	if token {
		driver.tokens.given = madeUp
		if v := step.Account.Credentials[secretToken]; v != "" {
			driver.tokens.given = secret.New(v)
		}
	}
	n := &noted{stepper: c.adapter.stepper}
	a := *c.adapter
	a.stepper = n
	var sent []*outgoing
	driver.egress.instead = func(_ context.Context, out *outgoing) answer {
		sent = append(sent, out)
		var asked *sdk.Send
		if i := len(n.results); i > 0 {
			asked = n.results[i-1].Send
		}
		return reply(len(sent)-1, asked)
	}
	o := &operation{driver: driver, adapter: &a, in: d, res: &port.DriveResult{AdapterHash: a.hash}, started: time.Now()}
	err := o.prepare()
	if err == nil {
		o.secrets.madeUp = true
		o.reach.certificate = certificateOf(c.adapter.manifest)
		err = o.run(ctx)
	}
	c.judge(where, o, sent, err)
	for _, r := range n.results {
		c.notes(o, r)
	}
}

// certificateOf returns an empty client certificate if the manifest declares one, else nil.
func certificateOf(m *sdk.Manifest) *tls.Certificate {
	if slices.ContainsFunc(m.Credentials, func(f sdk.Field) bool { return f.Type == sdk.FieldClientCertificate }) {
		return new(tls.Certificate)
	}
	return nil
}

// judge reports what the host refused, requests without proof, and impossible outcomes.
func (c *hostCheck) judge(where string, o *operation, sent []*outgoing, err error) {
	op := o.in.Operation
	if v, ok := errors.AsType[*Violation](err); ok {
		c.breaks(CertifyHost, op, where, "the host refuses it: rule %s: %s%s", v.Rule, v.Detail, c.remedy(v))
	} else if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		c.breaks(sdktest.RuleMessage, op, where, "trap: %v", trap)
	} else if err != nil {
		c.breaks(CertifyHost, op, where, "the host cannot drive it: %v", err)
	}
	for _, v := range o.res.Violations {
		if v.Rule != RuleAnswer { // not the adapter's fault: the processor echoes the request
			c.breaks(CertifyHost, op, where, "the host objects: rule %s: %s", v.Rule, v.Place)
		}
	}
	for _, out := range sent {
		if place := unproven(out); place != "" {
			c.breaks(CertifyProof, op, where, "%s %s does not hold the account's credential: authentication declares it in %s, and no secret of the account stands there%s",
				out.method, out.url.EscapedPath(), place, emptyText(out))
		}
	}
	if out := o.res.Outcome; out != nil {
		if text := sdktest.Fault(out); text != "" {
			c.breaks(sdktest.RuleMessage, op, where, "the adapter fails: %.200q", text)
		}
		if problem := out.Impossible(op, o.in.Request.Amount); problem != "" {
			c.breaks(sdktest.RuleOutcome, op, where, "%s", problem)
		}
		for i := range out.Events {
			if problem := impossibleEvent(&out.Events[i]); problem != "" {
				c.breaks(sdktest.RuleOutcome, op, where, "event %d: %s", i, problem)
			}
		}
	}
}

// impossibleEvent explains why an event of a webhook states something impossible; "" if it does not.
func impossibleEvent(e *sdk.Event) string {
	op, known := map[sdk.EventObject]sdk.Operation{sdk.EventPayment: sdk.OpSync, sdk.EventRefund: sdk.OpRefundSync}[e.Object]
	if !known || e.Outcome == nil || op.EndsWith(e.Outcome.Status) {
		return ""
	}
	return e.Outcome.Impossible(op, sdk.Money{})
}

// unproven names the place where authentication declares the account's credential and a request lacks it; "" for none.
func unproven(out *outgoing) string {
	var place string
	for _, p := range out.filled.places {
		if !p.authentication || p.In == sdk.InResponse {
			continue
		}
		if p.In == sdk.InTLS {
			return ""
		}
		if place == "" {
			place = "the " + string(p.In) + " " + p.Field
			if p.In == sdk.InBody || p.In == sdk.InQuery {
				place = "the " + string(p.In) + " field " + p.Field
			}
		}
	}
	if out.filled.proven {
		return ""
	}
	return place
}

// emptyText explains that a header of authentication stands there without a credential; "" otherwise.
func emptyText(out *outgoing) string {
	for _, p := range out.filled.places {
		if !p.authentication || p.In != sdk.InHeader {
			continue
		}
		if v, there := out.header[http.CanonicalHeaderKey(p.Field)]; there && len(v) == 1 && isEmptyCredential(v[0]) {
			return fmt.Sprintf(" (it is %q: check the credential's name)", v[0])
		}
	}
	return ""
}

func isEmptyCredential(v string) bool {
	v = strings.TrimSpace(v)
	return v == "" || strings.EqualFold(v, "Bearer") || strings.EqualFold(v, "Basic") || strings.EqualFold(v, "Basic Og==")
}

// remedy says how to mend a violation whose own text does not; "" for the others.
func (c *hostCheck) remedy(v *Violation) string {
	switch v.Rule {
	case RuleHost:
		return "; declare the host in environments, or use Account.BaseURL"
	case RuleHeader:
		if strings.Contains(v.Detail, "begins or ends with a space") {
			return "; an unknown credential leaves such a value empty: check that the manifest declares its name"
		}
	case RuleSecret:
		return "; compare secret, operation, host, method, path, field and escapes of the manifest's placements and authentication with the request"
	case RuleAuthentication:
		return "; declare the place in the manifest's authentication, and put the account's own credential there"
	}
	return ""
}

// notes marks the account's fields whose values stand in a result of the adapter.
func (c *hostCheck) notes(o *operation, r *sdk.Result) {
	if r.Send == nil && r.Verify == nil && r.Outcome == nil {
		return
	}
	text := string(sdk.EncodeResult(r))
	for _, list := range []map[string]string{o.step.Account.Credentials, o.step.Account.Config} {
		for name, value := range list {
			if value != "" && !c.used[name] && strings.Contains(text, value) {
				c.used[name] = true
			}
		}
	}
}

// checkUsed reports required credentials that stand in no request and no comparison. Either merchants must give a value without a
// use, or the adapter reads the value under another name.
func (c *hostCheck) checkUsed() {
	for _, f := range c.adapter.manifest.Credentials {
		if f.Optional || f.Type != sdk.FieldSecret && f.Type != sdk.FieldPEM || c.used[f.Name] {
			continue
		}
		c.breaks(sdktest.RuleFields, "", "manifest", "the credential %q is required, but no request or signature of any operation holds it: read it under this name, or remove it from the manifest",
			f.Name)
	}
}

// driveOf turns a step into the drive that the engine would ask for: secrets apart from the request, the account's fields by their
// merchants' names.
func driveOf(where string, s *sdk.Step, m *sdk.Manifest) *port.Drive {
	d := &port.Drive{Connector: m.Name, Operation: s.Operation, OperationID: "op_certify", Started: time.UnixMilli(s.Now), Seed: sha256.Sum256([]byte(where)),
		Request: s.Request, Account: port.DriveAccount{ID: s.Account.ID, Environment: environmentOf(s, m), Credentials: map[string]secret.Value{},
			Config: map[string]string{}}}
	for i := range m.Config {
		f := &m.Config[i]
		if v := s.Account.Config[f.Name]; v != "" {
			d.Account.Config[key(f)] = v
		}
	}
	for i := range m.Credentials {
		f := &m.Credentials[i]
		if v := s.Account.Credentials[f.Name]; v != "" && f.Type != sdk.FieldClientCertificate {
			d.Account.Credentials[key(f)] = secret.New(v)
		}
	}
	if base, err := expand(m.Environments[d.Account.Environment].BaseURL, &d.Account, m); err != nil || strings.TrimRight(base, "/") != strings.TrimRight(s.Account.BaseURL, "/") {
		d.Account.BaseURL = s.Account.BaseURL
	}
	if i := s.Request.Instrument; i != nil && i.Card != nil {
		d.Secrets.Number, d.Secrets.CVC = secret.New(i.Card.Number), secret.New(i.Card.CVC)
	}
	if t := s.Request.ThreeDS; t != nil {
		d.Secrets.CAVV = secret.New(t.CAVV)
	}
	return d
}

// environmentOf returns the environment that a step's base URL belongs to; else the one the step names; else the first.
func environmentOf(s *sdk.Step, m *sdk.Manifest) string {
	names := slices.Sorted(maps.Keys(m.Environments))
	for _, name := range names {
		if strings.TrimRight(m.Environments[name].BaseURL, "/") == strings.TrimRight(s.Account.BaseURL, "/") {
			return name
		}
	}
	if _, known := m.Environments[s.Account.Environment]; known || len(names) == 0 {
		return s.Account.Environment
	}
	return names[0]
}
