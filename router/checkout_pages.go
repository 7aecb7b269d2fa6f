package router

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/router/checkout"
)

// This file serves the embedded checkout (package checkout): the script for the shop's page, and the pages that this script frames. None of them
// holds any merchant's data. The frame learns the payment from the shop's page, and calls the API as any client of the payer does.

// checkoutRoutes returns the routes of the embedded checkout.
func (s *Server) checkoutRoutes() []route {
	list := []route{
		{method: "GET", pattern: "/checkout/hyper.mjs", who: open, handle: s.checkoutModule},
		{method: "GET", pattern: "/checkout/integrity", who: open, handle: s.checkoutIntegrity},
		{method: "GET", pattern: "/checkout/{hash}/loader.js", who: open, handle: s.checkoutLoader},
		{method: "GET", pattern: "/checkout/v1/frame", who: open, handle: s.checkoutFrame},
		{method: "GET", pattern: "/checkout/v1/challenge", who: open, handle: s.checkoutFrame},
		{method: "GET", pattern: "/checkout/v1/networks", who: publishable, handle: s.cardNetworks},
	}
	for _, pattern := range loaderPaths {
		list = append(list, route{method: "GET", pattern: pattern, who: open, handle: s.checkoutLoader})
	}
	return list
}

// loaderPaths are the plain addresses of the loader. Shops of the v1 SDK know it below /v0 and /v1.
var loaderPaths = []string{"/HyperLoader.js", "/v0/HyperLoader.js", "/v1/HyperLoader.js"}

// How long browsers keep the checkout's files: those at a plain address until a new version should reach every shop, those at the address of
// their hash for a year.
const (
	checkoutKept = "public, max-age=300"
	hashKept     = "public, max-age=31536000, immutable"
)

func (s *Server) checkoutPages() (*checkout.Pages, error) {
	pages, err := s.checkout()
	if errors.Is(err, checkout.ErrNotBuilt) {
		return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: err.Error()}
	}
	if err != nil {
		return nil, fault.Internal(err, "read the checkout")
	}
	return pages, nil
}

// checkoutLoader serves the script that defines window.Hyper.
func (s *Server) checkoutLoader(c *call) (answer, error) {
	pages, err := s.checkoutPages()
	if err != nil {
		return answer{}, err
	}
	kept := checkoutKept
	if hash := c.param("hash"); hash != "" {
		if hash != pages.Hash {
			return answer{}, errUnknownURL // another version: a shop that names a hash wants that script and no other
		}
		kept = hashKept
	}
	return script(c, pages.Loader, kept), nil
}

// checkoutIntegrity answers what a shop needs to pin the loader, and the inventory of scripts that PCI DSS asks of it.
func (s *Server) checkoutIntegrity(*call) (answer, error) {
	pages, err := s.checkoutPages()
	if err != nil {
		return answer{}, err
	}
	var w writer
	scripts := pages.Inventory(s.opts.PublicURL)
	w.open().str("script", scripts[0].Address).str("integrity", scripts[0].Integrity).key("scripts").openList()
	for _, x := range scripts {
		w.open().str("name", x.Name).str("address", x.Address).str("runs_in", x.RunsIn).str("purpose", x.Purpose).str("integrity", x.Integrity).int("bytes", int64(x.Bytes)).close()
	}
	return w.closeList().close().answer(), nil
}

func (s *Server) checkoutModule(c *call) (answer, error) {
	pages, err := s.checkoutPages()
	if err != nil {
		return answer{}, err
	}
	return script(c, pages.Module, checkoutKept), nil
}

// script returns a script that the page of any shop may load. The header for CORS lets browsers check its integrity.
func script(c *call, d *checkout.Document, kept string) answer {
	a := documentAnswer(c, d, kept)
	a.header.Set("Access-Control-Allow-Origin", "*")
	a.header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return a
}

// documentAnswer sends a document, compressed if the browser takes that, or 304 if the browser has it.
func documentAnswer(c *call, d *checkout.Document, kept string) answer {
	h := http.Header{"Content-Type": {d.Type}, "Cache-Control": {kept}, "Etag": {d.Tag}, "Vary": {"Accept-Encoding"}}
	if slices.Contains(strings.Split(c.r.Header.Get("If-None-Match"), ", "), d.Tag) {
		h.Del("Content-Type")
		return answer{status: http.StatusNotModified, header: h}
	}
	if quality(encodings(c.r.Header.Get("Accept-Encoding")), "coding/gzip") == 0 {
		return answer{header: h, body: d.Body}
	}
	h.Set("Content-Encoding", "gzip")
	return answer{header: h, body: d.Zipped}
}

