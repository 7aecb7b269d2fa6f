package plugins

import (
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

const maxCaptures = 16

var captureName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

func checkCaptures(all []sdk.Capture) error {
	if len(all) > maxCaptures {
		return violation(RuleDerivation, "more than %d captures", maxCaptures)
	}
	for i := range all {
		if !captureName.MatchString(all[i].Name) || cardData(all[i].Name) || all[i].Path == "" {
			return violation(RuleDerivation, "a capture without a path, or with a name that is none")
		}
	}
	return nil
}

// capture puts stand-ins in the place of the fields of an answer that the adapter asked not to see. A captured value proves this
// account's identity where the manifest declares that field of that answer for it, and the request that it answers proved it too: else an
// adapter could have a key of its author's echoed to it.
func (o *operation) capture(s *sdk.Send, out *outgoing, a *answer) {
	if len(s.Capture) == 0 || len(a.body) == 0 {
		return
	}
	text := string(a.body)
	var edits []edit
	scan := jsonScan{text: text}
	scan.visit = func(start, end int) error {
		for i := range s.Capture {
			c := &s.Capture[i]
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
			if _, known := o.scrub.text(value, ""); known || o.scrub.isCVC(value) {
				return nil // a secret that came back is blanked: captured, it could be used as another one
			}
			standIn := o.secrets.capture(c.Name, value, out.filled.proven && declaresResponse(out.filled.places, c))
			edits = append(edits, edit{start, end, `"` + standIn + `"`})
			o.scrub.add(value)
			break
		}
		return nil
	}
	if scan.run() != nil {
		return // not JSON, and so not the answer that was meant
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	a.body = []byte(b.String())
}

func declaresResponse(places []*place, c *sdk.Capture) bool {
	return slices.ContainsFunc(places, func(p *place) bool {
		return p.authentication && p.In == inResponse && p.Secret == c.Name && p.Field == c.Path
	})
}
