package plugins

import (
	"regexp"
	"slices"
	"strings"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

const maxCaptures = 16

var captureName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

func checkCaptures(all []sdk.Capture) error {
	if len(all) > maxCaptures {
		return violation(RuleDerivation, "the send asks for more than %d captures", maxCaptures)
	}
	for i := range all {
		if !captureName.MatchString(all[i].Name) || scrub.CardData(all[i].Name) || all[i].Path == "" {
			return violation(RuleDerivation, "a capture needs a path, and a name of a letter followed by letters, digits and _ that is not card data's")
		}
	}
	return nil
}

// capture replaces the fields of an answer that the adapter asked not to see with stand-ins. A captured value proves the account's
// identity under two conditions. The manifest's authentication declares that field of that answer, and the request itself proved
// the account. Otherwise an adapter could make a server echo its author's key.
func (o *operation) capture(s *sdk.Send, out *outgoing, a *answer) {
	before := len(o.secrets.secrets)
	a.body = o.conceal(s.Capture, a.body, func(c *sdk.Capture) bool { return out.filled.proven && declaresResponse(out.filled.places, c) })
	for i := before; i < len(o.secrets.secrets); i++ { // a later drive of the operation needs these values
		x := &o.secrets.secrets[i]
		o.res.Captured = append(o.res.Captured, port.CapturedValue{Exchange: len(o.res.Exchanges), Name: x.name, Value: x.value, Own: x.own})
	}
}

// captureMessage captures fields of a webhook's message, as the manifest asks. They prove nothing. It also masks secrets and card
// numbers, so no adapter sees them and no outcome carries them. Signatures are still computed over the original message. The
// headers hold those signatures and stay as they are.
func (o *operation) captureMessage() {
	w, rule := o.step.Request.Webhook, o.adapter.manifest.Webhook
	if w == nil {
		return
	}
	message := *w
	if rule != nil && len(rule.Capture) > 0 {
		message.Body = o.conceal(rule.Capture, w.Body, func(*sdk.Capture) bool { return false })
	}
	if text, _ := o.scrub.Text(string(message.Body), nil); text != string(message.Body) {
		message.Body = []byte(text)
	}
	message.Query = slices.Clone(w.Query)
	for i := range message.Query {
		message.Query[i].Value, _ = o.scrub.Text(message.Query[i].Value, nil)
	}
	message.BodyLength = len(message.Body)
	o.step.Request.Webhook = &message
}

// conceal captures fields of a JSON text; it leaves any other text as it is. Equal values get one stand-in.
func (o *operation) conceal(all []sdk.Capture, body []byte, own func(*sdk.Capture) bool) []byte {
	if len(all) == 0 || len(body) == 0 {
		return body
	}
	text := string(body)
	var edits []edit
	var values []string
	known := make(map[string]string) // stand-ins by value
	scan := jsonScan{text: text}
	scan.visit = func(start, end int) error {
		for i := range all {
			c := &all[i]
			if !isPath(scan.path, strings.Split(c.Path, ".")) {
				continue
			}
			value := text[start:end]
			if value[0] == '"' {
				value = unquoted(value)
			}
			if value == "" || value == "null" {
				return nil
			}
			standIn := known[value]
			if standIn == "" {
				if _, secret := o.scrub.Text(value, nil); secret || scrub.IsShortCode(value) {
					return nil // possibly a returned secret: it is masked later. Captured, the adapter could use it as another secret
				}
				standIn = o.secrets.capture(c.Name, value, own(c))
				known[value] = standIn
				values = append(values, value)
			}
			edits = append(edits, edit{start, end, `"` + standIn + `"`})
			break
		}
		return nil
	}
	if scan.run() != nil {
		return body
	}
	for _, v := range values {
		o.scrub.Add(v)
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return []byte(b.String())
}

// recapture adds the values that an earlier drive captured, with the same stand-ins in the same order.
func (o *operation) recapture() {
	for _, c := range o.in.Captured {
		if c.Exchange < len(o.in.Resume) {
			o.secrets.capture(c.Name, c.Value.Reveal(), c.Own)
			o.res.Captured = append(o.res.Captured, c)
			o.scrub.Add(c.Value.Reveal())
		}
	}
}

// handOver gives the cryptograms of an outcome to the engine. In the outcome stands the stand-in of a captured value; any other
// text there is blanked.
func (o *operation) handOver(out *sdk.Outcome) {
	o.takeCryptogram(out.Authentication)
	for i := range out.Events {
		if e := out.Events[i].Outcome; e != nil {
			o.takeCryptogram(e.Authentication)
		}
	}
}

func (o *operation) takeCryptogram(a *sdk.AuthenticationOutcome) {
	if a == nil || a.CAVV == "" {
		return
	}
	i := o.secrets.named(a.CAVV)
	if i < 0 || !strings.HasPrefix(a.CAVV, o.secrets.capturePrefix) {
		a.CAVV = ""
		o.opts.Observer.Violated(o.adapter.name, RuleOutcome)
		o.opts.Logger.Warn("the host blanked a cryptogram that is not the stand-in of a captured value", "adapter", o.adapter.name,
			"operation", string(o.in.Operation), "operation_id", o.in.OperationID)
		return
	}
	if o.res.Cryptograms == nil {
		o.res.Cryptograms = make(map[string]secret.Value)
	}
	o.res.Cryptograms[a.CAVV] = o.secrets.secrets[i].value
}

func declaresResponse(places []*place, c *sdk.Capture) bool {
	return slices.ContainsFunc(places, func(p *place) bool {
		return p.authentication && p.In == sdk.InResponse && p.Secret == c.Name && p.Field == c.Path
	})
}
