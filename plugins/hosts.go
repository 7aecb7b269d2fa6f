package plugins

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine"
	"payswitch/sdk"
)

// reach is where one account may be sent to.
type reach struct {
	baseURL string
	hosts   map[string]bool // lower-case host, with its port unless that is 443
	// placed are the hosts that placements name, as they name them; the one of the environment's base URL also means the operator's.
	placed map[string][]string
	// own is the operator's base URL, nil where it is the manifest's, and declared the path of the manifest's.
	own      *url.URL
	declared string
	// certificate is what the account presents in TLS, nil for nothing.
	certificate *tls.Certificate
}

// newReach works out an account's base URL and approved hosts. The host of a base URL that the operator set is approved by that.
func newReach(a *engine.DriveAccount, m *sdk.Manifest) (*reach, error) {
	env, known := m.Environments[a.Environment]
	if !known && a.BaseURL == "" && len(m.Environments) > 0 {
		return nil, fmt.Errorf("the adapter %s does not offer the environment %q", m.Name, a.Environment)
	}
	r := &reach{hosts: make(map[string]bool)}
	hosts := a.Hosts
	if len(hosts) == 0 {
		hosts = env.Hosts
	}
	for _, h := range hosts {
		h, err := expand(h, a, m)
		if err != nil {
			continue // not reached, then; the base URL's own labels must do
		}
		r.hosts[strings.TrimSuffix(strings.ToLower(h), ":443")] = true
	}
	base := a.BaseURL
	if base == "" {
		base = env.BaseURL
	}
	base, err := expand(base, a, m)
	if err != nil {
		return nil, err
	}
	r.baseURL = strings.TrimRight(base, "/")
	if a.BaseURL != "" {
		u, err := url.Parse(r.baseURL)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("the account's base URL is no absolute URL")
		}
		r.hosts[hostKey(u)] = true
		r.own = u
		if d, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(env.BaseURL)); err == nil {
			r.declared = strings.TrimRight(d.EscapedPath(), "/")
		}
	}
	if r.certificate, err = engine.ClientCertificate(m, a.Credentials); err != nil {
		return nil, err
	}
	r.placed = make(map[string][]string)
	for _, all := range [][]sdk.Placement{m.Authentication, m.Placements} {
		for i := range all {
			r.place(all[i].Host, a, m)
		}
	}
	return r, nil
}

// place takes in a host that a placement names.
func (r *reach) place(name string, a *engine.DriveAccount, m *sdk.Manifest) {
	if name == "" || r.placed[name] != nil {
		return
	}
	r.placed[name] = []string{}
	if h, err := expand(name, a, m); err == nil {
		r.placed[name] = append(r.placed[name], strings.TrimSuffix(strings.ToLower(h), ":443"))
	}
	for _, env := range m.Environments {
		u, err := url.Parse(env.BaseURL)
		base, err2 := url.Parse(r.baseURL)
		if a.BaseURL != "" && err == nil && err2 == nil && strings.EqualFold(u.Host, name) {
			r.placed[name] = append(r.placed[name], hostKey(base))
		}
	}
}

// path is a URL's as placements know it: below a base URL that the operator set it is what it would be below the manifest's.
func (r *reach) path(u *url.URL) string {
	path := u.EscapedPath()
	if r.own == nil || hostKey(u) != hostKey(r.own) || u.Scheme != r.own.Scheme {
		return path
	}
	base := strings.TrimRight(r.own.EscapedPath(), "/")
	if rest, below := strings.CutPrefix(path, base); below && (rest == "" || rest[0] == '/') {
		return r.declared + rest
	}
	return path
}

// isHost says whether a URL's host is the one that a placement names.
func (r *reach) isHost(name string, u *url.URL) bool {
	return slices.Contains(r.placed[name], hostKey(u))
}

// hostKey is how a URL's host is looked up: without the port that is HTTPS's own.
func hostKey(u *url.URL) string {
	if u.Scheme == "https" {
		return strings.TrimSuffix(strings.ToLower(u.Host), ":443")
	}
	return strings.ToLower(u.Host)
}

// expand puts config values in the place of {name} labels. They must be one DNS label each. A manifest's default fills none: what an
// account is sent to is not the adapter's author's to say.
func expand(text string, a *engine.DriveAccount, m *sdk.Manifest) (string, error) {
	for {
		before, rest, found := strings.Cut(text, "{")
		if !found {
			return text, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q has an unfinished {config} label", text)
		}
		value := ""
		for i := range m.Config {
			if f := &m.Config[i]; f.Name == name {
				value = a.Config[key(f)]
				if value == "" && f.Default != "" {
					return "", fmt.Errorf("the account's metadata has no %q, which is a part of the host's name: set it; the adapter's default does not count there", key(f))
				}
			}
		}
		if value = strings.ToLower(value); !validLabel(value) {
			return "", fmt.Errorf("the account's %q is no DNS label (letters, digits and hyphens, at most 63)", name)
		}
		text = before + value + after
	}
}

// validLabel says whether s is one label of a host name, in lower case.
func validLabel(s string) bool {
	if len(s) == 0 || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && s[0] != '0'
}

// isLoopbackName says whether a host as written can only mean this machine: "localhost" or a loopback address.
func isLoopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.IsLoopback()
}

// special are the address blocks, beside those net/netip knows, that no processor is reached at (IANA special-purpose registries).
var special = func() (all []netip.Prefix) {
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4",
		"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
		"3fff::/20", "5f00::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}()

// isPublic says whether an address is one of the open Internet. An address with a zone, and IPv4 in IPv6's clothes, is not.
func isPublic(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// addressOf is the address a connection is about to be made to.
func addressOf(address string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
}
