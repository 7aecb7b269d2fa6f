package sdktest

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

var (
	nameForm    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	hostForm    = regexp.MustCompile(`^(\{[a-z][a-z0-9_]*\}(-[a-z0-9-]*[a-z0-9])?\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$`)
)

// checkManifest checks the manifest and reports whether the suite can go on.
func (c *checker) checkManifest() bool {
	message, err := c.stepper.Manifest(c.ctx)
	if err != nil {
		c.breaks(RuleMessage, "", "manifest: the module trapped: %v", err)
		return false
	}
	message = bytes.Clone(message)
	m, err := sdk.DecodeManifest(message)
	if err != nil {
		c.breaks(RuleManifest, "", "the manifest cannot be decoded: %v", err)
		return false
	}
	if again, err := c.stepper.Manifest(c.ctx); err != nil || !bytes.Equal(message, again) {
		c.breaks(RuleDeterminism, "", "the manifest differs between two calls")
	}
	c.manifest = m
	wrong := func(format string, args ...any) { c.breaks(RuleManifest, "", format, args...) }
	if m.ABI != sdk.ABI {
		wrong("abi is %d, but this host speaks %d", m.ABI, sdk.ABI)
		return false
	}
	if !nameForm.MatchString(m.Name) {
		wrong("name %q is not of the form [a-z][a-z0-9_]{0,31}", m.Name)
	}
	if !versionForm.MatchString(m.Version) {
		wrong("version %q is not a semantic version", m.Version)
	}
	if m.DisplayName == "" || m.Description == "" {
		wrong("display_name and description must not be empty")
	}
	c.checkOperations(m, wrong)
	c.checkEnvironments(m, wrong)
	c.checkFields(m, wrong)
	c.checkExemptionNames(m, wrong)
	for _, cur := range m.Currencies {
		if !cur.Valid() {
			wrong("currency %q is not known", cur)
		}
	}
	switch m.Reference.Characters {
	case "", "alphanumeric", "alphanumeric_dash", "digits":
	default:
		wrong("reference.characters %q is not known", m.Reference.Characters)
	}
	if m.Reference.MaxLength < 0 || m.Reference.MaxLength > 0 && m.Reference.MaxLength < 12 {
		wrong("reference.max_length is %d: a reference needs at least 12 characters", m.Reference.MaxLength)
	}
	return true
}

func (c *checker) checkOperations(m *sdk.Manifest, wrong func(string, ...any)) {
	allowed := m.Kind.Operations()
	if allowed == nil {
		wrong("kind %q is not known", m.Kind)
		return
	}
	for i, op := range m.Operations {
		if !slices.Contains(allowed, op) {
			wrong("operations: an adapter of kind %[2]s cannot offer %[1]q", op, m.Kind)
		}
		if slices.Contains(m.Operations[:i], op) {
			wrong("operations: %q stands in the list twice", op)
		}
	}
	if m.Webhook != nil && !c.declared(sdk.OpWebhook) {
		wrong("webhook is set, but operations lacks webhook")
	}
	if m.Kind == sdk.KindAuthenticator {
		if !c.declared(sdk.OpAuthenticate) {
			wrong("operations: an authenticator needs authenticate")
		}
		if m.Authenticator == nil {
			wrong("authenticator is missing: an authenticator must describe how it works")
			return
		}
		for _, problem := range m.Authenticator.Problems() {
			wrong("authenticator.%s", problem)
		}
		if m.Authenticator.Pulls() && !c.declared(sdk.OpResult) || m.Authenticator.Pushes() && !c.declared(sdk.OpWebhook) {
			wrong("authenticator.result %q needs the operation result (pull) or webhook (push)", m.Authenticator.Result)
		}
		return
	}
	if !c.declared(sdk.OpAuthorize) {
		wrong("operations: a processor needs authorize")
	}
	if c.declared(sdk.OpAttachEvidence) && !c.declared(sdk.OpSubmitEvidence) {
		wrong("operations: attach_evidence needs submit_evidence")
	}
	if len(m.Resolve.By) == 0 {
		wrong("resolve.by: a processor needs a way to settle an unknown result")
	}
	for _, by := range m.Resolve.By {
		switch by {
		case sdk.ResolveByProcessorID, sdk.ResolveByReference:
			if !c.declared(sdk.OpSync) {
				wrong("resolve.by %s needs the operation sync", by)
			}
			if slices.ContainsFunc(m.Operations, sdk.Operation.Refunds) && !c.declared(sdk.OpRefundSync) && len(m.Resolve.By) == 1 {
				wrong("resolve.by %s alone needs refund_sync to settle a refund", by)
			}
		case sdk.ResolveByIdempotentResend:
			if m.Resolve.IdempotencyWindowSeconds <= 0 {
				wrong("resolve.by idempotent_resend needs idempotency_window_seconds")
			}
		case sdk.ResolveByWebhook:
			if !c.declared(sdk.OpWebhook) {
				wrong("resolve.by webhook needs the operation webhook")
			}
		default:
			wrong("resolve.by %q is not known", by)
		}
	}
}

