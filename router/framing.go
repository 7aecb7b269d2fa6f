package router

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"

	"payswitch/engine/fault"
)

// rendered executes a template of pages/. The answer has the given Content-Security-Policy and may be framed by pages of framers only.
func rendered(name string, data map[string]any, policy string, framers []string) (answer, error) {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		return answer{}, fault.Internal(err, "render page "+name)
	}
	return answer{body: out.Bytes(), header: http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Security-Policy": {policy + "; frame-ancestors " + frameAncestors(framers)},
		"Cache-Control":           {"no-store"},
		"Referrer-Policy":         {"no-referrer"},
	}}, nil
}

// fixedPage renders a template that has one style element without a nonce and no script. The policy allows the style by its hash, so the answer
// holds nothing random and can be reused. No page may frame it.
func fixedPage(name string, data map[string]any) (answer, error) {
	a, err := rendered(name, data, "", nil)
	if err != nil {
		return answer{}, err
	}
	_, style, _ := strings.Cut(string(a.body), "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	hash := sha256.Sum256([]byte(style))
	a.header.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+
		"'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	return a, nil
}

// framingOrigin matches origins that are safe in a policy. The host of a return_url may hold characters with a meaning there, such as * or ;.
var framingOrigin = regexp.MustCompile(`^https?://[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?$`)

// frameAncestors returns the value of frame-ancestors: pages of this server and of the origins, or 'none' without origins. The origin "*" allows
// every page.
func frameAncestors(origins []string) string {
	var list []string
	for _, o := range origins {
		switch {
		case o == "*":
			return "*"
		case framingOrigin.MatchString(o):
			list = append(list, o)
		}
	}
	if len(origins) == 0 {
		return "'none'"
	}
	return strings.Join(append([]string{"'self'"}, list...), " ")
}
