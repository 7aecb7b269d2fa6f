package plugins

import (
	"reflect"
	"strings"

	"payswitch/sdk"
)

// An operator may give an adapter that cannot be blind, for one account, the secrets themselves (engine.Approval.PlainSecrets). Then the host
// cannot see where they stand in a request, so placements and the rule of authentication hold nothing back; hosts do. What comes back is
// scrubbed all the same, and more: an adapter that knows a secret must not carry it into the database or a log.

// reveal puts the secrets in the place of their stand-ins in the step. Access tokens and what is captured stay stand-ins.
func (o *operation) reveal() {
	o.opts.Observer.Revealed(o.adapter.name)
	o.secrets.revealed = true
	value := func(standIn string) string {
		if i := o.secrets.named(standIn); i >= 0 && o.secrets.secrets[i].name != secretToken {
			return o.secrets.secrets[i].value.Reveal()
		}
		return standIn
	}
	if i := o.step.Request.Instrument; i != nil && i.Card != nil { // a copy of ours, as what follows
		i.Card.Number, i.Card.CVC = value(i.Card.Number), value(i.Card.CVC)
	}
	if t := o.step.Request.ThreeDS; t != nil {
		t.CAVV = value(t.CAVV)
	}
	for name, v := range o.step.Account.Credentials {
		o.step.Account.Credentials[name] = value(v)
	}
}

// cleanResult takes secrets out of an outcome or a reject, before anybody keeps it. A blind adapter knows none; should a processor have
// told it one in a form that the host does not see, it goes no further in any other.
func (o *operation) cleanResult(r *sdk.Result) {
	if r.Outcome == nil && r.Reject == nil {
		return
	}
	found := false
	eachString(reflect.ValueOf(r), func(s string) string {
		clean := o.cleanText(s)
		found = found || clean != s
		return clean
	})
	if found {
		o.broke(RuleOutcome, "a secret in the outcome, blanked")
	}
}

// cleanText is a text of the adapter's without secrets. Of one that knows them the values themselves are taken out, too: the comparison
// tells it nothing new.
func (o *operation) cleanText(s string) string {
	if !o.plain {
		return o.scrub.own(s)
	}
	for i := range o.secrets.secrets { // the short ones too: this is no processor's answer, in which they would stand by chance
		x := &o.secrets.secrets[i]
		v := x.value.Reveal()
		if x.name == secretCVC && s == v {
			return blanked
		}
		if !x.card && x.value != notYet && len(v) >= 4 {
			s = strings.ReplaceAll(s, v, blanked)
		}
	}
	s, _ = o.scrub.text(s, nil)
	return s
}

// cleanURL is a URL as it may be kept. What the adapter has put into its query is left out where it knows secrets.
func (o *operation) cleanURL(url string) string {
	if !o.plain {
		return url
	}
	path, _, _ := strings.Cut(url, "?")
	return o.cleanText(path)
}

// clean is an error whose text holds no secret.
func (o *operation) clean(err error) error {
	if err == nil || o.secrets == nil {
		return err
	}
	text := err.Error()
	if clean := o.cleanText(text); clean != text {
		return &cleanError{err, clean}
	}
	return err
}

type cleanError struct {
	err  error
	text string
}

func (e *cleanError) Error() string { return e.text }
func (e *cleanError) Unwrap() error { return e.err }

// eachString replaces every text in v, a pointer: strings, bytes, keys and values of maps, at any depth. It writes only what f changes.
func eachString(v reflect.Value, f func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachString(v.Field(i), f)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			old := string(v.Bytes())
			if clean := f(old); clean != old {
				v.SetBytes([]byte(clean))
			}
			return
		}
		for i := range v.Len() {
			eachString(v.Index(i), f)
		}
	case reflect.Map:
		for _, old := range v.MapKeys() {
			changed := false
			noting := func(s string) string {
				clean := f(s)
				changed = changed || clean != s
				return clean
			}
			key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.Set(old)
			item.Set(v.MapIndex(old))
			eachString(key, noting)
			eachString(item, noting)
			if changed {
				v.SetMapIndex(old, reflect.Value{}) // the key may be another one now
				v.SetMapIndex(key, item)
			}
		}
	case reflect.String:
		if old := v.String(); old != "" {
			if clean := f(old); clean != old {
				v.SetString(clean)
			}
		}
	}
}
