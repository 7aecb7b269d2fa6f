package engine

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// EgressInput is where an operator lets a connector account's adapter send to, in place of what its manifest says.
type EgressInput struct {
	BaseURL string   // "" for the manifest's; https, or http to loopback where the host allows that
	Hosts   []string // exact names, with the port unless it is 443; empty for the manifest's
}

// SetEgress sets an account's base URL and approved hosts: an operator's decision, never the merchant's. Errors: HE_02; IR_06 (422) for
// what is no URL or host.
func (s *Registry) SetEgress(ctx context.Context, a Auth, id string, in EgressInput) (*Account, error) {
	in.BaseURL = strings.TrimRight(in.BaseURL, "/")
	if in.BaseURL != "" {
		u, err := url.Parse(in.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, Unprocessable("base_url", "base_url must be an absolute http(s) URL without user, query or fragment")
		}
	}
	for _, h := range in.Hosts {
		if h == "" || len(h) > 255 || strings.ContainsAny(h, "/ @?#*") {
			return nil, Unprocessable("hosts", "hosts must be exact host names, with a port where it is not 443: "+h+" is none")
		}
	}
	var n *Account
	err := s.change(ctx, "set egress of connector account", func(tx AccountTx) (err error) {
		if n, err = accountOf(tx, a, id); err != nil {
			return err
		}
		n.BaseURL, n.Hosts, n.ModifiedAt = in.BaseURL, slices.Clone(in.Hosts), tx.Now()
		return tx.UpdateAccount(n)
	})
	if err != nil {
		return nil, err
	}
	return n, openAccount(s.Vault, n)
}
