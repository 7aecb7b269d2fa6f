package plugins

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

var (
	adapterName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	fieldName    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	semver       = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)
	countryCode  = regexp.MustCompile(`^[A-Z]{2}$`)
)

var (
	fieldTypes   = []sdk.FieldType{sdk.FieldText, sdk.FieldSecret, sdk.FieldEnum, sdk.FieldPEM, sdk.FieldClientCertificate}
	environments = []string{"test", "live"}
)

// clientCertificate is the Placement.Field of a client certificate.
const clientCertificate = "client_certificate"

// minReference is the shortest length of a merchant reference that can stay unique.
const minReference = 10

// CheckManifest joins everything that is wrong with a manifest, naming the fields; nil if the host can work with it.
func CheckManifest(m *sdk.Manifest) error {
	if m.ABI != sdk.ABI { // the other fields may have another meaning there
		return fmt.Errorf("abi: this host speaks version %[2]d, not %[1]d: rebuild the adapter with an SDK of that version", m.ABI, sdk.ABI)
	}
	c := &manifestCheck{m: m}
	c.require(adapterName.MatchString(m.Name), "name", "%q is not of the form [a-z][a-z0-9_]{0,31}", m.Name)
	c.require(semver.MatchString(m.Version), "version", "%q is not a semantic version such as 1.0.0", m.Version)
	c.operations()
	c.fields("credentials", m.Credentials)
	c.fields("config", m.Config)
	c.environments()
	c.placements("authentication", m.Authentication)
	c.placements("placements", m.Placements)
	c.texts()
	c.lists()
	c.exemptions()
	c.rules()
	return errors.Join(c.problems...)
}

type manifestCheck struct {
	m        *sdk.Manifest
	problems []error
}

func (c *manifestCheck) require(ok bool, field, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
	}
}

func (c *manifestCheck) operations() {
	known := c.m.Kind.Operations()
	switch c.m.Kind {
	case sdk.KindProcessor:
		c.require(c.offers(sdk.OpAuthorize), "operations", "a processor must offer authorize")
		c.require(c.m.Authenticator == nil, "authenticator", "is for authenticators: remove it from a processor's manifest")
	case sdk.KindAuthenticator:
		c.authenticator()
	default:
		c.require(false, "kind", "%q is neither processor nor authenticator", c.m.Kind)
		return
	}
	for i, op := range c.m.Operations {
		at := fmt.Sprintf("operations[%d]", i)
		c.require(slices.Contains(known, op), at, "%q is not an operation of a %s", op, c.m.Kind)
		c.require(!slices.Contains(c.m.Operations[:i], op), at, "%q is listed twice", op)
	}
}

func (c *manifestCheck) exemptions() {
	list := c.m.Features.Exemptions
	c.require(len(list) == 0 || c.m.Kind == sdk.KindProcessor, "features.exemptions", "belong to authorizations, which a %s does not perform", c.m.Kind)
	for i, e := range list {
		at := fmt.Sprintf("features.exemptions[%d]", i)
		c.require(e.Valid(), at, "%q is not an exemption", e)
		c.require(!slices.Contains(list[:i], e), at, "%q is listed twice", e)
	}
}

func (c *manifestCheck) authenticator() {
	c.require(c.offers(sdk.OpAuthenticate), "operations", "an authenticator must offer authenticate")
	r := c.m.Authenticator
	if r == nil {
		c.require(false, "authenticator", "is missing: it says how the authenticator works")
		return
	}
	for _, problem := range r.Problems() {
		c.problems = append(c.problems, errors.New("authenticator."+visible(problem)))
	}
	c.require(!r.Pulls() || c.offers(sdk.OpResult), "authenticator.result", "%q needs the operation result", r.Result)
	c.require(!r.Pushes() || c.offers(sdk.OpWebhook), "authenticator.result", "%q needs the operation webhook", r.Result)
	c.require(r.Completion != "event" || c.offers(sdk.OpWebhook), "authenticator.completion", "event needs the operation webhook")
}

func (c *manifestCheck) offers(op sdk.Operation) bool { return slices.Contains(c.m.Operations, op) }

func (c *manifestCheck) fields(list string, fields []sdk.Field) {
	names, keys := map[string]bool{}, map[string]bool{}
	for i := range fields {
		f := &fields[i]
		at := fmt.Sprintf("%s[%d]", list, i)
		c.require(fieldName.MatchString(f.Name), at+".name", "%q is not a letter followed by letters, digits, _ . -", f.Name)
		c.require(!names[f.Name], at+".name", "%q is used twice", f.Name)
		c.require(list != "credentials" || !c.isReserved(f.Name), at+".name", "%q is the name of another secret: choose a different one", f.Name)
		c.require(!keys[key(f)], at+".key", "%q is used twice", key(f))
		c.require(list != "credentials" || key(f) != "auth_type", at+".key", "%q is the account's own word: choose api_key, key1, api_secret or key2", key(f))
		names[f.Name], keys[key(f)] = true, true
		c.require(slices.Contains(fieldTypes, f.Type), at+".type", "%q is not one of %s", f.Type, commaList(fieldTypes))
		c.require(f.Type != sdk.FieldEnum || len(f.Values) > 0, at+".values", "an enum needs its values")
		if list == "config" {
			c.require(f.Type == sdk.FieldText || f.Type == sdk.FieldEnum, at+".type", "%s is not allowed in config, whose values the adapter sees: declare a credential", f.Type)
		}
	}
}

