package plugins

import (
	"reflect"
	"strings"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// An operator may give the real secrets to an adapter that cannot work with stand-ins, for one account
// (approval.Approval.PlainSecrets). The host then cannot see where they stand in a request, so placements and proofs of
// authentication do not apply; approved hosts still do. The host scrubs answers as always, and the adapter's own texts too: no
// secret may reach the database or a log.

// reveal replaces the stand-ins in the step with the secrets. Access tokens and captured values stay stand-ins.
func (o *operation) reveal() {
	o.opts.Observer.Revealed(o.adapter.name)
	o.secrets.revealed = true
	value := func(standIn string) string {
		if i := o.secrets.named(standIn); i >= 0 && o.secrets.secrets[i].name != secretToken {
			return o.secrets.secrets[i].value.Reveal()
		}
		return standIn
	}
	if i := o.step.Request.Instrument; i != nil && i.Card != nil { // the host's own copy, as are the next two
		i.Card.Number, i.Card.CVC = value(i.Card.Number), value(i.Card.CVC)
	}
	if t := o.step.Request.ThreeDS; t != nil {
		t.CAVV = value(t.CAVV)
	}
	for name, v := range o.step.Account.Credentials {
		o.step.Account.Credentials[name] = value(v)
	}
}

// cleanResult masks secrets in an outcome or a reject before the host stores them. A blind adapter knows no secret, unless a
// processor returned one in a form that the host did not recognise.
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

// cleanText masks the secrets in a text of the adapter. An adapter with plain secrets knows the values, so comparing with them
// reveals nothing new to it.
func (o *operation) cleanText(s string) string {
	if !o.plain {
		return o.scrub.Own(s)
	}
	for i := range o.secrets.secrets { // short secrets too: unlike in a processor's answer, they do not stand here by chance
		x := &o.secrets.secrets[i]
		v := x.value.Reveal()
		if x.name == secretCVC && s == v {
			return scrub.Blanked
		}
		if !x.card && x.value != notYet && len(v) >= 4 {
			s = strings.ReplaceAll(s, v, scrub.Blanked)
		}
	}
	s, _ = o.scrub.Text(s, nil)
	return s
}

// cleanURL returns a URL fit to be stored. It drops the query if the adapter knows the secrets.
func (o *operation) cleanURL(url string) string {
	if !o.plain {
		return url
	}
	path, _, _ := strings.Cut(url, "?")
	return o.cleanText(path)
}

// clean returns an error whose text holds no secret.
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

// eachString replaces every text below the pointer v: strings, bytes, keys and values of maps. It writes only the texts that f
// changes.
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
				v.SetMapIndex(old, reflect.Value{}) // f may have changed the key
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
