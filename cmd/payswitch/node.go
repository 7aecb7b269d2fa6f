package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/plugins/simulator3ds"
	"payswitch/router"
	"payswitch/storage"
)

// node is a whole switch: its parts, and the address that it listens on. openNode opens the fields in their order; close closes them in
// reverse.
type node struct {
	config  Config
	log     *slog.Logger
	book    *logbook // the latest lines of log
	metrics *meters

	listener net.Listener
	db       *storage.DB
	vault    *vault.Vault
	bank     *simulator3ds.Simulator // nil in production
	host     *plugins.Host
	bundles  *bundles
	webhooks *plugins.Webhooks
	engine   *engine.Engine
	// admission refuses new work while the switch is too slow; nil admits everything.
	admission *router.Admission
	tracing   *tracing // nil makes no spans
	server    *http.Server

	// nil when metrics.listen is not set
	metricsListener net.Listener
	metricsServer   *http.Server

	// nil without dashboard.listen
	dashboardListener net.Listener
	dashboardServer   *http.Server
	staff             *staff.Service
	requests          *requestLog // nil without log.requests

	name    string
	started time.Time
	seen    string // the file that notes how far the database has come

	draining atomic.Bool
	leaving  leaving // the API's clients, when the node drains

	connectors []string    // of the accounts, when the node starts
	preparing  atomic.Bool // their adapters are being compiled
	probe      probe
	readiness  readiness
}

