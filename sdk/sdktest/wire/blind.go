package wire

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

// standIns puts stand-ins into a step, as the host does, and returns what they stand for by name.
func standIns(s *sdk.Step) map[string]string {
	const pad = "Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf"
	names := map[string]string{}
	mint := func(name string, value *string) {
		if *value == "" {
			return
		}
		standIn := "sI" + strings.ReplaceAll(name, "_", "U") + pad
		names[standIn] = name
		*value = standIn
	}
	for k, v := range s.Account.Credentials {
		mint(k, &v)
		s.Account.Credentials[k] = v
	}
	if i := s.Request.Instrument; i != nil && i.Card != nil {
		mint("card_number", &i.Card.Number)
		mint("cvc", &i.Card.CVC)
	}
	if s.Request.ThreeDS != nil {
		mint("cavv", &s.Request.ThreeDS.CAVV)
	}
	return names
}

// checkBlind runs a case with stand-ins: they must be whole values, where the manifest says.
func (r *runner) checkBlind(c *Case) []string {
	s, err := r.step(c)
	if err != nil {
		return nil
	}
	names := standIns(s)
	send, err := r.send(c, s)
	if err != nil {
		return []string{"with stand-ins: " + err.Error()}
	}
	f, err := fieldsOf(send)
	if err != nil {
		return []string{"with stand-ins: " + err.Error()}
	}
	for _, d := range send.Derive {
		names[d.StandIn] = "*" // "*" placements take derivations of credentials
		for _, secret := range secretsOf(&d.Expr, names) {
			if secret == "card_number" || secret == "cvc" || secret == "cavv" {
				names[d.StandIn] = secret
			}
		}
	}
	var wrong []string
	for _, path := range paths(f, nil) {
		value := strings.Trim(f[path], `"`)
		found, whole := "", false
		for standIn, name := range names { // longest match wins: derivation 1 begins derivation 10
			if strings.Contains(value, standIn) {
				w := value == standIn || strings.HasPrefix(path, "headers.") && scheme.MatchString(strings.TrimSuffix(value, standIn)) && strings.HasSuffix(value, standIn)
				if found == "" || w {
					found, whole = name, w
				}
			}
		}
		switch {
		case found == "":
		case !whole && !strings.HasPrefix(path, "headers."):
			wrong = append(wrong, fmt.Sprintf("%s: %s is not the whole value", path, found))
		case !r.declared(s.Operation, send, path, found):
			wrong = append(wrong, fmt.Sprintf("%s: the manifest declares no placement of %s there", path, found))
		}
	}
	return wrong
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]* $`)

func secretsOf(x *sdk.Expr, names map[string]string) (all []string) {
	for standIn, name := range names {
		if strings.Contains(x.Text, standIn) {
			all = append(all, name)
		}
	}
	for i := range x.Args {
		all = append(all, secretsOf(&x.Args[i], names)...)
	}
	return all
}

// index is an array index in a path; placements say [] for any.
var index = regexp.MustCompile(`\[\d+\]`)

func anyElement(path string) string {
	return strings.ReplaceAll(index.ReplaceAllString(path, "[]"), ".[]", "[]")
}

// declared says whether the manifest lets a secret stand at the path of a send.
func (r *runner) declared(op sdk.Operation, s *sdk.Send, path, secret string) bool {
	m := &r.adapter.Manifest
	u, err := url.Parse(s.URL)
	if err != nil {
		return false
	}
	card := secret == "card_number" || secret == "cvc" || secret == "cavv"
	for _, p := range slices.Concat(m.Authentication, m.Placements) {
		if p.Secret != secret && (card || p.Secret != "*" && secret != "*") {
			continue
		}
		in, name, _ := strings.Cut(path, ".")
		switch in {
		case "headers":
			in = "header"
		case "url":
			in = "query"
		}
		field := p.Field
		if in == "header" {
			field = strings.ToLower(field)
		}
		sameField := field == name || in == "body" && bodyKind(s) == "json" && anyElement(field) == anyElement(name)
		if p.In == in && sameField && (p.Operation == "" || p.Operation == op) && (p.Host == "" || p.Host == u.Host) &&
			(p.Method == "" || p.Method == s.Method) && (p.Path == "" || samePath(p.Path, u.EscapedPath())) {
			return true
		}
	}
	return false
}

func samePath(pattern, path string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != "*" && a[i] != b[i] {
			return false
		}
	}
	return true
}
