package paylink

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"

	"payswitch/engine/fault"
)

var (
	domainName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*(:[0-9]{1,5})?$`)
	// framer has no character with a meaning in a Content-Security-Policy but the star.
	framer = regexp.MustCompile(`^(https?://)?([A-Za-z0-9_-]+|\*)(\.([A-Za-z0-9_-]+|\*))*(:([0-9]{1,5}|\*))?(/\*)?$`)
)

// CheckDomain checks a domain_name: a host with an optional port. Error: IR_06 (422).
func CheckDomain(s string) error {
	if len(s) <= 253+6 && domainName.MatchString(s) {
		return nil
	}
	return fault.Unprocessable("payment_link_config.domain_name", "Invalid host domain name received in payment_link_config").
		WithHint(`Send a host with an optional port and without a scheme, such as "pay.example.com".`)
}

// CheckFramers checks allowed_domains. Error: IR_06 (422).
func CheckFramers(patterns []string) error {
	for _, p := range patterns {
		if len(p) > 300 || !framer.MatchString(p) {
			return fault.Unprocessable("payment_link_config.allowed_domains", "Invalid allowed domain names received in payment_link_config").
				WithHint(`Send hosts, such as "shop.example.com", "*.example.com" or "localhost:3000".`)
		}
	}
	return nil
}

// Framed reports whether a page at the URL from may frame a page with these allowed domains. A pattern is a glob over host[:port], in which * stands
// for dots too. A pattern with a scheme never matches.
func Framed(patterns []string, from string) bool {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	for _, p := range patterns {
		if ok, err := path.Match(strings.ToLower(strings.TrimSuffix(p, "/*")), strings.ToLower(u.Host)); ok && err == nil && !strings.Contains(p, "://") {
			return true
		}
	}
	return false
}

// FrameAncestors returns the sources of the Content-Security-Policy's frame-ancestors for allowed domains: 'self' and the domains.
func FrameAncestors(patterns []string) string {
	out := []string{"'self'"}
	for _, p := range patterns {
		if framer.MatchString(p) {
			out = append(out, strings.TrimSuffix(p, "/*"))
		}
	}
	return strings.Join(out, " ")
}

// Forbidden returns the answer to a browser that may not open a secure link: IR_22 (403).
func Forbidden() *fault.Error {
	return &fault.Error{Kind: fault.KindForbidden, Code: "IR_22", Message: "Access forbidden. Not authorized to access this resource payment_link", Param: "allowed_domains", Hint: "Add the page's domain to the allowed_domains of the payment link's configuration."}
}

const changed = "The payment has another amount than its page has shown"

// Changed refuses a payment whose amount is another than the one that the payer has seen.
func Changed() *fault.Error {
	return fault.Refused(changed).WithParam("amount").WithHint("Load the page again.")
}

// IsChanged reports whether an error is Changed.
func IsChanged(err error) bool {
	var known *fault.Error
	return errors.As(err, &known) && known.Message == changed
}