// openNode makes the parts of a node and starts none of them. Clients that connect meanwhile wait in the listener's queue. With migrate,
// openNode updates an older database; without, it refuses one.
func openNode(ctx context.Context, c Config, migrate bool, log *slog.Logger) (*node, error) {
	book := &logbook{}
	n := &node{config: c, log: slog.New(book.over(log.Handler())), book: book, metrics: newMeters(), started: time.Now()}
	if err := n.open(ctx, migrate); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func (n *node) open(ctx context.Context, migrate bool) (err error) {
	c := n.config
	if n.listener, err = c.keeper.listen(ctx, "server.listen", c.Server.Listen); err != nil {
		return err
	}
	if err := n.openMetrics(ctx); err != nil {
		return err
	}
	if n.db, err = storage.Open(ctx, c.Storage.DSN.Reveal(), storage.Options{
		Logger:   n.component("storage"),
		Migrate:  migrate,
		Postgres: c.Storage.Postgres.options(),
		Observer: n.metrics.committed,
		Clock:    fault.Clock(),
	}); err != nil {
		return err
	}
	name, sole, err := n.db.LockNode(c.Engine.Node)
	if err != nil {
		return fmt.Errorf("engine.node: %w", err)
	}
	n.name = name
	if err := noticeClock(ctx, n.db, n.log); err != nil {
		return err
	}
	if n.vault, err = openVault(ctx, n.db, c, n.component("vault")); err != nil {
		return err
	}
	if err := n.openBank(); err != nil {
		return err
	}
	if err := n.openHost(ctx); err != nil {
		return err
	}
	tables, err := readOfferTables(c.Cards.OfferTables)
	if err != nil {
		return err
	}
	n.tracing = openTracing(c, n.log)
	if c.Server.OverloadLatency > 0 {
		n.admission = router.NewAdmission(c.Server.OverloadLatency, nil)
	}
	if err := n.openEngine(name, sole, tables); err != nil {
		return err
	}
	if err := n.afterRestore(ctx); err != nil {
		return err
	}
	n.connectors = n.usedConnectors(ctx)
	n.preparing.Store(len(n.connectors) > 0)
	n.bundles = newBundles(c, n.db, n.host)
	if err := n.openServer(tables); err != nil {
		return err
	}
	return n.openDashboard(ctx)
}

// openMetrics listens for the requests of the metrics' collector, where the metrics have an address of their own.
func (n *node) openMetrics(ctx context.Context) (err error) {
	c := n.config
	if !c.Metrics.Enabled || c.Metrics.Listen == "" {
		return nil
	}
	if n.metricsListener, err = listen(ctx, "metrics.listen", c.Metrics.Listen); err != nil {
		return err
	}
	n.metricsServer = &http.Server{Handler: n.metrics.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(n.log.Handler(), slog.LevelDebug)}
	return nil
}

// openEngine makes the engine and the sender of its events. name is the node's name; with sole no other living process has it.
func (n *node) openEngine(name string, sole bool, tables []byte) error {
	c := n.config
	bins, err := readBINTable(c.Cards.BINTable)
	if err != nil {
		return err
	}
	n.webhooks = plugins.NewWebhooks(plugins.WebhookOptions{AllowPrivate: c.Webhooks.AllowPrivate, Timeout: c.Webhooks.Timeout})
	retries, err := durations(c.Webhooks.Retries)
	if err != nil {
		return problem("webhooks.retries", "%v", err)
	}
	limits, err := router.Limits(tables)
	if err != nil {
		return problem("cards.offer_tables", "%v", err)
	}
	n.engine, err = engine.New(engine.Deps{
		Store:      n.tracing.store(measured{n.db, n.admission}),
		Connectors: n.tracing.connectors(n.host),
		Vault:      n.vault,
		Presenter:  router.Presenter{},
		Sender:     n.webhooks,
		Logger:     n.component("engine"),
		Metrics:    n.metrics,
		Clock:      fault.Clock(),
	}, engine.Options{
		Node:              name,
		SoleNode:          sole,
		Mocks:             c.demoKey(), // serve refuses the demo's key
		PublicURL:         n.publicURL(),
		KeyEnvironment:    c.Keys.Environment,
		LeaseTime:         c.Engine.LeaseTime,
		LockWait:          c.Engine.LockWait,
		ResolveEvery:      c.Engine.ResolveEvery,
		SettleTimeout:     c.Engine.SettleTimeout,
		PayerWait:         c.Engine.PayerWait,
		ResolvePause:      c.Engine.ResolvePause,
		AuthenticatorTime: c.Engine.AuthenticatorTime,
		JournalKeep:       c.journalKeep(),

		WebhookTime:        c.Webhooks.Timeout,
		WebhookRetries:     retries,
		WebhookConcurrency: c.Webhooks.Concurrency,
		WebhookEndpoints:   c.Webhooks.Endpoints,
		EventsKeep:         webhook.Keep{Delivered: c.Webhooks.Keep, Undelivered: c.Webhooks.KeepUndelivered, Attempts: c.Webhooks.KeepAttempts},

		SDKOrigins: c.Server.CORS.Origins, // a page that may call the API may also receive the result
		BINTable:   bins,
		Limits:     limits,
	})
	return err
}

// openServer makes the API's server.
func (n *node) openServer(tables []byte) error {
	c := n.config
	var logRequest func(router.LoggedRequest)
	if c.Log.Requests != "" {
		n.book.remember(c.Log.Requests)
		n.requests = openRequestLog(c.Log.Requests, c.Log.RequestsLimit, requestLogFiles, n.component("request log"))
		logRequest = n.requests.add
		n.metrics.lines.Store(n.requests)
	}
	surface, err := router.New(router.Deps{Access: n.engine, Payments: n.engine, Admin: n.engine, Webhooks: n.engine.Webhooks, Connectors: n.host, Bundles: n.bundles, Logger: n.component("router")}, router.Options{
		AdminKey:             c.Admin.APIKey,
		PublicURL:            n.publicURL(),
		MaxBody:              c.Server.RequestBodyLimit,
		CORS:                 router.CORS{Origins: c.Server.CORS.Origins},
		TrustRequestID:       c.Server.TrustRequestID,
		BehindProxy:          c.Server.BehindProxy,
		Version:              readBuild().version,
		TestCardsWithoutLuhn: c.testing(),
		OfferTables:          tables,
		CardsInText:          router.CardsInText(c.Cards.InText),
		DevPages:             c.testing(),
		Simulator3DS:         n.bankHandler(),
		Ready:                n.ready,
		Observe:              n.metrics.request,
		Log:                  logRequest,
		Trace:                n.tracing.request(),
		Admission:            n.admission,
		RateLimit:            router.RateLimit{PerSecond: float64(c.Server.RateLimit), Burst: c.Server.RateBurst},
	})
	if err != nil {
		return err
	}
	var served http.Handler = surface
	if c.Metrics.Enabled && n.metricsServer == nil {
		served = withMetrics(surface, surface.ForOperator(n.metrics.handler()))
	}
	n.server = surface.HTTP(served)
	n.leaving.watch(n.server)
	return nil
}

func (n *node) openHost(ctx context.Context) (err error) {
	o := hostOptions(n.config)
	o.Logger, o.Observer, o.Simulator3DS = n.component("plugins"), n.metrics, n.bankHandler()
	if n.config.sharesAdapters() {
		o.Shared = sharedAdapters{n.db}
	}
	n.host, err = plugins.New(ctx, o)
	if err != nil {
		return err
	}
	n.metrics.registry.MustRegister(poolCollector{n.host.Stats}, backupCollector{n.config.Storage.BackupMaxAge, n.db.BackedUp})
	return checkAdapters(n.host.Adapters(), o.Directory)
}

// hostOptions returns the options of the adapters' host for a configuration.
func hostOptions(config Config) plugins.Options {
	c := config.Plugins
	trusted, _ := trustedKeys(c.TrustedKeys, nil) // Validate has checked them
	o := plugins.Options{
		SignedOnly:         c.SignedOnly,
		Trusted:            trusted,
		Directory:          c.Directory,
		CacheDir:           config.cacheDirectory(),
		Simulate:           c.Simulate,
		RetainBuilds:       max(30*24*time.Hour, config.Journal.Keep), // replay needs the builds of all operations in the journal
		SendTimeout:        c.SendTimeout,
		MaxResponse:        int(c.ResponseLimit),
		AccountConcurrency: c.AccountConcurrency,
		AccountWait:        min(c.AccountWait, (config.Engine.LeaseTime-c.SendTimeout)/2),
		AllowPrivate:       c.AllowPrivate,
		AllowLoopbackHTTP:  c.AllowLoopback,
		Compiler:           sandbox.Self(),
		Unoptimised:        !c.Optimise,
		Sandbox: sandbox.Limits{
			MemoryPages: uint32(c.MemoryLimit / (64 << 10)),
			StepFuel:    c.StepFuel,
			Instances:   c.Instances,
		},
	}
	if c.developing {
		o.PollInterval, o.Soon = lookEvery, true
	}
	return o
}

// checkAdapters refuses a switch without adapters and without a directory to load some from.
func checkAdapters(loaded []port.AdapterInfo, directory string) error {
	if len(loaded) == 0 && directory == "" {
		return errors.New("no adapter is loaded, so that no processor can take a payment: run `make plugins` and build again, or name a folder of adapters in plugins.directory")
	}
	return nil
}

// run serves until ctx ends, then drains: it takes no new connections, and lets requests, background work and operations end, in this
// order. When a part ends by itself, run ends the node and returns an error. It returns nil after ctx has ended and the node has drained.
func (n *node) run(ctx context.Context) error {
	base := context.WithoutCancel(ctx)
	background, stop := context.WithCancel(base) // lives on after ctx: operations are resolved while requests end
	defer stop()
	work, failed := errgroup.WithContext(background)
	work.Go(func() error { return unlessStopped(failed, "engine", n.engine.Run(failed)) })
	work.Go(func() error { return unlessStopped(failed, "plugins", n.host.Run(failed)) })
	if n.preparing.Load() {
		work.Go(func() error { n.prepareAdapters(failed); return nil })
	}
	work.Go(func() error { n.prepareNew(failed); return nil })
	work.Go(func() error { return unlessStopped(failed, "vault", n.vault.Run(failed)) })
	work.Go(func() error { return unlessStopped(failed, "seen", n.keepSeen(failed)) })
	work.Go(func() error { return unlessStopped(failed, "note", n.keepNoted(failed)) })
	work.Go(func() error { return unlessStopped(failed, "memory", giveMemoryBack(failed)) })
	if n.bank != nil {
		work.Go(func() error { return unlessStopped(failed, "simulator3ds", n.bank.Run(failed)) })
	}
	work.Go(func() error { return serveHTTP(n.server, router.Listener(n.listener)) })
	if n.metricsServer != nil {
		work.Go(func() error { return serveHTTP(n.metricsServer, n.metricsListener) })
	}
	if n.dashboardServer != nil {
		work.Go(func() error { return serveHTTP(n.dashboardServer, router.WatchLengths(n.dashboardListener)) })
		work.Go(func() error { return unlessStopped(failed, "dashboard", n.sweepStaff(failed)) })
	}
	select {
	case <-ctx.Done():
		n.log.Info("draining", keyTimeout, n.config.Server.ShutdownTimeout)
	case <-failed.Done():
	}
	n.draining.Store(true)
	n.leaving.let()

	// An operation that is still open after the wait has a lease in the database: when that runs out, another node or the next start resolves it.
	const left = "did not end within server.shutdown_timeout; what they left open is resolved at the next start"
	limit, cancel := context.WithTimeout(base, n.config.Server.ShutdownTimeout)
	defer cancel()
	var problems []error
	if err := n.server.Shutdown(limit); err != nil {
		problems = append(problems, fmt.Errorf("requests %s: %w", left, err), n.server.Close())
	}
	if n.dashboardServer != nil {
		if err := n.dashboardServer.Shutdown(limit); err != nil {
			problems = append(problems, fmt.Errorf("pages of the dashboard %s: %w", left, err), n.dashboardServer.Close())
		}
	}
	stop()
	if err := n.engine.Close(limit); err != nil {
		problems = append(problems, fmt.Errorf("operations %s: %w", left, err))
	}
	if n.metricsServer != nil {
		problems = append(problems, n.metricsServer.Close())
	}
	return errors.Join(append(problems, work.Wait())...)
}

// prepareTime is how long a node that starts may be busy with its adapters before it counts as ready.
const prepareTime = time.Minute

// usedConnectors returns the connectors of the enabled accounts that have a loaded adapter.
func (n *node) usedConnectors(ctx context.Context) (connectors []string) {
	used, err := n.db.Connectors(ctx)
	if err != nil {
		n.log.Error("the connectors of the accounts cannot be read", "error", err)
	}
	for _, c := range used {
		if _, loaded := n.host.Adapter(c); loaded {
			connectors = append(connectors, c)
		}
	}
	return connectors
}

// prepareAdapters compiles the adapters of the accounts, so that after an upgrade no payer waits for a compilation. The node counts as ready
// afterwards. Requests that come before are served.
func (n *node) prepareAdapters(ctx context.Context) {
	defer n.preparing.Store(false)
	limit, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	if err := n.host.Prepare(limit, n.connectors); err != nil && ctx.Err() == nil {
		n.log.Warn("adapters are not ready: their first payment waits until they are compiled", "error", err)
	}
}

// prepareNew compiles the adapters of accounts that are made or enabled while the node runs, on this node or another one. So their first payment does
// not wait for a compilation.
func (n *node) prepareNew(ctx context.Context) {
	prepared := map[string]bool{}
	for _, c := range n.connectors {
		prepared[c] = true
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.engine.Registry.Dir.News():
		}
		for _, c := range n.usedConnectors(ctx) {
			if prepared[c] {
				continue
			}
			if err := n.host.Prepare(ctx, []string{c}); err != nil {
				if ctx.Err() == nil {
					n.log.Warn("the adapter of a new account is not ready: its first payment waits until it is compiled", "error", err)
				}
				continue // the next change of the configuration tries it again
			}
			prepared[c] = true
			n.log.Info("the adapter of a new account is ready", "connector", c)
		}
	}
}

