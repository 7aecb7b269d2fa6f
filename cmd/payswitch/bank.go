package main

import (
	"net/http"

	"payswitch/plugins/simulator3ds"
)

// openBank makes the 3-D Secure server and bank that are built in for development; in production there is none, whatever the configuration.
func (n *node) openBank() (err error) {
	c := n.config.Simulator
	if !n.config.testing() || !c.ThreeDS {
		return nil
	}
	n.bank, err = simulator3ds.New(simulator3ds.Options{PublicURL: n.publicURL(), TimeScale: c.TimeScale, Others: c.OtherCards, Logger: n.component("simulator3ds")})
	return err
}

// bankHandler is the bank as a handler, nil where there is none.
func (n *node) bankHandler() http.Handler {
	if n.bank == nil {
		return nil
	}
	return n.bank
}
