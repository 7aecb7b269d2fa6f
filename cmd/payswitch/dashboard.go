package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
	"payswitch/router"
	"payswitch/router/dashboard"
	"payswitch/router/dashboard/passkeys"
	"payswitch/storage"
)

// openDashboard makes the pages for people, unless dashboard.listen is "". A program that was built without make has none, and payments go on.
func (n *node) openDashboard(ctx context.Context) error {
	c := n.config
	if c.Dashboard.Listen == "" {
		return nil
	}
	listener, err := listen(ctx, "dashboard.listen", c.Dashboard.Listen)
	if err != nil {
		return err
	}
	n.dashboardListener = listener
	if n.staff, err = openStaff(c, n.db, n.vault, n.dashboardURL()); err != nil {
		return err
	}
	pages, err := dashboard.New(dashboard.Deps{Staff: n.staff, Engine: n.engine, Events: n.engine.Webhooks, Adapters: n.host, Bundles: n.bundles, Presenter: router.Presenter{}, Replayer: replays{n}, System: systemOf{n}, Logs: n.book,
		Logger: n.component("dashboard"), Now: fault.Clock()},
		dashboard.Options{URL: n.dashboardURL(), APIURL: n.publicURL(), Version: readBuild().version, Live: !c.testing(), BehindProxy: c.Dashboard.BehindProxy,
			FirstRunAnywhere: c.Dashboard.FirstRun == "anywhere"})
	if errors.Is(err, dashboard.ErrNoAssets) {
		n.log.Warn("there is no dashboard", "error", err)
		n.dashboardListener = nil
		return listener.Close()
	}
	if err != nil {
		return err
	}
	n.dashboardServer = pages.HTTP()
	return nil
}

// openStaff makes the use cases of the people who use the dashboard at address. In the demo, whose keys are public, links sign in at once.
func openStaff(c Config, db *storage.DB, v *vault.Vault, address string) (*staff.Service, error) {
	d := staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](db), Vault: v, Now: fault.Clock()}
	keys, err := passkeys.New(address)
	if err != nil {
		return nil, problem("dashboard.public_url", "%v", err)
	}
	if keys != nil {
		d.Passkeys = keys
	}
	return staff.New(d, staff.Options{Live: !c.testing(), Demo: c.demoKey()}), nil
}

// staffSweepEvery is the interval between removals of what has ended.
const staffSweepEvery = time.Hour

// sweepStaff removes ended sessions and links until ctx ends.
func (n *node) sweepStaff(ctx context.Context) error {
	tick := time.NewTicker(staffSweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if _, err := n.staff.Sweep(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("ended sessions of the dashboard were not removed: the next hour tries again", "error", err)
		}
	}
}

// firstLink prints a link for the first user. It prints nothing once there is a user.
func (n *node) firstLink(ctx context.Context, to io.Writer) error {
	if n.dashboardServer == nil {
		return nil
	}
	link, ok, err := n.staff.FirstLink(ctx)
	if ctx.Err() != nil {
		return nil // the program is asked to stop: the next start prints the link
	}
	if err != nil {
		return fmt.Errorf("make the dashboard's first link: %w", err)
	}
	if ok {
		fmt.Fprintf(to, "The dashboard has no user yet. This link makes the first one, once, within %d minutes:\n\n  %s\n\n`payswitch user create` makes users later.\n\n",
			staff.FirstLinkTime/time.Minute, linkAddress(n.dashboardURL(), link))
	}
	return nil
}

// linkAddress returns the address of a one-time link.
func linkAddress(dashboardURL string, link secret.Value) string {
	return dashboardURL + "/enter/" + link.Reveal()
}

// dashboardURL returns the address at which browsers reach the dashboard, "" without one.
func (n *node) dashboardURL() string {
	if n.dashboardListener == nil {
		return ""
	}
	return dashboardAddress(n.config.Dashboard, n.dashboardListener.Addr().String())
}

// dashboardAddress is dashboard.public_url, or the address on this machine. It has the name localhost, because browsers allow passkeys there.
func dashboardAddress(c DashboardConfig, listening string) string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, _ := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); host == "" || ip != nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// checkDashboardURL checks dashboard.public_url: the dashboard has an origin of its own, so the address has no path.
func checkDashboardURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%q must be scheme and host, as https://dashboard.example.com: the dashboard has a host name of its own", s)
	}
	return nil
}
