package plugins

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// value replaces the stand-ins in one whole value of a request. at holds the placements that name the value's position. changed
// reports whether the value held a stand-in.
func (f *filler) value(text string, at []*place, where, field string) (value string, changed bool, err error) {
	start, _ := f.secrets.next(text)
	if start < 0 && !slices.ContainsFunc(at, func(p *place) bool { return p.authentication }) {
		return text, false, nil
	}
	parts, err := f.parts(nil, text, 0)
	if err != nil {
		return "", false, err
	}
	var covering []*place
	for _, p := range at {
		if f.inFormat(parts, p) {
			covering = append(covering, p)
		}
	}
	if start >= 0 {
		if err := f.covered(parts, covering, where); err != nil {
			return "", false, err
		}
	}
	if start >= 0 && len(covering) == 0 && !slices.ContainsFunc(parts, func(p part) bool { return p.secret }) {
		return "", false, violation(RuleDerivation, "a derivation in %s holds no secret: write its text without a derivation", where)
	}
	f.judge(parts, at, covering, where)
	var out strings.Builder
	for i := range parts {
		out.WriteString(parts[i].text)
		if p := &parts[i]; p.secret {
			if p.origin.binary {
				return "", false, violation(RuleDerivation, "a derivation in %s gives bytes, not text: put base64 or hex around it", where)
			}
			f.card = f.card || p.origin.card
			f.put = append(f.put, put{value: p.text, field: field, secret: f.nameOf(p.standIn), card: p.origin.card})
		}
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD"), start >= 0, nil
}

func (f *filler) nameOf(standIn string) string {
	if i := f.secrets.named(standIn); i >= 0 {
		return f.secrets.secrets[i].name
	}
	return ""
}

// part is a piece of a value: text of the adapter's, or the value of one stand-in.
type part struct {
	text    string
	secret  bool
	standIn string
	origin  origin
}

// parts splits a value. It also splits a derivation that only joins others, so that each of its pieces is judged by itself.
func (f *filler) parts(all []part, text string, depth int) ([]part, error) {
	for text != "" {
		start, end := f.secrets.next(text)
		if start < 0 {
			return joined(all, text), nil
		}
		if start > 0 {
			all = joined(all, text[:start])
		}
		standIn := text[start:end]
		text = text[end:]
		v, o, err := f.values.standIn(standIn)
		if err != nil {
			return nil, err
		}
		if d := f.values.derivation(standIn); d != nil && !o.card && depth <= maxDerivations {
			var ok bool
			if all, ok, err = f.partsOf(all, &d.Expr, depth+1); err != nil {
				return nil, err
			} else if ok {
				continue
			}
		}
		all = append(all, part{text: string(v), secret: true, standIn: standIn, origin: o})
	}
	return all, nil
}

// partsOf splits text and concat expressions. ok is false for any other function.
func (f *filler) partsOf(all []part, x *sdk.Expr, depth int) (_ []part, ok bool, err error) {
	switch x.Fn {
	case sdk.FnText:
		all, err = f.parts(all, x.Text, depth)
		return all, true, err
	case sdk.FnConcat:
		for i := range x.Args {
			if all, ok, err = f.partsOf(all, &x.Args[i], depth); err != nil {
				return nil, false, err
			} else if !ok {
				f.values.nodes = 0
				v, o, err := f.values.value(&x.Args[i])
				if err != nil {
					return nil, false, err
				}
				all = append(all, part{text: string(v), secret: true, origin: o})
			}
		}
		return all, true, nil
	}
	return all, false, nil
}

// joined appends literal text.
func joined(all []part, text string) []part {
	if n := len(all); n > 0 && !all[n-1].secret {
		all[n-1].text += text
		return all
	}
	return append(all, part{text: text})
}

// inFormat reports whether a value has a place's format. The format's literals must stand there as they are. Each placeholder
// holds one secret or one plain value of the account.
func (f *filler) inFormat(parts []part, p *place) bool {
	return slices.ContainsFunc(p.formats, func(literals []string) bool { return f.inLiterals(parts, literals) })
}

func (f *filler) inLiterals(parts []part, literals []string) bool {
	i, rest := 0, "" // rest: the unread end of the literal parts[i-1]
	literal := func() string {
		if rest == "" && i < len(parts) && !parts[i].secret {
			rest = parts[i].text
			i++
		}
		return rest
	}
	for k, want := range literals {
		if !strings.HasPrefix(literal(), want) {
			return false
		}
		rest = rest[len(want):]
		if k == len(literals)-1 {
			return rest == "" && i == len(parts)
		}
		if rest == "" {
			if i == len(parts) || !parts[i].secret {
				return false
			}
			i++
			continue
		}
		value := rest // up to the next literal
		if next := literals[k+1]; next != "" {
			value, _, _ = strings.Cut(rest, next)
		}
		if !slices.Contains(f.secrets.plain, value) {
			return false
		}
		rest = rest[len(value):]
	}
	return false
}

// covered refuses a value if the places do not allow each secret in it.
func (f *filler) covered(parts []part, places []*place, where string) error {
	for i := range parts {
		p := &parts[i]
		if !p.secret {
			continue
		}
		o := p.origin
		if o.rawBody || o.mixed {
			return violation(RuleDerivation, "a derivation in %s mixes card data or the body with other text", where)
		}
		if o.card && len(parts) > 1 {
			return violation(RuleSecret, "%s is only part of the value of %s: card data must stand alone", f.secrets.names(o.secrets), where)
		}
		if o.secrets == 0 && !slices.ContainsFunc(places, func(l *place) bool { return l.Secret == secretAny || l.Secret == secretBody }) {
			return violation(RuleSecret, "a derivation in %s, where the manifest declares none", where)
		}
		for j := range f.secrets.secrets {
			s := &f.secrets.secrets[j]
			if o.secrets&(1<<j) == 0 {
				continue
			}
			if o.card && !s.card {
				return violation(RuleDerivation, "a derivation in %s mixes card data and credentials", where)
			}
			if !slices.ContainsFunc(places, func(l *place) bool {
				return l.Secret == s.name && (l.In == sdk.InBody || !s.card) || l.Secret == secretAny && !s.card
			}) {
				return violation(RuleSecret, "the stand-in of %s in %s, where the manifest does not declare it", s.name, where)
			}
		}
		if o.body && f.card && !slices.ContainsFunc(places, func(l *place) bool { return l.authentication && l.In == sdk.InHeader }) {
			return violation(RuleDerivation, "a digest of a body with card data in %s, which is not a header of the manifest's authentication", where)
		}
	}
	return nil
}

// judge notes what a value proves about the account's identity.
func (f *filler) judge(parts []part, at, covering []*place, where string) {
	i := slices.IndexFunc(at, func(p *place) bool { return p.authentication })
	if i < 0 {
		return
	}
	if f.seen == nil {
		f.seen = make(map[*place]int)
	}
	if f.seen[at[i]]++; f.seen[at[i]] > 1 || !slices.ContainsFunc(covering, func(p *place) bool { return p.authentication }) {
		f.unproven = where
		return
	}
	proven := false
	for j := range parts {
		o := parts[j].origin
		switch {
		case !parts[j].secret || o.body && o.secrets == 0: // in the format
		case o.authentic():
			proven = true
		default:
			f.unproven = where
		}
	}
	f.proven = f.proven || proven
}