// encodings writes the items of Accept-Encoding as media types, which quality reads.
func encodings(accept string) []string {
	var list []string
	for item := range strings.SplitSeq(accept, ",") {
		list = append(list, "coding/"+strings.TrimSpace(item))
	}
	return list
}

// checkoutFrame serves the page with the fields, or the page around the bank's page.
func (s *Server) checkoutFrame(c *call) (answer, error) {
	q := c.query()
	key, profile, origin, locale, link := q.text("key"), q.text("profile"), q.text("origin"), q.text("locale"), q.text("link")
	if q.err != nil {
		return answer{}, q.err
	}
	pages, err := s.checkoutPages()
	if err != nil {
		return answer{}, err
	}
	if locale == "" || locale == "auto" {
		locale = c.r.Header.Get("Accept-Language")
	}
	d, frames := pages.Frame(locale), "'self'"
	switch {
	case strings.HasSuffix(c.pattern(), "/challenge"):
		d, frames = pages.Challenge(locale), s.webScheme()
	case q.text("type") == "paymentMethodsManagement":
		d = pages.Manage(locale)
	}
	framers, err := "", error(nil)
	if strings.Contains(link, "/") {
		framers, err = s.linkFramers(c, link)
	} else {
		framers, err = s.checkoutFramers(c, key, profile, origin)
	}
	if err != nil {
		return answer{}, err
	}
	a := documentAnswer(c, d, checkoutKept)
	a.header.Set("Vary", "Accept-Encoding, Accept-Language")
	a.header.Set("Content-Security-Policy", d.Policy+"; frame-src "+frames+"; frame-ancestors "+framers)
	return a, nil
}

// checkoutFramers returns the value of frame-ancestors for a publishable key: our own pages, and the pages of the profile's checkout_origins. Without
// a profile, it is those of all the merchant's profiles. A profile without origins allows any page on https, and in development on http.
func (s *Server) checkoutFramers(c *call, key, profileID, origin string) (string, error) {
	anyPage := "'self' " + s.webScheme()
	if key == "" {
		return anyPage, nil
	}
	auth, err := s.Access.Authenticate(c.ctx(), secret.New(key))
	var known *fault.Error
	if errors.As(err, &known) && known.Kind == fault.KindUnauthorized || err == nil && auth.MerchantID == "" {
		return anyPage, nil // the page is the same for every key: its first call of the API says what is wrong
	}
	if err != nil {
		return "", err
	}
	profiles, err := s.Admin.Profiles(c.ctx(), account.Auth{MerchantID: auth.MerchantID})
	if err != nil {
		return "", err
	}
	var origins []string
	for _, p := range profiles {
		if profileID != "" && p.ID != profileID {
			continue
		}
		allowed := profileSwitches(p).CheckoutOrigins
		if len(allowed) == 0 {
			return anyPage, nil
		}
		for _, o := range allowed {
			if !slices.Contains(origins, o) {
				origins = append(origins, o)
			}
		}
	}
	if origin != "" && !slices.Contains(origins, origin) && origin != s.opts.PublicURL {
		s.Logger.InfoContext(c.ctx(), "a page that checkout_origins does not name asks for the checkout", "merchant_id", auth.MerchantID, "origin", shownOrigin(origin))
	}
	return frameAncestors(origins), nil
}

// CheckoutOrigins returns the origins of the pages that may show a profile's checkout; none: any page.
func CheckoutOrigins(p *account.Profile) []string { return profileSwitches(p).CheckoutOrigins }

// cardNetworks answers the networks of a card by its first digits, so that the payer of a co-badged card can choose. Eight digits name an issuer, not
// a card.
func (s *Server) cardNetworks(c *call) (answer, error) {
	q := c.query()
	bin := q.text("bin")
	if len(bin) < 6 || len(bin) > 8 || strings.Trim(bin, "0123456789") != "" {
		q.fail("bin", "bin must be the first 6 to 8 digits of a card number", "Send eight digits.")
	}
	if q.err != nil {
		return answer{}, q.err
	}
	var names []string
	for _, n := range s.Payments.CardNetworks(bin) {
		names = append(names, string(n))
	}
	return new(writer).open().strings("card_networks", names).close().answer(), nil
}

// webOrigin reads the origin of a web page: scheme, host and port alone, as browsers send it.
var webOrigin = parsedText(`Send scheme and host, such as "https://shop.example.com", without a path.`, func(s string) error {
	if !framingOrigin.MatchString(s) || s != strings.ToLower(s) {
		return fmt.Errorf("invalid origin: %s", quoted([]byte(s)))
	}
	return nil
})

// shownOrigin returns what a log may hold of an origin that a stranger sent.
func shownOrigin(origin string) string {
	if u, err := url.Parse(origin); err == nil && framingOrigin.MatchString(origin) {
		return u.Host
	}
	return "not an origin"
}
