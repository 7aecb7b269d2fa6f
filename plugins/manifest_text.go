package plugins

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"payswitch/sdk"
)

// Bounds of a manifest. The operator reads it before approving it. Long, numerous, invisible or reordered text could hide the
// rest.
const (
	maxName        = 64  // characters of a name, a version, a label
	maxDescription = 300 // characters of a sentence
	maxHelp        = 600
	maxPlaceText   = 300 // characters of a field, path or format
	maxFieldText   = 4096
	maxFields      = 64
	maxPlaces      = 256
	maxHosts       = 64
	maxListed      = 512
)

var (
	methodName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	networkName = regexp.MustCompile(`^[A-Za-z]{1,32}$`)
	schemeName  = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// texts checks the texts of a manifest that people read.
func (c *manifestCheck) texts() {
	m := c.m
	c.require(len(m.Version) <= maxName, "version", "is longer than %d characters", maxName)
	c.text("display_name", m.DisplayName, maxName)
	c.text("description", m.Description, maxDescription)
	if m.Website != "" {
		u, err := url.Parse(m.Website)
		c.require(err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && isASCII(m.Website) && len(m.Website) <= maxDescription, "website",
			"%.80q is not an https:// URL in ASCII", m.Website)
	}
	for name, env := range m.Environments {
		at := "environments." + visible(name)
		c.require(len(env.Hosts) <= maxHosts, at+".hosts", "has more than %d entries", maxHosts)
		c.require(isASCII(env.BaseURL) && len(env.BaseURL) <= maxPlaceText, at+".base_url", "%.80q is longer than %d characters, or not ASCII", env.BaseURL, maxPlaceText)
	}
	c.fieldTexts("credentials", m.Credentials)
	c.fieldTexts("config", m.Config)
	c.placeTexts("authentication", m.Authentication)
	c.placeTexts("placements", m.Placements)
	c.require(max(len(m.Currencies), len(m.Countries), len(m.Networks), len(m.Methods), len(m.Captures)) <= maxListed, "currencies, countries, networks, methods, captures",
		"one of them has more than %d values", maxListed)
	for i, v := range m.Networks {
		c.require(networkName.MatchString(string(v)), fmt.Sprintf("networks[%d]", i), "%.40q is not the name of a network: use letters, at most 32", v)
	}
	for i, v := range m.Methods {
		c.require(methodName.MatchString(v.Method) && methodName.MatchString(string(v.Type)), fmt.Sprintf("methods[%d]", i), "method and type must be of the form [a-z][a-z0-9_]*")
	}
	if w := m.Webhook; w != nil {
		c.require(w.Scheme == "" || schemeName.MatchString(w.Scheme), "webhook.scheme", "%.40q has other characters than letters, digits, _ . -", w.Scheme)
		c.require(len(w.Capture) <= maxCaptures, "webhook.capture", "has more than %d fields", maxCaptures)
	}
}

func (c *manifestCheck) fieldTexts(list string, fields []sdk.Field) {
	c.require(len(fields) <= maxFields, list, "has more than %d entries", maxFields)
	for i := range fields {
		f := &fields[i]
		at := fmt.Sprintf("%s[%d]", list, i)
		c.require(f.Key == "" || fieldName.MatchString(f.Key), at+".key", "%.40q is not a letter followed by letters, digits, _ . -", f.Key)
		c.text(at+".label", f.Label, maxName)
		c.text(at+".help", f.Help, maxHelp)
		c.require(len(f.Default) <= maxFieldText && utf8.ValidString(f.Default), at+".default", "is longer than %d bytes, or not UTF-8", maxFieldText)
		c.require(len(f.Values) <= maxListed, at+".values", "has more than %d entries", maxListed)
		for _, v := range f.Values {
			c.text(at+".values", v, maxDescription)
		}
	}
}

func (c *manifestCheck) placeTexts(list string, ps []sdk.Placement) {
	c.require(len(ps) <= maxPlaces, list, "has more than %d entries", maxPlaces)
	for i := range ps {
		p := &ps[i]
		at := fmt.Sprintf("%s[%d]", list, i)
		c.require(slices.Contains([]string{"", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, p.Method), at+".method", "%.20q is not GET, HEAD, POST, PUT, PATCH or DELETE", p.Method)
		c.text(at+".field", p.Field, maxPlaceText)
		c.text(at+".path", p.Path, maxPlaceText)
		c.text(at+".format", p.Format, maxPlaceText)
		c.require(!holdsCredential(p.Format), at+".format", "%.80q looks like it holds a credential: only the scheme's own text may stand around {}", p.Format)
	}
}

// holdsCredential reports whether the text around a format's placeholders could be a key: the author would pay with it.
func holdsCredential(format string) bool {
	for literal := range strings.SplitSeq(format, placeholder) {
		l := strings.ToLower(literal)
		for _, scheme := range headerPrefixes {
			if at := strings.Index(l, scheme); at >= 0 && strings.TrimSpace(l[at+len(scheme):]) != "" {
				return true
			}
		}
		if randomRun(literal) != "" || slices.ContainsFunc(keyPrefixes, func(p string) bool { return strings.Contains(l, p) }) {
			return true
		}
	}
	return false
}

// text checks a displayed text: one line of visible characters, without double spaces.
func (c *manifestCheck) text(at, s string, most int) {
	n := utf8.RuneCountInString(s)
	c.require(n <= most, at, "has %d characters, at most %d are allowed", n, most)
	c.require(!strings.ContainsFunc(s, isHidden) && utf8.ValidString(s), at, "%.80q holds a character that is invisible, or that moves others", s)
	c.require(!strings.Contains(s, "  ") && strings.TrimSpace(s) == s, at, "%.80q begins or ends with a space, or has two in a row", s)
}

// blanks are letters and symbols that look like a space.
const blanks = "\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0"

// isHidden reports whether a reader cannot see a character: control characters, marks of writing direction, characters that look
// like a space.
func isHidden(r rune) bool {
	return r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune(blanks, r)
}

// visible makes a text of the adapter's author fit for a message of the host.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return '?'
		}
		return r
	}, s)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
