package account

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine/fault"
)

// EgressInput is an operator's choice of the addresses that a connector account's adapter may send to, instead of the manifest's.
type EgressInput struct {
	BaseURL string   // "": the manifest's; otherwise https, or http to loopback if the host allows that
	Hosts   []string // exact names, with the port unless it is 443; empty: the manifest's
	// Rotated says that the new base URL leads to the same account at the processor, as AccountInput.Rotated.
	Rotated bool
}

// SetEgress sets an account's base URL and approved hosts. Only the operator may call it, never the merchant. Errors: HE_02; IR_06 (422)
// for an invalid URL or host.
func (s *Registry) SetEgress(ctx context.Context, a Auth, id string, in EgressInput) (*Account, error) {
	in.BaseURL = strings.TrimRight(in.BaseURL, "/")
	if in.BaseURL != "" {
		u, err := url.Parse(in.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fault.Unprocessable("base_url", "base_url must be an absolute http(s) URL without user, query or fragment").WithHint("Send an address such as https://api.example.com.")
		}
	}
	for _, h := range in.Hosts {
		if h == "" || len(h) > 255 || strings.ContainsAny(h, "/ @?#*") {
			return nil, fault.Unprocessable("hosts", "hosts: '"+h+"' is not a host name; give exact names, with a port if it is not 443").WithHint("Send names such as api.example.com.")
		}
	}
	var n *Account
	err := s.change(ctx, "set egress of connector account", func(tx Tx) (err error) {
		if n, err = accountOf(tx, a, id); err != nil {
			return err
		}
		if err := s.Dir.open(n); err != nil {
			return err
		}
		was := *n
		n.BaseURL, n.Hosts, n.ModifiedAt = in.BaseURL, slices.Clone(in.Hosts), tx.Now()
		if err := s.moveOn(tx, &was, n, in.Rotated); err != nil {
			return err
		}
		return tx.UpdateAccount(n)
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}