func (c *checker) checkEnvironments(m *sdk.Manifest, wrong func(string, ...any)) {
	for name, e := range m.Environments {
		if e.BaseURL == "" && len(e.Hosts) == 0 {
			continue // the adapter never sends
		}
		u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(e.BaseURL))
		switch {
		case err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
			wrong("environment %s: base_url %q is not an absolute URL", name, e.BaseURL)
		case strings.HasSuffix(e.BaseURL, "/"):
			wrong("environment %s: base_url ends with a slash", name)
		}
		if len(e.Hosts) == 0 {
			wrong("environment %s: hosts is empty", name)
		}
		for _, h := range e.Hosts {
			if !hostForm.MatchString(h) {
				wrong("environment %s: %q is not an exact host name in lower case, with one {config} label at most", name, h)
			}
		}
	}
}

func (c *checker) checkFields(m *sdk.Manifest, wrong func(string, ...any)) {
	names := map[string]bool{}
	secrets := map[string]bool{"*": true, "card_number": true, "cvc": true, "cavv": true, "access_token": c.declared(sdk.OpAccessToken)}
	for i, f := range slices.Concat(m.Credentials, m.Config) {
		if !nameForm.MatchString(f.Name) || f.Label == "" {
			wrong("field %q needs a name in small letters and a label", f.Name)
		}
		if names[f.Name] {
			wrong("field %q stands in the lists twice", f.Name)
		}
		names[f.Name] = true
		switch f.Type {
		case sdk.FieldText, sdk.FieldSecret, sdk.FieldPEM, sdk.FieldClientCertificate:
		case sdk.FieldEnum:
			if len(f.Values) == 0 {
				wrong("field %q is an enum without values", f.Name)
			}
		default:
			wrong("field %q: type %q is not known", f.Name, f.Type)
		}
		if i < len(m.Credentials) {
			secrets[f.Name] = true
		} else if f.Type == sdk.FieldSecret {
			wrong("field %q is secret and must stand under credentials", f.Name)
		}
	}
	for i, p := range slices.Concat(m.Authentication, m.Placements) {
		if !secrets[p.Secret] {
			wrong("placement of %q: secret must be card data or a declared credential", p.Secret)
		}
		captured := (p.In == sdk.InResponse || p.In == sdk.InTLS) && i < len(m.Authentication)
		if !captured && p.In != sdk.InHeader && p.In != sdk.InQuery && p.In != sdk.InBody || p.Field == "" {
			wrong("placement of %q: in must be header, query or body, and field must be named", p.Secret)
		}
		if p.Operation != "" && !c.declared(p.Operation) {
			wrong("placement of %q: the operation %q is not declared", p.Secret, p.Operation)
		}
	}
}
