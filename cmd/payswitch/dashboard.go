package main

import (
	"context"
	"errors"
	"net"
	"net/http"

	"payswitch/engine/fault"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/router/dashboard"
)

// openDashboard makes the pages for people, unless dashboard.listen is "". A program that was built without make has none, and payments go on.
func (n *node) openDashboard(ctx context.Context) error {
	c := n.config
	if c.Dashboard.Listen == "" {
		return nil
	}
	pages, err := dashboard.New(dashboard.Deps{Sessions: noSessions{}, Engine: n.engine, Events: n.engine.Webhooks, Adapters: n.host, Presenter: router.Presenter{}, Logger: n.component("dashboard"), Now: fault.Clock()},
		dashboard.Options{APIURL: n.publicURL(), Version: readBuild().version, Live: !c.testing()})
	if errors.Is(err, dashboard.ErrNoAssets) {
		n.log.Warn("there is no dashboard", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	if n.dashboardListener, err = listen(ctx, "dashboard.listen", c.Dashboard.Listen); err != nil {
		return err
	}
	n.dashboardServer = pages.HTTP()
	return nil
}

// noSessions knows no person, so that every page asks for a login.
type noSessions struct{}

// Of implements dashboard.Sessions.
func (noSessions) Of(*http.Request) (*staff.Session, error) { return nil, dashboard.ErrNoSession }

// dashboardURL returns the dashboard's address on this machine, "" without one.
func (n *node) dashboardURL() string {
	if n.dashboardListener == nil {
		return ""
	}
	host, port, _ := net.SplitHostPort(n.dashboardListener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
