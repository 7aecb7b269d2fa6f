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

	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// reach holds the hosts to which the requests of one account may go.
type reach struct {
	baseURL string
	hosts   map[string]bool // lower-case host, with its port unless that is 443
	// placed holds the hosts that placements name, by that name. The host of an environment's base URL also stands for the host of
	// the operator's base URL.
	placed map[string][]string
	// own is the base URL that the operator has set; nil where the manifest's applies. declared is the path of the manifest's.
	own      *url.URL
	declared string
	// certificate is the account's TLS client certificate; nil for none.
	certificate *tls.Certificate
}

// newReach works out an account's base URL and approved hosts. A base URL that the operator has set approves its host.
func newReach(a *port.DriveAccount, m *sdk.Manifest) (*reach, error) {
	env, known := m.Environments[a.Environment]
	if !known && a.BaseURL == "" && len(m.Environments) > 0 {
		return nil, fmt.Errorf("the adapter %s does not offer the environment %q: choose one that its manifest declares", m.Name, a.Environment)
	}
	r := &reach{hosts: make(map[string]bool)}
	hosts := a.Hosts
	if len(hosts) == 0 {
		hosts = env.Hosts
	}
	for _, h := range hosts {
		h, err := expand(h, a, m)
		if err != nil {
			continue // the account cannot reach this host; labels of the base URL are still required below
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
			return nil, fmt.Errorf("the account's base URL is not an absolute URL: write it with https:// and a host")
		}
		r.hosts[hostKey(u)] = true
		r.own = u
		if d, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(env.BaseURL)); err == nil {
			r.declared = strings.TrimRight(d.EscapedPath(), "/")
		}
	}
	if r.certificate, err = account.ClientCertificate(m, a.Credentials); err != nil {
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

// place notes a host that a placement names.
func (r *reach) place(name string, a *port.DriveAccount, m *sdk.Manifest) {
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

// path returns the path of u as placements name it. Below the operator's base URL, the manifest's path replaces the operator's.
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

// isHost reports whether u leads to the host that a placement names.
func (r *reach) isHost(name string, u *url.URL) bool {
	return slices.Contains(r.placed[name], hostKey(u))
}

// hostKey returns the key of a URL's host in reach.hosts: in lower case, without port 443 for https.
func hostKey(u *url.URL) string {
	if u.Scheme == "https" {
		return strings.TrimSuffix(strings.ToLower(u.Host), ":443")
	}
	return strings.ToLower(u.Host)
}

// expand replaces each {name} label with the account's config value, which must be one DNS label. It ignores the manifest's
// default: otherwise the author of the adapter would choose the host that receives the account's requests.
func expand(text string, a *port.DriveAccount, m *sdk.Manifest) (string, error) {
	for {
		before, rest, found := strings.Cut(text, "{")
		if !found {
			return text, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q has a { without }: close the {config} label", text)
		}
		value := ""
		for i := range m.Config {
			if f := &m.Config[i]; f.Name == name {
				value = a.Config[key(f)]
				if value == "" && f.Default != "" {
					return "", fmt.Errorf("the account's metadata lacks %q, which is part of the host name: set it (the adapter's default does not apply to host names)", key(f))
				}
			}
		}
		if value = strings.ToLower(value); !validLabel(value) {
			return "", fmt.Errorf("the account's %q is not a DNS label: use 1 to 63 letters, digits and hyphens, no hyphen at either end", name)
		}
		text = before + value + after
	}
}

// validLabel reports whether s is one lower-case label of a host name.
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

// isLoopbackName reports whether host can only mean this machine: "localhost" or a loopback address.
func isLoopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.IsLoopback()
}

// special are the blocks of the IANA special-purpose registries that package net/netip does not know. No processor lives there.
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

// isPublic reports whether ip is an address of the open Internet. It refuses addresses with a zone and IPv4 addresses written as
// IPv6.
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

// addressOf reads the IP address of a host:port pair.
func addressOf(address string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
}