func (c *manifestCheck) isReserved(name string) bool {
	return scrub.CardData(name) || name == secretBody || name == secretToken && c.offers(sdk.OpAccessToken)
}

func (c *manifestCheck) environments() {
	for name, env := range c.m.Environments {
		at := "environments." + visible(name)
		c.require(slices.Contains(environments, name), at, "is neither test nor live")
		for i, h := range env.Hosts {
			c.host(fmt.Sprintf("%s.hosts[%d]", at, i), h)
		}
		if env.BaseURL == "" && len(env.Hosts) == 0 {
			continue // this adapter sends nothing
		}
		host, ok := strings.CutPrefix(env.BaseURL, "https://")
		host, _, _ = strings.Cut(host, "/")
		c.require(ok && !strings.HasSuffix(env.BaseURL, "/") && validURLTemplate(env.BaseURL), at+".base_url",
			"%q is not an https:// URL without a trailing slash, query or user", env.BaseURL)
		c.require(!ok || slices.Contains(env.Hosts, host), at+".base_url", "its host %q is missing in hosts", host)
	}
}

func validURLTemplate(s string) bool {
	u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(s))
	return err == nil && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// host checks an exact host name, with or without a port. One label may be {config}, or begin with it: {config}-live.
func (c *manifestCheck) host(at, h string) {
	labels, ok := 0, true
	name, port, hasPort := strings.Cut(h, ":")
	for label := range strings.SplitSeq(name, ".") {
		if inner, braced := strings.CutPrefix(label, "{"); braced {
			field, rest, closed := strings.Cut(inner, "}")
			ok = ok && (rest == "" || rest[0] == '-' && validLabel("a"+rest))
			c.require(closed && slices.ContainsFunc(c.m.Config, func(f sdk.Field) bool { return f.Name == field }), at,
				"%q does not name a config field", label)
			labels++
			continue
		}
		ok = ok && validLabel(label)
		c.require(!strings.HasPrefix(label, "xn--"), at, "%q has the label %q, which shows as other letters: name a host in plain letters", h, label)
	}
	c.require(name == "" || strings.Trim(name, "0123456789.") != "", at, "%q is an address: name the host, so that its certificate proves whose it is", h)
	c.require(ok && strings.Contains(name, ".") && (!hasPort || validPort(port)), at,
		"%q is not an exact lower-case host name", h)
	c.require(labels <= 1, at, "%q has more than one {config} label", h)
	c.require(!strings.HasPrefix(name, "{") || strings.Count(name, ".") >= 2, at, "%q would let the account choose the whole domain", h)
}

// escapeChains are the possible escapes in a body, innermost first.
var escapeChains = []sdk.Escapes{"", sdk.EscapesJSON, sdk.EscapesForm, sdk.EscapesXML, sdk.EscapesMultipart, sdk.EscapesRaw, sdk.EscapesXMLForm, sdk.EscapesJSONForm}

