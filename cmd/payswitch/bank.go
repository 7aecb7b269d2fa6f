package main

import (
	"net/http"

	"payswitch/plugins/simulator3ds"
)

// simulates3DS reports whether the program runs the simulated 3-D Secure server.
func (c Config) simulates3DS() bool { return c.testing() && c.Simulator.ThreeDS }

// openBank makes the simulated 3-D Secure server and bank for development. In production it returns nil, whatever the configuration says.
func (n *node) openBank() (err error) {
	c := n.config.Simulator
	if !n.config.simulates3DS() {
		return nil
	}
	n.bank, err = simulator3ds.New(simulator3ds.Options{PublicURL: n.publicURL(), TimeScale: c.TimeScale, Others: c.OtherCards, Logger: n.component("simulator3ds")})
	return err
}

// bankHandler returns the bank's HTTP handler, or nil without a bank.
func (n *node) bankHandler() http.Handler {
	if n.bank == nil {
		return nil
	}
	return n.bank
}
