package threeds

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Longest URLs, in bytes (EMV: notificationURL and threeDSMethodNotificationURL 256, acsURL 2048).
const (
	MaxNotificationURL = 256
	maxChallengeURL    = 2048
)

// CheckNotificationURL says what keeps a URL of ours from being given to an ACS: it must be https (http is let through for development),
// at most 256 bytes, and without query, fragment and user information. In "?" the two base64 alphabets differ, and so do ACSs.
func CheckNotificationURL(raw string, development bool) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("notification URL cannot be parsed")
	case len(raw) > MaxNotificationURL:
		return fmt.Errorf("notification URL has %d characters: at most %d are allowed", len(raw), MaxNotificationURL)
	case strings.ContainsAny(raw, "?#"):
		return errors.New("notification URL must have no query and no fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !development):
		return errors.New("notification URL must be https")
	case u.Hostname() == "" || u.User != nil:
		return errors.New("notification URL must name a host, and no user")
	}
	return nil
}

// CheckChallengeURL says what keeps an acsURL or threeDSMethodURL, which the payer's browser is sent to, from being used: it must be
// https to a public host, without user information, at most 2048 bytes. In development http and private hosts are let through.
func CheckChallengeURL(raw string, development bool) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil: // its text would repeat the URL
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

// privateHost says whether a host is one that no issuer's page can be on: an address that is not public, or a name without a domain.
// Names are not looked up: it is the payer's browser that goes there.
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

// isNumber says whether browsers read a host's last label as a number, and so the host as an address in short or other notation
// (WHATWG URL, "ends in a number"): 0x7f.1, 0177.0.0.1.
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // carrier-grade NAT, RFC 6598
