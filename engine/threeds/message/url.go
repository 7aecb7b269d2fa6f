package message

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// maxChallengeURL is the maximum length of a URL, in bytes (EMV: acsURL).
const maxChallengeURL = 2048

// CheckChallengeURL returns an error if the payer's browser must not go to an acsURL or threeDSMethodURL. The URL must be https to a public
// host, without user information, and at most 2048 bytes long. In development it may be http and lead to a private host.
func CheckChallengeURL(raw string, development bool) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil: // the parser's text would repeat the URL
		return errors.New("challenge URL cannot be parsed")
	case len(raw) > maxChallengeURL:
		return fmt.Errorf("challenge URL has more than %d characters", maxChallengeURL)
	case u.Scheme != "https" && (u.Scheme != "http" || !development):
		return errors.New("challenge URL must be https")
	case u.Hostname() == "" || u.User != nil:
		return errors.New("challenge URL must name a host, and no user")
	case !development && privateHost(u.Hostname()):
		return errors.New("challenge URL must not lead to a private host")
	}
	return nil
}

// privateHost reports whether no issuer's page can be on the host: its address is not public, or its name has no domain. It does not resolve
// names, because the payer's browser, and not the host, goes there.
func privateHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return !addr.IsGlobalUnicast() || addr.IsPrivate() || sharedSpace.Contains(addr)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == host || isNumber(last) {
		return true
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".home.arpa"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// isNumber reports whether browsers read a host's last label as a number, and so the host as an address in another notation (WHATWG URL,
// "ends in a number"): 0x7f.1, 0177.0.0.1.
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // carrier-grade NAT, RFC 6598