// commaList joins the values of a closed set for an error text.
func commaList[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

func (c *manifestCheck) placements(list string, ps []sdk.Placement) {
	for i := range ps {
		p := &ps[i]
		at := fmt.Sprintf("%s[%d]", list, i)
		c.require(c.isSecret(p), at+".secret", "%q is neither card_number, cvc, cavv, body, * nor a credential field", p.Secret)
		c.require(slices.Contains([]sdk.PlacementIn{sdk.InHeader, sdk.InQuery, sdk.InPath, sdk.InBody}, p.In) || (p.In == sdk.InResponse || p.In == sdk.InTLS) && list == "authentication", at+".in",
			"%q is not header, query, path or body", p.In)
		c.require(c.isCertificate(p.Secret) == (p.In == sdk.InTLS), at+".in", "a client certificate must stand in tls, and no other secret may")
		c.require(p.In != sdk.InTLS || p.Field == clientCertificate, at+".field", "%q: the field of tls is %s", p.Field, clientCertificate)
		c.require(!scrub.CardData(p.Secret) || p.In == sdk.InBody && list == "placements", at+".in", "card data may stand in bodies only, under placements")
		c.require(p.Field != "", at+".field", "is missing")
		c.require(p.Operation == "" || c.offers(p.Operation), at+".operation", "%q is not offered", p.Operation)
		c.require(p.Format == "" || strings.Contains(p.Format, placeholder) && !scrub.CardData(p.Secret), at+".format",
			"%.80q has no {}, or belongs to card data, which must stand alone", p.Format)
		c.require(slices.Contains(escapeChains, p.Escapes) || p.In != sdk.InBody, at+".escapes", "%q is not one of %s", p.Escapes, commaList(escapeChains[1:]))
		outer, _, chained := strings.Cut(string(p.Escapes), ",")
		c.require(!chained || strings.Contains(p.Field, "/"), at+".field", "%q must name the form field, then / and the path inside it (escapes %s)", p.Field, outer)
		c.require(p.Path == "" || p.Path[0] == '/', at+".path", "%q does not begin with /", p.Path)
		c.require(p.Host == "" || c.isHost(p.Host), at+".host", "%q is not a host of any environment", p.Host)
	}
}

func (c *manifestCheck) isSecret(p *sdk.Placement) bool {
	switch p.Secret {
	case secretNumber, secretCVC, secretCAVV, secretAny:
		return true
	case secretBody:
		return p.In == sdk.InHeader
	case secretToken:
		if c.offers(sdk.OpAccessToken) {
			return true
		}
	}
	named := func(all []sdk.Placement) bool {
		return slices.ContainsFunc(all, func(r sdk.Placement) bool { return r.In == sdk.InResponse && r.Secret == p.Secret })
	}
	return slices.ContainsFunc(c.m.Credentials, func(f sdk.Field) bool { return f.Name == p.Secret }) || named(c.m.Authentication)
}

// isCertificate reports whether a secret is the account's client certificate, or a part of it.
func (c *manifestCheck) isCertificate(name string) bool {
	return slices.ContainsFunc(c.m.Credentials, func(f sdk.Field) bool { return f.Name == name && f.Type == sdk.FieldClientCertificate })
}

func (c *manifestCheck) isHost(host string) bool {
	for _, env := range c.m.Environments {
		if slices.Contains(env.Hosts, host) {
			return true
		}
	}
	return false
}

func (c *manifestCheck) lists() {
	for i, v := range c.m.Currencies {
		c.require(currencyCode.MatchString(string(v)), fmt.Sprintf("currencies[%d]", i), "%q is not an ISO 4217 code", v)
	}
	for i, v := range c.m.Countries {
		c.require(countryCode.MatchString(v), fmt.Sprintf("countries[%d]", i), "%q is not an ISO 3166 alpha-2 code", v)
	}
	for i, v := range c.m.Captures {
		c.require(v == sdk.CaptureAutomatic || v == sdk.CaptureManual, fmt.Sprintf("captures[%d]", i), "%q is neither automatic nor manual", v)
	}
	for i, v := range c.m.Methods {
		c.require(v.Method != "" && v.Type != "", fmt.Sprintf("methods[%d]", i), "needs method and type")
	}
}

// rules checks the reference, webhook and resolve rules. A processor needs a way to learn the result of an authorize whose answer
// never came: our reference, the identical request again, or a webhook. The processor's id does not help, because it comes with
// the answer.
func (c *manifestCheck) rules() {
	r := c.m.Reference
	c.require(slices.Contains([]sdk.ReferenceCharacters{"", sdk.ReferenceAlphanumeric, sdk.ReferenceAlphanumericDash, sdk.ReferenceDigits}, r.Characters), "reference.characters",
		"%q is not alphanumeric, alphanumeric_dash or digits", r.Characters)
	c.require(r.MaxLength == 0 || r.MaxLength >= minReference && r.MaxLength <= 255, "reference.max_length",
		"%d is not between %d and 255", r.MaxLength, minReference)
	c.require(c.m.Webhook == nil || c.offers(sdk.OpWebhook), "webhook", "is declared, but operations lacks webhook")
	if c.m.Webhook != nil {
		c.seconds("webhook.tolerance_seconds", int64(c.m.Webhook.ToleranceSeconds))
	}
	if c.m.Kind != sdk.KindProcessor {
		return
	}
	settles := false
	for i, by := range c.m.Resolve.By {
		at := fmt.Sprintf("resolve.by[%d]", i)
		switch by {
		case sdk.ResolveByProcessorID:
			c.require(c.offers(sdk.OpSync), at, "%s needs the operation sync", by)
		case sdk.ResolveByReference:
			c.require(c.offers(sdk.OpSync), at, "%s needs the operation sync", by)
			settles = true
		case sdk.ResolveByIdempotentResend:
			c.require(c.m.Resolve.IdempotencyWindowSeconds > 0, "resolve.idempotency_window_seconds", "%s needs the number of seconds that the processor remembers keys", by)
			settles = true
		case sdk.ResolveByWebhook:
			c.require(c.offers(sdk.OpWebhook), at, "%s needs the operation webhook", by)
			settles = true
		default:
			c.require(false, at, "%q is not processor_id, reference, idempotent_resend or webhook", by)
		}
	}
	c.require(settles, "resolve.by", "a processor needs reference, idempotent_resend or webhook: an authorize without an answer has no processor_id")
	c.seconds("resolve.idempotency_window_seconds", c.m.Resolve.IdempotencyWindowSeconds)
	c.seconds("resolve.not_found_final_after_seconds", c.m.Resolve.NotFoundFinalAfterSeconds)
}

// maxSeconds bounds the manifest's times. A time.Duration of many more seconds overflows: a wait of 2^62 seconds would be no wait.
const maxSeconds = 366 * 24 * 3600

func (c *manifestCheck) seconds(at string, n int64) {
	c.require(n >= 0 && n <= maxSeconds, at, "%d is not between 0 and %d, the seconds of a year", n, maxSeconds)
}