// closeTimeout bounds the wait for adapters to end their steps, which takes milliseconds unless an adapter is stuck. A compilation that has begun goes on to
// its end, which takes a second, and more on a busy machine.
const closeTimeout = 25 * time.Second

// close closes the parts that openNode has opened, in reverse. It ignores the error of a listener that its server has closed already.
func (n *node) close() error {
	var problems []error
	if n.host != nil {
		limit, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		problems = append(problems, n.host.Close(limit))
	}
	if n.webhooks != nil {
		n.webhooks.Close()
	}
	if n.db != nil {
		problems = append(problems, n.db.Close())
	}
	limit, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := n.tracing.close(limit); err != nil { // payments need no traces
		n.log.Warn("the last traces were not exported", "error", err)
	}
	n.requests.close()
	for _, l := range []net.Listener{n.dashboardListener, n.metricsListener, n.listener} {
		if l != nil {
			l.Close()
		}
	}
	return errors.Join(problems...)
}

// unlessStopped returns an error for a part that ended although ctx goes on.
func unlessStopped(ctx context.Context, part string, err error) error {
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", part, err)
	default:
		return fmt.Errorf("%s ended by itself", part)
	}
}

func serveHTTP(s *http.Server, l net.Listener) error {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

func listen(ctx context.Context, key, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s: another program listens on %s: end it, or choose another port with %s", key, address, variableOf(key))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return l, nil
}

// ready returns nil when the node can serve: it is not draining, its adapters are compiled, and its database answers and takes writes.
func (n *node) ready() error {
	if n.draining.Load() {
		return errors.New("draining")
	}
	if n.preparing.Load() {
		return errors.New("compiling the adapters of the accounts")
	}
	err := n.probe.run(n.db.Writable)
	n.readiness.note(err, n.log)
	return err
}

// url returns the API's address on this machine, with the real port where the configuration says 0.
func (n *node) url() string {
	host, port, _ := net.SplitHostPort(n.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func (n *node) publicURL() string {
	if n.config.Server.PublicURL != "" {
		return n.config.Server.PublicURL
	}
	return n.url()
}

func (n *node) component(name string) *slog.Logger { return n.log.With(keyComponent, name) }

func withMetrics(api, metrics http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			metrics.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}
